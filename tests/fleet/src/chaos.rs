//! Kills replicas, starts them again, and changes their keys half-way.

use std::{convert::Infallible, ffi::OsString, time::Duration};

use tokio::time::sleep;

use crate::{Result, progress::Progress, replicas::Replica};

/// Milliseconds between two kills, and of a replica without a process.
const PEACE: std::ops::Range<u64> = 50..400;
const DOWN: std::ops::Range<u64> = 0..200;

pub(crate) struct Chaos<'a> {
    pub(crate) replicas: &'a mut [Replica],
    pub(crate) random: fastrand::Rng,
    pub(crate) progress: &'a Progress,
    /// The key that all replicas have.
    pub(crate) old: String,
    /// The one that replaces it.
    pub(crate) new: String,
    /// What processes are started with after a deploy, where there is one.
    pub(crate) deploy: Option<Vec<Vec<OsString>>>,
}

impl Chaos<'_> {
    /// Goes on until it is dropped or fails.
    pub(crate) async fn run(&mut self) -> Result<Infallible> {
        loop {
            self.pause(PEACE).await;
            self.kill_some().await?;
            if self.progress.half_way() && !self.progress.is_rotated() {
                self.rotate().await?;
                if let Some(deployed) = self.deploy.take() {
                    self.deploy(deployed).await?;
                }
                // What waited for it has the new key and the new code.
                self.progress.set_rotated();
            }
        }
    }

    /// Mostly one, now and then two, seldom all of them at once.
    async fn kill_some(&mut self) -> Result<()> {
        let count = match self.random.u8(..10) {
            0 => self.replicas.len(),
            1 | 2 => 2,
            _ => 1,
        };
        let mut chosen: Vec<usize> = (0..self.replicas.len()).collect();
        self.random.shuffle(&mut chosen);
        chosen.truncate(count);
        let left = self.replicas.len() - chosen.len();
        self.progress.killed(chosen.len(), left);
        for &place in &chosen {
            if let Some(replica) = self.replicas.get_mut(place) {
                replica.kill().await?;
            }
        }
        self.pause(DOWN).await;
        for &place in &chosen {
            if let Some(replica) = self.replicas.get_mut(place) {
                replica.start().await?;
            }
        }
        Ok(())
    }

    /// First every replica learns to open the new key's tokens, then they seal with it. Kills go on
    /// in between.
    async fn rotate(&mut self) -> Result<()> {
        for keys in [
            format!("{},{}", self.old, self.new),
            format!("{},{}", self.new, self.old),
        ] {
            for place in 0..self.replicas.len() {
                if let Some(replica) = self.replicas.get_mut(place) {
                    replica.keys.clone_from(&keys);
                    replica.stop().await?;
                    replica.start().await?;
                }
                if self.random.bool() {
                    self.kill_some().await?;
                }
            }
        }
        Ok(())
    }

    /// One place after the other gets the new program. Kills go on in between.
    async fn deploy(&mut self, deployed: Vec<Vec<OsString>>) -> Result<()> {
        for (place, arguments) in deployed.into_iter().enumerate() {
            if let Some(replica) = self.replicas.get_mut(place) {
                replica.arguments = arguments;
                replica.stop().await?;
                replica.start().await?;
            }
            if self.random.bool() {
                self.kill_some().await?;
            }
        }
        Ok(())
    }

    async fn pause(&mut self, milliseconds: std::ops::Range<u64>) {
        sleep(Duration::from_millis(self.random.u64(milliseconds))).await;
    }
}

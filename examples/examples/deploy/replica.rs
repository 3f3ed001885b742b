//! Replicas of the server, of which one is killed now and then.

use std::{collections::VecDeque, path::PathBuf, time::Duration};

use examples::{Transport, deployment::Deployer};
use saga_runtime::{KEY_LEN, Settings};
use tokio::process::Command;

use crate::{Result, transcript};
use examples::{Process, orphaned, random_hex};

/// Serves until the program that started this one is gone.
pub(crate) async fn serve(build_log: PathBuf) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let deployer = Deployer {
        build_log: Some(build_log),
    };
    let transport = Transport::Http {
        port: 0,
        json: true,
    };
    let settings = Settings::from_env()?;
    Ok(examples::serve(move || deployer.clone(), settings, transport, orphaned()).await?)
}

/// One server process.
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) url: String,
    process: Process,
}

impl Replica {
    async fn start(number: usize, keys: &str, build_log: &PathBuf) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve").arg(build_log).env("SAGA_KEYS", keys);
        let process = Process::start(command).await?;
        Ok(Self {
            name: format!("server {number} (process {})", process.id),
            url: process.url.clone(),
            process,
        })
    }

    async fn kill(self, occasion: &str) -> Result<()> {
        self.process.end(Duration::ZERO).await?;
        transcript::note(&format!("{} is killed {occasion}", self.name))
    }
}

/// The running replicas; the first of them is called, the others stand by.
pub(crate) struct Replicas {
    running: VecDeque<Replica>,
    started: usize,
    keys: String,
    build_log: PathBuf,
}

impl Replicas {
    pub(crate) fn new(build_log: PathBuf) -> Result<Self> {
        Ok(Self {
            running: VecDeque::new(),
            started: 0,
            keys: format!("demo:{}", random_hex::<KEY_LEN>()?),
            build_log,
        })
    }

    /// Starts replicas until so many are running.
    pub(crate) async fn start(&mut self, count: usize) -> Result<()> {
        while self.running.len() < count {
            self.started += 1;
            let replica = Replica::start(self.started, &self.keys, &self.build_log).await?;
            transcript::note(&format!("{} is started: {}", replica.name, replica.url))?;
            self.running.push_back(replica);
        }
        Ok(())
    }

    pub(crate) fn first(&self) -> Result<&Replica> {
        self.running
            .front()
            .ok_or_else(|| "no server is running".into())
    }

    /// Kills the first replica once another one stands by.
    pub(crate) async fn fail_over(&mut self, occasion: &str) -> Result<()> {
        self.start(2).await?;
        match self.running.pop_front() {
            Some(first) => first.kill(occasion).await,
            None => Ok(()),
        }
    }
}

//! The server and its clients have cores of their own, else each is measured with the other.

use std::{num::ParseIntError, str::FromStr};

use core_affinity::CoreId;

use crate::Result;

/// The cores that a process is to run on. A process is told them by who starts it: of itself it would see only
/// those that the thread that started it runs on.
#[derive(Debug, Clone)]
pub(crate) struct Cores(Vec<CoreId>);

impl Cores {
    /// The first so many of this process, for a server; and the others, for its clients.
    pub(crate) fn split(servers: usize) -> Result<(Self, Self)> {
        let all = core_affinity::get_core_ids().unwrap_or_default();
        if servers == 0 || servers >= all.len() {
            return Err("there are not enough cores for a server and its clients".into());
        }
        let (server, clients) = all.split_at(servers);
        Ok((Self(server.to_vec()), Self(clients.to_vec())))
    }

    /// As the hidden subcommands take them.
    pub(crate) fn argument(&self) -> String {
        let ids: Vec<_> = self.0.iter().map(|core| core.id.to_string()).collect();
        ids.join(",")
    }

    /// A runtime with a thread on each of them.
    pub(crate) fn runtime(self) -> Result<tokio::runtime::Runtime> {
        let Some(first) = self.0.first().copied() else {
            return Err("no core to run on".into());
        };
        // What else there is to do is done beside it.
        core_affinity::set_for_current(first);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(self.0.len()).enable_all();
        builder.on_thread_start(move || {
            let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if let Some(core) = self.0.get(place % self.0.len()) {
                core_affinity::set_for_current(*core);
            }
        });
        Ok(builder.build()?)
    }
}

impl FromStr for Cores {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let ids = text.split(',').map(str::parse);
        let cores: Result<_, _> = ids.map(|id| id.map(|id| CoreId { id })).collect();
        cores.map(Self)
    }
}

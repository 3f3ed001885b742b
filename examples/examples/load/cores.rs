//! The server and its clients have cores of their own, else each is measured with the other.

use core_affinity::CoreId;

use crate::Result;

/// Who is to run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    /// The first so many cores.
    Server(usize),
    /// All but the first so many.
    Clients(usize),
}

impl Side {
    fn cores(self) -> Vec<CoreId> {
        let all = core_affinity::get_core_ids().unwrap_or_default();
        match self {
            Self::Server(cores) => all.into_iter().take(cores).collect(),
            Self::Clients(cores) => all.into_iter().skip(cores).collect(),
        }
    }

    /// A runtime with a thread on each of its cores.
    pub(crate) fn runtime(self) -> Result<tokio::runtime::Runtime> {
        let cores = self.cores();
        let Some(first) = cores.first().copied() else {
            return Err("there are not enough cores for a server and its clients".into());
        };
        // What else there is to do is done beside it.
        core_affinity::set_for_current(first);
        let next = std::sync::atomic::AtomicUsize::new(0);
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(cores.len()).enable_all();
        builder.on_thread_start(move || {
            let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if let Some(core) = cores.get(place % cores.len()) {
                core_affinity::set_for_current(*core);
            }
        });
        Ok(builder.build()?)
    }
}

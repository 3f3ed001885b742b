//! What the clients and the chaos know of each other.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;

/// How far the keys are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rotation {
    /// The old key alone, or the new one is being made known.
    Before,
    /// The new key seals everywhere, and the old one is still understood. A deploy, where there is one, is done as well.
    Done,
}

/// The state of the run. Counters only go up, but for [`Progress::suspended`].
pub(crate) struct Progress {
    /// Calls to make in all.
    pub(crate) calls: usize,
    started: AtomicUsize,
    pub(crate) completed: AtomicUsize,
    /// Calls that nobody but their clients knows of, now.
    pub(crate) suspended: AtomicUsize,
    pub(crate) kills: AtomicUsize,
    /// Moments at which no replica was left.
    pub(crate) blackouts: AtomicUsize,
    /// The calls that were suspended at each kill, added up.
    pub(crate) suspended_at_kills: AtomicUsize,
    rotation: watch::Sender<Rotation>,
}

impl Progress {
    pub(crate) fn new(calls: usize) -> Self {
        Self {
            calls,
            started: AtomicUsize::new(0),
            completed: AtomicUsize::new(0),
            suspended: AtomicUsize::new(0),
            kills: AtomicUsize::new(0),
            blackouts: AtomicUsize::new(0),
            suspended_at_kills: AtomicUsize::new(0),
            rotation: watch::Sender::new(Rotation::Before),
        }
    }

    /// The number of the next call; `None` where all are made. The last quarter waits for the
    /// rotation, and for the deploy behind it, so that there is something left for the new key and the new code alone.
    pub(crate) async fn next_call(&self) -> Option<usize> {
        let call = self.started.fetch_add(1, Ordering::Relaxed);
        if call >= self.calls {
            return None;
        }
        if call >= self.calls * 3 / 4 {
            self.rotated().await;
        }
        Some(call)
    }

    /// Whether it is time to change the keys.
    pub(crate) fn half_way(&self) -> bool {
        self.completed.load(Ordering::Relaxed) * 10 >= self.calls * 4
    }

    pub(crate) fn set_rotated(&self) {
        self.rotation.send_replace(Rotation::Done);
    }

    pub(crate) fn is_rotated(&self) -> bool {
        *self.rotation.borrow() == Rotation::Done
    }

    /// Waits until the keys are changed.
    pub(crate) async fn rotated(&self) {
        // The sender lives as long as this value.
        let _ = self
            .rotation
            .subscribe()
            .wait_for(|now| *now == Rotation::Done)
            .await;
    }

    pub(crate) fn killed(&self, replicas: usize, left: usize) {
        self.kills.fetch_add(replicas, Ordering::Relaxed);
        let suspended = self.suspended.load(Ordering::Relaxed);
        self.suspended_at_kills
            .fetch_add(suspended * replicas, Ordering::Relaxed);
        if left == 0 {
            self.blackouts.fetch_add(1, Ordering::Relaxed);
        }
    }
}

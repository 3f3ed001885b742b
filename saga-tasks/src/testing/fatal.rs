//! A store as a process sees it that is killed at one of its calls.

use std::{
    fmt,
    future::{Future, pending},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use saga_runtime::CallId;
use tokio_util::sync::CancellationToken;

use crate::{
    Claim, Claimed, Created, Expect, MemoryStore, Owner, Renewal, StoreError, Swap, TaskId,
    TaskRecord, TaskStore,
};

/// The system's clock, which can be turned on.
#[derive(Debug, Clone, Default)]
pub struct Clock(Arc<Mutex<Duration>>);

impl Clock {
    /// The time.
    pub fn now(&self) -> SystemTime {
        SystemTime::now() + *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns it on.
    pub fn turn(&self, by: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += by;
    }
}

/// When its process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    /// Before this call of its store.
    Before(usize),
    /// After it, and before its answer is there.
    After(usize),
}

impl fmt::Display for Killed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (when, call) = match self {
            Self::Before(call) => ("before", call),
            Self::After(call) => ("after", call),
        };
        write!(f, "{when} call {} of its store", call.saturating_add(1))
    }
}

/// A store as a process has it that is killed at one of its calls: that call, and every later one, gives no answer.
pub struct Fatal {
    store: MemoryStore,
    calls: AtomicUsize,
    killed: Killed,
    dead: CancellationToken,
    clock: Clock,
    written: Option<Box<dyn Fn() + Send + Sync>>,
}

impl fmt::Debug for Fatal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fatal")
            .field("killed", &self.killed)
            .field("calls", &self.calls())
            .finish_non_exhaustive()
    }
}

impl Fatal {
    /// One whose process is dead once `dead` is cancelled.
    pub fn new(store: MemoryStore, clock: Clock, killed: Killed, dead: CancellationToken) -> Self {
        let calls = AtomicUsize::new(0);
        Self {
            store,
            calls,
            killed,
            dead,
            clock,
            written: None,
        }
    }

    /// Calls `written` each time that a task was written.
    #[must_use]
    pub fn telling(mut self, written: impl Fn() + Send + Sync + 'static) -> Self {
        self.written = Some(Box::new(written));
        self
    }

    /// How many calls there were that change something.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    async fn call<T>(&self, call: impl Future<Output = T>) -> T {
        // What is dead does nothing more, as long as it may take its runtime to end.
        if self.dead.is_cancelled() {
            return pending().await;
        }
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if matches!(self.killed, Killed::Before(at) if number >= at) {
            self.dead.cancel();
            return pending().await;
        }
        let result = call.await;
        if matches!(self.killed, Killed::After(at) if number >= at) {
            self.dead.cancel();
            return pending().await;
        }
        result
    }
}

#[async_trait]
impl TaskStore for Fatal {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        self.store.now().await
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        self.call(self.store.create(record)).await
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        self.store.get(id).await
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        self.store.find(call).await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let swap = async {
            let swapped = self.store.swap(next, expect).await;
            if let (Ok(Swap::Done(_)), Some(written)) = (&swapped, &self.written) {
                written();
            }
            swapped
        };
        self.call(swap).await
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        // A claim that finds nothing is no step; and it is none, else the clock could be turned before it.
        let (due, now) = (self.store.next_due().await?, self.clock.now());
        if due.is_none_or(|due| due > now) {
            let records = Vec::new();
            return Ok(Claimed { now, records });
        }
        self.call(self.store.claim(claim)).await
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        if self.dead.is_cancelled() {
            return pending().await;
        }
        self.store.renew(held, lease).await
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        self.call(self.store.note(id, fence, message)).await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        self.store.next_due().await
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        self.store.open(owner).await
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        self.store.sweep(limit).await
    }
}

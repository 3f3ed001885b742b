//! Where tasks are kept.

pub(crate) mod limited;
pub(crate) mod memory;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "redis")]
pub(crate) mod redis;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use saga_runtime::CallId;

use crate::record::{CodeId, State, TaskId, TaskRecord, WorkerId};

/// The columns of a task, where a store has columns.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const COLUMNS: &str = "id, call, version, owner, tool, code, state, due, fence, worker, lease_until, attempts, cancel, created, updated, expires, status_message, sealed";

/// Those that are listed: the last one may be as large as a row.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const LISTED: &str = "id, call, version, owner, tool, code, state, due, fence, worker, lease_until, attempts, cancel, created, updated, expires, status_message";

/// A store could not do what it was asked: it is down, full, or what it keeps cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(String);

impl StoreError {
    /// An error with this text, for the server's log.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// What a write goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expect {
    /// The version that is replaced.
    pub version: u64,
    /// The lease under which it is written; nothing where a client writes.
    pub fence: Option<u64>,
}

/// Whether a write was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap {
    /// It was; the record has this version now.
    Done(u64),
    /// Somebody else's was before it, and nothing is changed.
    Lost,
}

/// What became of a new task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// It is there.
    New,
    /// One of the same call was there already.
    Exists(TaskId),
}

/// Who claims what.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Claim<'a> {
    /// By whom.
    pub worker: &'a WorkerId,
    /// How many at most.
    pub limit: usize,
    /// For how long.
    pub lease: Duration,
    /// Code that this worker does not have: tasks of it are left to others…
    pub unknown: &'a [CodeId],
    /// …until nobody has written them for so long.
    pub stale_after: Duration,
}

impl<'a> Claim<'a> {
    /// A claim of up to `limit` tasks of any code.
    pub fn new(worker: &'a WorkerId, limit: usize, lease: Duration) -> Self {
        Self {
            worker,
            limit,
            lease,
            unknown: &[],
            stale_after: Duration::MAX,
        }
    }

    /// Leaves tasks of this code to others, until nobody has written them for so long.
    #[must_use]
    pub fn without(mut self, unknown: &'a [CodeId], stale_after: Duration) -> Self {
        (self.unknown, self.stale_after) = (unknown, stale_after);
        self
    }
}

/// Tasks that were claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The time, by the store's clock.
    pub now: SystemTime,
    /// They, as they are now.
    pub records: Vec<TaskRecord>,
}

/// Which tasks are listed: those created last come first.
///
/// ```
/// # async fn example(store: &impl saga_tasks::TaskStore) -> Result<(), saga_tasks::StoreError> {
/// use saga_tasks::{Page, State};
///
/// let page = Page::new(50).of(State::Failed);
/// let first = store.list(page).await?;
/// if let Some(last) = first.last() {
///     let second = store.list(page.after(last.created, &last.id)).await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Page<'a> {
    /// How many at most.
    pub limit: usize,
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those that come after the task with this time of creation and this id, be it there or not.
    pub after: Option<(SystemTime, &'a TaskId)>,
}

impl<'a> Page<'a> {
    /// The first `limit` tasks.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            state: None,
            after: None,
        }
    }

    /// Those in this state.
    #[must_use]
    pub fn of(mut self, state: State) -> Self {
        self.state = Some(state);
        self
    }

    /// Those that come after this one.
    #[must_use]
    pub fn after(mut self, created: SystemTime, id: &'a TaskId) -> Self {
        self.after = Some((created, id));
        self
    }
}

/// How a lease stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renewal {
    /// Whose.
    pub id: TaskId,
    /// Whether it is still held, and was extended.
    pub held: bool,
    /// Whether the client no longer wants the task.
    pub cancel: bool,
}

/// Keeps tasks, each as one record with a version. Every write is conditional: it is made for one writer, or not at
/// all. The store's clock is the clock of all times in it.
///
/// `saga_tasks::suite` (feature `suite`) is what every store has to do.
#[async_trait]
pub trait TaskStore: Send + Sync + 'static {
    /// The time.
    ///
    /// # Errors
    /// Where the store cannot say.
    async fn now(&self) -> Result<SystemTime, StoreError>;

    /// Adds a record. It is durable, and every replica can read it, when this returns.
    ///
    /// # Errors
    /// Where that cannot be promised.
    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError>;

    /// The record of an id.
    ///
    /// # Errors
    /// Where the store cannot say.
    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError>;

    /// The task of a call.
    ///
    /// # Errors
    /// Where the store cannot say.
    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError>;

    /// The one write: replaces a record where its version still is the expected one, and its lease, where one is named;
    /// raises the version. `id`, `call`, `owner`, `tool` and `created` do not change. Where the next state is
    /// [`Leased`](crate::State::Leased), the lease ends at the later of the record's time and the next one's, and the task is due then: a renewal has
    /// no version, and no write takes one back.
    ///
    /// # Errors
    /// Where the store cannot say whether it was made.
    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError>;

    /// Leases tasks that are due, the longest due first: raises `fence`, `attempts` and `version`; `due` is the lease's end.
    /// Each goes to one claim. `updated` stays.
    ///
    /// # Errors
    /// Where nothing was claimed.
    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError>;

    /// Extends the leases that are still held. The versions stay.
    ///
    /// # Errors
    /// Where none was extended.
    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError>;

    /// Writes what a client is told of a task that is leased by this fence. The version stays.
    ///
    /// # Errors
    /// Where it was not written.
    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError>;

    /// When the next task is due.
    ///
    /// # Errors
    /// Where the store cannot say.
    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError>;

    /// How many tasks of this owner are not over.
    ///
    /// # Errors
    /// Where the store cannot say.
    async fn open(&self, owner: &crate::record::Owner) -> Result<u64, StoreError>;

    /// A page of tasks, of every owner, for those who operate the service. What is sealed is left out. Two tasks of one
    /// millisecond are in an order of the store's own, which is the same in every page.
    ///
    /// # Errors
    /// Where the store cannot say; a store need not be able to list its tasks.
    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        let _ = page;
        Err(StoreError::new("this store cannot list its tasks"))
    }

    /// Removes up to `limit` tasks that are over and need not be kept any longer; gives their number.
    ///
    /// # Errors
    /// Where none was removed.
    async fn sweep(&self, limit: usize) -> Result<u64, StoreError>;

    /// Ready when another process may have changed something, where the store can tell. A hint: nothing depends on it.
    async fn changed(&self) {
        std::future::pending().await
    }
}

#[async_trait]
impl<S: TaskStore + ?Sized> TaskStore for Arc<S> {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        (**self).now().await
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        (**self).create(record).await
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        (**self).get(id).await
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        (**self).find(call).await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        (**self).swap(next, expect).await
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        (**self).claim(claim).await
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        (**self).renew(held, lease).await
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        (**self).note(id, fence, message).await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        (**self).next_due().await
    }

    async fn open(&self, owner: &crate::record::Owner) -> Result<u64, StoreError> {
        (**self).open(owner).await
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        (**self).list(page).await
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        (**self).sweep(limit).await
    }

    async fn changed(&self) {
        (**self).changed().await;
    }
}

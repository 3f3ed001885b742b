//! `Tasks`: a store, what runs its tasks, and how.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockWriteGuard},
    time::Duration,
};

use rmcp::{RoleServer, model::Extensions, service::RequestContext};
use saga_runtime::{Settings, background::Runner, flow::Function};
use serde_json::Value;
use tokio::sync::{Notify, Semaphore, broadcast};
use tokio_util::sync::CancellationToken;

use crate::{
    leg::Signal,
    record::{CodeId, TaskId, WorkerId},
    store::{TaskStore, limited::Limited},
};

/// So many writes one who waits may be behind: then any may have been of its task.
const REMEMBERED: usize = 256;

type Capture = dyn Fn(&RequestContext<RoleServer>) -> Value + Send + Sync;
type Restore = dyn Fn(&Value, &mut Extensions) + Send + Sync;

/// Tasks of a server: give it to [`SagaServer::with_tasks`](saga_runtime::SagaServer::with_tasks).
///
/// ```no_run
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use saga_tasks::{SqliteStore, Tasks};
///
/// let tasks = Tasks::new(SqliteStore::open("tasks.db")?)
///     .workers(4)
///     .ttl(Duration::from_secs(7 * 24 * 3600));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tasks(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    /// As it was given.
    given: Arc<dyn TaskStore>,
    /// The same, with a limit.
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) config: Config,
    pub(crate) worker: OnceLock<WorkerId>,
    pub(crate) settings: RwLock<Option<Settings>>,
    pub(crate) runner: OnceLock<Runner>,
    /// The legs that run here, each with the fence that it is held by.
    pub(crate) running: Mutex<HashMap<TaskId, (u64, Signal)>>,
    pub(crate) permits: Arc<Semaphore>,
    /// Something may be due.
    pub(crate) wake: Notify,
    /// Code that this process does not have.
    pub(crate) unknown: Mutex<Vec<CodeId>>,
    pub(crate) stopping: CancellationToken,
    /// Held while tasks are claimed.
    pub(crate) claiming: Arc<tokio::sync::Mutex<()>>,
    /// A leg is over.
    pub(crate) ended: Notify,
    /// What this process has written, for those who wait for it. A store's own hints are for workers: most tell of what is due, and a
    /// hint that is taken here would be missed there.
    pub(crate) written: broadcast::Sender<TaskId>,
    /// The functions that legs entered here, by fingerprint: what can be drawn of a call that is suspended.
    #[cfg(feature = "console")]
    pub(crate) entered: Mutex<HashMap<u64, &'static Function>>,
}

#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) workers: usize,
    pub(crate) lease: Duration,
    pub(crate) patience: Duration,
    pub(crate) ttl: Option<Duration>,
    pub(crate) poll: Duration,
    pub(crate) look: Duration,
    pub(crate) attempts: u32,
    pub(crate) grace: Duration,
    pub(crate) stale_after: Duration,
    pub(crate) max_bytes: usize,
    pub(crate) max_open: u64,
    pub(crate) max_keep_alive: Duration,
    pub(crate) caller: Option<(Arc<Capture>, Arc<Restore>)>,
}

impl fmt::Debug for Tasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tasks")
            .field("workers", &self.0.config.workers)
            .field("running", &self.0.running().len())
            .finish_non_exhaustive()
    }
}

impl Inner {
    pub(crate) fn running(&self) -> MutexGuard<'_, HashMap<TaskId, (u64, Signal)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn unknown(&self) -> MutexGuard<'_, Vec<CodeId>> {
        self.unknown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets those who wait for a task in this process look at it.
    pub(crate) fn tell_written(&self, id: &TaskId) {
        if self.written.receiver_count() > 0 {
            // Nobody may be there any more.
            let _ = self.written.send(id.clone());
        }
    }

    /// Notes a function that a leg has entered.
    pub(crate) fn enter(&self, function: &'static Function) {
        #[cfg(feature = "console")]
        self.entered().insert(function.fingerprint, function);
        #[cfg(not(feature = "console"))]
        let _ = function;
    }

    #[cfg(feature = "console")]
    pub(crate) fn entered(&self) -> MutexGuard<'_, HashMap<u64, &'static Function>> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn settings(&self) -> Option<Settings> {
        let settings = self.settings.read();
        settings.unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn settings_mut(&self) -> RwLockWriteGuard<'_, Option<Settings>> {
        let settings = self.settings.write();
        settings.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tasks {
    /// Tasks in this store; four legs at a time, a lease of 15 seconds, tasks that live for 24 hours.
    pub fn new(store: impl TaskStore) -> Self {
        let config = Config {
            workers: 4,
            lease: Duration::from_secs(15),
            patience: Duration::from_secs(10),
            ttl: Some(Duration::from_secs(24 * 3600)),
            poll: Duration::from_secs(1),
            look: Duration::from_secs(1),
            attempts: 5,
            grace: Duration::from_secs(2),
            stale_after: Duration::from_secs(600),
            max_bytes: 1024 * 1024,
            max_open: 1000,
            max_keep_alive: Duration::from_secs(3600),
            caller: None,
        };
        Self::of(Arc::new(store), config, None)
    }

    fn of(store: Arc<dyn TaskStore>, config: Config, settings: Option<Settings>) -> Self {
        let limited = Limited::new(Arc::clone(&store), config.patience);
        Self(Arc::new(Inner {
            given: store,
            store: Arc::new(limited),
            permits: Arc::new(Semaphore::new(config.workers.min(Semaphore::MAX_PERMITS))),
            config,
            worker: OnceLock::new(),
            settings: RwLock::new(settings),
            runner: OnceLock::new(),
            running: Mutex::default(),
            wake: Notify::new(),
            unknown: Mutex::default(),
            stopping: CancellationToken::new(),
            claiming: Arc::default(),
            ended: Notify::new(),
            written: broadcast::channel(REMEMBERED).0,
            #[cfg(feature = "console")]
            entered: Mutex::default(),
        }))
    }

    /// Changes what is configured; before it is given to a server.
    fn with(self, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = self.0.config.clone();
        change(&mut config);
        Self::of(Arc::clone(&self.0.given), config, self.0.settings())
    }

    /// How many legs this process runs at a time; with 0 it leaves them to others.
    #[must_use]
    pub fn workers(self, legs: usize) -> Self {
        self.with(|config| config.workers = legs)
    }

    /// For how long a leg is its worker's without a sign of life. Renewed three times as often. A process that is
    /// killed is waited for that long, and an executor that is blocked for longer loses its legs.
    #[must_use]
    pub fn lease(self, lease: Duration) -> Self {
        self.with(|config| config.lease = lease)
    }

    /// How long the store is waited for where a request or the end of a leg needs it, 10 seconds where nothing is said: then it counts
    /// as a store that fails.
    #[must_use]
    pub fn store_timeout(self, time: Duration) -> Self {
        self.with(|config| config.patience = time)
    }

    /// How long after its creation a task is kept; `None` for ever. One that is not over by then is failed.
    #[must_use]
    pub fn ttl(self, ttl: impl Into<Option<Duration>>) -> Self {
        let ttl = ttl.into();
        self.with(|config| config.ttl = ttl)
    }

    /// How often a client is to ask how a task stands.
    #[must_use]
    pub fn poll_interval(self, interval: Duration) -> Self {
        self.with(|config| config.poll = interval)
    }

    /// How often this process looks for tasks that another one has made due. Its own it knows of at once.
    #[must_use]
    pub fn look_interval(self, interval: Duration) -> Self {
        self.with(|config| config.look = interval)
    }

    /// How often one leg is begun at most: a leg that ends its process each time is failed after that.
    #[must_use]
    pub fn max_attempts(self, attempts: u32) -> Self {
        self.with(|config| config.attempts = attempts.max(1))
    }

    /// How long a leg may go on once its task is cancelled; then it is dropped.
    #[must_use]
    pub fn cancel_grace(self, grace: Duration) -> Self {
        self.with(|config| config.grace = grace)
    }

    /// How long a task waits for a worker that has its code, before it is failed as `stale`.
    #[must_use]
    pub fn stale_after(self, time: Duration) -> Self {
        self.with(|config| config.stale_after = time)
    }

    /// How many bytes a task may take in the store.
    #[must_use]
    pub fn max_bytes(self, bytes: usize) -> Self {
        self.with(|config| config.max_bytes = bytes)
    }

    /// About how many tasks of one principal may be open: calls that come at once are counted beside one another.
    #[must_use]
    pub fn max_open(self, tasks: u64) -> Self {
        self.with(|config| config.max_open = tasks)
    }

    /// The longest time that a client of async calls may have a result kept; one hour where nothing is said.
    #[must_use]
    pub fn max_keep_alive(self, time: Duration) -> Self {
        self.with(|config| config.max_keep_alive = time)
    }

    /// Keeps of each request what its tool reads from the request's extensions: `capture` makes a value of it that
    /// is stored (sealed; no tokens of a session), `restore` puts it into the request that a leg's tool sees.
    #[must_use]
    pub fn with_caller(
        self,
        capture: impl Fn(&RequestContext<RoleServer>) -> Value + Send + Sync + 'static,
        restore: impl Fn(&Value, &mut Extensions) + Send + Sync + 'static,
    ) -> Self {
        self.with(|config| config.caller = Some((Arc::new(capture), Arc::new(restore))))
    }

    /// The store.
    #[expect(
        clippy::misnamed_getters,
        reason = "whoever gave it has no need of the limit"
    )]
    pub fn store(&self) -> &Arc<dyn TaskStore> {
        &self.0.given
    }

    /// Claims no more legs, and waits until those that run are over, at most for this time. What is not over then
    /// goes on elsewhere when its lease ends, from where it suspended last. The servers of `saga_runtime::serve` do this when they
    /// end.
    pub async fn stop(&self, at_most: Duration) {
        self.0.stopping.cancel();
        let over = async {
            drop(self.0.claiming.lock().await);
            loop {
                let ended = self.0.ended.notified();
                if self.0.running().is_empty() {
                    return;
                }
                ended.await;
            }
        };
        if tokio::time::timeout(at_most, over).await.is_err() {
            tracing::warn!("legs of tasks still run");
        }
    }
}

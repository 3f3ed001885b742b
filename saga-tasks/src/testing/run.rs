//! One task whose process is killed, and another one goes on.

use std::{
    convert::Infallible,
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, RoleClient, RoleServer, Service, ServiceExt,
    model::{CallToolResult, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt, RunningService},
};
use saga_runtime::{
    Keyring, Settings,
    background::Host,
    client::{BegunCall, CallError, FollowedTask, TaskCall},
    testing::{Failure, FailureKind},
};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::{Clock, Fatal, Killed};
use crate::{MemoryStore, State, TaskId, TaskStore, Tasks};

/// Longer than any run.
const LEASE: Duration = Duration::from_secs(60);
/// How often a process looks for work, and a client at its task.
const LOOK: Duration = Duration::from_millis(1);
/// What the client names its call.
const CALL: &str = "call 1";
/// Only so that a task that never ends fails the test instead of holding it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A task whose process is killed at one call of its store: for a kit of one's own. [`TaskKit`](super::TaskKit) kills at all of
/// them.
pub struct KilledRun {
    killed: Killed,
    clock: Clock,
    effects: Arc<dyn Fn() -> usize + Send + Sync>,
}

impl fmt::Debug for KilledRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KilledRun")
            .field("killed", &self.killed)
            .finish_non_exhaustive()
    }
}

/// How such a run ended.
#[derive(Debug)]
pub struct RunEnded {
    result: CallToolResult,
    calls: usize,
    stored: usize,
}

impl RunEnded {
    /// The task's result; how many calls of its store the process made that was killed; and how many effects there were
    /// when it wrote the task last.
    pub fn into_parts(self) -> (CallToolResult, usize, usize) {
        (self.result, self.calls, self.stored)
    }
}

impl KilledRun {
    /// One whose process is killed there. Its store goes by this clock, which is turned to the ends of leases and sleeps.
    pub fn new(killed: Killed, clock: Clock) -> Self {
        Self {
            killed,
            clock,
            effects: Arc::new(|| 0),
        }
    }

    /// Says how many effects there are.
    #[must_use]
    pub fn counting(mut self, effects: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.effects = Arc::new(effects);
        self
    }

    /// Runs it: `server` makes the server of a process, with the tasks that it is given, and `client` answers.
    ///
    /// # Errors
    /// Where the call becomes no task, or the task has no result.
    pub async fn run<S: Service<RoleServer>>(
        self,
        server: impl Fn(Tasks) -> S,
        call: TaskCall,
        client: impl ClientHandler,
    ) -> Result<RunEnded, Failure> {
        let clock = self.clock.clone();
        let store = MemoryStore::with_clock(move || clock.now());
        let dead = CancellationToken::new();
        let fatal = Fatal::new(store.clone(), self.clock.clone(), self.killed, dead.clone());
        let stored = Arc::new(AtomicUsize::new(0));
        let (effects, written) = (Arc::clone(&self.effects), Arc::clone(&stored));
        let fatal = Arc::new(fatal.telling(move || written.store(effects(), Ordering::SeqCst)));
        let works = Process::start(&server, tasks(Arc::clone(&fatal)))?;
        // The client's own requests go to one that runs nothing.
        let mut front = Process::start(&server, tasks(store.clone()).workers(0))?;
        let client = front.connect(client).await?;
        // Idempotency keys are made of it: so they are the same in every run.
        let call = call.request_key(CALL);
        let task = match call.begin(&client).await.map_err(failed)? {
            BegunCall::Task(task) => task,
            BegunCall::Result(result) => {
                let text = format!(
                    "the call did not become a task, and there is nothing to kill: its tool needs `#[saga(task)]`; it gave {result:?}"
                );
                return Err(Failure::new(FailureKind::Script, text));
            }
        };
        let result = tokio::select! {
            result = task.result(&client, |_| {}) => result.map_err(failed)?,
            never = self.others(&server, works, &store, &task, dead) => match never? {},
            () = tokio::time::sleep(PATIENCE) => {
                let text = format!("killed {:?}, the task has no end within {PATIENCE:?}", self.killed);
                return Err(Failure::new(FailureKind::Server, text));
            }
        };
        Ok(RunEnded {
            result,
            calls: fatal.calls(),
            stored: stored.load(Ordering::SeqCst),
        })
    }

    /// Lets the time of sleeps pass, and puts another process in the place of the one that was killed.
    async fn others<S: Service<RoleServer>>(
        &self,
        server: &impl Fn(Tasks) -> S,
        works: Process<S>,
        store: &MemoryStore,
        task: &FollowedTask,
        dead: CancellationToken,
    ) -> Result<Infallible, Failure> {
        let mut works = Some(works);
        let mut second = None;
        loop {
            tokio::time::sleep(LOOK).await;
            if dead.is_cancelled()
                && let Some(killed) = works.take()
            {
                drop(killed);
                self.clock.turn(LEASE);
                second = Some(Process::start(server, tasks(store.clone()))?);
            }
            let record = store.get(&TaskId::named(task.id())).await.ok().flatten();
            let sleeps = record.filter(|record| record.state == State::Sleeping);
            let due = sleeps.and_then(|record| record.due);
            let left = due.and_then(|due| due.duration_since(self.clock.now()).ok());
            if let Some(left) = left {
                self.clock.turn(left);
            }
            // It works for as long as this does.
            let _ = &second;
        }
    }
}

fn tasks(store: impl TaskStore) -> Tasks {
    Tasks::new(store)
        .lease(LEASE)
        .poll_interval(LOOK)
        .look_interval(LOOK)
}

fn failed(error: CallError) -> Failure {
    Failure::new(FailureKind::Server, format!("the task: {error}"))
}

fn broken(error: impl fmt::Display) -> Failure {
    Failure::new(FailureKind::Server, error.to_string())
}

/// A process that can be killed: what it runs goes with it.
struct Process<S> {
    runtime: Option<Runtime>,
    server: Option<S>,
}

impl<S: Service<RoleServer>> Process<S> {
    fn start(server: &impl Fn(Tasks) -> S, tasks: Tasks) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(broken)?;
        let keys = Keyring::new("test", [7; saga_runtime::KEY_LEN]).map_err(broken)?;
        let server = {
            let _entered = runtime.enter();
            // A server that has no settings goes by these, and not by the environment's.
            let settings = Settings::new(keys);
            tasks.configure(&settings);
            let server = server(tasks.clone());
            // The next process has to read the rows of this one, whatever its server's own settings are.
            tasks.configure(&settings);
            server
        };
        Ok(Self {
            runtime: Some(runtime),
            server: Some(server),
        })
    }

    /// Serves a client, in this process.
    async fn connect<H: ClientHandler>(
        &mut self,
        client: H,
    ) -> Result<RunningService<RoleClient, H>, Failure> {
        let (near, far) = tokio::io::duplex(1 << 16);
        if let Some(server) = self.server.take() {
            tokio::spawn(async move {
                if let Ok(server) = server.serve(near).await {
                    let _ = server.waiting().await;
                }
            });
        }
        let newest = ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        };
        client
            .serve_with_lifecycle(far, newest)
            .await
            .map_err(broken)
    }
}

impl<S> Drop for Process<S> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

//! Runs a case as a durable task whose process is killed, and another one goes on.

mod fatal;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ProtocolVersion,
    },
    service::{ClientLifecycleMode, ClientServiceExt, RequestContext, RunningService},
};
use saga_runtime::{
    __private::{Params, TaskMode, serve_handler},
    Keyring, SagaServer, Settings,
    client::{BegunCall, FollowedTask, TaskCall},
};
use saga_tasks::{MemoryStore, State, TaskId, TaskStore, Tasks};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

pub use self::fatal::{Clock, Fatal, Killed};
use crate::{
    answers,
    difference::{Case, Seen},
    live::{Connection, Scripted},
    trace::{Failure, Trace},
};

/// At so many of the calls of its store a process is killed at most.
const KILLS: usize = 8;
/// Longer than any run.
const LEASE: Duration = Duration::from_secs(60);

/// Kills the process of a case before and after the calls of its store, each in a run of its own: the result is the plain
/// one's, so are the questions, and the effects are, but for those of one piece that ran again. Returns the number of runs.
pub async fn check_stored(case: &Case, script: usize) -> usize {
    let free = script >= answers::UNORDERED;
    let plain = crate::difference::plain(case, &Connection::open(script).await).await;
    let unkilled = run(case, script, Killed::Before(usize::MAX)).await;
    let (calls, whole) = (unkilled.calls, unkilled.seen);
    if free {
        let (plain, whole) = (plain.clone().sorted(), whole.sorted());
        assert_eq!(plain, whole, "`{}`, script {script}, as a task", case.name);
    } else {
        assert_eq!(plain, whole, "`{}`, script {script}, as a task", case.name);
    }
    let step = calls.div_ceil(KILLS).max(1);
    let mut runs = 1;
    for call in (0..calls).step_by(step) {
        for killed in [Killed::Before(call), Killed::After(call)] {
            let Ran { seen, stored, .. } = run(case, script, killed).await;
            let agrees = match free {
                true => agrees_in_any_order(&plain, &seen),
                false => agrees(&plain, &seen, stored),
            };
            assert!(
                agrees,
                "`{}`, script {script}, killed {killed:?}:\n{plain:#?}\n{seen:#?}",
                case.name
            );
            runs += 1;
        }
    }
    runs
}

/// The same, but that the effects which were not `stored` when the process was killed are there twice.
fn agrees(plain: &Seen, seen: &Seen, stored: usize) -> bool {
    let again = seen.effects.len().checked_sub(plain.effects.len());
    let is_twice = again.is_some_and(|again| {
        let (before, after) = seen.effects.split_at(stored + again);
        plain.effects.starts_with(before) && plain.effects[stored..] == *after
    });
    plain.result == seen.result && plain.asked == seen.asked && is_twice
}

fn agrees_in_any_order(plain: &Seen, seen: &Seen) -> bool {
    let (plain, seen) = (plain.clone().sorted(), seen.clone().sorted());
    let count = |of: &Seen, effect: &String| of.effects.iter().filter(|it| *it == effect).count();
    let effects = plain.effects.iter().all(|effect| {
        let once = count(&plain, effect);
        (once..=once * 2).contains(&count(&seen, effect))
    });
    let no_others = seen.effects.iter().all(|it| plain.effects.contains(it));
    plain.result == seen.result && plain.asked == seen.asked && effects && no_others
}

/// A server whose only tool is a case.
#[derive(Clone)]
struct Program {
    run: for<'t> fn(RequestContext<RoleServer>, &'t Trace) -> crate::difference::Run<'t>,
    trace: Arc<Trace>,
}

impl ServerHandler for Program {
    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = request.call(&context).task(TaskMode::Always);
        let body = async {
            Ok(match (self.run)(context, &self.trace).await {
                Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
                Err(Failure(text)) => CallToolResult::error(vec![ContentBlock::text(text)]),
            }
            .into())
        };
        serve_handler(call, body).await
    }
}

/// A process that can be killed.
struct Process {
    runtime: Option<Runtime>,
    server: SagaServer<Arc<Program>>,
}

impl Process {
    fn start(program: &Program, tasks: Tasks) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let settings = Settings::new(Keyring::new("test", [7; 32]).unwrap());
        let server = {
            let _entered = runtime.enter();
            let server = SagaServer::new(program.clone()).with_settings(settings);
            server.with_tasks(tasks)
        };
        let runtime = Some(runtime);
        Self { runtime, server }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn tasks(store: impl TaskStore) -> Tasks {
    Tasks::new(store)
        .lease(LEASE)
        .poll_interval(Duration::from_millis(1))
        .look_interval(Duration::from_millis(1))
}

async fn connect(server: &Process, script: usize) -> RunningService<RoleClient, Scripted> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = server.server.clone().extended();
    tokio::spawn(async move {
        if let Ok(server) = server.serve(near).await {
            let _ = server.waiting().await;
        }
    });
    let client = Scripted::new(script, ProtocolVersion::V_2026_07_28);
    let newest = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    client.serve_with_lifecycle(far, newest).await.unwrap()
}

/// A run whose process was killed.
struct Ran {
    seen: Seen,
    /// How many calls of its store that process made.
    calls: usize,
    /// How many effects there were when it wrote the task last.
    stored: usize,
}

async fn run(case: &Case, script: usize, killed: Killed) -> Ran {
    let program = Program {
        run: case.saga,
        trace: Arc::default(),
    };
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let dead = CancellationToken::new();
    let fatal = Fatal::new(store.clone(), clock.clone(), killed, dead.clone());
    let stored = Arc::new(AtomicUsize::new(0));
    let (effects, written) = (Arc::clone(&program.trace), Arc::clone(&stored));
    let fatal = Arc::new(fatal.telling(move || {
        written.store(effects.events().len(), Ordering::SeqCst);
    }));
    let works = Process::start(&program, tasks(Arc::clone(&fatal)));
    // The client's own requests go to one that runs nothing.
    let front = Process::start(&program, tasks(store.clone()).workers(0));
    let client = connect(&front, script).await;
    let begun = TaskCall::new("case").begin(&client).await.unwrap();
    let BegunCall::Task(task) = begun else {
        panic!("no task: {begun:?}");
    };
    let result = tokio::select! {
        result = task.result(&client, |_| {}) => result.unwrap(),
        never = others(&program, works, &store, &clock, &task, dead) => match never {},
    };
    let text = result.content[0].as_text().unwrap().text.clone();
    let result = match result.is_error {
        Some(true) => Err(text),
        _ => Ok(text),
    };
    let asked = client.service().asked();
    let effects = program.trace.events();
    Ran {
        seen: Seen {
            result,
            asked,
            effects,
        },
        calls: fatal.calls(),
        stored: stored.load(Ordering::SeqCst),
    }
}

/// Lets the time of sleeps pass, and puts another process in the place of the one that was killed.
async fn others(
    program: &Program,
    works: Process,
    store: &MemoryStore,
    clock: &Clock,
    task: &FollowedTask,
    dead: CancellationToken,
) -> std::convert::Infallible {
    let mut works = Some(works);
    let mut second = None;
    loop {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if dead.is_cancelled()
            && let Some(killed) = works.take()
        {
            drop(killed);
            clock.turn(LEASE);
            second.get_or_insert_with(|| Process::start(program, tasks(store.clone())));
        }
        let record = store.get(&TaskId::named(task.id())).await;
        let record = record.unwrap().unwrap();
        let sleeps = record.due.filter(|_| record.state == State::Sleeping);
        if let Some(left) = sleeps.and_then(|due| due.duration_since(clock.now()).ok()) {
            clock.turn(left);
        }
    }
}

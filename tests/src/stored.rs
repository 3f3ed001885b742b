//! Runs a case as a durable task whose process is killed, and another one goes on.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ProtocolVersion,
    },
    service::RequestContext,
};
use saga_runtime::{
    __private::{Params, TaskMode, serve_handler},
    Keyring, SagaServer, Settings,
    client::TaskCall,
};
use saga_tasks::testing::KilledRun;

use crate::{
    answers,
    difference::Case,
    driver::{Function, Seen},
    live::{Connection, Scripted},
    trace::{Failure, Trace},
};
pub use saga_tasks::testing::{Clock, Fatal, Killed};

/// At so many of the calls of its store a process is killed at most.
const KILLS: usize = 8;

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
    run: Function,
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
    let server = program.clone();
    let make = move |tasks| {
        let settings = Settings::new(Keyring::new("test", [7; 32]).unwrap());
        SagaServer::new(server.clone())
            .with_settings(settings)
            .with_tasks(tasks)
            .extended()
    };
    let client = Scripted::new(script, ProtocolVersion::V_2026_07_28);
    let effects = Arc::clone(&program.trace);
    let run = KilledRun::new(killed, Clock::default()).counting(move || effects.events().len());
    let ended = run.run(make, TaskCall::new("case"), client.clone()).await;
    let (result, calls, stored) = ended.unwrap().into_parts();
    let text = result.content[0].as_text().unwrap().text.clone();
    let result = match result.is_error {
        Some(true) => Err(text),
        _ => Ok(text),
    };
    let (asked, effects) = (client.asked(), program.trace.events());
    Ran {
        seen: Seen {
            result,
            asked,
            effects,
        },
        calls,
        stored,
    }
}

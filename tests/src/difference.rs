//! Runs a case plainly, live, and with every choice of points at which it is torn down and resumed.

use std::{
    future::Future,
    ops::Range,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::{Answers, Client, Continuation, Engine, Outcome};

use crate::{
    answers::{self, SCRIPTS, UNORDERED},
    live::{Connection, capable},
    trace::{Failure, Trace},
};

/// A call of a case.
pub type Run<'t> = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 't>>;

/// One text, compiled twice.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Without `#[saga]`.
    pub plain: for<'t> fn(RequestContext<RoleServer>, &'t Trace) -> Run<'t>,
    /// With it.
    pub saga: for<'t> fn(RequestContext<RoleServer>, &'t Trace) -> Run<'t>,
}

/// What can be seen of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) result: Result<String, String>,
    pub(crate) asked: Vec<String>,
    pub(crate) effects: Vec<String>,
}

impl Seen {
    pub(crate) fn sorted(mut self) -> Self {
        self.asked.sort();
        self.effects.sort();
        if self.result.is_err() {
            // How far the others were when one arm failed is nobody's promise either.
            self.asked.clear();
            self.effects.clear();
        }
        self
    }
}

/// Up to this many asks, every choice of resume points is tried.
const EXHAUSTIVE: usize = 6;

/// Of the pauses, by their number modulo 2, those at which a run is torn down: the others are passed in place.
const PAUSES: &[[bool; 2]] = &[[true, true], [true, false], [false, true], [false, false]];

/// Compares all runs of a case, for all scripts, and returns how many there were.
pub async fn check(case: &Case) -> usize {
    check_scripts(case, 0..SCRIPTS).await
}

/// The same for a case that puts several asks at once: the order of asks and effects is not compared.
pub async fn check_unordered(case: &Case) -> usize {
    check_scripts(case, UNORDERED..UNORDERED + SCRIPTS).await
}

async fn check_scripts(case: &Case, scripts: Range<usize>) -> usize {
    let mut runs = 0;
    for script in scripts {
        let connection = Connection::open(script).await;
        let comparable = |seen: Seen| match script {
            UNORDERED.. => seen.sorted(),
            _ => seen,
        };
        let plain = comparable(plain(case, &connection).await);
        let live = comparable(live(case, &Connection::open(script).await).await);
        assert_eq!(
            plain, live,
            "`{}`, script {script}, over the live wire",
            case.name
        );
        let asks = plain.asked.len();
        let choices: Vec<Vec<bool>> = if asks <= EXHAUSTIVE {
            (0..1usize << asks)
                .map(|bits| (0..asks).map(|ask| bits >> ask & 1 == 1).collect())
                .collect()
        } else {
            let one = |at| (0..asks).map(|ask| ask == at).collect();
            let mut choices: Vec<Vec<bool>> = (0..asks).map(one).collect();
            choices.extend([vec![false; asks], vec![true; asks]]);
            choices
        };
        for torn in choices {
            for pauses in PAUSES {
                let (seen, paused) = resumed(case, &connection, script, &torn, *pauses).await;
                assert_eq!(
                    plain,
                    comparable(seen),
                    "`{}`, script {script}, torn down at {torn:?}, of its pauses at those with {pauses:?}",
                    case.name
                );
                runs += 1;
                if paused == 0 {
                    break;
                }
            }
        }
    }
    runs
}

pub(crate) async fn plain(case: &Case, connection: &Connection) -> Seen {
    let trace = Trace::default();
    let result = (case.plain)(connection.context(), &trace).await;
    seen(result, connection.asked(), &trace)
}

async fn live(case: &Case, connection: &Connection) -> Seen {
    let trace = Trace::default();
    let engine = Engine::new(Client::of(&connection.context()));
    match engine.live((case.saga)(connection.context(), &trace)).await {
        Outcome::Done(result) => seen(result, connection.asked(), &trace),
        other => panic!("`{}` ended live with {other:?}", case.name),
    }
}

/// Runs with the asks in `torn` answered after a suspension, the others at once.
/// Gives the number of pauses, too.
async fn resumed(
    case: &Case,
    connection: &Connection,
    script: usize,
    torn: &[bool],
    pauses: [bool; 2],
) -> (Seen, usize) {
    let paused = Arc::new(AtomicUsize::new(0));
    let trace = Trace::default();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let mut waiting: Option<(Vec<u8>, Answers)> = None;
    let mut now = SystemTime::now();
    loop {
        let call = (case.saga)(connection.context(), &trace);
        let counted = Arc::clone(&paused);
        let engine = engine(script, torn, &asked)
            .at(now)
            .suspending(move |_| pauses[counted.fetch_add(1, Ordering::Relaxed) % 2]);
        let outcome = match waiting.take() {
            None => engine.start(call).await,
            Some((bytes, answers)) => {
                let continuation = Continuation::decode(&bytes).unwrap();
                engine.resume(continuation, answers, call).await
            }
        };
        match outcome {
            Outcome::Done(result) => {
                let asked = asked.lock().unwrap().clone();
                return (seen(result, asked, &trace), paused.load(Ordering::Relaxed));
            }
            Outcome::Suspended(suspended) => {
                if suspended.asks.is_empty() {
                    now = suspended.due.unwrap().max(now);
                }
                let mut asked = asked.lock().unwrap();
                let mut answers = Answers::new();
                for (key, request) in &suspended.asks {
                    let answer = answers::answer(script, asked.len(), request);
                    asked.push(answers::shown(request));
                    answers.insert(key.clone(), answer);
                }
                waiting = Some((suspended.continuation.encode().unwrap(), answers));
            }
            other => panic!("`{}` ended with {other:?}", case.name),
        }
    }
}

fn engine(script: usize, torn: &[bool], asked: &Arc<Mutex<Vec<String>>>) -> Engine {
    let (torn, asked) = (torn.to_vec(), Arc::clone(asked));
    Engine::new(Client::with_capabilities(capable())).answering(move |_, request| {
        let mut asked = asked.lock().unwrap();
        // More asks than the plain run had: suspend, and let the comparison say so.
        if *torn.get(asked.len()).unwrap_or(&true) {
            return None;
        }
        let answer = answers::answer(script, asked.len(), request);
        asked.push(answers::shown(request));
        Some(answer)
    })
}

fn seen(result: Result<String, Failure>, asked: Vec<String>, trace: &Trace) -> Seen {
    Seen {
        result: result.map_err(|failure| failure.0),
        asked,
        effects: trace.events(),
    }
}

/// Compiles each function twice, in `plain` and in `saga`, and lists them in `all()`.
#[macro_export]
macro_rules! cases {
    ($(async fn $name:ident($cx:ident, $t:ident) { $($body:tt)* })*) => {
        #[allow(warnings, clippy::all)]
        mod plain {
            use super::*;
            $(pub async fn $name($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> { $($body)* })*
        }
        #[allow(warnings, clippy::all)]
        mod saga {
            use super::*;
            $(#[saga_runtime::saga] pub async fn $name($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> { $($body)* })*
        }
        /// All cases of this module.
        pub fn all() -> Vec<$crate::Case> {
            vec![$($crate::Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name(cx, t)),
                saga: |cx, t| Box::pin(saga::$name(cx, t)),
            }),*]
        }
    };
}

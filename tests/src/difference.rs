//! Runs a case plainly, live, and with every choice of points at which it is torn down and resumed.

use std::{ops::Range, sync::Arc};

use saga_runtime::{Client, Engine, Outcome};

use crate::{
    answers::{SCRIPTS, UNORDERED},
    driver::{At, Call, Ended, Function, Seen, Stops},
    live::Connection,
    trace::Trace,
};

/// One text, compiled twice.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Without `#[saga]`.
    pub plain: Function,
    /// With it.
    pub saga: Function,
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
    Seen::of(result, connection.asked(), &trace)
}

async fn live(case: &Case, connection: &Connection) -> Seen {
    let trace = Trace::default();
    let engine = Engine::new(Client::of(&connection.context()));
    match engine.live((case.saga)(connection.context(), &trace)).await {
        Outcome::Done(result) => Seen::of(result, connection.asked(), &trace),
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
    let torn = torn.to_vec();
    let stops: Stops = Arc::new(move |at| match at {
        // More asks than the plain run had: suspend, and let the comparison say so.
        At::Ask(ask) => *torn.get(ask).unwrap_or(&true),
        At::Pause(pause) => pauses[pause % 2],
    });
    let call = Call::new(script);
    let mut ended = call.start(case.saga, connection, &stops).await;
    loop {
        match ended {
            Ended::Done(seen) => return (seen, call.pauses()),
            Ended::Stopped(waiting) => {
                ended = call.resume(case.saga, connection, waiting, &stops).await;
            }
            Ended::Stale => panic!("`{}` does not know its own token", case.name),
        }
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

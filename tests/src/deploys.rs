//! Calls under way when the code changes: begun in one text of a function, and presented to another one.
//!
//! Where the other one takes it, what comes out is what the first would have given: nothing that can still run was changed.
//! Else it is refused as stale, and nothing has run.

use std::{
    ops::Range,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::SystemTime,
};

use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::{Answers, Client, Continuation, Engine, Error, Outcome, Reason};

use crate::{
    answers,
    difference::{Run, Seen},
    live::{Connection, capable},
    trace::Trace,
};

/// A function, compiled with `#[saga]`.
pub type Function = for<'t> fn(RequestContext<RoleServer>, &'t Trace) -> Run<'t>;

/// Two texts of a function.
pub struct Edit {
    /// Its name.
    pub name: &'static str,
    /// Before a deploy.
    pub before: Function,
    /// After it.
    pub after: Function,
}

/// What became of the calls under way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Deployed {
    /// So many went on, and gave what the code before would have given.
    pub on: usize,
    /// So many were refused before a line ran.
    pub stranded: usize,
}

impl Deployed {
    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            on: self.on + other.on,
            stranded: self.stranded + other.stranded,
        }
    }
}

/// More asks than a case has: one that puts them does not end.
const MOST: usize = 500;

/// Where a call is put aside: at this of its asks, or at this of its pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Nowhere,
    Ask(usize),
    Pause(usize),
    /// Everywhere from the deploy on.
    All,
}

/// Whether both texts end by themselves, as not every edit leaves it.
pub async fn ends(edit: &Edit, script: usize) -> bool {
    for function in [edit.before, edit.after] {
        let (call, connection) = (Call::new(script), Connection::open(script).await);
        let ended = call.run(function, &connection, Stop::Nowhere).await;
        if !matches!(ended, Ended::Done(_)) {
            return false;
        }
    }
    true
}

/// Puts a call aside at each of its asks and pauses, in each script, and goes on in the other text.
///
/// # Panics
/// Where it goes on to another result, or with other effects or questions.
pub async fn check_edit(edit: &Edit, scripts: Range<usize>) -> Deployed {
    let mut all = Deployed::default();
    for script in scripts {
        let comparable = |seen: Seen| match script {
            answers::UNORDERED.. => seen.sorted(),
            _ => seen,
        };
        let connection = Connection::open(script).await;
        let whole = Call::new(script);
        let Ended::Done(plain) = whole.run(edit.before, &connection, Stop::Nowhere).await else {
            panic!(
                "`{}`, script {script}: it does not end by itself",
                edit.name
            );
        };
        let (asks, pauses) = (plain.seen.asked.len(), plain.pauses);
        let expected = comparable(plain.seen);
        let stops = (0..asks).map(Stop::Ask).chain((0..pauses).map(Stop::Pause));
        for (stop, later) in stops.flat_map(|stop| [(stop, Stop::Nowhere), (stop, Stop::All)]) {
            let call = Call::new(script);
            let begun = call.run(edit.before, &connection, stop).await;
            // Where asks are put at once, another of them may have come first.
            let Ended::Stopped(waiting) = begun else {
                continue;
            };
            let effects = call.trace.events();
            match call.resume(edit.after, &connection, waiting, later).await {
                Ended::Done(ended) => {
                    let seen = comparable(ended.seen);
                    let at = format!("`{}`, script {script}, deployed at {stop:?}", edit.name);
                    assert_eq!(expected, seen, "{at}, then {later:?}");
                    all.on += 1;
                }
                Ended::Stale => {
                    assert_eq!(effects, call.trace.events(), "`{}`: it ran", edit.name);
                    all.stranded += 1;
                }
                Ended::Stopped(_) => unreachable!("it is driven to its end"),
            }
        }
    }
    all
}

/// One call.
struct Call {
    script: usize,
    trace: Trace,
    asked: Arc<Mutex<Vec<String>>>,
    pauses: Arc<AtomicUsize>,
}

struct Waiting {
    continuation: Vec<u8>,
    answers: Answers,
    now: SystemTime,
}

struct Done {
    seen: Seen,
    pauses: usize,
}

enum Ended {
    Done(Done),
    Stopped(Waiting),
    Stale,
}

impl Call {
    fn new(script: usize) -> Self {
        Self {
            script,
            trace: Trace::default(),
            asked: Arc::default(),
            pauses: Arc::default(),
        }
    }

    /// Until it ends, or stops for the first time.
    async fn run(&self, function: Function, connection: &Connection, stop: Stop) -> Ended {
        let engine = self.engine(stop);
        let outcome = engine.start(function(connection.context(), &self.trace));
        self.ended(outcome.await, SystemTime::now())
    }

    /// To its end.
    async fn resume(
        &self,
        function: Function,
        connection: &Connection,
        mut waiting: Waiting,
        stop: Stop,
    ) -> Ended {
        loop {
            let continuation = Continuation::decode(&waiting.continuation).unwrap();
            let call = function(connection.context(), &self.trace);
            let engine = self.engine(stop).at(waiting.now);
            let outcome = engine.resume(continuation, waiting.answers, call).await;
            match self.ended(outcome, waiting.now) {
                Ended::Stopped(next) => waiting = next,
                ended => return ended,
            }
        }
    }

    fn ended(&self, outcome: Outcome<Result<String, crate::Failure>>, now: SystemTime) -> Ended {
        match outcome {
            Outcome::Done(result) => Ended::Done(Done {
                seen: Seen {
                    result: result.map_err(|failure| failure.0),
                    asked: self.asked.lock().unwrap().clone(),
                    effects: self.trace.events(),
                },
                pauses: self.pauses.load(Ordering::Relaxed),
            }),
            Outcome::Suspended(suspended) => {
                let mut asked = self.asked.lock().unwrap();
                let answers = suspended.asks.iter().map(|(key, request)| {
                    let answer = answers::answer(self.script, asked.len(), request);
                    asked.push(answers::shown(request));
                    (key.clone(), answer)
                });
                let answers: Answers = answers.collect();
                let due = suspended.due.filter(|_| answers.is_empty());
                Ended::Stopped(Waiting {
                    continuation: suspended.continuation.encode().unwrap(),
                    now: due.map_or(now, |due| due.max(now)),
                    answers,
                })
            }
            Outcome::Refused(Error::Token {
                reason: Reason::Stale,
                ..
            }) => Ended::Stale,
            other => panic!("it ended with {other:?}"),
        }
    }

    fn engine(&self, stop: Stop) -> Engine {
        let (script, asked) = (self.script, Arc::clone(&self.asked));
        let pauses = Arc::clone(&self.pauses);
        let engine = Engine::new(Client::with_capabilities(capable()));
        let engine = engine.answering(move |_, request| {
            let mut asked = asked.lock().unwrap();
            if stop == Stop::All || stop == Stop::Ask(asked.len()) || asked.len() > MOST {
                return None;
            }
            let answer = answers::answer(script, asked.len(), request);
            asked.push(answers::shown(request));
            Some(answer)
        });
        engine.suspending(move |_| {
            let number = pauses.fetch_add(1, Ordering::Relaxed);
            stop == Stop::All || stop == Stop::Pause(number)
        })
    }
}

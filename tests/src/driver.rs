//! One call of a function under `#[saga]`, in process: at each ask and each pause it goes on in place, or is put aside.

use std::{
    future::Future,
    pin::Pin,
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
    live::{Connection, capable},
    trace::{Failure, Trace},
};

/// A call of a function.
pub type Run<'t> = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 't>>;

/// A function, plain or compiled with `#[saga]`.
pub type Function = for<'t> fn(RequestContext<RoleServer>, &'t Trace) -> Run<'t>;

/// What can be seen of a run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) result: Result<String, String>,
    pub(crate) asked: Vec<String>,
    pub(crate) effects: Vec<String>,
}

impl Seen {
    pub(crate) fn of(result: Result<String, Failure>, asked: Vec<String>, trace: &Trace) -> Self {
        Self {
            result: result.map_err(|failure| failure.0),
            asked,
            effects: trace.events(),
        }
    }

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

/// Where a call may be put aside: at this of its asks, or at this of its pauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    Ask(usize),
    Pause(usize),
}

/// Where it is.
pub(crate) type Stops = Arc<dyn Fn(At) -> bool + Send + Sync>;

/// One call.
pub(crate) struct Call {
    script: usize,
    trace: Trace,
    asked: Arc<Mutex<Vec<String>>>,
    pauses: Arc<AtomicUsize>,
}

/// A call that was put aside, with its answers.
pub(crate) struct Waiting {
    continuation: Vec<u8>,
    answers: Answers,
    now: SystemTime,
}

/// How far a call came.
pub(crate) enum Ended {
    Done(Seen),
    Stopped(Waiting),
    /// The function is another one.
    Stale,
}

impl Call {
    pub(crate) fn new(script: usize) -> Self {
        Self {
            script,
            trace: Trace::default(),
            asked: Arc::default(),
            pauses: Arc::default(),
        }
    }

    /// How many pauses it has come by.
    pub(crate) fn pauses(&self) -> usize {
        self.pauses.load(Ordering::Relaxed)
    }

    pub(crate) fn effects(&self) -> Vec<String> {
        self.trace.events()
    }

    /// Until it ends, or stops for the first time.
    pub(crate) async fn start(
        &self,
        function: Function,
        connection: &Connection,
        stops: &Stops,
    ) -> Ended {
        let now = SystemTime::now();
        let call = function(connection.context(), &self.trace);
        let outcome = self.engine(stops).at(now).start(call).await;
        self.ended(outcome, now)
    }

    /// Until it ends, or stops again.
    pub(crate) async fn resume(
        &self,
        function: Function,
        connection: &Connection,
        waiting: Waiting,
        stops: &Stops,
    ) -> Ended {
        let continuation = Continuation::decode(&waiting.continuation).unwrap();
        let call = function(connection.context(), &self.trace);
        let engine = self.engine(stops).at(waiting.now);
        let outcome = engine.resume(continuation, waiting.answers, call).await;
        self.ended(outcome, waiting.now)
    }

    fn ended(&self, outcome: Outcome<Result<String, Failure>>, now: SystemTime) -> Ended {
        match outcome {
            Outcome::Done(result) => {
                let asked = self.asked.lock().unwrap().clone();
                Ended::Done(Seen::of(result, asked, &self.trace))
            }
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

    fn engine(&self, stops: &Stops) -> Engine {
        let (script, asked) = (self.script, Arc::clone(&self.asked));
        let (pauses, paused) = (Arc::clone(&self.pauses), Arc::clone(stops));
        let stops = Arc::clone(stops);
        let engine = Engine::new(Client::with_capabilities(capable()));
        let engine = engine.answering(move |_, request| {
            let mut asked = asked.lock().unwrap();
            if stops(At::Ask(asked.len())) {
                return None;
            }
            let answer = answers::answer(script, asked.len(), request);
            asked.push(answers::shown(request));
            Some(answer)
        });
        engine.suspending(move |_| paused(At::Pause(pauses.fetch_add(1, Ordering::Relaxed))))
    }
}

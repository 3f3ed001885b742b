//! The engine: a continuation and answers in, a result or a suspension out. It does no I/O of its own.

pub(crate) mod continuation;
pub(crate) mod function;
pub(crate) mod scope;

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, OnceLock},
    task::Poll,
    time::SystemTime,
};

use rmcp::model::InputRequest;

use crate::{
    ask::{answer::Answer, client::Client},
    engine::{
        continuation::{Continuation, Frame},
        scope::{Answering, Answers, CURRENT, Idempotency, Mode, Run, RunState, Scope},
    },
    error::Error,
};

/// Runs one round of a saga call.
///
/// ```no_run
/// # async fn example(tool: impl Future<Output = String>, again: impl Future<Output = String>) {
/// # use std::collections::BTreeMap;
/// # use rmcp::model::ClientCapabilities;
/// use saga_runtime::{Answer, Client, Engine, Outcome};
///
/// let client = Client::with_capabilities(ClientCapabilities::default());
/// if let Outcome::Suspended(suspended) = Engine::new(client.clone()).start(tool).await {
///     let answer = Answer::Result(serde_json::json!({"action": "decline"}));
///     let answers = BTreeMap::from([("target".to_owned(), answer)]);
///     let outcome = Engine::new(client).resume(suspended.continuation, answers, again).await;
/// }
/// # }
/// ```
pub struct Engine {
    client: Client,
    now: SystemTime,
    idempotency: Idempotency,
    answering: Option<Box<Answering>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

/// How a round ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// The function completed.
    Done(T),
    /// Every running branch waits on an ask.
    Suspended(Suspended),
    /// The call cannot go on.
    Refused(Error),
}

/// A call that waits for the client.
#[derive(Debug)]
#[non_exhaustive]
pub struct Suspended {
    /// The requests to the client, by key.
    pub asks: Vec<(String, InputRequest)>,
    /// What goes on from here.
    pub continuation: Continuation,
    /// Encoded size in bytes of each stored variable, largest first.
    pub sizes: Vec<(&'static str, usize)>,
}

impl Engine {
    /// An engine for one round of one call by `client`.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            now: SystemTime::now(),
            idempotency: Idempotency::default(),
            answering: None,
        }
    }

    /// Lets `answering` answer an ask, by its key and request, at once; where it gives `None` the
    /// call suspends. A cache of answers, or a policy that stands for the user.
    #[must_use]
    pub fn answering(
        mut self,
        answering: impl Fn(&str, &InputRequest) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        self.answering = Some(Box::new(answering));
        self
    }

    /// Sets what [`idempotency_key`](crate::idempotency_key) gives in this round; without it, a name
    /// that no other round has.
    #[must_use]
    pub fn with_idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency.key = OnceLock::from(key.into());
        self
    }

    pub(crate) fn with_idempotency_key_of(mut self, token: String) -> Self {
        self.idempotency.token = Some(token);
        self
    }

    /// Sets the time by which timeouts of asks are judged.
    #[must_use]
    pub fn at(mut self, now: SystemTime) -> Self {
        self.now = now;
        self
    }

    /// Runs `call` from its beginning.
    pub async fn start<F: Future>(self, call: F) -> Outcome<F::Output> {
        self.start_with(Answers::new(), call).await
    }

    /// Runs `call` from its beginning with answers that came along: they count for its first round
    /// of asks and for no later one.
    pub async fn start_with<F: Future>(self, early: Answers, call: F) -> Outcome<F::Output> {
        let state = RunState {
            early: Some(early),
            ..RunState::default()
        };
        self.drive(Mode::Stateless, state, None, call).await
    }

    /// Goes on with `call`, the same call that suspended. An answer counts for an ask that the
    /// continuation waits on and that has none yet; every other is ignored.
    pub async fn resume<F: Future>(
        self,
        continuation: Continuation,
        mut answers: Answers,
        call: F,
    ) -> Outcome<F::Output> {
        let mut pending = continuation.pending;
        for ask in &mut pending {
            if ask.answer.is_none() {
                ask.answer = answers.remove(&ask.key);
            }
        }
        let state = RunState {
            pending: pending.into_iter().map(Some).collect(),
            asked: continuation.asked,
            ..RunState::default()
        };
        self.drive(Mode::Stateless, state, Some(continuation.frame), call)
            .await
    }

    /// Runs `call` to its end; its asks go to the live peer.
    pub async fn live<F: Future>(self, call: F) -> Outcome<F::Output> {
        self.drive(Mode::Live, RunState::default(), None, call)
            .await
    }

    async fn drive<F: Future>(
        self,
        mode: Mode,
        state: RunState,
        resume: Option<Frame>,
        call: F,
    ) -> Outcome<F::Output> {
        let run = Run::new(
            mode,
            self.client,
            self.now,
            self.idempotency,
            self.answering,
            state,
        );
        let root = Scope::new(Arc::new(run), resume);
        let call = pin!(call);
        let mut call = pin!(CURRENT.scope(Arc::clone(&root), call));
        poll_fn(|context| {
            if let Poll::Ready(value) = call.as_mut().poll(context) {
                return Poll::Ready(Outcome::Done(value));
            }
            if let Some(error) = root.run.state().failure.take() {
                return Poll::Ready(Outcome::Refused(error));
            }
            let frame = root.slot().suspended.take();
            frame.map_or(Poll::Pending, |frame| {
                Poll::Ready(Outcome::Suspended(suspended(&root.run, frame)))
            })
        })
        .await
    }
}

fn suspended(run: &Run, frame: Frame) -> Suspended {
    let mut state = run.state();
    let mut sizes = std::mem::take(&mut state.sizes);
    sizes.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let mut asks = Vec::new();
    let mut pending = Vec::new();
    for (ask, request) in std::mem::take(&mut state.put) {
        if ask.answer.is_none() {
            asks.push((ask.key.clone(), request));
        }
        pending.push(ask);
    }
    Suspended {
        asks,
        continuation: Continuation {
            frame,
            pending,
            asked: std::mem::take(&mut state.asked),
        },
        sizes,
    }
}

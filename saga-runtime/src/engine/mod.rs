//! The engine: a continuation and answers in, a result or a suspension out. It does no I/O of its own.

pub(crate) mod answers;
pub(crate) mod continuation;
pub(crate) mod function;
pub(crate) mod named;
pub(crate) mod scope;

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::SystemTime,
};

use pin_project_lite::pin_project;
use rmcp::model::{CallToolResult, InputRequest};
use tokio::task::futures::TaskLocalFuture;
use tokio_util::sync::CancellationToken;

use crate::{
    ask::{
        answer::Answer,
        client::{Client, Need},
        pause::Pause,
    },
    clock,
    engine::{
        answers::Answers,
        continuation::{Continuation, Frame},
        scope::{CURRENT, Hooks, Mode, Notice, Run, RunState, Scope, Suspending},
    },
    error::Error,
    identity::{CallId, Caller, Identity},
    observe::Teller,
};

/// Runs one round of a saga call.
///
/// ```no_run
/// # async fn example(tool: impl Future<Output = String>, again: impl Future<Output = String>) {
/// # use rmcp::model::ClientCapabilities;
/// use saga_runtime::{Answer, Answers, Client, Engine, Outcome};
///
/// let client = Client::with_capabilities(ClientCapabilities::default());
/// if let Outcome::Suspended(suspended) = Engine::new(client.clone()).start(tool).await {
///     let answer = Answer::Result(serde_json::json!({"action": "decline"}));
///     let answers = Answers::from([("target".to_owned(), answer)]);
///     let outcome = Engine::new(client).resume(suspended.continuation, answers, again).await;
/// }
/// # }
/// ```
pub struct Engine {
    client: Client,
    now: SystemTime,
    caller: Caller,
    went_on: Option<Arc<AtomicBool>>,
    hooks: Hooks,
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
    /// Whether the call went on: it is `false` where a continuation was resumed and nothing that it waits
    /// on has an outcome yet. Then `continuation` is the one that was resumed, and nothing ran.
    pub progress: bool,
    /// Whether a question is among `asks` that was put before.
    pub again: bool,
    /// The function and suspension point where it stands; of several, that of the first question.
    pub at: Option<(&'static str, u32)>,
    /// When it goes on though nobody answers: the end of a sleep, or of the time that a question has. It is over at once
    /// after a checkpoint.
    pub due: Option<SystemTime>,
    /// The part of the result that it stopped with.
    pub partial: Option<Box<CallToolResult>>,
    /// The author wants what follows to run in the background.
    pub background: bool,
}

impl Engine {
    /// An engine for one round of one call by `client`.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            now: SystemTime::now(),
            caller: Caller::default(),
            went_on: None,
            hooks: Hooks::default(),
        }
    }

    /// Lets `answering` answer an ask, by its key and request, at once; where it gives `None` the
    /// call suspends. A cache of answers, or a policy that stands for the user.
    #[must_use]
    pub fn answering(
        mut self,
        answering: impl Fn(&str, &InputRequest) -> Option<Answer> + Send + Sync + 'static,
    ) -> Self {
        self.hooks.answering = Some(Box::new(answering));
        self
    }

    /// Names the call that begins, instead of a random id. A call that is resumed has its id.
    #[must_use]
    pub fn with_call_id(mut self, id: CallId) -> Self {
        self.caller = Caller::known(id);
        self
    }

    /// Ends the round at a pause that `suspending` says so of: a checkpoint, a sleep, a partial result. Without it every
    /// pause is waited for in place.
    #[must_use]
    pub fn suspending(self, suspending: impl Fn(&Pause) -> bool + Send + Sync + 'static) -> Self {
        self.suspending_by(Box::new(suspending))
    }

    pub(crate) fn suspending_by(mut self, suspending: Box<Suspending>) -> Self {
        self.hooks.suspending = Some(suspending);
        self
    }

    /// Tells what happens before the round is over.
    pub(crate) fn noticing(
        mut self,
        noticing: impl Fn(Notice<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.noticing = Some(Box::new(noticing));
        self
    }

    /// Once `token` is cancelled, nobody is asked: whatever the call waits for is
    /// [`Answer::Cancelled`], and a pause is over.
    #[must_use]
    pub fn cancelled_by(mut self, token: CancellationToken) -> Self {
        self.hooks.cancelled = Some(token);
        self
    }

    /// Runs as a test says.
    #[cfg(feature = "testing")]
    pub(crate) fn on_bench(mut self, bench: Option<&crate::testing::Bench>) -> Self {
        let Some(bench) = bench else { return self };
        self.hooks.bench = Some(bench.clone());
        let answers = bench.clone();
        self.answering(move |key, request| answers.answer(key, request))
    }

    /// Tells what happens over the live wire.
    pub(crate) fn telling(mut self, teller: &Arc<Teller>) -> Self {
        self.hooks.teller = Some(Arc::clone(teller));
        self
    }

    /// Tells of a call that is refused whether it had gone on.
    pub(crate) fn witnessed(mut self, went_on: &Arc<AtomicBool>) -> Self {
        self.went_on = Some(Arc::clone(went_on));
        self
    }

    /// Sets the time by which timeouts of asks are judged.
    #[must_use]
    pub fn at(mut self, now: SystemTime) -> Self {
        self.now = now;
        self
    }

    /// Runs `call` from its beginning.
    pub fn start<F: Future>(self, call: F) -> Round<F> {
        self.start_with(Answers::new(), call)
    }

    /// Runs `call` from its beginning with answers that came along: they count for its first round
    /// of asks and for no later one.
    pub fn start_with<F: Future>(self, early: Answers, call: F) -> Round<F> {
        let state = RunState {
            early: Some(early),
            ..RunState::default()
        };
        self.drive(Mode::Stateless, state, None, call)
    }

    /// Goes on with `call`, the same call that suspended. An answer counts for an ask that the
    /// continuation waits on and that has none yet; every other is ignored.
    pub fn resume<F: Future>(
        mut self,
        continuation: Continuation,
        mut answers: Answers,
        call: F,
    ) -> Round<F> {
        let is_cancelled = self.hooks.is_cancelled();
        let begins = continuation.is_at_start();
        let mut pending = continuation.pending;
        for ask in &mut pending {
            // What was taken before came in time.
            if ask.answer.is_none() && ask.need != Need::Pause && !ask.is_over(self.now) {
                ask.answer = answers.remove(&ask.key);
            }
            if ask.answer.is_none() && is_cancelled {
                ask.deadline = None;
                ask.answer = Some(Answer::Cancelled(None));
            }
        }
        let state = RunState {
            pending: pending.into_iter().map(Some).collect(),
            asked: continuation.asked,
            progress: begins,
            ..RunState::default()
        };
        self.caller = Caller::known(continuation.identity.id);
        let frame = (!begins).then_some(continuation.frame);
        let from = Some((continuation.identity, frame));
        self.drive(Mode::Stateless, state, from, call)
    }

    /// Goes on with `call`, which suspended at a pause; its asks go to the live peer.
    pub(crate) fn resume_live<F: Future>(
        mut self,
        continuation: Continuation,
        call: F,
    ) -> Round<F> {
        let state = RunState {
            pending: continuation.pending.into_iter().map(Some).collect(),
            asked: continuation.asked,
            ..RunState::default()
        };
        self.caller = Caller::known(continuation.identity.id);
        let from = Some((continuation.identity, Some(continuation.frame)));
        self.drive(Mode::Live, state, from, call)
    }

    /// Runs `call` to its end; its asks go to the live peer.
    pub fn live<F: Future>(self, call: F) -> Round<F> {
        self.drive(Mode::Live, RunState::default(), None, call)
    }

    fn drive<F: Future>(
        self,
        mode: Mode,
        state: RunState,
        from: Option<(Identity, Option<Frame>)>,
        call: F,
    ) -> Round<F> {
        let (before, frame) = from.unzip();
        let passed = before.map_or(0, |before| before.passed);
        let run = Run::new(
            mode,
            self.client,
            self.now,
            self.caller,
            passed,
            self.hooks,
            state,
        );
        let root = Scope::new(Arc::new(run), None, None, frame.flatten(), None);
        Round {
            before,
            went_on: self.went_on,
            call: CURRENT.scope(Arc::clone(&root), call),
            root,
        }
    }
}

pin_project! {
    /// A round of a call, made by an [`Engine`].
    ///
    /// No `async fn`: that would hold the call and what it goes on from twice, as arguments and in its body, and whoever
    /// awaits it would hold all of that.
    #[must_use = "nothing runs until it is awaited"]
    pub struct Round<F> {
        root: Arc<Scope>,
        before: Option<Identity>,
        went_on: Option<Arc<AtomicBool>>,
        #[pin]
        call: TaskLocalFuture<Arc<Scope>, F>,
    }
}

impl<F> std::fmt::Debug for Round<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Round").finish_non_exhaustive()
    }
}

impl<F: Future> Future for Round<F> {
    type Output = Outcome<F::Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(value) = this.call.poll(context) {
            return Poll::Ready(Outcome::Done(value));
        }
        let mut state = this.root.run.state();
        if let Some(error) = state.failure.take() {
            if let Some(went_on) = this.went_on {
                went_on.store(state.progress, Ordering::Relaxed);
            }
            return Poll::Ready(Outcome::Refused(error));
        }
        drop(state);
        let frame = this.root.slot().suspended.take();
        frame.map_or(Poll::Pending, |frame| {
            Poll::Ready(match suspended(this.root, *this.before, frame) {
                Ok(suspended) => Outcome::Suspended(suspended),
                Err(error) => Outcome::Refused(error),
            })
        })
    }
}

fn suspended(root: &Scope, before: Option<Identity>, frame: Frame) -> Result<Suspended, Error> {
    let run = &root.run;
    let id = run.caller.id().ok_or_else(Error::no_randomness)?;
    let mut state = run.state();
    let progress = before.is_none() || state.progress;
    let identity = Identity {
        id,
        leg: before.map_or(0, |before| before.leg) + u32::from(progress),
        begun: before.map_or_else(|| clock::seconds_of(run.now), |before| before.begun),
        passed: root.branch().passed(),
    };
    let mut sizes = std::mem::take(&mut state.sizes);
    sizes.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let pending = std::mem::take(&mut state.put);
    let open = pending.iter().filter(|ask| ask.answer.is_none());
    let due = open.filter_map(|ask| ask.deadline).map(|(at, _)| at).min();
    let asks = std::mem::take(&mut state.requests);
    // One that was withdrawn is not put again.
    let again = asks.iter().any(|(key, _)| state.again.contains(key));
    Ok(Suspended {
        asks,
        continuation: Continuation {
            identity,
            frame,
            pending,
            asked: std::mem::take(&mut state.asked),
        },
        sizes,
        progress,
        again,
        at: state.stands,
        due: due.map(clock::time_of),
        partial: state.partial.take(),
        background: state.background,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, deprecated, reason = "a test")]

    use std::{future::poll_fn, pin::pin, time::Duration};

    use rmcp::{
        Peer, RoleServer, ServiceError,
        model::{ClientCapabilities, RootsCapabilities},
    };
    use serde_json::json;

    use super::*;
    use crate::{
        activation::{AsPeer, join::ask_arm},
        ask::{ListRoots, client::Need, pause::sleep},
        engine::{
            continuation::{GivenOut, Pending, Waiting},
            function::{Function, Point},
        },
    };

    static ASKS: Function = Function {
        name: "asks",
        fingerprint: 1,
        points: &[Point {
            key: "roots",
            awaits: "list_roots",
            stored: &[],
            next: &[0],
            fingerprint: 1,
            accepts: &[],
        }],
        first: &[1],
    };

    /// Nobody is asked where an answer is there.
    struct Nobody;

    impl AsPeer for Nobody {
        fn as_peer(&self) -> Option<&Peer<RoleServer>> {
            None
        }
    }

    async fn resumed(answer: Option<Answer>, values: &[u8]) -> String {
        let mut memo = Vec::new();
        crate::codec::encode(&(), &mut memo).unwrap_or_default();
        let ask = Pending {
            key: "roots".to_owned(),
            need: Need::Roots,
            memo,
            deadline: None,
            answer,
        };
        let continuation = Continuation {
            identity: Identity {
                id: CallId::from_bytes([1; 16]),
                leg: 1,
                begun: 0,
                passed: 0,
            },
            frame: Frame {
                point: 1,
                types: crate::persist::types::of::<ListRoots>(),
                values: values.to_vec(),
                on: Waiting::Ask(0),
            },
            pending: vec![ask],
            asked: GivenOut::new(),
        };
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        let client = Client::with_capabilities(capabilities);
        let roots = Answer::Result(json!({ "roots": [] }));
        let answers = Answers::from([("roots".to_owned(), roots)]);
        let call = ask_arm(&ASKS, &Nobody, ListRoots::new());
        let outcome = Engine::new(client).resume(continuation, answers, call);
        match outcome.await {
            Outcome::Done(answered) => match answered.saga_output() {
                Ok(roots) => format!("{} roots", roots.roots.len()),
                Err(ServiceError::TransportClosed) => "closed".to_owned(),
                Err(other) => other.to_string(),
            },
            Outcome::Refused(error) => error.as_str().to_owned(),
            other => panic!("{:?}", std::mem::discriminant(&other)),
        }
    }

    /// A sleep of a minute that ends its round.
    async fn slept(from: Option<Continuation>) -> Suspended {
        let engine = Engine::new(Client::default()).suspending(|_| true);
        let call = ask_arm(&ASKS, &Nobody, sleep(Duration::from_secs(60)));
        let outcome = match from {
            None => engine.start(call).await,
            Some(continuation) => engine.resume(continuation, Answers::new(), call).await,
        };
        match outcome {
            Outcome::Suspended(suspended) => suspended,
            other => panic!("{:?}", std::mem::discriminant(&other)),
        }
    }

    #[tokio::test]
    async fn a_call_that_begins_again_has_gone_on_and_one_that_still_waits_has_not() {
        let first = slept(None).await;
        assert_eq!((first.progress, first.continuation.leg()), (true, 1));
        let waits = slept(Some(first.continuation.clone())).await;
        assert_eq!((waits.progress, waits.continuation.leg()), (false, 1));
        let again = slept(Some(first.continuation.from_start([]))).await;
        assert_eq!((again.progress, again.continuation.leg()), (true, 2));
    }

    #[tokio::test]
    async fn a_sleep_that_does_not_end_its_round_is_waited_for() {
        let call = ask_arm(&ASKS, &Nobody, sleep(Duration::from_secs(3600)));
        let mut round = pin!(Engine::new(Client::default()).start(call));
        let polled = poll_fn(|context| Poll::Ready(round.as_mut().poll(context).is_pending()));
        assert!(polled.await);
    }

    #[tokio::test]
    async fn an_answer_counts_for_an_ask_that_has_none() {
        assert_eq!(resumed(None, &[]).await, "0 roots");
        assert_eq!(resumed(Some(Answer::Abandoned), &[]).await, "closed");
    }

    #[tokio::test]
    async fn a_frame_with_more_than_its_function_reads_is_another_codes() {
        assert_eq!(resumed(None, &[1]).await, "stale");
    }
}

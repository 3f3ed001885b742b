//! A running saga function: what the code that `#[saga]` generates talks to.

mod entry;
mod handle;
pub(crate) mod join;
mod outcome;
mod restore;
pub(crate) mod suspension;

use std::{
    future::{Future, pending, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use rmcp::{ErrorData, Peer, RoleServer, service::RequestContext};

use crate::{
    activation::{entry::Entry, suspension::Suspension},
    ask::{
        Ask, Judged,
        answer::Answer,
        client::{Client, Need},
        limit::Raced,
        pause::{Pause, Question},
    },
    clock::{millis, millis_of, time_of},
    codec,
    engine::{
        continuation::{ArmState, Frame, Pending, Waiting},
        function::Function,
        scope::{CURRENT, Mode, Notice, Scope},
    },
    error::{Error, Reason},
    observe::Event,
    persist::{LOAD, RequestPart, types::Types},
    wire::live,
};

pub use self::{
    handle::{AsPeer, IsHandle, Nobody, cx, handle},
    outcome::{Answered, Asked, Called},
};

/// One activation of a saga function.
#[derive(Debug)]
pub struct Activation {
    function: &'static Function,
    pub(crate) level: Level,
    /// The frame that this activation goes on from, and how much of it was read.
    resume: Option<(Frame, usize)>,
    /// The point to go on from: 0 at the beginning, `u32::MAX` where the frame does not fit.
    at: u32,
    /// The types that the function is generic in.
    generics: Types,
    /// These, and the types that were read from the frame so far.
    read: Types,
    /// What the frame's types must come to, until that is known to be so.
    expected: Option<u32>,
    /// Why the frame does not fit, where that is known.
    unfit: Option<String>,
    /// The callee's frame, until its call is made again.
    pub(crate) callee: Option<Callee>,
    /// The frame that is written where the function stops.
    suspension: Option<Suspension>,
    /// The request's handle, as the function was given it.
    request: Option<RequestHandles>,
}

/// The client's handle as a parameter of the function has it.
#[derive(Clone)]
struct RequestHandles {
    peer: Option<Peer<RoleServer>>,
    context: Option<RequestContext<RoleServer>>,
}

impl std::fmt::Debug for RequestHandles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RequestHandles").finish_non_exhaustive()
    }
}

/// Who the frame's function waited for.
#[derive(Debug)]
pub(crate) enum Callee {
    /// One call.
    One(Frame),
    /// The arms of a join.
    Many(Vec<ArmState>),
}

/// Where this activation stands.
pub(crate) enum Level {
    /// No saga runs: asks go to the peer.
    Detached,
    /// The function of its scope.
    Entered(Arc<Scope>),
    /// Called by a saga function that does not know of it, so it cannot be suspended.
    Untracked(Arc<Scope>),
}

impl Level {
    /// The scope of the saga that runs, if one does.
    fn scope(&self) -> Option<&Arc<Scope>> {
        match self {
            Self::Detached => None,
            Self::Entered(scope) | Self::Untracked(scope) => Some(scope),
        }
    }
}

impl std::fmt::Debug for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Detached => "Detached",
            Self::Entered(_) => "Entered",
            Self::Untracked(_) => "Untracked",
        })
    }
}

/// Why a function cannot go on from its frame.
#[derive(Debug)]
pub enum Stop {
    /// The frame does not fit the function.
    Stale(String),
    /// An answer is missing; the ask was put again.
    AskedAgain,
    /// Nobody wants the call any more.
    Cancelled,
}

impl Activation {
    /// Enters the function: takes the frame to go on from, where there is one.
    pub fn enter(function: &'static Function) -> Self {
        let mut resume = None;
        let level = match Scope::current() {
            None => Level::Detached,
            Some(scope) => {
                let mut slot = scope.slot();
                if slot.entered {
                    drop(slot);
                    Level::Untracked(scope)
                } else {
                    slot.entered = true;
                    resume = slot.resume.take();
                    drop(slot);
                    scope.run.notice(Notice::Entered(function));
                    Level::Entered(scope)
                }
            }
        };
        let entry = Entry::at(function, resume);
        Self {
            function,
            level,
            resume: entry.frame.map(|frame| (frame, 0)),
            at: entry.point,
            generics: Types::default(),
            read: Types::default(),
            expected: entry.types,
            unfit: entry.unfit,
            callee: None,
            suspension: None,
            request: None,
        }
    }

    /// The state to begin in: 0 at the beginning, else that in which the frame is read.
    pub fn state(&self) -> u32 {
        match self.at {
            0 => 0,
            point => LOAD | point.min(LOAD - 1),
        }
    }

    /// The function is generic in this type.
    pub fn generic_in<T: ?Sized>(&mut self) {
        self.generics = self.generics.and::<T>();
        self.read = self.generics;
    }

    /// Notes the request's handle, for variables that had it.
    pub fn request(&mut self, handle: &impl RequestPart) {
        let (peer, context) = (handle.peer(), handle.context());
        self.request = Some(RequestHandles { peer, context });
    }

    pub(crate) fn request_peer(&self) -> Option<Peer<RoleServer>> {
        let given = self
            .request
            .as_ref()
            .and_then(|request| request.peer.clone());
        given.or_else(|| self.level.scope()?.run.client.peer())
    }

    pub(crate) fn request_context(&self) -> Option<RequestContext<RoleServer>> {
        self.request.as_ref()?.context.clone()
    }

    /// Keeps the frame that is to be written.
    pub fn suspend(&mut self, suspension: Suspension) {
        self.suspension = Some(suspension);
    }

    /// The frame that is to be written.
    pub fn stopped(&mut self) -> Option<Suspension> {
        self.suspension.take()
    }

    /// Ends this call: a value cannot go on in this process.
    ///
    /// # Panics
    /// Where plain code called the function, which nobody but it could tell.
    #[allow(
        clippy::panic,
        reason = "the type's own serde is at fault, and no caller waits for an error"
    )]
    pub(crate) fn not_rehomed(&self, detail: String) {
        let variable = "a value with references in it".to_owned();
        match self.level.scope() {
            Some(scope) => scope.run.fail(Error::Store { variable, detail }),
            None => panic!("{variable} in `{}`: {detail}", self.function.name),
        }
    }

    /// Ends this activation: what it awaits next is [`ended`].
    pub fn abandon(&self, stop: Stop) {
        if let (Stop::Stale(detail), Some(scope)) = (stop, self.level.scope()) {
            let detail = self.unfit.clone().unwrap_or(detail);
            let detail = format!("`{}` has changed since: {detail}", self.function.name);
            scope.run.fail(Error::token(Reason::Stale, detail));
        }
    }

    /// Ends this activation: a value cannot be made again from what came back.
    pub fn gone(&self) {
        self.abandon(Stop::Stale("a value is not there any more".to_owned()));
    }

    /// Puts an ask: to the live peer, or by suspending at `point`.
    pub async fn ask<K: Ask>(&self, point: u32, peer: &(impl AsPeer + ?Sized), ask: K) -> Asked<K> {
        let asked = self.put_or_wait(point, peer, ask).await;
        if let Asked::Answer(_) = &asked {
            self.advance();
            self.stands_at(point);
        }
        asked
    }

    /// What comes next is another piece of the call.
    pub(crate) fn advance(&self) {
        if let Some(scope) = self.level.scope() {
            scope.branch.pass();
        }
    }

    /// Notes where the call is, for a log.
    fn stands_at(&self, point: u32) {
        if let Some(scope) = self.level.scope() {
            scope.run.state().at = Some((self.function.name, point));
        }
    }

    async fn put_or_wait<K: Ask>(
        &self,
        point: u32,
        peer: &(impl AsPeer + ?Sized),
        ask: K,
    ) -> Asked<K> {
        if let Some(pause) = ask.pause() {
            return self.pause(point, pause).await;
        }
        let Some(peer) = peer.as_peer() else {
            return Asked::Answer(Answered::new(Answer::Unsupported));
        };
        let scope = match &self.level {
            Level::Detached => {
                let client = Client::of_peer(peer);
                if client.capabilities().is_none() {
                    // Without a handshake the client is asked between requests, by the tool's own answer.
                    let why = format!(
                        "`{}` asks, and the function that serves the request is not `#[saga]`: put it above that, too",
                        self.function.name
                    );
                    let error = ErrorData::internal_error(why, None);
                    return Asked::Answer(Answered::new(Answer::error(&error)));
                }
                return Asked::Answer(live::ask(peer, &client, ask).await);
            }
            Level::Entered(scope) | Level::Untracked(scope) => scope,
        };
        let live = scope.run.mode == Mode::Live;
        // An author's tests see over the live wire what would fail over the others.
        let strict = !live || cfg!(debug_assertions);
        if let (Level::Untracked(_), true) = (&self.level, strict) {
            let function = self.function.name;
            scope.run.fail(Error::Untracked { function });
            return pending().await;
        }
        if live {
            let key = ask.key().filter(|_| strict).map(ToOwned::to_owned);
            let open = |key: &String| scope.run.state().open(key, self.function.name);
            if let Some(Err(error)) = key.as_ref().map(open) {
                scope.run.fail(error);
                return pending().await;
            }
            let base = self.function.point(point).map_or("ask", |point| point.key);
            let keys = &[ask.key().unwrap_or(base).to_owned()];
            let (leg, token_bytes) = (scope.branch.passed(), 0);
            scope.run.tell(leg, Event::Asked { keys, token_bytes });
            let begun = Instant::now();
            let answer = scope.run.ask_live(peer, base, ask).await;
            if answer.is_of_client() {
                let waited = begun.elapsed();
                scope.run.tell(leg, Event::Answered { keys, waited });
            }
            if let Some(key) = key {
                scope.run.state().close(&key);
            }
            return Asked::Answer(answer);
        }
        match self.put(scope, point, &ask) {
            Ok(asked) => {
                if matches!(&asked, Asked::Answer(answer) if answer.is_of_client()) {
                    // Nobody's answer is there at once: what stands beside the ask has its turn.
                    tokio::task::yield_now().await;
                }
                asked
            }
            Err(error) => {
                scope.run.fail(error);
                pending().await
            }
        }
    }

    /// Passes a suspension point that asks nobody: in place, or by suspending there.
    async fn pause<K: Ask>(&self, point: u32, pause: Pause) -> Asked<K> {
        let passed = || Asked::Answer(Answered::new(Answer::Passed));
        let Some(scope) = self.level.scope() else {
            pause.wait(None).await;
            return passed();
        };
        let run = &scope.run;
        // What a function does once it has heard of a cancellation is its own: it undoes something.
        let is_news = || run.hooks.is_cancelled() && !run.state().heard;
        if !is_news() {
            let heard = run.hooks.is_cancelled();
            if !heard && run.suspends(&pause) {
                return self.rest(scope, point, pause).await;
            }
            if let Pause::Partial(content) = &pause {
                run.notice(Notice::Partial(content));
            }
            let token = run.hooks.cancelled.as_ref().filter(|_| !heard);
            run.wait(&pause, token).await;
            if !is_news() {
                return passed();
            }
        }
        match hear_cancellation::<K>(scope) {
            true => Asked::Answer(Answered::new(Answer::Cancelled(None))),
            false => pending().await,
        }
    }

    /// Suspends at a pause.
    async fn rest<K: Ask>(&self, scope: &Arc<Scope>, point: u32, pause: Pause) -> Asked<K> {
        let run = &scope.run;
        if let Level::Untracked(_) = &self.level {
            let function = self.function.name;
            run.fail(Error::Untracked { function });
            return pending().await;
        }
        let length = millis(pause.length());
        let now = millis_of(run.now + run.elapsed());
        let ask = Pending {
            key: String::new(),
            need: Need::Pause,
            memo: Vec::new(),
            deadline: Some((now.saturating_add(length), length)),
            answer: None,
        };
        let mut state = run.state();
        let index = index_of(&state.put);
        state.put.push((ask, None));
        state.stands.get_or_insert((self.function.name, point));
        match pause {
            Pause::Partial(content) => match &mut state.partial {
                // Of another arm of a join.
                Some(before) => before.content.extend(content.content),
                None => state.partial = Some(Box::new(content)),
            },
            Pause::Background => state.background = true,
            Pause::Checkpoint | Pause::Sleep(_) => {}
        }
        drop(state);
        Asked::Suspend(self.suspension::<K>(scope, point, Waiting::Ask(index)))
    }

    /// Puts an ask, unless `other` is ready; over the live wire, until it is.
    pub async fn race<K: Question>(
        &self,
        point: u32,
        peer: &(impl AsPeer + ?Sized),
        ask: Raced<K>,
        other: impl Future,
    ) -> Asked<Raced<K>> {
        let mut other = pin!(other);
        let mut asked = pin!(self.ask(point, peer, ask));
        poll_fn(|context| {
            if other.as_mut().poll(context).is_ready() {
                self.advance();
                return Poll::Ready(Asked::Answer(Answered::new(Answer::Abandoned)));
            }
            asked.as_mut().poll(context)
        })
        .await
    }

    fn put<K: Ask>(&self, scope: &Arc<Scope>, point: u32, ask: &K) -> Result<Asked<K>, Error> {
        let run = &scope.run;
        let need = ask.need();
        let undeclared = !run.client.declares(need);
        let undeclared = undeclared.then(|| K::undeclared(need, &run.client));
        if let Some(refusal) = undeclared.or_else(|| ask.refusal(&run.client)) {
            return Ok(Asked::Answer(Answered::new(refusal)));
        }
        if run.hooks.is_cancelled() {
            run.state().heard = true;
            return Ok(Asked::Answer(Answered::new(Answer::Cancelled(None))));
        }
        let mut state = run.state();
        let mut key = match ask.key() {
            Some(key) => state.chosen_key(key, self.function.name)?,
            None => {
                let base = self.function.point(point).map_or("ask", |point| point.key);
                state.unique_key(base)
            }
        };
        let mut parts = ask.memo();
        let mut early = state.early.take().unwrap_or_default();
        match early.remove(&key) {
            Some(Answer::Result(result)) if !need.accepts(&result) => {}
            Some(Answer::Result(result)) => {
                let keys = std::slice::from_ref(&key);
                let waited = Duration::ZERO;
                run.tell(0, Event::Answered { keys, waited });
                match K::judge(parts.clone(), result) {
                    Judged::Settled(result) => {
                        return Ok(Asked::Answer(Answered::new(Answer::Result(result))));
                    }
                    Judged::Again(memo) => {
                        key = state.next_key(&key);
                        parts = memo;
                    }
                }
            }
            Some(answer) => return Ok(Asked::Answer(Answered::new(answer))),
            None => {}
        }
        let unstored = |detail| Error::Store {
            variable: "the ask".to_owned(),
            detail,
        };
        let request = loop {
            let request = match K::request(parts.clone(), &run.client) {
                Ok(request) => request,
                Err(error) => return Ok(Asked::Answer(Answered::new(Answer::error(&error)))),
            };
            let answering = run.hooks.answering.as_ref();
            match answering.and_then(|answering| answering(&key, &request)) {
                None => break request,
                Some(Answer::Result(result)) if !need.accepts(&result) => break request,
                Some(Answer::Result(result)) => match K::judge(parts.clone(), result) {
                    Judged::Settled(result) => {
                        return Ok(Asked::Answer(Answered::new(Answer::Result(result))));
                    }
                    Judged::Again(memo) => {
                        key = state.next_key(&key);
                        parts = memo;
                    }
                },
                Some(answer) => return Ok(Asked::Answer(Answered::new(answer))),
            }
        };
        let mut memo = Vec::new();
        codec::encode(&parts, &mut memo).map_err(unstored)?;
        let deadline = ask.timeout().map(|timeout| {
            let timeout = millis(timeout);
            // A round may be long.
            let now = run.now + Duration::from_secs(run.elapsed().as_secs());
            (millis_of(now).saturating_add(timeout), timeout)
        });
        let index = index_of(&state.put);
        let answer = None;
        let pending = Pending {
            key,
            need,
            memo,
            deadline,
            answer,
        };
        let over = pending.deadline.map(|(at, _)| time_of(at));
        run.notice(Notice::Asked(&pending.key, &request, over));
        state.put.push((pending, Some(request)));
        state.stands.get_or_insert((self.function.name, point));
        if let Some(key) = ask.key() {
            state.chosen.push((key.to_owned(), self.function.name));
        }
        Ok(Asked::Suspend(self.suspension::<K>(
            scope,
            point,
            Waiting::Ask(index),
        )))
    }

    /// A frame that waits for a `T`.
    pub(crate) fn suspension<T>(&self, scope: &Arc<Scope>, point: u32, on: Waiting) -> Suspension {
        let facts = self.function.point(point);
        let frame = Frame {
            point: facts.map_or(u64::MAX, |point| point.fingerprint),
            types: 0,
            values: Vec::new(),
            on,
        };
        let names = facts.map_or(&[][..], |point| point.stored);
        Suspension::new::<T>(scope, frame, names, self.generics)
    }

    /// Checks that the frame was written by code with the same types; it waits for a `T`.
    pub(crate) fn typed<T>(&mut self) -> Result<(), Stop> {
        match self.expected.take() {
            Some(expected) if expected != self.read.and::<T>().folded() => Err(Stop::Stale(
                "the type of a variable, or of what is awaited, is another one".to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Awaits another function that may suspend, one level down.
    pub async fn call<F: Future>(&mut self, point: u32, callee: F) -> Called<F::Output> {
        let scope = match &self.level {
            Level::Entered(scope) => Arc::clone(scope),
            Level::Detached | Level::Untracked(_) => return Called::Done(callee.await),
        };
        if let Err(stop) = self.typed::<F::Output>() {
            self.abandon(stop);
            return pending().await;
        }
        let frame = match self.callee.take() {
            None => None,
            Some(Callee::One(frame)) => Some(frame),
            Some(Callee::Many(_)) => {
                let stop = Stop::Stale("the frame waits on several calls".to_owned());
                self.abandon(stop);
                return pending().await;
            }
        };
        let branch = Arc::clone(&scope.branch);
        let level = Scope::new(Arc::clone(&scope.run), branch, frame);
        let mut callee = pin!(CURRENT.scope(Arc::clone(&level), callee));
        let frame = poll_fn(|context| match callee.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => match level.slot().suspended.take() {
                Some(frame) => Poll::Ready(Err(frame)),
                None => Poll::Pending,
            },
        });
        match frame.await {
            Ok(value) => {
                if level.slot().resume.is_some() {
                    // The token says that the callee asked, and it did not even look: it ran.
                    scope.run.state().progress = true;
                    let detail = format!("a call in `{}` no longer asks", self.function.name);
                    scope.run.fail(Error::token(Reason::Stale, detail));
                    return pending().await;
                }
                Called::Done(value)
            }
            Err(frame) => {
                let on = Waiting::Call(Box::new(frame));
                Called::Suspend(self.suspension::<F::Output>(&scope, point, on))
            }
        }
    }

    /// The client's facts: the request's, or what the peer knows where no saga runs.
    pub(crate) fn client(&self, peer: &impl AsPeer) -> Client {
        let running = self.level.scope().map(|scope| scope.run.client.clone());
        running.unwrap_or_else(|| peer.as_peer().map(Client::of_peer).unwrap_or_default())
    }
}

/// Whether a cancellation is an outcome of this ask. Where it is none, the call ends here; where something runs beside
/// it, when that is over, or its time.
pub(super) fn hear_cancellation<K: Ask>(scope: &Scope) -> bool {
    if K::HEARS_CANCELLATION {
        scope.run.state().heard = true;
    } else if scope.branch.is_root() {
        scope.run.fail(Error::Cancelled);
    }
    K::HEARS_CANCELLATION
}

pub(super) fn index_of<T>(put: &[T]) -> u32 {
    u32::try_from(put.len()).unwrap_or(u32::MAX)
}

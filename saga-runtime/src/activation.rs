//! A running saga function: what the code that `#[saga]` generates talks to.

use std::{
    future::{Future, pending, poll_fn},
    marker::PhantomData,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::UNIX_EPOCH,
};

use rmcp::{ErrorData, Peer, RoleServer, service::RequestContext};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};

use crate::{
    abilities::Client,
    answer::{Answer, millis},
    ask::Ask,
    codec::{self, ReadError, Source},
    continuation::{ArmState, Frame, Pending, Waiting},
    error::{Error, Reason},
    function::Function,
    limit::Raced,
    persist::{Arena, LOAD, RequestPart},
    scope::{CURRENT, Mode, Scope},
    suspension::Suspension,
    wire::live,
};

/// One activation of a saga function.
#[derive(Debug)]
pub struct Activation {
    function: &'static Function,
    pub(crate) level: Level,
    /// The frame that this activation goes on from, and how much of it was read.
    resume: Option<(Frame, usize)>,
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
}

/// An ask that has its answer. Stored as the answer's record, whatever its type.
pub struct Answered<K> {
    record: Answer,
    ask: PhantomData<fn() -> K>,
}

impl<K> std::fmt::Debug for Answered<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.record.fmt(f)
    }
}

impl<K> Answered<K> {
    pub(crate) fn new(record: Answer) -> Self {
        Self {
            record,
            ask: PhantomData,
        }
    }
}

impl<K: Ask> Answered<K> {
    /// The author's value; parsed anew each time.
    pub fn output(&self) -> K::Output {
        K::output(&self.record)
    }
}

impl<K> Serialize for Answered<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.record.serialize(serializer)
    }
}

impl<'de, K> Deserialize<'de> for Answered<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Answer::deserialize(deserializer).map(Self::new)
    }
}

/// What became of an ask.
#[derive(Debug)]
pub enum Asked<K> {
    /// The answer is here.
    Answer(Answered<K>),
    /// The client will answer in another request.
    Suspend(Suspension),
}

/// What became of a call.
#[derive(Debug)]
pub enum Called<T> {
    /// The callee returned.
    Done(T),
    /// The callee waits on an ask.
    Suspend(Suspension),
}

/// The handle of the client, in any form.
#[diagnostic::on_unimplemented(
    message = "an ask is awaited on a value of type `{Self}`, which is not the client's handle",
    label = "not a `Peer<RoleServer>`, a `RequestContext<RoleServer>`, or a reference or `Arc` to one",
    note = "where the handle is inside of it, ask on that: `app.peer.elicit(..)`",
    note = "where the method of that name is another one, say so: `#[saga(plain(elicit))]`"
)]
pub trait AsPeer {
    /// The peer.
    fn as_peer(&self) -> &Peer<RoleServer>;
}

/// The same, less [`Cx`](crate::Cx), whose questions are its own.
#[diagnostic::on_unimplemented(
    message = "an ask is awaited on a value of type `{Self}`, which is not the client's handle",
    label = "not a `Peer<RoleServer>`, or a reference or `Arc` to one",
    note = "where the handle is inside of it, ask on that: `app.peer.elicit(..)`; for a `Cx`, `let cx: Cx = app.cx.clone();` and `cx.elicit(..)`",
    note = "where the method of that name is another one, say so: `#[saga(plain(elicit))]`"
)]
pub trait IsHandle: AsPeer {}

impl IsHandle for Peer<RoleServer> {}
impl IsHandle for RequestContext<RoleServer> {}
impl<T: IsHandle + ?Sized> IsHandle for &T {}
impl<T: IsHandle + ?Sized> IsHandle for Arc<T> {}

/// Lets only handles through.
pub fn handle<T: IsHandle + ?Sized>(handle: &T) -> &T {
    handle
}

/// Lets only a `Cx` through, in any form.
pub fn cx<T: AsPeer + ?Sized>(cx: &T) -> &T {
    cx
}

impl AsPeer for Peer<RoleServer> {
    fn as_peer(&self) -> &Peer<RoleServer> {
        self
    }
}

impl AsPeer for RequestContext<RoleServer> {
    fn as_peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }
}

impl<T: AsPeer + ?Sized> AsPeer for &T {
    fn as_peer(&self) -> &Peer<RoleServer> {
        (**self).as_peer()
    }
}

impl<T: AsPeer + ?Sized> AsPeer for Arc<T> {
    fn as_peer(&self) -> &Peer<RoleServer> {
        (**self).as_peer()
    }
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
                    Level::Entered(scope)
                }
            }
        };
        Self {
            function,
            level,
            resume: resume.map(|frame| (frame, 0)),
            callee: None,
            suspension: None,
            request: None,
        }
    }

    /// The state to begin in: 0 at the beginning, else that in which the frame is read.
    pub fn state(&self) -> u32 {
        match self.point() {
            0 => 0,
            point => LOAD | point.min(LOAD - 1),
        }
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
        given.or_else(|| match &self.level {
            Level::Detached => None,
            Level::Entered(scope) | Level::Untracked(scope) => scope.run.client.peer(),
        })
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
        match &self.level {
            Level::Entered(scope) | Level::Untracked(scope) => {
                scope.run.fail(Error::Store { variable, detail });
            }
            Level::Detached => panic!("{variable} in `{}`: {detail}", self.function.name),
        }
    }

    /// The point to go on from: 0 at the beginning, `u32::MAX` where the frame is another function's.
    pub fn point(&self) -> u32 {
        match &self.resume {
            None => 0,
            Some((frame, _)) if frame.function == self.function.fingerprint => frame.point,
            Some(_) => u32::MAX,
        }
    }

    /// The next live variable of the frame.
    pub(crate) fn read_owned<T: DeserializeOwned>(&mut self) -> Result<T, Stop> {
        self.read(|input| codec::decode_next(input))
    }

    /// What an argument was when the call began, where it would be another one now.
    pub(crate) fn argument(&mut self) -> Option<Option<Vec<u8>>> {
        if !matches!(self.point(), 1..LOAD) {
            return None;
        }
        let argument: Result<Option<serde_bytes::ByteBuf>, Stop> = self.read_owned();
        // What does not decode is found by the variables behind it.
        let argument = argument.ok()?;
        Some(argument.map(serde_bytes::ByteBuf::into_vec))
    }

    /// Passes over the next live variable of the frame.
    pub(crate) fn pass<T: DeserializeOwned>(&mut self) -> Result<(), Stop> {
        self.read_owned::<T>().map(drop)
    }

    /// The same, borrowing from the arena where it borrows.
    pub(crate) fn read_lent<'s, T: Deserialize<'s>>(
        &mut self,
        arena: &'s Arena<'s>,
    ) -> Result<T, Stop> {
        let Some((frame, read)) = &mut self.resume else {
            return Err(Stop::Stale("there is no frame".to_owned()));
        };
        let mut input = arena.frame(&frame.values).get(*read..).unwrap_or_default();
        let before = input.len();
        let value = codec::decode_next(&mut input).map_err(Stop::Stale)?;
        *read += before - input.len();
        Ok(value)
    }

    /// The next live variable, in the form of a module of the author's choice.
    ///
    /// # Errors
    /// [`Stop::Stale`] where it does not decode.
    pub fn restore_with<T>(
        &mut self,
        read: impl FnOnce(Source<'_, '_>) -> Result<T, ReadError>,
    ) -> Result<T, Stop> {
        self.read(|input| codec::decode_with(input, read))
    }

    pub(crate) fn read<T>(
        &mut self,
        decode: impl FnOnce(&mut &[u8]) -> Result<T, codec::Failure>,
    ) -> Result<T, Stop> {
        let Some((frame, read)) = &mut self.resume else {
            return Err(Stop::Stale("there is no frame".to_owned()));
        };
        let mut input = frame.values.get(*read..).unwrap_or_default();
        let before = input.len();
        let value = decode(&mut input).map_err(Stop::Stale)?;
        *read += before - input.len();
        Ok(value)
    }

    /// Checks that the whole frame was read and makes its callee's frame ready.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the frame is not that of a call.
    pub fn restored_call(&mut self) -> Result<(), Stop> {
        match self.finish()?.on {
            Waiting::Call(frame) => {
                self.callee = Some(Callee::One(*frame));
                Ok(())
            }
            Waiting::Join(arms) => {
                self.callee = Some(Callee::Many(arms));
                Ok(())
            }
            Waiting::Ask(_) => Err(Stop::Stale("the frame waits on an ask".to_owned())),
        }
    }

    /// The answer that the frame waits for.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the frame is not that of an ask; [`Stop::AskedAgain`] where the answer
    /// is missing or of another kind.
    pub fn answer<K: Ask>(&mut self) -> Result<Answered<K>, Stop> {
        let mut frame = self.finish()?;
        let (Waiting::Ask(index), Level::Entered(scope)) = (&frame.on, &self.level) else {
            return Err(Stop::Stale("the frame waits on a call".to_owned()));
        };
        let run = &scope.run;
        let mut state = run.state();
        let Some(mut ask) = state.take_pending(*index) else {
            return Err(Stop::Stale(
                "the frame's ask is not in the token".to_owned(),
            ));
        };
        let now = run.now.duration_since(UNIX_EPOCH).unwrap_or_default();
        match (ask.deadline, ask.answer.take()) {
            (Some((deadline, timeout)), _) if millis(now) >= deadline => {
                return Ok(Answered::new(Answer::Timeout(timeout)));
            }
            (_, Some(Answer::Result(result))) if K::accepts(&result) => {
                match anew::<K>(&ask, &result)? {
                    None => return Ok(Answered::new(Answer::Result(result))),
                    // Another question, so that an answer to the first is none to it.
                    Some(memo) => {
                        ask.key = state.next_key(&ask.key);
                        ask.memo = memo;
                    }
                }
            }
            (_, None | Some(Answer::Result(_))) => {}
            (_, Some(answer)) => return Ok(Answered::new(answer)),
        }
        let memo = codec::decode(&ask.memo).map_err(Stop::Stale)?;
        let request = K::request(memo, &run.client)
            .map_err(|error| Stop::Stale(error.message.to_string()))?;
        frame.on = Waiting::Ask(index_of(&state.put));
        state.put.push((ask, request));
        drop(state);
        scope.slot().suspended = Some(frame);
        Err(Stop::AskedAgain)
    }

    /// Takes the frame and checks that all of it was read.
    fn finish(&mut self) -> Result<Frame, Stop> {
        match self.resume.take() {
            Some((frame, read)) if read == frame.values.len() => Ok(frame),
            Some(_) => Err(Stop::Stale("the frame has more values".to_owned())),
            None => Err(Stop::Stale("there is no frame".to_owned())),
        }
    }

    /// Ends this activation: what it awaits next is [`ended`].
    pub fn abandon(&self, stop: Stop) {
        if let (Stop::Stale(detail), Level::Entered(scope) | Level::Untracked(scope)) =
            (stop, &self.level)
        {
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
        let scope = match &self.level {
            Level::Detached => {
                let peer = peer.as_peer();
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
            let answer = live::ask(peer.as_peer(), &scope.run.client, ask).await;
            if let Some(key) = key {
                scope.run.state().close(&key);
            }
            return Asked::Answer(answer);
        }
        match self.put(scope, point, &ask) {
            Ok(asked) => asked,
            Err(error) => {
                scope.run.fail(error);
                pending().await
            }
        }
    }

    /// Puts an ask, unless `other` is ready; over the live wire, until it is.
    pub async fn race<K: Ask>(
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
                return Poll::Ready(Asked::Answer(Answered::new(Answer::Abandoned)));
            }
            asked.as_mut().poll(context)
        })
        .await
    }

    fn put<K: Ask>(&self, scope: &Arc<Scope>, point: u32, ask: &K) -> Result<Asked<K>, Error> {
        let run = &scope.run;
        if let Some(refusal) = ask
            .lacking(&run.client)
            .or_else(|| ask.refusal(&run.client))
        {
            return Ok(Asked::Answer(Answered::new(refusal)));
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
            Some(Answer::Result(result)) if !K::accepts(&result) => {}
            Some(Answer::Result(result)) => match K::again(parts.clone(), &result) {
                None => return Ok(Asked::Answer(Answered::new(Answer::Result(result)))),
                Some(memo) => {
                    key = state.next_key(&key);
                    parts = memo;
                }
            },
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
            let answering = run.answering.as_ref();
            match answering.and_then(|answering| answering(&key, &request)) {
                None => break request,
                Some(Answer::Result(result)) if !K::accepts(&result) => break request,
                Some(Answer::Result(result)) => match K::again(parts.clone(), &result) {
                    None => return Ok(Asked::Answer(Answered::new(Answer::Result(result)))),
                    Some(memo) => {
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
            let now = run.now.duration_since(UNIX_EPOCH).unwrap_or_default();
            (millis(now.saturating_add(timeout)), millis(timeout))
        });
        let index = index_of(&state.put);
        let answer = None;
        let pending = Pending {
            key,
            memo,
            deadline,
            answer,
        };
        state.put.push((pending, request));
        if let Some(key) = ask.key() {
            state.chosen.push((key.to_owned(), self.function.name));
        }
        Ok(Asked::Suspend(self.suspension(
            scope,
            point,
            Waiting::Ask(index),
        )))
    }

    pub(crate) fn suspension(&self, scope: &Arc<Scope>, point: u32, on: Waiting) -> Suspension {
        let frame = Frame {
            function: self.function.fingerprint,
            point,
            values: Vec::new(),
            on,
        };
        let names = self
            .function
            .point(point)
            .map_or(&[][..], |point| point.stored);
        Suspension::new(scope, frame, names)
    }

    /// Awaits another function that may suspend, one level down.
    pub async fn call<F: Future>(&mut self, point: u32, callee: F) -> Called<F::Output> {
        let scope = match &self.level {
            Level::Entered(scope) => Arc::clone(scope),
            Level::Detached | Level::Untracked(_) => return Called::Done(callee.await),
        };
        let frame = match self.callee.take() {
            None => None,
            Some(Callee::One(frame)) => Some(frame),
            Some(Callee::Many(_)) => {
                let stop = Stop::Stale("the frame waits on several calls".to_owned());
                self.abandon(stop);
                return pending().await;
            }
        };
        let level = Scope::new(Arc::clone(&scope.run), frame);
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
                    // The token says that the callee asked, and it did not even look.
                    let detail = format!("a call in `{}` no longer asks", self.function.name);
                    scope.run.fail(Error::token(Reason::Stale, detail));
                    return pending().await;
                }
                Called::Done(value)
            }
            Err(frame) => {
                let on = Waiting::Call(Box::new(frame));
                Called::Suspend(self.suspension(&scope, point, on))
            }
        }
    }

    /// The client's facts: the request's, or what the peer knows where no saga runs.
    pub(crate) fn client(&self, peer: &impl AsPeer) -> Client {
        match &self.level {
            Level::Detached => Client::of_peer(peer.as_peer()),
            Level::Entered(scope) | Level::Untracked(scope) => scope.run.client.clone(),
        }
    }
}

/// The run-time part of the question to ask in place of one whose answer does not do, encoded.
fn anew<K: Ask>(ask: &Pending, result: &serde_json::Value) -> Result<Option<Vec<u8>>, Stop> {
    if !K::CHECKS {
        return Ok(None);
    }
    let memo = codec::decode(&ask.memo).map_err(Stop::Stale)?;
    let Some(memo) = K::again(memo, result) else {
        return Ok(None);
    };
    let mut encoded = Vec::new();
    codec::encode(&memo, &mut encoded).map_err(Stop::Stale)?;
    Ok(Some(encoded))
}

fn index_of<T>(put: &[T]) -> u32 {
    u32::try_from(put.len()).unwrap_or(u32::MAX)
}

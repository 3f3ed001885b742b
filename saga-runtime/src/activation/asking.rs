//! An ask as it is put: to the live peer, by suspending, or not at all.

use std::{
    future::{Future, pending, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use rmcp::{ErrorData, Peer, RoleServer};

use super::{Activation, AsPeer, Asked, Level, TimeLimit};

use crate::{
    ask::{
        Ask, Judged,
        answer::Answer,
        client::{Client, Need},
        limit::Raced,
        pause::{Pause, Question},
    },
    clock::time_of,
    codec,
    engine::{
        continuation::{Pending, Waiting},
        scope::{Mode, Notice, RunState, Scope},
    },
    error::Error,
    observe::Event,
    persist::{LOAD, SAVE},
    wire::live,
};

/// An ask that was put; `.await` gives what became of it.
pub struct Asking<'a> {
    point: u32,
    state: AskingState<'a>,
}

enum AskingState<'a> {
    /// That is known; nothing where the call has ended, or once it was told.
    Settled(Option<Asked>),
    /// It is waited for.
    Waits(Pin<Box<dyn Future<Output = Asked> + Send + 'a>>),
}

impl std::fmt::Debug for Asking<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let waits = matches!(self.state, AskingState::Waits(_));
        f.debug_struct("Asking")
            .field("point", &self.point)
            .field("waits", &waits)
            .finish()
    }
}

impl Future for Asking<'_> {
    /// With the point of the ask.
    type Output = (u32, Asked);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let asked = match &mut self.state {
            AskingState::Settled(asked) => asked.take().map_or(Poll::Pending, Poll::Ready),
            AskingState::Waits(asked) => asked.as_mut().poll(context),
        };
        asked.map(|asked| (self.point, asked))
    }
}

impl<'a> AskingState<'a> {
    fn answer(answer: Answer) -> Self {
        Self::Settled(Some(Asked::Answer(answer)))
    }

    /// The call has ended.
    fn never() -> Self {
        Self::Settled(None)
    }

    fn waits(asked: impl Future<Output = Asked> + Send + 'a) -> Self {
        Self::Waits(Box::pin(asked))
    }
}

impl Activation {
    /// Puts an ask: to the live peer, or by suspending at `point`.
    ///
    /// All asks of a function are awaited in one place, for which it does not matter what they ask: each `.await` of its
    /// own would be a state of the function's future for rustc, with all that lives there.
    pub fn ask<'a, K: Ask + 'a>(
        &'a self,
        point: u32,
        peer: &(impl AsPeer + ?Sized),
        ask: K,
    ) -> Asking<'a> {
        let state = match ask.pause() {
            Some(pause) => self.pause::<K>(point, pause),
            None => self.put_or_wait(point, peer.as_peer(), ask),
        };
        Asking { point, state }
    }

    /// The state in which the function goes on, or stops.
    pub fn asked(&mut self, (point, asked): (u32, Asked)) -> u32 {
        match asked {
            Asked::Answer(answer) => {
                self.stands_at(point);
                self.answered = Some(answer);
                LOAD | point
            }
            Asked::Suspend(suspension) => {
                self.suspend(suspension);
                SAVE | point
            }
        }
    }

    /// Whether the function goes on from a frame, and not by an answer that came while it was there.
    pub fn is_read(&self) -> bool {
        self.answered.is_none()
    }

    /// Goes on behind an ask, and notes where the call is, for a log.
    fn stands_at(&self, point: u32) {
        if let Some(scope) = self.level.scope() {
            scope.settles();
            scope.run.state().at = Some((self.function.name, point));
        }
    }

    fn put_or_wait<'a, K: Ask + 'a>(
        &'a self,
        point: u32,
        peer: Option<&Peer<RoleServer>>,
        ask: K,
    ) -> AskingState<'a> {
        let Some(peer) = peer else {
            return AskingState::answer(Answer::Unsupported);
        };
        let scope = match &self.level {
            Level::Detached => return self.ask_detached(peer, ask),
            Level::Entered(scope) | Level::Untracked(scope) => scope,
        };
        let live = scope.run.mode == Mode::Live;
        // An author's tests see over the live wire what would fail over the others.
        let strict = !live || cfg!(debug_assertions);
        if let (Level::Untracked(_), true) = (&self.level, strict) {
            let function = self.function.name;
            scope.run.fail(Error::Untracked { function });
            return AskingState::never();
        }
        if live {
            let peer = peer.clone();
            return AskingState::waits(self.ask_live(scope, point, peer, ask, strict));
        }
        match self.put(scope, point, ask) {
            Ok(asked @ Asked::Answer(Answer::Result(_))) => AskingState::waits(async {
                // Nobody's answer is there at once: what stands beside the ask has its turn.
                tokio::task::yield_now().await;
                asked
            }),
            Ok(asked) => AskingState::Settled(Some(asked)),
            Err(error) => {
                scope.run.fail(error);
                AskingState::never()
            }
        }
    }

    /// Asks the live peer where no saga runs.
    fn ask_detached<'a, K: Ask + 'a>(&'a self, peer: &Peer<RoleServer>, ask: K) -> AskingState<'a> {
        let client = Client::of_peer(peer);
        if client.is_stateless() || client.capabilities().is_none() {
            // Without a handshake the client is asked between requests, by the tool's own answer.
            let why = format!(
                "`{}` asks, and the function that serves the request is not `#[saga]`: put it above that, too",
                self.function.name
            );
            let error = ErrorData::internal_error(why, None);
            return AskingState::answer(Answer::error(&error));
        }
        let peer = peer.clone();
        AskingState::waits(async move { Asked::Answer(live::ask(&peer, &client, ask).await) })
    }

    /// Asks the live peer; `strict` says whether what would fail over another wire fails here.
    async fn ask_live<K: Ask>(
        &self,
        scope: &Scope,
        point: u32,
        peer: Peer<RoleServer>,
        ask: K,
        strict: bool,
    ) -> Asked {
        let key = ask.key().filter(|_| strict).map(ToOwned::to_owned);
        let open = |key: &String| scope.run.state().open(key, self.function.name);
        if let Some(Err(error)) = key.as_ref().map(open) {
            scope.run.fail(error);
            return pending().await;
        }
        // Also where what it stands in is dropped: another branch was ready.
        let _open = key.map(|key| OpenKey { scope, key });
        let base = self.function.point(point).map_or("ask", |point| point.key);
        let keys = &[ask.key().unwrap_or(base).to_owned()];
        let (leg, token_bytes) = (scope.branch().passed(), 0);
        scope.run.tell(leg, Event::Asked { keys, token_bytes });
        let begun = Instant::now();
        let answer = scope.ask_live(&peer, base, ask).await;
        if let Answer::Result(_) = &answer {
            let waited = begun.elapsed();
            scope.run.tell(leg, Event::Answered { keys, waited });
        }
        Asked::Answer(answer)
    }

    /// Passes a suspension point that asks nobody: in place, or by suspending there.
    fn pause<K: Ask>(&self, point: u32, pause: Pause) -> AskingState<'_> {
        let passed = || Asked::Answer(Answer::Passed);
        let Some(scope) = self.level.scope() else {
            return AskingState::waits(async move {
                pause.wait(None).await;
                passed()
            });
        };
        let run = &scope.run;
        // What a function does once it has heard of a cancellation is its own: it undoes something.
        let is_news = || run.hooks.is_cancelled() && !run.state().heard;
        let cancelled = || match hear_cancellation::<K>(scope) {
            true => Some(Asked::Answer(Answer::Cancelled(None))),
            false => None,
        };
        if is_news() {
            return AskingState::Settled(cancelled());
        }
        let heard = run.hooks.is_cancelled();
        if !heard && run.suspends(&pause) {
            return AskingState::Settled(self.rest::<K>(scope, point, pause));
        }
        AskingState::waits(async move {
            if let Pause::Partial(content) = &pause {
                run.notice(Notice::Partial(content));
            }
            let token = run.hooks.cancelled.as_ref().filter(|_| !heard);
            run.wait(&pause, token).await;
            if !is_news() {
                return passed();
            }
            match cancelled() {
                Some(asked) => asked,
                None => pending().await,
            }
        })
    }

    /// Suspends at a pause.
    fn rest<K: Ask>(&self, scope: &Arc<Scope>, point: u32, pause: Pause) -> Option<Asked> {
        let run = &scope.run;
        if let Level::Untracked(_) = &self.level {
            let function = self.function.name;
            run.fail(Error::Untracked { function });
            return None;
        }
        let own = TimeLimit::after(pause.length(), run.now + run.elapsed());
        let ask = Pending {
            key: String::new(),
            need: Need::Pause,
            memo: Vec::new(),
            deadline: scope.deadline(Some(own)),
            answer: None,
        };
        let mut state = run.state();
        let index = index_of(&state.put);
        state.put.push(ask);
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
        let on = Waiting::Ask(index);
        Some(Asked::Suspend(self.suspension::<K>(scope, point, on)))
    }

    /// Puts an ask, unless `other` is ready; over the live wire, until it is.
    pub async fn race<K: Question, const SLEEPS: bool>(
        &self,
        point: u32,
        peer: &(impl AsPeer + ?Sized),
        ask: Raced<K, SLEEPS>,
        other: impl Future,
    ) -> Asking<'_> {
        let mut other = pin!(other);
        let mut ask = Some(ask);
        let mut asking = None;
        let asked = poll_fn(|context| {
            if other.as_mut().poll(context).is_ready() {
                return Poll::Ready(Asked::Answer(Answer::Abandoned));
            }
            if let Some(ask) = ask.take() {
                asking = Some(self.ask(point, peer, ask));
            }
            match &mut asking {
                Some(asking) => Pin::new(asking).poll(context).map(|(_, asked)| asked),
                None => Poll::Pending,
            }
        });
        let state = AskingState::Settled(Some(asked.await));
        Asking { point, state }
    }

    fn put<K: Ask>(&self, scope: &Arc<Scope>, point: u32, mut ask: K) -> Result<Asked, Error> {
        let run = &scope.run;
        let need = ask.need();
        let undeclared = !run.client.declares(need);
        let undeclared = undeclared.then(|| K::undeclared(need, &run.client));
        if let Some(refusal) = undeclared.or_else(|| ask.refusal(&run.client)) {
            return Ok(Asked::Answer(refusal));
        }
        if run.hooks.is_cancelled() {
            run.state().heard = true;
            return Ok(Asked::Answer(Answer::Cancelled(None)));
        }
        let mut state = run.state();
        let mut key = match ask.key() {
            Some(key) => state.chosen_key(key, self.function.name)?,
            None => {
                let base = self.function.point(point).map_or("ask", |point| point.key);
                state.unique_key(base)
            }
        };
        scope.puts(&key);
        let mut memo = ask.memo();
        if let Err(answer) = settle::<K>(scope, &mut state, need, &mut key, &mut memo) {
            return Ok(Asked::Answer(answer));
        }
        // Most texts are short.
        let mut encoded = Vec::with_capacity(64);
        codec::encode(&memo, &mut encoded).map_err(|detail| Error::Store {
            variable: "the ask".to_owned(),
            detail,
        })?;
        let request = match K::request(memo, &run.client) {
            Ok(request) => request,
            Err(error) => return Ok(Asked::Answer(Answer::error(&error))),
        };
        // A round may be long; what is less than a second is not counted.
        let now = || run.now + Duration::from_secs(run.elapsed().as_secs());
        let own = ask
            .timeout()
            .map(|timeout| TimeLimit::after(timeout, now()));
        let deadline = scope.deadline(own);
        let index = index_of(&state.put);
        let pending = Pending {
            key,
            need,
            memo: encoded,
            deadline,
            answer: None,
        };
        let over = deadline.map(|(at, _)| time_of(at));
        run.notice(Notice::Asked(&pending.key, &request, over));
        state.puts(pending, Some(request));
        state.stands.get_or_insert((self.function.name, point));
        if let Some(key) = ask.key() {
            state.chosen.push((key.to_owned(), self.function.name));
        }
        let on = Waiting::Ask(index);
        Ok(Asked::Suspend(self.suspension::<K>(scope, point, on)))
    }
}

/// The answer of an ask, where that is there already; else its key and its memo are as they are once it is put.
fn settle<K: Ask>(
    scope: &Scope,
    state: &mut RunState,
    need: Need,
    key: &mut String,
    memo: &mut K::Memo,
) -> Result<(), Answer> {
    let run = &scope.run;
    // They are of the call's first ask, or of none.
    let early = state.early.take().and_then(|mut early| early.remove(key));
    match early {
        Some(Answer::Result(result)) if !need.accepts(&result) => {}
        Some(answer) => {
            if let Answer::Result(_) = &answer {
                let keys = std::slice::from_ref(&*key);
                let waited = Duration::ZERO;
                run.tell(0, Event::Answered { keys, waited });
            }
            again::<K>(scope, state, key, memo, answer)?;
        }
        None => {}
    }
    let Some(answering) = &run.hooks.answering else {
        return Ok(());
    };
    loop {
        let request = K::request(memo.clone(), &run.client);
        let request = request.map_err(|error| Answer::error(&error))?;
        match answering(key, &request) {
            None => return Ok(()),
            Some(Answer::Result(result)) if !need.accepts(&result) => return Ok(()),
            Some(answer) => again::<K>(scope, state, key, memo, answer)?,
        }
    }
}

/// What is to be asked in place of what this answers; the answer itself, where there is nothing.
fn again<K: Ask>(
    scope: &Scope,
    state: &mut RunState,
    key: &mut String,
    memo: &mut K::Memo,
    answer: Answer,
) -> Result<(), Answer> {
    let Answer::Result(result) = answer else {
        return Err(answer);
    };
    match K::judge(memo.clone(), result) {
        Judged::Settled(result) => Err(Answer::Result(result)),
        Judged::Again(other) => {
            *key = state.next_key(key);
            scope.puts(key);
            *memo = other;
            Ok(())
        }
    }
}

/// Whether a cancellation is an outcome of this ask. Where it is none, the call ends here; where something runs beside
/// it, when that is over, or its time.
pub(super) fn hear_cancellation<K: Ask>(scope: &Scope) -> bool {
    if K::HEARS_CANCELLATION {
        scope.run.state().heard = true;
    } else if scope.branch().is_root() {
        scope.run.fail(Error::Cancelled);
    }
    K::HEARS_CANCELLATION
}

pub(super) fn index_of<T>(put: &[T]) -> u32 {
    u32::try_from(put.len()).unwrap_or(u32::MAX)
}

/// A key whose question waits over the live wire.
struct OpenKey<'a> {
    scope: &'a Scope,
    key: String,
}

impl Drop for OpenKey<'_> {
    fn drop(&mut self) {
        self.scope.run.state().close(&self.key);
    }
}

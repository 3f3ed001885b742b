//! An ask as it is put: to the live peer, by suspending, or not at all.

use std::{
    future::{Future, pending, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use rmcp::{ErrorData, Peer, RoleServer, model::InputRequest};

use super::{Activation, Answered, AsPeer, Asked, Level};

use crate::{
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
        continuation::{Pending, Waiting},
        scope::{Mode, Notice, Run, RunState, Scope},
    },
    error::Error,
    observe::Event,
    wire::live,
};

impl Activation {
    /// Puts an ask: to the live peer, or by suspending at `point`.
    ///
    /// In a box: what it is made of is not looked through once more by rustc in each function that asks.
    pub fn ask<'a, K: Ask + 'a>(
        &'a self,
        point: u32,
        peer: &'a (impl AsPeer + ?Sized),
        ask: K,
    ) -> Pin<Box<dyn Future<Output = Asked<K>> + Send + 'a>> {
        let peer = peer.as_peer();
        Box::pin(async move {
            let asked = self.put_or_wait(point, peer, ask).await;
            if let Asked::Answer(_) = &asked {
                self.advance();
                self.stands_at(point);
            }
            asked
        })
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
        peer: Option<&Peer<RoleServer>>,
        ask: K,
    ) -> Asked<K> {
        if let Some(pause) = ask.pause() {
            return Box::pin(self.pause(point, pause)).await;
        }
        let Some(peer) = peer else {
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
                return Asked::Answer(Box::pin(live::ask(peer, &client, ask)).await);
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
            // A request that is waited for is large, and over the other wires nothing is.
            return Box::pin(self.ask_live(scope, point, peer, ask, strict)).await;
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

    /// Asks the live peer; `strict` says whether what would fail over another wire fails here.
    async fn ask_live<K: Ask>(
        &self,
        scope: &Scope,
        point: u32,
        peer: &Peer<RoleServer>,
        ask: K,
        strict: bool,
    ) -> Asked<K> {
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
        Asked::Answer(answer)
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
        let mut memo = ask.memo();
        let request = match request::<K>(run, &mut state, need, &mut key, &mut memo) {
            Ok(request) => request,
            Err(answer) => return Ok(Asked::Answer(Answered::new(answer))),
        };
        let mut encoded = Vec::new();
        codec::encode(&memo, &mut encoded).map_err(|detail| Error::Store {
            variable: "the ask".to_owned(),
            detail,
        })?;
        let deadline = ask.timeout().map(|timeout| {
            let timeout = millis(timeout);
            // A round may be long.
            let now = run.now + Duration::from_secs(run.elapsed().as_secs());
            (millis_of(now).saturating_add(timeout), timeout)
        });
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
        if state.put.is_empty() {
            // A place for four of them would be 2 kB, and most calls put one.
            state.put.reserve_exact(1);
        }
        state.put.push((pending, Some(request)));
        state.stands.get_or_insert((self.function.name, point));
        if let Some(key) = ask.key() {
            state.chosen.push((key.to_owned(), self.function.name));
        }
        let on = Waiting::Ask(index);
        Ok(Asked::Suspend(self.suspension::<K>(scope, point, on)))
    }
}

/// The request of an ask, with its key and its memo as they are once it is put; else its answer, where that is there already.
fn request<K: Ask>(
    run: &Run,
    state: &mut RunState,
    need: Need,
    key: &mut String,
    memo: &mut K::Memo,
) -> Result<InputRequest, Answer> {
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
            again::<K>(state, key, memo, answer)?;
        }
        None => {}
    }
    loop {
        let request = K::request(memo.clone(), &run.client);
        let request = request.map_err(|error| Answer::error(&error))?;
        let answering = run.hooks.answering.as_ref();
        match answering.and_then(|answering| answering(key, &request)) {
            None => return Ok(request),
            Some(Answer::Result(result)) if !need.accepts(&result) => return Ok(request),
            Some(answer) => again::<K>(state, key, memo, answer)?,
        }
    }
}

/// What is to be asked in place of what this answers; the answer itself, where there is nothing.
fn again<K: Ask>(
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
    } else if scope.branch.is_root() {
        scope.run.fail(Error::Cancelled);
    }
    K::HEARS_CANCELLATION
}

pub(super) fn index_of<T>(put: &[T]) -> u32 {
    u32::try_from(put.len()).unwrap_or(u32::MAX)
}

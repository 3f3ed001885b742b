//! A time limit around a call that may ask.

use std::{
    convert::Infallible,
    future::{Future, pending, poll_fn},
    pin::pin,
    task::Poll,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, error::Elapsed, sleep, timeout_at};

use crate::{
    activation::{Activation, Called},
    ask::rest::{Cancellation, Rest, time_left},
    clock::{millis, millis_of},
    engine::named::Named,
};

/// When a call is over though it has no value. It is part of the continuation: the time passes while the client answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeLimit {
    /// In milliseconds since 1970.
    at: u64,
    /// What it was given, in milliseconds.
    length: u64,
}

impl TimeLimit {
    pub(crate) fn after(length: Duration, now: SystemTime) -> Self {
        let length = millis(length);
        let at = millis_of(now).saturating_add(length);
        Self { at, length }
    }

    /// The same, as an ask has it.
    pub(crate) fn deadline(self) -> (u64, u64) {
        (self.at, self.length)
    }

    /// Whichever is over first.
    pub(crate) fn earlier(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        one.into_iter().chain(other).min_by_key(|limit| limit.at)
    }

    fn left(self, now: SystemTime) -> Duration {
        Duration::from_millis(self.at.saturating_sub(millis_of(now)))
    }
}

impl Activation {
    /// What begins now is over after `length`.
    pub fn time_limit(&self, length: Duration) -> TimeLimit {
        TimeLimit::after(length, self.now())
    }

    /// The same, by tokio's clock.
    pub fn time_limit_at(&self, at: Instant) -> TimeLimit {
        self.time_limit(time_left(at))
    }

    /// The same of a sleep that has begun.
    pub fn time_limit_of(&self, rest: impl Rest) -> TimeLimit {
        self.time_limit_at(rest.until())
    }

    fn now(&self) -> SystemTime {
        let scope = self.level.scope();
        scope.map_or_else(SystemTime::now, |scope| scope.run.now + scope.run.elapsed())
    }

    /// [`Activation::call`] that is over at the `limit`: tokio's `timeout`.
    pub async fn call_within<F: Future>(
        &mut self,
        point: u32,
        named: Named,
        limit: TimeLimit,
        callee: F,
    ) -> Called<Result<F::Output, Elapsed>> {
        match self
            .call_or_sleep(point, named, (limit, false), callee)
            .await
        {
            Called::Suspend(suspension) => Called::Suspend(suspension),
            Called::Done(Some(value)) => Called::Done(Ok(value)),
            Called::Done(None) => Called::Done(match over().await {
                Ok(never) => match never {},
                Err(elapsed) => Err(elapsed),
            }),
        }
    }

    /// The same in a `select!` beside a sleep: nothing where that is over first. `first` says which of the two is looked at first.
    pub async fn call_or_sleep<F: Future>(
        &mut self,
        point: u32,
        named: Named,
        (limit, first): (TimeLimit, bool),
        callee: F,
    ) -> Called<Option<F::Output>> {
        let left = limit.left(self.now());
        if left.is_zero() && (first || self.callee.is_some()) {
            // As in the process where nobody answered in time, the callee is not looked at.
            return self.leave::<F::Output>(point).await;
        }
        let rest = sleep(left);
        self.call_beside((point, named), Some(limit), callee, (rest, first))
            .await
    }

    /// The same beside a cancellation.
    pub async fn call_unless<F: Future>(
        &mut self,
        point: u32,
        named: Named,
        (cancelled, first): (impl Cancellation, bool),
        callee: F,
    ) -> Called<Option<F::Output>> {
        self.call_beside((point, named), None, callee, (cancelled, first))
            .await
    }

    async fn call_beside<F: Future>(
        &mut self,
        (point, named): (u32, Named),
        limit: Option<TimeLimit>,
        callee: F,
        (other, first): (impl Future, bool),
    ) -> Called<Option<F::Output>> {
        let scope = self.entered();
        let mut put = Vec::new();
        let called = {
            let mut call = pin!(self.call_limited(point, named, limit, callee));
            let mut other = pin!(other);
            poll_fn(|context| {
                let scope = scope.as_deref();
                if first && other.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                let before = scope.map_or(0, |scope| scope.run.state().put.len());
                if let Poll::Ready(called) = call.as_mut().poll(context) {
                    return Poll::Ready(Some(called));
                }
                if let Some(scope) = scope {
                    let state = scope.run.state();
                    put.extend(before..state.put.len());
                    if state.failure.is_some() {
                        return Poll::Pending;
                    }
                }
                match first {
                    true => Poll::Pending,
                    false => other.as_mut().poll(context).map(|_| None),
                }
            })
            .await
        };
        match called {
            Some(Called::Done(value)) => Called::Done(Some(value)),
            Some(Called::Suspend(suspension)) => Called::Suspend(suspension),
            None => {
                // An arm of a join in it may have asked while another was at work.
                if let Some(scope) = &scope {
                    let mut state = scope.run.state();
                    put.into_iter().for_each(|index| state.withdraw(index));
                }
                self.leave::<F::Output>(point).await
            }
        }
    }

    /// Goes on without the callee, and without its frame where that was not looked at; what comes next is another piece of
    /// the call.
    async fn leave<T>(&mut self, point: u32) -> Called<Option<T>> {
        if self.callee.take().is_some()
            && let Err(stop) = self.typed::<T>()
        {
            self.abandon(stop);
            return pending().await;
        }
        if let Some(scope) = self.level.scope() {
            let mut state = scope.run.state();
            state.progress = true;
            state.at = Some((self.function.name, point));
            drop(state);
            scope.settles();
        }
        Called::Done(None)
    }
}

/// tokio's error, which only a time limit that is over gives.
async fn over() -> Result<Infallible, Elapsed> {
    timeout_at(Instant::now(), pending()).await
}

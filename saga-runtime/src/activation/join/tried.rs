//! `try_join!` and `try_join_all`: the error of one ends all.

use std::{future::Future, task::Context};

use super::{AnyArm, Arm, Gives, Progress, read, written};
use crate::{
    activation::{Answered, Stop},
    ask::Ask,
    engine::{
        continuation::{ArmState, Frame},
        named::Named,
        scope::Scope,
    },
    persist::{
        arms::{Check, HasValue},
        stored::Stored,
    },
};

/// One of the futures of a `try_join!`: its error ends all, so that it is never stored.
pub struct TryArm<F: Future<Output: Fails>> {
    arm: Arm<F>,
    check: Option<Check<<F::Output as Fails>::Value>>,
}

impl<F: Future<Output: Fails>> std::fmt::Debug for TryArm<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.arm.fmt(f)
    }
}

impl<F: Future<Output: Fails>> HasValue for TryArm<F> {
    type Value = <F::Output as Fails>::Value;

    fn check_by(&mut self, check: Check<Self::Value>) {
        self.check = Some(check);
    }
}

impl<F: Future<Output: Fails>> TryArm<F> {
    /// An arm that awaits `future`, of what is `named`.
    pub fn new(named: Named, future: F) -> Self {
        Self {
            arm: Arm::new(named, future),
            check: None,
        }
    }

    /// An arm that has its value: what gives the future is not called again.
    pub fn over() -> Self {
        Self {
            arm: Arm::over(),
            check: None,
        }
    }
}

/// Values that may be errors.
#[doc(hidden)]
pub trait Fails {
    /// What there is where it is none.
    type Value;
    fn value(&self) -> Option<&Self::Value>;
    fn of(value: Self::Value) -> Self;
}

impl<T, E> Fails for Result<T, E> {
    type Value = T;

    fn value(&self) -> Option<&T> {
        self.as_ref().ok()
    }

    fn of(value: T) -> Self {
        Ok(value)
    }
}

impl<K: Ask<Output: Fails>> Fails for Answered<K> {
    type Value = Self;

    fn value(&self) -> Option<&Self> {
        self.saga_output().value().is_some().then_some(self)
    }

    fn of(value: Self) -> Self {
        value
    }
}

#[allow(private_interfaces, reason = "only the runtime calls it")]
impl<F: Future<Output: Fails<Value: Stored>>> AnyArm for TryArm<F> {
    fn begin(&mut self, scope: &Scope, index: u32, state: Option<ArmState>) -> Result<(), Stop> {
        let going_on = match read(state)? {
            Ok(value) => {
                self.arm.done = Some(Fails::of(value));
                (0, None)
            }
            Err(going_on) => going_on,
        };
        self.arm.enter(scope, index, going_on);
        Ok(())
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Progress {
        let progress = self.arm.go_on(context);
        let done = self.arm.done.as_ref();
        let failed = || done.is_some_and(|done| done.value().is_none());
        // One that ended otherwise than it is known to has ended the call.
        match progress {
            Progress::Pending => Progress::Pending,
            _ if failed() => Progress::Failed,
            progress => progress,
        }
    }

    fn save(&mut self) -> Result<ArmState, String> {
        match self.arm.waits() {
            Some(state) => Ok(state),
            None => written(self.arm.done.as_ref().and_then(Fails::value), self.check),
        }
    }

    fn stopped(&self) -> Option<&Frame> {
        self.arm.stopped.as_ref()
    }
}

/// Where one arm failed, others may have no value.
impl<F: Future<Output: Fails>> Gives for TryArm<F> {
    type Output = Option<F::Output>;

    fn give(self) -> Option<Option<F::Output>> {
        Some(self.arm.done)
    }
}

/// The values of the asks of a `try_join_all`, or the first error.
pub fn all_tried<K: Ask<Output = Result<T, E>>, T, E>(
    records: &[Option<Answered<K>>],
) -> Option<Result<Vec<T>, E>> {
    let given = |record: &Option<Answered<K>>| Some(record.as_ref()?.saga_output());
    first_error_or_all(records.iter().map(given).collect())
}

/// The values of the calls of a `try_join_all`, or the first error.
pub fn all_taken<T, E>(results: &mut Vec<Option<Result<T, E>>>) -> Option<Result<Vec<T>, E>> {
    first_error_or_all(std::mem::take(results))
}

/// Where one has failed, others may have nothing.
fn first_error_or_all<T, E>(results: Vec<Option<Result<T, E>>>) -> Option<Result<Vec<T>, E>> {
    let (mut values, mut is_whole) = (Vec::with_capacity(results.len()), true);
    for result in results {
        match result {
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(value)) => values.push(value),
            None => is_whole = false,
        }
    }
    is_whole.then_some(Ok(values))
}

/// The value of an ask in a `try_join!`.
pub fn tried_value<K: Ask<Output = Result<T, E>>, T, E>(record: &Option<Answered<K>>) -> Option<T> {
    record.as_ref()?.saga_output().ok()
}

/// The error of an ask in a `try_join!`.
pub fn tried_error<K: Ask<Output = Result<T, E>>, T, E>(record: &Option<Answered<K>>) -> Option<E> {
    record.as_ref()?.saga_output().err()
}

/// The value of a call in a `try_join!`.
pub fn taken_value<T, E>(result: &mut Option<Result<T, E>>) -> Option<T> {
    result.take()?.ok()
}

/// The error of a call in a `try_join!`; a value stays.
pub fn taken_error<T, E>(result: &mut Option<Result<T, E>>) -> Option<E> {
    if result.as_ref()?.is_ok() {
        return None;
    }
    result.take()?.err()
}

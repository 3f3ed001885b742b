//! What stands beside an ask or a call in a `select!`: its type tells what it is.

use std::{ops::Deref, pin::Pin, time::Duration};

use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFuture;

use super::{limit::Raced, pause::Question};

/// tokio's sleep, also behind a reference: a time limit.
#[diagnostic::on_unimplemented(
    message = "a `select!` with a call that may ask, beside a future of type `{Self}`",
    label = "neither a time limit nor a cancellation",
    note = "where the call asks, the process that waits for this future is not there any more",
    note = "`tokio::time::sleep(length)` beside it, or `ct.cancelled()` of a token in a variable or a field; or the `select!` in the function that is called, around each ask"
)]
pub trait Rest {
    /// When it is over.
    fn until(&self) -> Instant;
}

impl Rest for Sleep {
    fn until(&self) -> Instant {
        self.deadline()
    }
}

impl<R: Rest + ?Sized> Rest for &mut R {
    fn until(&self) -> Instant {
        (**self).until()
    }
}

impl<P: Deref<Target: Rest>> Rest for Pin<P> {
    fn until(&self) -> Instant {
        (**self).until()
    }
}

/// What waits for the cancellation of a token: it can be made again wherever the call goes on.
#[diagnostic::on_unimplemented(
    message = "a `select!` with a call that may ask, beside a future of type `{Self}`",
    label = "not the `cancelled()` of a `CancellationToken`",
    note = "where the call asks, the process that waits for this future is not there any more",
    note = "`tokio::time::sleep(length)` beside it, or `ct.cancelled()` of a token in a variable or a field; or the `select!` in the function that is called, around each ask"
)]
pub trait Cancellation: Future {}

impl Cancellation for WaitForCancellationFuture<'_> {}

/// What stands beside an ask.
#[derive(Debug)]
pub struct Beside<'a, T: ?Sized>(pub &'a T);

/// Found for a sleep.
pub trait BesideRest {
    /// The ask with a time limit.
    fn saga_raced<K: Question>(&self, ask: K) -> Raced<K, true>;
}

impl<T: Rest + ?Sized> BesideRest for &Beside<'_, T> {
    fn saga_raced<K: Question>(&self, ask: K) -> Raced<K, true> {
        Raced::within(time_left(self.0.until()), ask)
    }
}

/// Found for all else.
pub trait BesideOther {
    /// The ask that need not be waited for.
    fn saga_raced<K: Question>(&self, ask: K) -> Raced<K> {
        Raced::new(ask)
    }
}

impl<T: ?Sized> BesideOther for Beside<'_, T> {}

/// How long it is until then.
pub fn time_left(at: Instant) -> Duration {
    at.saturating_duration_since(Instant::now())
}

//! Suspension points that ask nobody: checkpoints, sleep, partial results.

use std::{fmt, time::Duration};

use rmcp::model::CallToolResult;
use tokio_util::sync::CancellationToken;

use crate::ask::{Ask, answer::Answer};

/// What a suspension point without a question is for. Each wire does with it what it can.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Pause {
    /// What was done so far is not to be done again: `cx.checkpoint()`.
    Checkpoint,
    /// Nothing happens for this time: [`sleep`].
    Sleep(Duration),
    /// A part of the result is there: `cx.partial(..)`.
    Partial(CallToolResult),
    /// The client need not wait any longer: `cx.background()`.
    Background,
}

impl Pause {
    /// How long it lasts.
    pub fn length(&self) -> Duration {
        match self {
            Self::Sleep(length) => *length,
            _ => Duration::ZERO,
        }
    }

    /// Waits for its end, in this process.
    pub(crate) async fn wait(&self, cancelled: Option<&CancellationToken>) {
        let Self::Sleep(length) = self else { return };
        let slept = tokio::time::sleep(*length);
        match cancelled {
            None => slept.await,
            Some(token) => {
                // It is over either way.
                let _ = token.run_until_cancelled(slept).await;
            }
        }
    }
}

/// An ask that asks nobody.
macro_rules! pauses {
    ($ty:ty: |$pause:ident| $kind:expr) => {
        $crate::ask::pause::pauses!($ty: (), false, |_answer| (), |$pause| $kind);
    };
    ($ty:ty: $output:ty, $hears:literal, |$answer:ident| $outcome:expr, |$pause:ident| $kind:expr) => {
        impl $crate::ask::Ask for $ty {
            type Output = $output;
            type Memo = ();

            const HEARS_CANCELLATION: bool = $hears;

            fn pause(&self) -> Option<$crate::ask::pause::Pause> {
                let $pause = self;
                Some($kind)
            }

            fn memo(&mut self) {}

            fn timeout(&self) -> Option<std::time::Duration> {
                None
            }

            fn refusal(
                &self,
                _: &$crate::ask::client::Client,
            ) -> Option<$crate::ask::answer::Answer> {
                None
            }

            fn need(&self) -> $crate::ask::client::Need {
                $crate::ask::client::Need::Pause
            }

            fn undeclared(
                _: $crate::ask::client::Need,
                _: &$crate::ask::client::Client,
            ) -> $crate::ask::answer::Answer {
                $crate::ask::answer::Answer::Passed
            }

            fn request(
                (): (),
                _: &$crate::ask::client::Client,
            ) -> Result<rmcp::model::InputRequest, rmcp::ErrorData> {
                Err(rmcp::ErrorData::internal_error("a pause asks nobody", None))
            }

            fn output($answer: &$crate::ask::answer::Answer) -> $output {
                $outcome
            }
        }
    };
}
pub(crate) use pauses;

/// A time in which nothing happens; made by [`sleep`].
#[must_use = "a sleep begins when it is awaited"]
pub struct Sleep(Duration);

impl Sleep {
    /// Sleeps for `length`.
    pub fn new(length: Duration) -> Self {
        Self(length)
    }

    pub(crate) fn length(&self) -> Duration {
        self.0
    }
}

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sleep").field(&self.0).finish()
    }
}

pauses!(Sleep: |sleep| Pause::Sleep(sleep.0));

/// For tests that compare a function with and without `#[saga]`.
#[cfg(feature = "plain-questions")]
impl IntoFuture for Sleep {
    type Output = ();
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(tokio::time::sleep(self.0))
    }
}

/// Sleeps, in a `#[saga]` function: `saga_runtime::sleep(duration).await`, written with its path.
///
/// In a task the call is stored, and no worker and no memory waits; in a plain call of up to 20 seconds, and over the live
/// wire, it is waited for in place. Where the task is cancelled meanwhile, it ends here: nothing behind the sleep runs.
/// [`try_sleep`] is for a function that has something to undo. Outside of `#[saga]`, `tokio::time::sleep` is what you want: this cannot be awaited there.
///
/// ```
/// # use saga_runtime::{Cx, saga};
/// # use std::time::Duration;
/// #[saga]
/// async fn reminder(cx: Cx) -> String {
///     saga_runtime::sleep(Duration::from_secs(86_400)).await;
///     cx.checkpoint().await;
///     "it is tomorrow".to_owned()
/// }
/// ```
pub fn sleep(length: Duration) -> Sleep {
    Sleep::new(length)
}

/// The task was cancelled while it slept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

/// A time in which nothing happens, with an end before it; made by [`try_sleep`].
#[must_use = "a sleep begins when it is awaited"]
pub struct TrySleep(Duration);

impl TrySleep {
    /// Sleeps for `length`.
    pub fn new(length: Duration) -> Self {
        Self(length)
    }
}

impl fmt::Debug for TrySleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TrySleep").field(&self.0).finish()
    }
}

pauses!(
    TrySleep: Result<(), Cancelled>, true,
    |answer| match answer {
        Answer::Cancelled(_) => Err(Cancelled),
        _ => Ok(()),
    },
    |sleep| Pause::Sleep(sleep.0)
);

/// For tests that compare a function with and without `#[saga]`.
#[cfg(feature = "plain-questions")]
impl IntoFuture for TrySleep {
    type Output = Result<(), Cancelled>;
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            tokio::time::sleep(self.0).await;
            Ok(())
        })
    }
}

/// [`sleep`] for a function that has something to undo where its task is cancelled meanwhile:
/// `saga_runtime::try_sleep(duration).await`.
///
/// # Errors
/// Awaited: [`Cancelled`], at once.
///
/// ```
/// # use saga_runtime::{Cx, saga};
/// # use std::time::Duration;
/// # async fn release(seat: u32) {}
/// #[saga]
/// async fn hold(cx: Cx, seat: u32) -> Result<String, saga_runtime::Cancelled> {
///     if let Err(cancelled) = saga_runtime::try_sleep(Duration::from_secs(3600)).await {
///         release(seat).await;
///         return Err(cancelled);
///     }
///     Ok("held for an hour".to_owned())
/// }
/// ```
pub fn try_sleep(length: Duration) -> TrySleep {
    TrySleep::new(length)
}

/// A question, which somebody may fail to answer in time.
#[diagnostic::on_unimplemented(
    message = "a time limit around `{Self}`, which asks nobody",
    label = "a pause has no answer to wait for",
    note = "a sleep is over after its own time: `saga_runtime::sleep(shorter).await`"
)]
pub trait Question: Ask {}

/// Kinds of ask that somebody answers.
macro_rules! questions {
    ($($ty:ty $(where $t:ident: $bound:path)?),* $(,)?) => {
        $(impl$(<$t: $bound>)? $crate::ask::pause::Question for $ty {})*
    };
}
pub(crate) use questions;

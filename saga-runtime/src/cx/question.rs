//! What [`Cx`](crate::Cx) asks: builders, awaited where they are made.

pub(crate) mod choice;
mod error;
mod form;
mod others;
mod pauses;

use std::{future::Future, pin::Pin, time::Duration};

use rmcp::ErrorData;

pub use self::{
    choice::{ChoiceQuestion, Choosable, ManyQuestion},
    error::AskError,
    form::FormQuestion,
    others::{Messages, Reply, RootsQuestion, SampleQuestion, UrlQuestion},
    pauses::{Background, Checkpoint, IntoPartial, Partial},
};
use crate::{
    ask::{Ask, answer::Answer, client::Client},
    cx::Cx,
    wire::live,
};

/// What every question has.
#[derive(Debug, Clone)]
struct Common {
    cx: Cx,
    key: Option<String>,
    timeout: Option<Duration>,
}

impl Common {
    fn new(cx: Cx) -> Self {
        Self {
            cx,
            key: None,
            timeout: None,
        }
    }
}

/// Where a question is awaited that `#[saga]` does not see.
#[cfg(not(feature = "plain-questions"))]
#[derive(Debug)]
pub struct Elsewhere;

/// Never implemented: a question is no future by itself, and of a type that is none at all rustc would have the
/// `.await` removed. Of two traits on one type it would tell of the outer one, so it is one of [`Elsewhere`].
#[cfg(not(feature = "plain-questions"))]
#[diagnostic::on_unimplemented(
    message = "a question, `{Q}`, is awaited outside of `#[saga]`",
    label = "this function has no `#[saga]`, or this is a closure or an async block in one that has",
    note = "why: the function's variables wait for the answer in a token, and only `#[saga]` puts them there",
    note = "instead: `#[saga]` above the function, and above its `#[tool]`; out of a closure or an async block into the function's own body"
)]
pub trait Awaits<'a, Q: ?Sized> {}

/// Says of a question that is awaited elsewhere what is missing. The bound is one for any lifetime, as rustc refuses one that
/// never holds where it stands.
#[cfg(not(feature = "plain-questions"))]
macro_rules! only_in_saga {
    ($question:ident $(<$t:ident: $bound:path>)?: $output:ty) => {
        #[doc(hidden)]
        impl$(<$t: $bound>)? std::future::Future for $question$(<$t>)?
        where
            for<'a> $crate::cx::question::Elsewhere: $crate::cx::question::Awaits<'a, Self>,
        {
            type Output = $output;

            fn poll(
                self: std::pin::Pin<&mut Self>,
                _: &mut std::task::Context<'_>,
            ) -> std::task::Poll<Self::Output> {
                std::task::Poll::Pending
            }
        }
    };
}
#[cfg(not(feature = "plain-questions"))]
use only_in_saga;

/// The methods of every question, and its future where no `#[saga]` stands above.
macro_rules! common {
    ($question:ident $(<$t:ident: $bound:path>)?) => {
        impl$(<$t: $bound>)? $question$(<$t>)? {
            /// Sets the key under which the client answers, in place of the name of the `let`. In a
            /// later round `-2`, `-3`, … is added; twice in one round is an error.
            pub fn key(mut self, key: impl Into<String>) -> Self {
                self.common.key = Some(key.into());
                self
            }

            /// Gives up after this time, which runs while the user thinks.
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.common.timeout = Some(timeout);
                self
            }
        }

        impl$(<$t: $bound + Send + 'static>)? $question$(<$t>)? {
            /// Asks at once, outside of `#[saga]`: only a client from before 2026-07-28 can be asked so.
            ///
            /// # Errors
            /// [`AskError`](crate::AskError): for a client of 2026-07-28 or later, too.
            pub fn live(
                self,
            ) -> impl std::future::Future<Output = <Self as crate::ask::Ask>::Output> + Send + 'static {
                let cx = self.common.cx.clone();
                crate::cx::question::put_live(cx, self)
            }
        }

        #[cfg(not(feature = "plain-questions"))]
        crate::cx::question::only_in_saga!($question $(<$t: $bound>)?: <Self as crate::ask::Ask>::Output);

        /// For tests that compare a function with and without `#[saga]`; see [`live`](Self::live).
        #[cfg(feature = "plain-questions")]
        impl$(<$t: $bound + Send + 'static>)? std::future::IntoFuture for $question$(<$t>)? {
            type Output = <Self as crate::ask::Ask>::Output;
            type IntoFuture = std::pin::Pin<
                Box<dyn std::future::Future<Output = Self::Output> + Send + 'static>,
            >;

            fn into_future(self) -> Self::IntoFuture {
                let cx = self.common.cx.clone();
                crate::cx::question::put_live(cx, self)
            }
        }
    };
}
use common;

fn put_live<K: Ask + Send + 'static>(
    cx: Cx,
    ask: K,
) -> Pin<Box<dyn Future<Output = K::Output> + Send>> {
    Box::pin(async move {
        if cx.client().is_stateless() {
            let why = "this client is asked between requests: await the question where it is made, in \
                       a `#[saga]` function";
            return K::output(&Answer::error(&ErrorData::internal_error(why, None)));
        }
        let client: &Client = cx.client();
        K::output(&live::ask(cx.peer(), client, ask).await)
    })
}

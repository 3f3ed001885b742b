//! What a tool may do to the server that runs it: panic, or go on for nobody.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use rmcp::ErrorData;
use tokio_util::sync::CancellationToken;

use crate::{engine::scope::Scope, error::Error, observe};

/// The body of a call. A panic in it ends the call, and not the task that serves the request, whose client
/// would wait for ever.
pub(crate) struct Watched<F> {
    body: Option<F>,
}

impl<F: Unpin> Watched<F> {
    pub(crate) fn new(body: F) -> Self {
        Self { body: Some(body) }
    }
}

impl<F: Future + Unpin> Future for Watched<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Some(body) = &mut self.body else {
            return Poll::Pending;
        };
        // The body is not polled again, and what it shares with other calls they share with any panic.
        if let Ok(polled) = catch_unwind(AssertUnwindSafe(|| Pin::new(body).poll(context))) {
            return polled;
        }
        self.body = None;
        if let Some(scope) = Scope::current() {
            let at = scope.run.state().at;
            scope.run.fail(Error::Panicked { at });
        }
        Poll::Pending
    }
}

pin_project! {
    /// A handler of a server. A panic in it is its error.
    ///
    /// No `async fn`: that would hold the handler twice, as its argument and pinned.
    pub(crate) struct Caught<'m, F> {
        method: &'m str,
        #[pin]
        handler: F,
    }
}

pub(crate) fn caught<T, F: Future<Output = Result<T, ErrorData>>>(
    method: &str,
    handler: F,
) -> Caught<'_, F> {
    Caught { method, handler }
}

impl<T, F: Future<Output = Result<T, ErrorData>>> Future for Caught<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        poll_caught(this.method, this.handler, context)
    }
}

/// The same, polled once. After a panic it is not polled again.
pub(crate) fn poll_caught<T>(
    method: &str,
    handler: Pin<&mut (impl Future<Output = Result<T, ErrorData>> + ?Sized)>,
    context: &mut Context<'_>,
) -> Poll<Result<T, ErrorData>> {
    if let Ok(polled) = catch_unwind(AssertUnwindSafe(|| handler.poll(context))) {
        return polled;
    }
    let error = Error::Panicked { at: None };
    tracing::error!(mcp.method.name = method, "the handler panicked");
    observe::unheard(&format!("saga: {method}: the handler panicked"));
    Poll::Ready(Err(error.into()))
}

/// Awaits `round`, or drops it where its client is gone and nobody is to go on for it.
pub(crate) async fn until<T>(
    stopping: Option<CancellationToken>,
    mut round: Pin<&mut impl Future<Output = Result<T, Error>>>,
) -> Result<T, Error> {
    let Some(stopping) = stopping else {
        return round.await;
    };
    let mut stopped = pin!(stopping.cancelled());
    poll_fn(|context| {
        if let Poll::Ready(outcome) = round.as_mut().poll(context) {
            return Poll::Ready(outcome);
        }
        stopped
            .as_mut()
            .poll(context)
            .map(|()| Err(Error::Disconnected))
    })
    .await
}

//! What a tool may do to the server that runs it: panic, or go on for nobody.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
};

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

/// A handler of a server. A panic in it is its error.
pub(crate) async fn caught<T>(
    method: &str,
    handler: impl Future<Output = Result<T, ErrorData>>,
) -> Result<T, ErrorData> {
    let mut handler = pin!(handler);
    poll_fn(|context| poll_caught(method, handler.as_mut(), context)).await
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
    round: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let Some(stopping) = stopping else {
        return round.await;
    };
    let mut round = pin!(round);
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

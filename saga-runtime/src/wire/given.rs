//! What a body gives, as its client is sent it.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

pin_project! {
    /// A body, and what becomes of its output.
    ///
    /// No async block: that would hold the body twice, as it was captured and as it is awaited.
    pub(crate) struct Given<F, M> {
        #[pin]
        body: F,
        into: Option<M>,
    }
}

impl<F, M> Given<F, M> {
    pub(crate) fn new(body: F, into: M) -> Self {
        Self {
            body,
            into: Some(into),
        }
    }
}

impl<T, F: Future, M: FnOnce(F::Output) -> T> Future for Given<F, M> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let this = self.project();
        let output = ready!(this.body.poll(context));
        match this.into.take() {
            Some(into) => Poll::Ready(into(output)),
            None => Poll::Pending,
        }
    }
}

//! A handler that runs: its answer, and what becomes of it once nobody waits for one.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::Poll,
};

use rmcp::{
    ErrorData,
    model::{RequestId, ServerJsonRpcMessage, ServerResult},
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use super::{
    Answer,
    answer::{self, Events, Form},
    message::Method,
    peers::Own,
};
use crate::wire::watched::{caught, poll_caught};

pub(super) type Handled = Result<ServerResult, ErrorData>;
pub(super) type Handler = Pin<Box<dyn Future<Output = Handled> + Send>>;

/// A handler under way. Dropped before its end it runs on by itself, and is told that its client has left.
pub(super) struct Running {
    method: Method,
    handler: Option<Handler>,
    gone: CancellationToken,
    own: Option<Own>,
    id: RequestId,
}

enum First {
    Done(Handled),
    Notified(ServerJsonRpcMessage),
    Stopped,
}

impl Running {
    pub(super) fn new(
        method: Method,
        handler: Handler,
        gone: CancellationToken,
        own: Option<Own>,
        id: RequestId,
    ) -> Self {
        // Code that blocks until its notification is sent must not hold up what sends it.
        let handler = match own.is_some() {
            true => apart(method, handler),
            false => handler,
        };
        Self {
            method,
            handler: Some(handler),
            gone,
            own,
            id,
        }
    }

    /// A document where the result is all there is, else a stream.
    pub(super) async fn answer(&mut self, form: &Form) -> Answer {
        match self.first(form).await {
            First::Done(handled) => {
                let succeeded = handled.is_ok();
                let message = self.ended(handled);
                let mut messages = self.left_over(succeeded);
                match messages.is_empty() {
                    true => form.terminal(message),
                    false => {
                        messages.push(message);
                        form.stream(Events::of(messages, form))
                    }
                }
            }
            First::Notified(first) => self.stream(first, form),
            First::Stopped => answer::stopped(),
        }
    }

    async fn first(&mut self, form: &Form) -> First {
        let mut stopped = None;
        poll_fn(|context| {
            if let Some(own) = &mut self.own
                && let Poll::Ready(Some(message)) = own.messages.poll_recv(context)
            {
                return Poll::Ready(First::Notified(message));
            }
            if let Some(handler) = &mut self.handler
                && let Poll::Ready(handled) =
                    poll_caught(self.method.name(), handler.as_mut(), context)
            {
                return Poll::Ready(First::Done(handled));
            }
            // Most are done by now.
            let stopped =
                stopped.get_or_insert_with(|| Box::pin(form.stop.clone().cancelled_owned()));
            stopped.as_mut().poll(context).map(|()| First::Stopped)
        })
        .await
    }

    /// The last message.
    fn ended(&mut self, handled: Handled) -> ServerJsonRpcMessage {
        self.handler = None;
        self.gone.cancel();
        terminal(handled, self.id.clone())
    }

    /// Notifications that nobody has awaited.
    fn left_over(&mut self, succeeded: bool) -> Vec<ServerJsonRpcMessage> {
        let Some(own) = &mut self.own else {
            return Vec::new();
        };
        let messages: Vec<_> = std::iter::from_fn(|| own.messages.try_recv().ok()).collect();
        match messages.is_empty() {
            true => own.was_quiet(succeeded),
            false => own.was_noisy(),
        }
        messages
    }

    /// Lets the handler run by itself: a client that reads slowly is not to hold it up, but by what it has to say.
    fn stream(&mut self, first: ServerJsonRpcMessage, form: &Form) -> Answer {
        let (Some(handler), Some(own)) = (self.handler.take(), self.own.take()) else {
            return answer::stopped();
        };
        own.was_noisy();
        let (events, peer) = Events::following(first, own, self.gone.clone(), form);
        let (method, gone, id) = (self.method, self.gone.clone(), self.id.clone());
        tokio::spawn(async move {
            let handled = caught(method.name(), handler).await;
            gone.cancel();
            peer.end(terminal(handled, id)).await;
        });
        form.stream(events)
    }
}

/// The same handler in a task of its own.
fn apart(method: Method, handler: Handler) -> Handler {
    let handled = caught(method.name(), handler).instrument(Span::current());
    let task = tokio::spawn(handled);
    Box::pin(async move {
        // It is aborted by nobody, but ends with its runtime.
        let ended = |_| Err(ErrorData::internal_error("the server stops", None));
        task.await.unwrap_or_else(ended)
    })
}

fn terminal(handled: Handled, id: RequestId) -> ServerJsonRpcMessage {
    match handled {
        Ok(result) => ServerJsonRpcMessage::response(result, id),
        Err(error) => {
            tracing::debug!(%id, ?error, "a request ends with an error");
            ServerJsonRpcMessage::error(error, Some(id))
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(handler) = self.handler.take() else {
            return;
        };
        self.gone.cancel();
        // Without a runtime it ends with it.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(caught(self.method.name(), handler));
        }
    }
}

//! Answers as rmcp writes them: documents and streams of events.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_core::Stream;
use http::{HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use rmcp::{
    RoleServer,
    model::{ErrorCode, ServerJsonRpcMessage},
    service::RunningService,
    transport::streamable_http_server::StreamableHttpServerConfig,
};
use sse_stream::{KeepAlive, Sse, SseBody, Timer};
use tokio::{
    sync::mpsc,
    time::{Instant, Sleep, sleep},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{
    Answer,
    peers::{Nobody, Own},
};

/// How a service answers.
pub(super) struct Form {
    json: bool,
    keep_alive: Option<Duration>,
    pub(super) stop: CancellationToken,
    finish: Option<fn(Bytes) -> Bytes>,
}

impl Form {
    pub(super) fn of(config: &StreamableHttpServerConfig) -> Self {
        Self {
            json: config.json_response,
            keep_alive: config.sse_keep_alive,
            stop: config.cancellation_token.clone(),
            finish: None,
        }
    }

    #[cfg(feature = "serve")]
    pub(super) fn finished_by(mut self, finish: fn(Bytes) -> Bytes) -> Self {
        self.finish = Some(finish);
        self
    }

    /// The answer of a handler that has sent nothing before.
    pub(super) fn terminal(&self, message: ServerJsonRpcMessage) -> Answer {
        let status = status(&message);
        if !self.json && status == StatusCode::OK {
            return self.stream(Events::of([message], self));
        }
        match serde_json::to_vec(&message) {
            Ok(text) => {
                let text = Bytes::from(text);
                let text = self
                    .finish
                    .map_or_else(|| text.clone(), |finish| finish(text.clone()));
                let mut answer = Response::new(Full::new(text).boxed());
                *answer.status_mut() = status;
                let json = HeaderValue::from_static("application/json");
                answer.headers_mut().insert(header::CONTENT_TYPE, json);
                answer
            }
            Err(error) => failed("serialize json response", &error),
        }
    }

    pub(super) fn stream(&self, events: Events) -> Answer {
        let body = SseBody::new(events);
        let body = match self.keep_alive {
            None => body.boxed(),
            Some(interval) => body
                .with_keep_alive::<Pauses>(KeepAlive::new().interval(interval))
                .boxed(),
        };
        let mut answer = Response::new(body);
        let headers = answer.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/event-stream"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        answer
    }
}

/// The status of an answer to a request whose `_meta` is complete.
fn status(message: &ServerJsonRpcMessage) -> StatusCode {
    let ServerJsonRpcMessage::Error(error) = message else {
        return StatusCode::OK;
    };
    match error.error.code {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// The answer where the server has stopped before there was one.
pub(super) fn stopped() -> Answer {
    failed(
        "empty response",
        &"no response message received from handler",
    )
}

fn failed(when: &str, error: &dyn std::fmt::Display) -> Answer {
    tracing::error!("Internal server error when {when}: {error}");
    let text = format!("Encounter an error when {when}: {error}");
    let mut answer = Response::new(Full::new(Bytes::from(text)).boxed());
    *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    answer
}

/// The messages of one answer. Dropped before the last, they tell the handler that its client has left.
pub(super) struct Events {
    first: std::collections::VecDeque<ServerJsonRpcMessage>,
    following: Option<mpsc::Receiver<ServerJsonRpcMessage>>,
    gone: Option<CancellationToken>,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
}

/// What sends the messages that follow.
pub(super) struct Following {
    running: RunningService<RoleServer, Nobody>,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
}

impl Following {
    /// Sends the last message.
    pub(super) async fn end(self, message: ServerJsonRpcMessage) {
        // Where nobody reads it, nobody misses it.
        let _ = self.sender.send(message).await;
        drop(self.running);
    }
}

impl Events {
    /// These messages, and no more.
    pub(super) fn of(
        messages: impl IntoIterator<Item = ServerJsonRpcMessage>,
        form: &Form,
    ) -> Self {
        Self {
            first: messages.into_iter().collect(),
            following: None,
            gone: None,
            stopped: Box::pin(form.stop.clone().cancelled_owned()),
        }
    }

    /// This message, and what a handler sends after it.
    pub(super) fn following(
        first: ServerJsonRpcMessage,
        own: Own,
        gone: CancellationToken,
        form: &Form,
    ) -> (Self, Following) {
        let mut events = Self::of([first], form);
        let (running, sender, messages) = own.into_parts();
        events.following = Some(messages);
        events.gone = Some(gone);
        (events, Following { running, sender })
    }

    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerJsonRpcMessage>> {
        if self.stopped.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        if let Some(message) = self.first.pop_front() {
            return Poll::Ready(Some(message));
        }
        let Some(following) = &mut self.following else {
            return Poll::Ready(None);
        };
        let polled = following.poll_recv(context);
        let last = match &polled {
            Poll::Ready(Some(message)) => matches!(
                message,
                ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
            ),
            Poll::Ready(None) => true,
            Poll::Pending => false,
        };
        if last {
            self.following = None;
            self.gone = None;
        }
        polled
    }
}

impl Stream for Events {
    type Item = Result<Sse, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_message(context).map(|message| {
            let text = serde_json::to_string(&message?);
            let text = text.inspect_err(|error| tracing::error!(%error, "a message is no JSON"));
            Some(Ok(Sse::default().data(text.ok()?)))
        })
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(gone) = self.gone.take() {
            gone.cancel();
        }
    }
}

/// Between two signs of life.
struct Pauses(Pin<Box<Sleep>>);

impl Future for Pauses {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl Timer for Pauses {
    fn from_duration(duration: Duration) -> Self {
        Self(Box::pin(sleep(duration)))
    }

    fn reset(mut self: Pin<&mut Self>, when: std::time::Instant) {
        self.0.as_mut().reset(Instant::from_std(when));
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin};

    use super::*;

    #[tokio::test]
    async fn a_sign_of_life_is_followed_by_a_pause() {
        let mut pauses = pin!(Pauses::from_duration(Duration::ZERO));
        pauses.as_mut().await;
        let now = std::time::Instant::now();
        pauses.as_mut().reset(now + Duration::from_secs(3600));
        let waits = poll_fn(|context| Poll::Ready(pauses.as_mut().poll(context).is_pending()));
        assert!(waits.await);
    }
}

//! Streamable HTTP at the cost of the wire.
//!
//! rmcp serves each request without a session as it serves a connection: with a service loop of its own, and channels to and
//! from it. [`StreamableHttp`] is mounted where rmcp's [`StreamableHttpService`] is and takes the same arguments. The requests
//! that make up nearly all of the traffic of 2026-07-28 it reads once and hands straight to the handler: `tools/call`,
//! `prompts/get`, `resources/read`, `tasks/get`, `tasks/update`, `tasks/cancel`, `tools/callSaga` and `tools/resumeSaga`.
//! **Everything else, and whatever is not beyond doubt, goes to rmcp's service as it came**, so that its checks, errors,
//! sessions and streams are rmcp's own.
//!
//! [`serve`](crate::serve) is built on it.

mod answer;
mod gate;
mod handled;
mod message;
mod peers;
mod running;

use std::{
    convert::Infallible,
    fmt,
    future::{Future, poll_fn},
    io,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::{Buf, BufMut as _, Bytes, BytesMut};
use http::{Request, Response, request::Parts};
use http_body::{Body, Frame};
use http_body_util::{Full, combinators::BoxBody};
use rmcp::{
    RoleServer, ServerHandler,
    service::RequestContext,
    transport::streamable_http_server::{
        SessionManager, StreamableHttpServerConfig, StreamableHttpService,
        session::local::LocalSessionManager,
    },
};
use tower_service::Service;

use self::{
    answer::Form,
    gate::{Gate, Verdict},
    handled::handled,
    message::Call,
    peers::Peers,
    running::Running,
};

/// The response of a service over HTTP.
pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

type Make<H> = Arc<dyn Fn() -> io::Result<H> + Send + Sync>;

/// A service of Streamable HTTP in the place of rmcp's [`StreamableHttpService`], with a short way for the requests of
/// 2026-07-28 that call, get and read.
///
/// ```
/// use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
/// use saga_runtime::{Keyring, SagaServer, Settings, http::StreamableHttp, toolbox};
///
/// let tools = toolbox![]?.named("deployer", "1.0.0");
/// let server = SagaServer::new(tools).with_settings(Settings::new(Keyring::random()?));
/// let config = StreamableHttpServerConfig::default().with_json_response(true);
/// let service = StreamableHttp::new(move || Ok(server.clone()), Default::default(), config);
/// // axum::Router::new().nest_service("/mcp", service)
/// # let _: StreamableHttp<_> = service;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A handler's notifications go to the stream of the request that it serves. What the specification forbids, one that its
/// request asked for neither with a progress token nor with a log level, is sent as rmcp sends it where the tool is known to do
/// so from one of its first sixteen calls. Afterwards the first of them is an error for the tool, and makes all be sent.
pub struct StreamableHttp<H, M = LocalSessionManager> {
    inner: Arc<Inner<H, M>>,
}

struct Inner<H, M> {
    rmcp: StreamableHttpService<H, M>,
    make: Make<H>,
    /// Where an event store has to see all events, they are rmcp's to write.
    stored: bool,
    gate: Gate,
    peers: Peers,
    form: Form,
}

impl<H, M> Clone for StreamableHttp<H, M> {
    fn clone(&self) -> Self {
        let inner = Arc::clone(&self.inner);
        Self { inner }
    }
}

impl<H, M> fmt::Debug for StreamableHttp<H, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamableHttp")
            .field("config", &self.inner.rmcp.config)
            .finish_non_exhaustive()
    }
}

impl<H: ServerHandler, M: SessionManager> StreamableHttp<H, M> {
    /// Serves what `make` makes, for each session or request without one: the same arguments as rmcp's
    /// [`StreamableHttpService::new`].
    pub fn new(
        make: impl Fn() -> io::Result<H> + Send + Sync + 'static,
        sessions: Arc<M>,
        config: StreamableHttpServerConfig,
    ) -> Self {
        Self::with_form(make, sessions, Form::of(&config), config)
    }

    /// The same with what is put into each JSON document before it is sent.
    #[cfg(feature = "serve")]
    pub(crate) fn finished_by(
        make: impl Fn() -> io::Result<H> + Send + Sync + 'static,
        sessions: Arc<M>,
        config: StreamableHttpServerConfig,
        finish: fn(Bytes) -> Bytes,
    ) -> Self {
        let form = Form::of(&config).finished_by(finish);
        Self::with_form(make, sessions, form, config)
    }

    fn with_form(
        make: impl Fn() -> io::Result<H> + Send + Sync + 'static,
        sessions: Arc<M>,
        form: Form,
        config: StreamableHttpServerConfig,
    ) -> Self {
        let make: Make<H> = Arc::new(make);
        let makes = Arc::clone(&make);
        let stored = sessions.event_store().is_some();
        let inner = Inner {
            rmcp: StreamableHttpService::new(move || makes(), sessions, config),
            make,
            stored,
            gate: Gate::default(),
            peers: Peers::default(),
            form,
        };
        let inner = Arc::new(inner);
        Self { inner }
    }

    /// Serves one request. What rmcp does of it is in boxes: nearly all requests do without, and each would be as large.
    pub async fn handle<B>(&self, request: Request<B>) -> Answer
    where
        B: Body + Send + 'static,
        B::Error: fmt::Display,
    {
        let Some(method) = self.admitted(request.method(), request.headers()) else {
            return Box::pin(self.inner.rmcp.handle(request)).await;
        };
        let (head, body) = request.into_parts();
        let most = self.inner.rmcp.config.max_request_body_bytes;
        match read(body, most).await {
            Read {
                text,
                whole: true,
                error: None,
            } => match self.answer(method, head, text).await {
                Ok(answer) => answer,
                Err((head, text)) => self.by_rmcp(head, text).await,
            },
            read => {
                let body = Replayed {
                    text: Some(read.text),
                    error: read.error,
                };
                let request = Request::from_parts(head, body);
                Box::pin(self.inner.rmcp.handle(request)).await
            }
        }
    }

    /// The method of a request that may be served here, as its headers have it.
    pub(crate) fn admitted(
        &self,
        method: &http::Method,
        headers: &http::HeaderMap,
    ) -> Option<message::Method> {
        match method == http::Method::POST && !self.inner.stored {
            true => gate::method(headers),
            false => None,
        }
    }

    /// Serves a request whose body is read; gives it back where it is rmcp's.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn holds its arguments twice"
    )]
    pub(crate) fn answer(
        &self,
        method: message::Method,
        head: Parts,
        text: Bytes,
    ) -> impl Future<Output = Result<Answer, (Parts, Bytes)>> + Send {
        async move {
            let Inner {
                rmcp, gate, form, ..
            } = &*self.inner;
            if !gate.knows(&head) {
                match Box::pin(gate.judge(&head, rmcp)).await {
                    Verdict::Allowed => {}
                    Verdict::Doubtful => return Err((head, text)),
                    Verdict::Refused(answer) => return Ok(answer),
                }
            }
            let mut running = self.begin(method, head, text)?;
            Ok(running.answer(form).await)
        }
    }

    #[expect(clippy::result_large_err, reason = "it is what was given")]
    fn begin(
        &self,
        method: message::Method,
        head: Parts,
        text: Bytes,
    ) -> Result<Running, (Parts, Bytes)> {
        let call = message::read(method, &text).filter(|call| gate::names(&head.headers, call));
        let (Some(call), Ok(handler)) = (call, (self.inner.make)()) else {
            return Err((head, text));
        };
        if !gate::parameters_agree(&head.headers, &call, &handler) {
            return Err((head, text));
        }
        Ok(self.run(handler, head, *call))
    }

    fn run(&self, handler: H, head: Parts, call: Call) -> Running {
        let Call {
            id,
            method,
            meta,
            request,
        } = call;
        let name = message::handler_of(method, &request, &head.headers);
        let (peer, own) = self.inner.peers.of(method, name, &meta);
        let mut context = RequestContext::<RoleServer>::new(id.clone(), peer);
        context.meta = meta;
        context.extensions.insert(head);
        let gone = context.ct.clone();
        let handled = handled(handler, request, context);
        Running::new(method, handled, gone, own, id)
    }

    /// Has rmcp's service answer.
    pub(crate) async fn by_rmcp(&self, head: Parts, text: Bytes) -> Answer {
        let request = Request::from_parts(head, Full::new(text));
        Box::pin(self.inner.rmcp.handle(request)).await
    }
}

impl<H, M, B> Service<Request<B>> for StreamableHttp<H, M>
where
    H: ServerHandler,
    M: SessionManager,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.handle(request).await) })
    }
}

/// What was read of a body.
struct Read {
    text: Bytes,
    /// Whether it is no longer than it may be.
    whole: bool,
    error: Option<String>,
}

async fn read<B: Body<Error: fmt::Display>>(body: B, most: usize) -> Read {
    let mut body = pin!(body);
    let mut text = Bytes::new();
    let mut more = BytesMut::new();
    let (mut whole, mut error) = (true, None);
    while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let mut data = match frame.map(Frame::into_data) {
            Ok(Ok(data)) => data,
            Ok(Err(_)) => continue,
            Err(failed) => {
                error = Some(failed.to_string());
                break;
            }
        };
        let length = data.remaining();
        whole = length <= most.saturating_sub(text.len() + more.len());
        // Mostly it comes in one piece.
        match text.is_empty() {
            true => text = data.copy_to_bytes(length),
            false => more.put(data),
        }
        if !whole {
            break;
        }
    }
    if !more.is_empty() {
        let mut joined = BytesMut::from(text);
        joined.extend_from_slice(&more);
        text = joined.freeze();
    }
    Read { text, whole, error }
}

/// A body that was read, and how it failed.
struct Replayed {
    text: Option<Bytes>,
    error: Option<String>,
}

impl Body for Replayed {
    type Data = Bytes;
    type Error = String;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, String>>> {
        let text = self.text.take().map(|text| Ok(Frame::data(text)));
        Poll::Ready(text.or_else(|| self.error.take().map(Err)))
    }
}

//! Streamable HTTP.

use std::{
    any::Any,
    convert::Infallible,
    future::Future,
    io,
    net::SocketAddr,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use rmcp::{
    ServerHandler, handler::server::router::tool::ToolRouter,
    transport::streamable_http_server::StreamableHttpServerConfig,
};
use serde_json::json;
use tokio::{
    net::{TcpListener, TcpStream, ToSocketAddrs},
    sync::Semaphore,
    time::{sleep, timeout},
};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use super::{
    Limits, ServeError, names,
    reading::{is_within, move_resume_token, spoil_null_state},
    sessions::{self, Sessions},
    writing::{document, with_added_events, with_additions},
};
use crate::{
    background::{Host, Hosted, Runner},
    http::{Answer, StreamableHttp},
    server::{SagaServer, Servable, routes::Routes},
    token::settings::Settings,
};

/// A server of Streamable HTTP, to be bound to an address or mounted in a router.
///
/// Requests of 2026-07-28 are served without a session, older clients get one. Browsers are served only from origins that
/// are allowed, and requests only under hosts that are: without a word, those of the loopback interface.
pub struct Http<F> {
    make: F,
    /// The [`Routes`] of what `make` makes.
    routes: Option<Box<dyn Any + Send + Sync>>,
    settings: Settings,
    path: String,
    json: bool,
    /// Any, where nothing is said.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
    saga_methods: bool,
    tasks: Option<Arc<dyn Host>>,
    limits: Limits,
}

impl<F> std::fmt::Debug for Http<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Http")
            .field("path", &self.path)
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

impl<H, F> Http<F>
where
    H: Servable,
    F: Fn() -> H + Send + Sync + 'static,
{
    /// [`new`](Self::new) with what the environment says, read now: the keys ([`Settings::from_env`]), the hosts in
    /// `SAGA_HOSTS` (`tools.example.com,tools.internal:8080`, or `*` for any) and the origins in `SAGA_ORIGINS`
    /// (`https://app.example.com`). A variable that is not set, or is empty, leaves the loopback's.
    ///
    /// # Errors
    /// [`ServeError`] where a variable is set and not right.
    pub fn from_env(make: F) -> Result<Self, ServeError> {
        let mut http = Self::new(make, Settings::from_env()?);
        if let Some(hosts) = names::listed(names::HOSTS)? {
            http = match hosts.as_slice() {
                [any] if any == "*" => http.any_host(),
                _ => http.hosts(hosts),
            };
        }
        if let Some(origins) = names::listed(names::ORIGINS)? {
            http = http.origins(origins);
        }
        http.check()?;
        Ok(http)
    }

    /// Refuses names that no request could have.
    fn check(&self) -> Result<(), ServeError> {
        let mut hosts = self.hosts.iter().flatten();
        hosts.try_for_each(|host| names::check_host(host))?;
        let mut origins = self.origins.iter();
        origins.try_for_each(|origin| names::check_origin(origin))
    }

    /// Serves what `make` makes, for each session or request without one, at `/mcp`. The saga methods and the settings
    /// are put around it.
    pub fn new(make: F, settings: Settings) -> Self {
        Self {
            make,
            routes: None,
            settings,
            path: "/mcp".to_owned(),
            json: true,
            hosts: Some(LOOPBACK.map(str::to_owned).to_vec()),
            origins: LOOPBACK_ORIGINS.map(str::to_owned).to_vec(),
            saga_methods: true,
            tasks: None,
            limits: Limits::default(),
        }
    }

    /// See [`SagaServer::with_router`].
    #[must_use]
    pub fn router(mut self, router: ToolRouter<H>) -> Self {
        self.routes = Some(Box::new(Routes::of(router)));
        self
    }

    /// Serves at another path.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Answers with an event stream also where the result is all there is to send. Without it, such an answer is a JSON
    /// document.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.json = false;
        self
    }

    /// Serves requests under these hosts (`example.com`, `example.com:8080`) instead of the loopback's; none where the
    /// list is empty.
    #[must_use]
    pub fn hosts<S: Into<String>>(mut self, hosts: impl IntoIterator<Item = S>) -> Self {
        self.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Serves requests under any host: behind a proxy that looks at it. A server on a loopback interface that does so can be
    /// reached by the pages that its user visits (DNS rebinding).
    #[must_use]
    pub fn any_host(mut self) -> Self {
        self.hosts = None;
        self
    }

    /// Serves pages of these origins (`https://example.com`) instead of the loopback's; none where the list is empty.
    #[must_use]
    pub fn origins<S: Into<String>>(mut self, origins: impl IntoIterator<Item = S>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// See [`SagaServer::without_saga_methods`].
    #[must_use]
    pub fn without_saga_methods(mut self) -> Self {
        self.saga_methods = false;
        self
    }

    /// Lets calls become tasks: see [`SagaServer::with_tasks`]. In tokio's runtime.
    #[must_use]
    pub fn tasks(mut self, tasks: impl Host) -> Self {
        self.tasks = Some(Arc::new(tasks));
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// A service to mount where one likes, in a router of axum for example. Its connections are the mounting server's,
    /// so of the [`Limits`] those of the body hold.
    pub fn service(self) -> HttpService<SagaServer<H>> {
        // To rmcp no hosts at all are any host.
        let hosts = match self.hosts {
            None => Vec::new(),
            Some(none) if none.is_empty() => vec![String::new()],
            Some(hosts) => hosts,
        };
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(self.json)
            .with_allowed_hosts(hosts)
            .with_allowed_origins(self.origins)
            .enforce_origin_validation();
        config.max_request_body_bytes = self.limits.body_bytes;
        let streams = config.cancellation_token.clone();
        let sessions = Sessions::at_most(self.limits.sessions);
        let (make, settings, saga_methods) = (self.make, self.settings, self.saga_methods);
        let routes = self
            .routes
            .and_then(|routes| routes.downcast::<Routes<H>>().ok());
        let tasks = self.tasks.map(Hosted::new);
        let host = tasks.as_ref().map(|tasks| Arc::clone(&tasks.host));
        if let Some(Hosted { host: tasks, .. }) = &tasks {
            tasks.configure(&settings);
            let mut runs = SagaServer::new(make()).with_settings(settings.clone());
            if let Some(routes) = &routes {
                runs = runs.with_routes((**routes).clone());
            }
            tasks.bind(Runner::new(runs));
        }
        // What a handler says of itself is the same each time.
        let name = SagaServer::new(make()).name();
        let inner = StreamableHttp::finished_by(
            move || {
                let server = SagaServer::of_name(make(), Arc::clone(&name));
                let mut server = server.with_settings(settings.clone());
                if let Some(routes) = &routes {
                    server = server.with_routes((**routes).clone());
                }
                if let Some(tasks) = &tasks {
                    server = server.with_bound_tasks(tasks.clone());
                }
                Ok(match saga_methods {
                    true => server,
                    false => server.without_saga_methods(),
                })
            },
            sessions.manager(),
            config,
            document,
        );
        HttpService {
            inner,
            sessions,
            streams,
            host,
            limits: Arc::new(self.limits),
        }
    }

    /// Listens at this address.
    ///
    /// # Errors
    /// If the address is in use or not valid; [`io::ErrorKind::InvalidInput`] if a host or an origin is not valid.
    pub async fn bind(self, address: impl ToSocketAddrs) -> io::Result<Bound<SagaServer<H>>> {
        self.check()
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let listener = TcpListener::bind(address).await?;
        let path = self.path.clone();
        let service = self.service();
        Ok(Bound {
            listener,
            path,
            service,
        })
    }
}

/// A service of Streamable HTTP; made by [`Http::service`].
pub struct HttpService<H: ServerHandler> {
    inner: StreamableHttp<H>,
    sessions: Sessions,
    streams: CancellationToken,
    host: Option<Arc<dyn Host>>,
    limits: Arc<Limits>,
}

impl<H: ServerHandler> Clone for HttpService<H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            sessions: self.sessions.clone(),
            streams: self.streams.clone(),
            host: self.host.clone(),
            limits: Arc::clone(&self.limits),
        }
    }
}

impl<H: ServerHandler> std::fmt::Debug for HttpService<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpService")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<H: ServerHandler> HttpService<H> {
    /// Ends its streams, and what is under way for them.
    pub fn end_streams(&self) {
        self.streams.cancel();
    }

    async fn answer<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if !is_unambiguous(&request) {
            return refused(StatusCode::BAD_REQUEST, "malformed");
        }
        let named = [header::HOST, header::ORIGIN].map(|name| request.headers().get(name).cloned());
        let answer = self.answer_unambiguous(request).await;
        if answer.status() == StatusCode::FORBIDDEN {
            names::refused(named);
        }
        answer
    }

    async fn answer_unambiguous<B>(&self, request: Request<B>) -> Answer
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        if request.method() != Method::POST {
            let (head, _) = request.into_parts();
            // A stream that a client takes up again has the same additions.
            return with_additions(self.inner.by_rmcp(head, Bytes::new()).await).await;
        }
        if sessions::may_begin(request.headers()) && self.sessions.are_full().await {
            return refused(StatusCode::SERVICE_UNAVAILABLE, "sessions");
        }
        let method = self.inner.admitted(request.method(), request.headers());
        let (mut head, body) = request.into_parts();
        let body = Limited::new(body, self.limits.body_bytes).collect();
        let body = match timeout(self.limits.body_timeout, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                return refused(StatusCode::PAYLOAD_TOO_LARGE, "too_large");
            }
            Ok(Err(_)) => return refused(StatusCode::BAD_REQUEST, "malformed"),
            Err(_) => return refused(StatusCode::REQUEST_TIMEOUT, "timeout"),
        };
        if !is_within(&body, self.limits.json_nodes) {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "too_large");
        }
        let mut body = body;
        if let Some(method) = method {
            match self.inner.answer(method, head, body).await {
                Ok(answer) => return with_added_events(answer).await,
                Err(given_back) => (head, body) = given_back,
            }
        }
        let mut body = Vec::from(body);
        // What begins a session, rmcp decides by the body as well.
        let _begun = match sessions::begins(&head.headers, &body) {
            true => match self.sessions.begin().await {
                Some(begun) => Some(begun),
                None => return refused(StatusCode::SERVICE_UNAVAILABLE, "sessions"),
            },
            false => None,
        };
        spoil_null_state(&mut body);
        move_resume_token(&mut body);
        with_additions(self.inner.by_rmcp(head, body.into()).await).await
    }
}

/// Whether host and origin are said once, and the same wherever they are said: what is checked is what counts.
fn is_unambiguous<B>(request: &Request<B>) -> bool {
    let once = |name| request.headers().get_all(name).iter().count() <= 1;
    let text = |host: &header::HeaderValue| host.to_str().unwrap_or_default().to_owned();
    let host = request.headers().get(header::HOST).map(text);
    let named = request.uri().authority().map(|named| named.as_str());
    // In HTTP/2 there is the authority alone.
    let same = match (&host, named) {
        (Some(host), Some(named)) => host == named,
        _ => true,
    };
    let plain = |host: &str| !host.contains('@');
    once(header::HOST)
        && once(header::ORIGIN)
        && same
        && host.as_deref().is_none_or(plain)
        && named.is_none_or(plain)
}

/// An answer to what is no request yet.
fn refused(status: StatusCode, reason: &str) -> Answer {
    let error = json!({
        "jsonrpc": "2.0",
        "error": {
            "code": rmcp::model::ErrorCode::INVALID_REQUEST.0,
            "message": "the request is refused",
            "data": { "reason": reason },
        },
    });
    let mut response = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    // What is left of the body is not read.
    let close = header::HeaderValue::from_static("close");
    response.headers_mut().insert(header::CONNECTION, close);
    response
}

impl<H, B> Service<Request<B>> for HttpService<H>
where
    H: ServerHandler,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

/// A server that listens; made by [`Http::bind`].
#[derive(Debug)]
pub struct Bound<H: ServerHandler> {
    listener: TcpListener,
    path: String,
    service: HttpService<H>,
}

impl<H: ServerHandler> Bound<H> {
    /// Where it listens.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The URL for its clients.
    ///
    /// # Errors
    /// Where the system does not say where it listens.
    pub fn url(&self) -> io::Result<String> {
        Ok(format!("http://{}{}", self.address()?, self.path))
    }

    /// Serves until `stop` is ready; then requests under way, and legs of tasks, have the [`Limits::grace`] to end.
    ///
    /// # Errors
    /// If connections can no longer be accepted.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let Self {
            listener,
            path,
            service,
        } = self;
        let limits = Arc::clone(&service.limits);
        let streams = service.streams.clone();
        let path: Arc<str> = path.into();
        let places = Arc::new(Semaphore::new(
            limits.connections.min(Semaphore::MAX_PERMITS),
        ));
        let graceful = GracefulShutdown::new();
        let mut stop = pin!(stop);
        loop {
            let accepted = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, stream) = tokio::select! {
                (place, accepted) = accepted => match accepted {
                    Ok((stream, _)) => (place, stream),
                    Err(error) if is_the_connections(&error) => continue,
                    Err(error) => {
                        // Out of descriptors, most likely: those that are open will be closed.
                        tracing::warn!(%error, "no connection was accepted");
                        sleep(PAUSE).await;
                        continue;
                    }
                },
                () = stop.as_mut() => break,
            };
            let serving = connection(stream, &limits, &path, &service);
            let serving = graceful.watch(serving);
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = serving.await {
                    tracing::debug!(%error, "a connection ended");
                }
            });
        }
        drop(listener);
        let requests = async {
            let mut ended = pin!(graceful.shutdown());
            if timeout(limits.grace, ended.as_mut()).await.is_err() {
                streams.cancel();
                // They tell their clients that they end.
                let _ = timeout(PAUSE, ended).await;
            }
        };
        let legs = async {
            if let Some(host) = &service.host {
                host.stop(limits.grace).await;
            }
        };
        tokio::join!(requests, legs);
        Ok(())
    }
}

/// Between two attempts to accept, and for streams to end.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(200);

/// Whether only the connection that was to be accepted has failed.
fn is_the_connections(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// A connection on which writing has its time.
type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

fn connection<H: ServerHandler>(
    stream: TcpStream,
    limits: &Limits,
    path: &Arc<str>,
    service: &HttpService<H>,
) -> http1::Connection<TokioIo<Stream>, TowerToHyperService<Mounted<H>>> {
    // An answer is one piece, and its client waits for it.
    let _ = stream.set_nodelay(true);
    let mounted = Mounted {
        path: Arc::clone(path),
        service: service.clone(),
    };
    let mut stream = TimeoutStream::new(stream);
    // A client that does not read what it asked for.
    stream.set_write_timeout(Some(limits.body_timeout));
    let stream = Box::pin(stream);
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(mounted))
}

/// The service at its path.
struct Mounted<H: ServerHandler> {
    path: Arc<str>,
    service: HttpService<H>,
}

impl<H: ServerHandler> Clone for Mounted<H> {
    fn clone(&self) -> Self {
        Self {
            path: Arc::clone(&self.path),
            service: self.service.clone(),
        }
    }
}

impl<H: ServerHandler> Service<Request<hyper::body::Incoming>> for Mounted<H> {
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<hyper::body::Incoming>) -> Self::Future {
        if request.uri().path() == &*self.path {
            return self.service.call(request);
        }
        Box::pin(async { Ok(refused(StatusCode::NOT_FOUND, "path")) })
    }
}

//! Two services of one handler, and what is seen of their answers.

use std::{convert::Infallible, fmt, io, sync::Arc};

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    http::{HeaderMap, HeaderName, HeaderValue, Request, Response},
};
use rmcp::{
    ServerHandler,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use saga_runtime::http::StreamableHttp;
use serde_json::Value;
use tower::ServiceExt;

/// A parameter that no client sends, and that changes nothing: with it, a request is rmcp's to serve.
pub(super) const LONG_WAY: &str = "application/json;q=1, text/event-stream";
pub(super) const SHORT_WAY: &str = "application/json, text/event-stream";

/// The headers of a request of 2026-07-28.
pub(super) fn headers(method: &str, params: &Value) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, value: &str| {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        headers.insert(HeaderName::from_static(name), value);
    };
    put("host", "localhost:8000");
    put("accept", SHORT_WAY);
    put("content-type", "application/json");
    put("mcp-protocol-version", "2026-07-28");
    put("mcp-method", method);
    let names = ["name", "uri", "taskId"];
    let named = names.into_iter().find_map(|name| params[name].as_str());
    if let Some(name) = named.filter(|name| name.is_ascii()) {
        put("mcp-name", name);
    }
    headers
}

pub(super) fn request(headers: &HeaderMap, body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::post("/mcp").body(body.into()).unwrap();
    *request.headers_mut() = headers.clone();
    request
}

/// What a client sees, without what is random.
#[derive(PartialEq)]
pub(super) struct Seen {
    pub(super) status: u16,
    headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}\n{}", self.status, self.headers, self.body)
    }
}

impl Seen {
    pub(super) async fn of<B>(answer: Response<B>) -> Self
    where
        B: HttpBody<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let (head, body) = answer.into_parts();
        let body = to_bytes(Body::new(body), usize::MAX).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Self {
            status: head.status.as_u16(),
            headers: plain(&head.headers),
            body: without_tokens(&body),
        }
    }

    pub(super) fn messages(&self) -> Vec<Value> {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let mut messages: Vec<Value> = events.map(|data| data.trim().parse().unwrap()).collect();
        if messages.is_empty() {
            messages.extend(self.body.parse::<Value>());
        }
        messages
    }
}

fn plain(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = headers.iter();
    let mut plain: Vec<_> = headers
        .map(|(name, value)| match name.as_str() {
            "mcp-session-id" => (name.to_string(), "…".to_owned()),
            _ => (name.to_string(), text(value.as_bytes())),
        })
        .collect();
    plain.sort();
    plain
}

/// Tokens are sealed under a number that is used once, and made at some time.
fn without_tokens(body: &str) -> String {
    let mut body = body.to_owned();
    // The random name of a call, where a tool tells it.
    let named = r#"Some(\""#;
    if let Some(at) = body.find(named).map(|at| at + named.len())
        && body[at..].find('\\') == Some(24)
    {
        body.replace_range(at..at + 24, "…");
    }
    for member in [
        "requestState",
        "sagaToken",
        "nextResumeToken",
        "resumeToken",
        "taskId",
        "createdAt",
        "lastUpdatedAt",
    ] {
        let start = format!("\"{member}\":\"");
        let mut from = 0;
        while let Some(at) = body[from..].find(&start) {
            from += at + start.len();
            let length = body[from..].find('"').unwrap();
            body.replace_range(from..from + length, "…");
        }
    }
    body
}

/// The same handler behind both.
pub(super) struct Pair<H> {
    lean: StreamableHttp<H>,
    rmcp: StreamableHttpService<H, LocalSessionManager>,
}

impl<H: ServerHandler> Pair<H> {
    pub(super) fn new(
        make: impl Fn() -> io::Result<H> + Clone + Send + Sync + 'static,
        config: &StreamableHttpServerConfig,
    ) -> Self {
        let sessions = || Arc::new(LocalSessionManager::default());
        Self {
            lean: StreamableHttp::new(make.clone(), sessions(), config.clone()),
            rmcp: StreamableHttpService::new(make, sessions(), config.clone()),
        }
    }

    pub(super) async fn lean(&self, request: Request<Body>) -> Seen {
        Seen::of(self.lean.clone().oneshot(request).await.unwrap()).await
    }

    pub(super) async fn rmcp(&self, request: Request<Body>) -> Seen {
        Seen::of(self.rmcp.handle(request).await).await
    }

    /// Sends a request to both; gives what both have answered.
    pub(super) async fn same(&self, request: impl Fn() -> Request<Body>) -> Seen {
        let lean = self.lean(request()).await;
        let rmcp = self.rmcp(request()).await;
        assert_eq!(lean, rmcp, "{:?}", request());
        lean
    }
}

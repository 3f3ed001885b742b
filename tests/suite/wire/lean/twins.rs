//! Each request of these tests, served both ways.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Request},
};
use saga_runtime::{Settings, serve::Http};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{
    super::{client::Audit, server::Fixture},
    pair::Seen,
};

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

/// Sends a request to servers of their own, one each way, in worlds of their own.
pub(in super::super) async fn agree(settings: &Settings, method: &str, params: &Value) {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let body = body.to_string();
    let mut answers = Vec::new();
    for way in [SHORT_WAY, LONG_WAY] {
        let settings = settings.clone().with_observer(Audit::default());
        let fixture = || Fixture::new(Arc::default());
        let mut headers = headers(method, params);
        headers.insert("accept", HeaderValue::from_static(way));
        let served = Http::new(fixture, settings).service();
        let answer = served.oneshot(request(&headers, body.clone())).await;
        answers.push(Seen::of(answer.unwrap()).await);
    }
    assert_eq!(answers[0], answers[1], "{body}");
}

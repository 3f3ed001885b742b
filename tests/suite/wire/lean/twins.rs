//! Each request of these tests, served both ways.

use std::sync::Arc;

use axum::http::HeaderValue;
use saga_runtime::{Settings, serve::Http};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{
    super::{client::Audit, server::Fixture},
    pair::{LONG_WAY, SHORT_WAY, Seen, headers, request},
};

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

//! What the wire costs: the bytes of a server under `#[saga]`, sent by axum to whoever asks.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderName, StatusCode, header},
    routing::post,
};

use crate::{Result, plain::Plain, tools::answer as answered};

/// The answers to the requests of a call, in order, with what the next request is told by.
type Answers = Arc<Vec<(String, Bytes)>>;

/// Records a call at this server.
pub(crate) async fn record(url: &str) -> Result<Router> {
    let mut plain = Plain::connect(url).await?;
    let mut recorded = Vec::new();
    let mut state = String::new();
    for result in plain.record(&answered()).await? {
        let next = result["requestState"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let message = serde_json::json!({ "jsonrpc": "2.0", "id": "1", "result": result });
        recorded.push((
            std::mem::replace(&mut state, next),
            message.to_string().into(),
        ));
    }
    let service = post(answer).with_state(Arc::new(recorded));
    Ok(Router::new().route("/mcp", service))
}

async fn answer(
    State(answers): State<Answers>,
    body: Bytes,
) -> (StatusCode, [(HeaderName, &'static str); 1], Bytes) {
    let text = std::str::from_utf8(&body).unwrap_or_default();
    let state = text.split_once(r#""requestState":""#);
    let state = state.and_then(|(_, rest)| rest.split('"').next());
    let known = answers
        .iter()
        .find(|(known, _)| known == state.unwrap_or_default());
    let json = [(header::CONTENT_TYPE, "application/json")];
    match known {
        Some((_, answer)) => (StatusCode::OK, json, answer.clone()),
        None => (StatusCode::BAD_REQUEST, json, Bytes::new()),
    }
}

//! A client of Multi Round-Trip Requests (MCP 2026-07-28) that keeps to what its programs need.

use std::fmt;

use reqwest::{Client, StatusCode, header};
use serde_json::{Map, Value, json};

const VERSION: &str = "2026-07-28";

/// A tool call, to be sent again with each round's answers.
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    /// The client's own name for it, so that its first request can be sent again.
    pub(crate) name: Option<String>,
}

/// What the client gives back to go on: the state, and its answers by key.
#[derive(Clone, Default)]
pub(crate) struct Resume {
    pub(crate) state: String,
    pub(crate) answers: Map<String, Value>,
}

/// What a request led to.
pub(crate) enum Round {
    /// The call is suspended.
    Asks {
        questions: Map<String, Value>,
        state: String,
    },
    /// The tool's result.
    Done(Value),
}

/// Why a request had no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody can tell whether it was carried out: the connection broke, or a proxy's server did.
    Lost(String),
    /// The server refused it.
    Refused(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(why) => write!(f, "the request was lost: {why}"),
            Self::Refused(why) => write!(f, "the request was refused: {why}"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

/// Sends `call`, or goes on with it, once: the client never repeats a request by itself.
pub(crate) async fn send(
    client: &Client,
    url: &str,
    id: &str,
    call: &Call,
    resume: Option<&Resume>,
) -> Result<Round, Failure> {
    let mut params = json!({
        "name": call.tool,
        "arguments": call.arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "saga-example", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {}, "sampling": {} },
        },
    });
    if let Some(name) = &call.name {
        params["_meta"][saga_runtime::REQUEST_KEY] = json!(name);
    }
    if let (Some(resume), Some(params)) = (resume, params.as_object_mut()) {
        params.insert("requestState".to_owned(), json!(resume.state));
        params.insert("inputResponses".to_owned(), json!(resume.answers));
    }
    let response = client
        .post(url)
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("MCP-Protocol-Version", VERSION)
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", call.tool)
        .json(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))
        .send()
        .await?;
    let status = response.status();
    if matches!(
        status,
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
    ) {
        return Err(Failure::Lost(status.to_string()));
    }
    let body = response.bytes().await?;
    let refused = || {
        let text = String::from_utf8_lossy(&body);
        Failure::Refused(format!("{status} {text}"))
    };
    let mut message: Value = serde_json::from_slice(&body).map_err(|_| refused())?;
    match message.get_mut("result").map(Value::take) {
        Some(result) => round(result).ok_or_else(refused),
        None => Err(refused()),
    }
}

fn round(mut result: Value) -> Option<Round> {
    if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
        return Some(Round::Done(result));
    }
    let questions = result.get_mut("inputRequests").map(Value::take);
    let state = result.get("requestState").and_then(Value::as_str);
    match (questions, state) {
        (Some(Value::Object(questions)), Some(state)) => Some(Round::Asks {
            questions,
            state: state.to_owned(),
        }),
        _ => None,
    }
}

/// The text of a tool's result.
pub(crate) fn text(result: &Value) -> Option<&str> {
    result.pointer("/content/0/text").and_then(Value::as_str)
}

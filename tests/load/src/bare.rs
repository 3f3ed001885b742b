//! The state machine on axum alone: what is left without a word of the protocol that is not this tool's.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use rmcp::{
    ErrorData,
    model::{CallToolResponse, RequestId},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tools::{Arguments, ByHand, TOOL};

#[derive(Deserialize)]
struct Request {
    id: RequestId,
    method: String,
    params: Params,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    name: String,
    arguments: Arguments,
    request_state: Option<String>,
    input_responses: Option<BTreeMap<String, Value>>,
}

#[derive(Serialize)]
struct Answer<T> {
    jsonrpc: &'static str,
    id: RequestId,
    result: T,
}

#[derive(Serialize)]
struct Failure {
    jsonrpc: &'static str,
    id: RequestId,
    error: ErrorData,
}

pub(crate) fn router(tool: ByHand) -> Router {
    let service = post(answer).with_state(Arc::new(tool));
    Router::new().route("/mcp", service)
}

async fn answer(State(tool): State<Arc<ByHand>>, headers: HeaderMap, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Request>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let right = request.method == "tools/call" && request.params.name == TOOL;
    if !right || !says(&headers, "mcp-method", &request.method) || !says(&headers, "mcp-name", TOOL)
    {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let Request { id, params, .. } = request;
    let answer = tool.step(
        &params.arguments,
        params.request_state,
        params.input_responses,
    );
    respond(id, answer)
}

/// What a tool's answer is sent as.
pub(crate) fn respond(id: RequestId, answer: Result<CallToolResponse, ErrorData>) -> Response {
    let jsonrpc = "2.0";
    match answer {
        Ok(CallToolResponse::Complete(result)) => json(&Answer {
            jsonrpc,
            id,
            result,
        }),
        Ok(CallToolResponse::InputRequired(result)) => json(&Answer {
            jsonrpc,
            id,
            result,
        }),
        Ok(_) => StatusCode::NOT_IMPLEMENTED.into_response(),
        Err(error) => json(&Failure { jsonrpc, id, error }),
    }
}

/// Whether a header has this value.
pub(crate) fn says(headers: &HeaderMap, header: &str, value: &str) -> bool {
    headers.get(header).is_some_and(|said| said == value)
}

fn json(message: &impl Serialize) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    match serde_json::to_vec(message) {
        Ok(text) => (json, text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

//! A handler on axum alone: each request is read once and handed to it, with one peer for all of them. Nothing else of the protocol
//! is looked at or done, so that this is what a service in front of a handler costs at the least.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::post,
};
use rmcp::{
    Peer, RoleServer, ServerHandler,
    model::{CallToolRequestParams, RequestId},
    service::{RequestContext, serve_directly},
};
use serde::Deserialize;

use crate::bare::{respond, says};

#[derive(Deserialize)]
struct Request {
    id: RequestId,
    method: String,
    params: CallToolRequestParams,
}

struct Service<H> {
    handler: H,
    peer: Peer<RoleServer>,
}

pub(crate) fn router<H: ServerHandler + Clone>(handler: H) -> Router {
    // Nobody is at the other end, and nothing is sent to it.
    let (_, server) = tokio::io::duplex(64);
    let running = serve_directly::<RoleServer, _, _, _, _>(handler.clone(), server, None);
    let peer = running.peer().clone();
    let service = post(answer::<H>).with_state(Arc::new(Service { handler, peer }));
    Router::new().route("/mcp", service)
}

async fn answer<H: ServerHandler>(
    State(service): State<Arc<Service<H>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Ok(mut request) = serde_json::from_slice::<Request>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let right = request.method == "tools/call"
        && says(&headers, "mcp-method", &request.method)
        && says(&headers, "mcp-name", &request.params.name);
    if !right {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let mut context = RequestContext::new(request.id.clone(), service.peer.clone());
    if let Some(meta) = request.params.meta.take() {
        context.meta = meta;
    }
    let answer = service.handler.call_tool(request.params, context).await;
    respond(request.id, answer)
}

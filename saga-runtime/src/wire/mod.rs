//! The wires: each translates between one protocol and the engine, and knows no other.
//!
//! | wire | module | chosen when |
//! |---|---|---|
//! | Multi Round-Trip Requests | [`mrtr`] | the request is of protocol 2026-07-28 or later |
//! | saga | [`saga`] | the call came as `tools/callSaga` or `tools/resumeSaga` |
//! | live | [`live`] | otherwise |

pub(crate) mod live;
pub(crate) mod mrtr;
pub(crate) mod saga;

use std::{
    future::Future,
    pin::{Pin, pin},
};

use rmcp::{ErrorData, handler::server::tool::IntoCallToolResult, model::CallToolResponse};

use crate::{
    call::Call,
    engine::{Engine, Outcome},
    round::Round,
};

/// What a tool gives, whatever it returns.
type Response = Result<CallToolResponse, ErrorData>;

/// Serves one request for a tool whose body is `body`, on the wire by which it came.
pub async fn serve_tool<F>(call: Call, body: F) -> Response
where
    F: Future<Output: IntoCallToolResult> + Send,
{
    // All that follows is compiled once, and not for each tool.
    serve(
        call,
        pin!(async move { body.await.into_call_tool_result() }),
    )
    .await
}

async fn serve(
    mut call: Call,
    body: Pin<&mut (dyn Future<Output = Response> + Send + '_)>,
) -> Response {
    if call.resumption.is_none() && !call.client.is_stateless() {
        return match Engine::new(call.client).live(body).await {
            Outcome::Done(response) => response,
            Outcome::Suspended(_) => Err(ErrorData::internal_error("suspended live", None)),
            Outcome::Refused(error) => Err(error.into()),
        };
    }
    let round = match call.resumption.take() {
        Some(resumption) => saga::serve(call, resumption, body).await?,
        None => mrtr::serve(call, body).await?,
    };
    match round {
        Round::Done(response) => response,
        Round::InputRequired(result) => Ok(result.into()),
    }
}

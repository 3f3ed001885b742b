//! The wires: each translates between one protocol and the engine, and knows no other.
//!
//! | wire | module | chosen when |
//! |---|---|---|
//! | Multi Round-Trip Requests | [`mrtr`] | the request is of protocol 2026-07-28 or later |
//! | saga | [`saga`] | the call came as `tools/callSaga` or `tools/resumeSaga` |
//! | live | [`live`] | otherwise |

pub(crate) mod call;
pub(crate) mod round;

pub(crate) mod live;
pub(crate) mod mrtr;
pub(crate) mod saga;

use std::{
    future::Future,
    pin::{Pin, pin},
};

use rmcp::{
    ErrorData,
    handler::server::{prompt::IntoGetPromptResult, tool::IntoCallToolResult},
    model::{CallToolResponse, GetPromptResponse, InputRequiredResult},
};

use crate::{
    engine::{Engine, Outcome},
    wire::{call::Call, round::Round},
};

/// Serves one request for a tool whose body is `body`, on the wire by which it came.
pub async fn serve_tool<F>(call: Call, body: F) -> Result<CallToolResponse, ErrorData>
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

/// Serves one request for a prompt.
pub async fn serve_prompt<F>(call: Call, body: F) -> Result<Prompted, ErrorData>
where
    F: Future<Output: IntoGetPromptResult> + Send,
{
    serve(
        call,
        pin!(async move { body.await.into_get_prompt_result() }),
    )
    .await
    .map(Prompted)
}

/// Serves one request of a handler's own method: `call_tool`, `get_prompt` or `read_resource`.
pub async fn serve_handler<F, T>(call: Call, body: F) -> Result<T, ErrorData>
where
    F: Future<Output = Result<T, ErrorData>> + Send,
    T: From<InputRequiredResult>,
{
    serve(call, pin!(body)).await
}

/// What a prompt gives; rmcp's router does not take its own response type.
#[derive(Debug)]
pub struct Prompted(GetPromptResponse);

impl IntoGetPromptResult for Prompted {
    fn into_get_prompt_result(self) -> Result<GetPromptResponse, ErrorData> {
        Ok(self.0)
    }
}

async fn serve<T: From<InputRequiredResult>>(
    mut call: Call,
    body: Pin<&mut (dyn Future<Output = Result<T, ErrorData>> + Send + '_)>,
) -> Result<T, ErrorData> {
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

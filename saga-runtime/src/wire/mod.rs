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

use std::future::Future;

use rmcp::{ErrorData, handler::server::tool::IntoCallToolResult, model::CallToolResponse};

use crate::{
    call::Call,
    client::Client,
    engine::{Engine, Outcome},
    round::Round,
    settings::Settings,
};

/// Serves one request for a tool whose body is `body`, on the wire by which it came.
pub async fn serve_tool<F>(call: Call, body: F) -> Result<CallToolResponse, ErrorData>
where
    F: Future<Output: IntoCallToolResult>,
{
    let client = Client::of(&call.context);
    let carried = call.context.extensions.get::<saga::Resumption>().is_some();
    if !carried && !client.is_stateless() {
        return match Engine::new(client).live(body).await {
            Outcome::Done(value) => value.into_call_tool_result(),
            Outcome::Suspended(_) => Err(ErrorData::internal_error("suspended live", None)),
            Outcome::Refused(error) => Err(error.into()),
        };
    }
    let settings = Settings::of(&call.context)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let result = if carried {
        saga::serve(&settings, client, call, body).await
    } else {
        mrtr::serve(&settings, client, call, body).await
    };
    match result? {
        Round::Done(value) => value.into_call_tool_result(),
        Round::InputRequired(result) => Ok(result.into()),
    }
}

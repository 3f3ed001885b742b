//! The wires: each translates between one protocol and the engine, and knows no other.
//!
//! | wire | module | chosen when |
//! |---|---|---|
//! | Multi Round-Trip Requests | [`mrtr`] | the request is of protocol 2026-07-28 or later |
//! | async call | [`async_call`] | the call came as `tools/async/call` |
//! | task | [`task`] | a worker runs a leg; and where a call becomes one |
//! | saga | [`saga`] | the call came as `tools/callSaga` or `tools/resumeSaga` |
//! | resume token | [`resume`] | the tool gives parts of its result, and the client has a token for the rest |
//! | live | [`live`] | otherwise |

pub(crate) mod async_call;
pub(crate) mod call;
mod once;
mod response;
pub(crate) mod resume;
pub(crate) mod round;
pub(crate) mod watched;

pub(crate) mod live;
pub(crate) mod mrtr;
pub(crate) mod saga;
pub(crate) mod task;

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
};

use rmcp::{
    ErrorData,
    handler::server::{prompt::IntoGetPromptResult, tool::IntoCallToolResult},
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};

use tracing::Instrument as _;

use crate::{
    error::{Error, malformed},
    server::toolbox::resource::IntoResource,
    wire::{
        call::Call,
        once::{Once, Taken},
    },
};

pub(crate) use response::Response;

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

/// Serves one request for a resource of a toolbox.
pub async fn serve_resource<F>(call: Call, body: F) -> Result<ReadResourceResponse, ErrorData>
where
    F: Future<Output: IntoResource> + Send,
{
    let teller = Arc::clone(&call.teller);
    serve(
        call,
        pin!(async move { body.await.into_resource(&teller.name) }),
    )
    .await
}

/// Serves one request of a handler's own method: `call_tool`, `get_prompt` or `read_resource`.
pub async fn serve_handler<F, T>(call: Call, body: F) -> Result<T, ErrorData>
where
    F: Future<Output = Result<T, ErrorData>> + Send,
    T: Response,
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

async fn serve<T: Response>(
    mut call: Call,
    body: Pin<&mut (dyn Future<Output = Result<T, ErrorData>> + Send + '_)>,
) -> Result<T, ErrorData> {
    let body = watched::Watched::new(body);
    let stopping = call.stopping();
    let span = Arc::clone(&call.span);
    let round = round(&mut call, body).instrument(span.span.clone());
    let served = watched::until(stopping, round).await;
    let _entered = span.span.enter();
    call.ended(&served);
    served.unwrap_or_else(|error| Err(error.into()))
}

async fn round<T: Response>(
    call: &mut Call,
    body: impl Future<Output = Result<T, ErrorData>>,
) -> Result<Result<T, ErrorData>, Error> {
    if resume::elsewhere(call) {
        let why = "a resume token goes on with a plain call, not with a task or a saga";
        return Ok(Err(malformed(why)));
    }
    if let Some(running) = call.running.take() {
        return task::serve(call, running, body).await;
    }
    if let Some(created) = task::begin(call).await {
        return created;
    }
    if let Some(resumption) = call.resumption.take() {
        return saga::serve(call, resumption, body).await;
    }
    if call.client.is_stateless() {
        let resuming = call.resuming.as_ref();
        let token = resuming.and_then(|resuming| resuming.token.clone());
        return match token.filter(|_| call.request_state.is_none()) {
            Some(token) => resume::serve(call, token, body).await,
            None => mrtr::serve(call, body).await,
        };
    }
    let settings = call.settings.clone()?;
    let engine = call.engine();
    let suspending = resume::suspending(call);
    let opened = resume::opened(call, &settings)?;
    let engine = match &opened {
        None => call.named(engine)?,
        Some(_) => engine,
    };
    let taken = match (Once::of(&settings, call.once)?, &opened) {
        (Some(once), None) => once.begin(call, call.binding()).await?,
        (Some(once), Some(opened)) => opened.take(once).await?,
        (None, _) => Taken::Free,
    };
    let leased = match taken.lease() {
        Ok(leased) => leased,
        Err(outcome) => return Ok(outcome),
    };
    let engine = match suspending {
        Some(suspending) => engine.at(settings.now()).suspending(suspending),
        None => engine,
    };
    let outcome = resume::live(call, engine, &settings, opened, body).await;
    if let Some(leased) = leased {
        leased.keep(&outcome).await;
    }
    outcome
}

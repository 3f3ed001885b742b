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

pub(crate) mod arguments;
pub(crate) mod async_call;
pub(crate) mod call;
mod given;
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
    sync::{Arc, atomic::AtomicBool},
};

use rmcp::{
    ErrorData,
    handler::server::{
        common::FromContextPart,
        prompt::{IntoGetPromptResult, PromptContext},
        tool::{IntoCallToolResult, ToolCallContext},
    },
    model::{CallToolResponse, GetPromptResponse, ReadResourceResponse},
};

use tracing::Instrument as _;

use crate::{
    error::malformed,
    server::toolbox::resource::IntoResource,
    wire::{
        call::Call,
        given::Given,
        once::{Once, Taken},
    },
};

pub(crate) use response::{Response, Served};

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "a client cannot be sent this",
    note = "why: a client is sent text or content, and an error as such a result that is marked as one",
    note = "instead: `String`, `Json<T>` or `CallToolResult`, alone or as `Result<.., AskError>` or `Result<.., ErrorData>`; `.to_string()` for a number",
    note = "an error of your own: `impl IntoContents for` it, or `.map_err(|error| ErrorData::internal_error(error.to_string(), None))` where it arises"
)]
pub trait ToolOutput: IntoCallToolResult {}

#[diagnostic::do_not_recommend]
impl<T: IntoCallToolResult> ToolOutput for T {}

/// What a prompt may return.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "a client cannot be sent this",
    note = "instead: `GetPromptResult` or `Vec<PromptMessage>`, alone or as `Result<.., ErrorData>`; `?` makes an `ErrorData` of an `AskError`"
)]
pub trait PromptOutput: IntoGetPromptResult {}

#[diagnostic::do_not_recommend]
impl<T: IntoGetPromptResult> PromptOutput for T {}

/// What a method on a router may take: `K` is the router's context.
#[diagnostic::on_unimplemented(
    message = "a method on a router cannot take `{Self}`",
    label = "no router has this",
    note = "why: the router calls the method with what a request has",
    note = "instead: `Cx`, `Parameters<Args>` for what the client sends, `Extension<T>` or another extractor of rmcp",
    note = "what all calls share is in `self`, which is `&self` here; `State<T>` is for the functions of a `toolbox!`"
)]
pub trait RouterParam<K> {}

#[diagnostic::do_not_recommend]
impl<T: FromContextPart<K>, K> RouterParam<K> for T {}

/// Lets only parameters of a tool of `S` through.
pub fn tool_param<S, T: for<'a> RouterParam<ToolCallContext<'a, S>>>() {}

/// Lets only parameters of a prompt of `S` through.
pub fn prompt_param<S, T: for<'a> RouterParam<PromptContext<'a, S>>>() {}

/// What serves a request: in a box, so that rustc looks through a tool's own code alone.
pub type Serving<'a, T> = Pin<Box<dyn Future<Output = Result<T, ErrorData>> + Send + 'a>>;

/// Serves one request for a tool whose body is `body`, on the wire by which it came.
pub fn serve_tool<'a, F>(call: Call, body: F) -> Serving<'a, CallToolResponse>
where
    F: Future<Output: ToolOutput> + Send + 'a,
{
    // All that follows is compiled once, and not for each tool.
    let body = Box::pin(Given::new(body, F::Output::into_call_tool_result));
    Box::pin(serve(call, body))
}

/// Serves one request for a prompt.
pub fn serve_prompt<'a, F>(call: Call, body: F) -> Serving<'a, Prompted>
where
    F: Future<Output: PromptOutput> + Send + 'a,
{
    let body = Box::pin(Given::new(body, F::Output::into_get_prompt_result));
    Box::pin(async move { serve(call, body).await.map(Prompted) })
}

/// Serves one request for a resource of a toolbox.
pub fn serve_resource<'a, F>(call: Call, body: F) -> Serving<'a, ReadResourceResponse>
where
    F: Future<Output: IntoResource> + Send + 'a,
{
    let teller = Arc::clone(&call.teller);
    let given = move |output: F::Output| output.into_resource(&teller.name);
    let body = Box::pin(Given::new(body, given));
    Box::pin(serve(call, body))
}

/// Serves one request of a handler's own method: `call_tool`, `get_prompt` or `read_resource`.
pub fn serve_handler<'a, F, T>(call: Call, body: F) -> Serving<'a, T>
where
    F: Future<Output = Result<T, ErrorData>> + Send + 'a,
    T: Response + 'a,
{
    Box::pin(serve(call, Box::pin(body)))
}

/// What a prompt gives; rmcp's router does not take its own response type.
#[derive(Debug)]
pub struct Prompted(GetPromptResponse);

impl IntoGetPromptResult for Prompted {
    fn into_get_prompt_result(self) -> Result<GetPromptResponse, ErrorData> {
        Ok(self.0)
    }
}

#[expect(
    clippy::manual_async_fn,
    reason = "an async fn holds its arguments twice"
)]
fn serve<T: Response>(
    mut call: Call,
    body: Serving<'_, T>,
) -> impl Future<Output = Result<T, ErrorData>> {
    async move {
        let body = watched::Watched::new(body);
        let stopping = call.stopping();
        let span = call.span.span.clone();
        let served = {
            // Held once, and not as an argument, too.
            let round = pin!(round(&mut call, body).instrument(span.clone()));
            watched::until(stopping, round).await
        };
        let _entered = span.enter();
        call.ended(&served);
        served.unwrap_or_else(|error| Err(error.into()))
    }
}

/// What most calls do not need is in boxes: all of them would be as large.
async fn round<T: Response>(
    call: &mut Call,
    body: impl Future<Output = Result<T, ErrorData>>,
) -> Served<T> {
    if resume::elsewhere(call) {
        let why = "a resume token goes on with a plain call, not with a task or a saga";
        return Ok(Err(malformed(why)));
    }
    if let Some(running) = call.running.take() {
        return Box::pin(task::serve(call, running, body)).await;
    }
    if let Some(created) = task::begin(call).await {
        return created;
    }
    if let Some(resumption) = call.resumption.take() {
        return Box::pin(saga::serve(call, resumption, body)).await;
    }
    if call.client.is_stateless() {
        let resuming = call.resuming.as_ref();
        let token = resuming.and_then(|resuming| resuming.token.clone());
        return match token.filter(|_| call.request_state.is_none()) {
            Some(token) => Box::pin(resume::serve(call, token, body)).await,
            None => mrtr::serve(call, body).await,
        };
    }
    Box::pin(live_round(call, body)).await
}

/// A call over the live wire, perhaps with a resume token.
async fn live_round<T: Response>(
    call: &mut Call,
    body: impl Future<Output = Result<T, ErrorData>>,
) -> Served<T> {
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
        Some(suspending) => engine.at(settings.now()).suspending_by(suspending),
        None => engine,
    };
    let went_on = opened.as_ref().map(|_| Arc::<AtomicBool>::default());
    let engine = match &went_on {
        Some(went_on) => engine.witnessed(went_on),
        None => engine,
    };
    let outcome = resume::live(call, engine, &settings, opened, body).await;
    if let Some(leased) = leased {
        leased.settle(went_on, &outcome).await;
    }
    outcome
}

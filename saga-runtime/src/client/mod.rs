//! The client's side of what rmcp's own client does not drive; it does Multi Round-Trip Requests by itself. Needs the feature
//! `client`.
//!
//! | | |
//! |---|---|
//! | [`SagaCall`] | `tools/callSaga` and `tools/resumeSaga` |
//! | [`TaskCall`], [`FollowedTask`] | a call that may become a task; a task, of whoever has its id |
//! | [`AsyncCall`], [`JoinedCall`] | a call with a token at once; one that is joined by its token |
//! | [`ResumableCall`] | a call whose result comes in parts |
//!
//! In all of them the handler of the client answers what the tool asks.

mod ask;
mod async_call;
#[cfg(feature = "client-http")]
mod http;
mod resume;
mod saga;
mod task;

use std::future::Future;

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceError,
    model::{CancelledNotificationParam, ClientRequest, CustomRequest, ServerResult},
    service::{PeerRequestOptions, RunningService},
};
use serde_json::Value;

#[cfg(feature = "client-http")]
pub use self::http::SagaHttp;
pub use self::{
    async_call::{AsyncCall, AsyncToken, JoinedCall},
    resume::{Part, ResumableCall},
    saga::{SagaCall, is_supported},
    task::{BegunCall, FollowedTask, TaskCall},
};

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The request failed, or the server answered with a JSON-RPC error.
    #[error(transparent)]
    Service(ServiceError),
    /// The tool asked in so many rounds and had no result yet.
    #[error("no result after {0} rounds")]
    TooManyRounds(usize),
    /// The call was given up.
    #[error("cancelled")]
    Cancelled,
    /// The server does not run an async call, or the caller has no such call; with its reason.
    #[error("not accepted: {0}")]
    NotAccepted(String),
    /// The client's handler refuses a question, on a wire that has no place for a refusal. What was called goes on waiting, where
    /// it is a task or an async call.
    #[error("the question was refused: {0}")]
    Refused(ErrorData),
    /// What the server sent is not of this wire.
    #[error("the server's answer: {0}")]
    Protocol(String),
}

impl From<ServiceError> for CallError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::InputRequiredRoundsExceeded { max_rounds } => {
                Self::TooManyRounds(max_rounds)
            }
            error => Self::Service(error),
        }
    }
}

/// The tool that a request is for, for the transport: a request that goes on with a call does not name it.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "client-http"), allow(dead_code))]
struct Tool(std::sync::Arc<str>);

async fn send<H: ClientHandler>(
    service: &RunningService<RoleClient, H>,
    (method, tool): (&str, Option<&Tool>),
    params: Value,
    cancelled: impl Future<Output = ()>,
) -> Result<Value, CallError> {
    let mut request = CustomRequest::new(method, Some(params));
    if let Some(tool) = tool {
        request.extensions.insert(tool.clone());
    }
    let request = ClientRequest::CustomRequest(request);
    let options = PeerRequestOptions::no_options();
    let handle = service.send_request_with_option(request, options).await?;
    let id = handle.id.clone();
    let result = tokio::select! {
        result = handle.await_response() => result?,
        () = cancelled => {
            let params = CancelledNotificationParam::new(Some(id), None);
            service.notify_cancelled(params).await?;
            return Err(CallError::Cancelled);
        }
    };
    match result {
        ServerResult::CustomResult(result) => Ok(result.0),
        // A result that rmcp knows is read as that.
        other => serde_json::to_value(other).map_err(protocol),
    }
}

fn protocol(error: impl std::fmt::Display) -> CallError {
    CallError::Protocol(error.to_string())
}

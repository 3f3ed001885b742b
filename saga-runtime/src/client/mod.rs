//! The saga wire from the client's side: calls a tool and answers its steps until it has a result.
//!
//! rmcp's own client drives Multi Round-Trip Requests by itself; this is for servers that offer
//! `tools/callSaga` and `tools/resumeSaga`. Needs the feature `client`.

#[cfg(feature = "client-http")]
mod http;
mod steps;

use std::future::{Future, pending};

use rmcp::{
    ClientHandler, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest,
        CustomRequest, DEFAULT_MRTR_MAX_ROUNDS, JsonObject, ServerResult,
    },
    service::{PeerRequestOptions, RunningService},
};
use serde::Deserialize;
use serde_json::{Value, json};

#[cfg(feature = "client-http")]
pub use self::http::SagaHttp;
use self::steps::{Completed, Step};
use crate::{
    SAGA_EXTENSION,
    wire::saga::{CALL, RESUME},
};

/// A call of a tool over the saga wire.
///
/// ```no_run
/// # async fn example(
/// #     service: rmcp::service::RunningService<rmcp::RoleClient, impl rmcp::ClientHandler>,
/// # ) -> Result<(), saga_runtime::client::CallError> {
/// use saga_runtime::client::{self, SagaCall};
///
/// assert!(client::is_supported(&service));
/// let result = SagaCall::new("deploy").max_rounds(20).run(&service).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SagaCall {
    name: String,
    arguments: JsonObject,
    max_rounds: usize,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The request failed, or the server answered with a JSON-RPC error.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The tool asked in so many rounds and had no result yet.
    #[error("no result after {0} rounds")]
    TooManyRounds(usize),
    /// The call was given up.
    #[error("cancelled")]
    Cancelled,
    /// What the server sent is not of this wire.
    #[error("the server's answer: {0}")]
    Protocol(String),
}

/// Whether the server offers the saga methods.
pub fn is_supported<H: ClientHandler>(service: &RunningService<RoleClient, H>) -> bool {
    let info = service.peer_info();
    let extensions = info.and_then(|info| info.capabilities.extensions.clone());
    extensions.is_some_and(|extensions| extensions.contains_key(SAGA_EXTENSION))
}

/// The tool that a request is for, for the transport: a request that goes on with a call does not name it.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "client-http"), allow(dead_code))]
struct Tool(std::sync::Arc<str>);

/// What `tools/callSaga` and `tools/resumeSaga` answer while the tool waits.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suspended {
    saga_token: String,
    steps: Vec<Step>,
}

impl SagaCall {
    /// A call of this tool.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: JsonObject::new(),
            max_rounds: DEFAULT_MRTR_MAX_ROUNDS,
        }
    }

    /// Sets the arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        self.arguments = arguments;
        self
    }

    /// In how many rounds the tool may ask: 10 where nothing is said, as in rmcp.
    #[must_use]
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Calls the tool, lets the handler of `service` answer each step, and goes on to the result.
    ///
    /// # Errors
    /// See [`CallError`]. What the handler refuses is no error of the call: the tool is told.
    pub async fn run<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<CallToolResult, CallError> {
        self.run_until(service, pending()).await
    }

    /// The same, given up when `cancelled` is ready: the server is told, where a request is under way.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn run_until<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
        cancelled: impl Future<Output = ()>,
    ) -> Result<CallToolResult, CallError> {
        let mut cancelled = std::pin::pin!(cancelled);
        let tool = Tool(self.name.as_str().into());
        let mut request = CallToolRequestParams::new(self.name);
        request.arguments = Some(self.arguments);
        let params = serde_json::to_value(&request).map_err(protocol)?;
        let mut answer = send(service, (CALL, &tool), params, cancelled.as_mut()).await?;
        let mut completed: Vec<Completed> = Vec::new();
        for _ in 0..self.max_rounds {
            if answer.get("state").and_then(Value::as_str) != Some("suspended") {
                return serde_json::from_value(answer).map_err(protocol);
            }
            let suspended: Suspended = serde_json::from_value(answer).map_err(protocol)?;
            for step in suspended.steps {
                let answered = step.answer(service);
                tokio::select! {
                    done = answered => completed.push(done?),
                    () = cancelled.as_mut() => return Err(CallError::Cancelled),
                }
            }
            let params = json!({
                "sagaToken": suspended.saga_token,
                "completedSteps": completed,
            });
            answer = send(service, (RESUME, &tool), params, cancelled.as_mut()).await?;
        }
        if answer.get("state").and_then(Value::as_str) == Some("suspended") {
            return Err(CallError::TooManyRounds(self.max_rounds));
        }
        serde_json::from_value(answer).map_err(protocol)
    }
}

async fn send<H: ClientHandler>(
    service: &RunningService<RoleClient, H>,
    (method, tool): (&str, &Tool),
    params: Value,
    cancelled: impl Future<Output = ()>,
) -> Result<Value, CallError> {
    let mut request = CustomRequest::new(method, Some(params));
    request.extensions.insert(tool.clone());
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

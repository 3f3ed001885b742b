//! The saga wire from the client's side: calls a tool and answers its steps until it has a result.

use std::future::{Future, pending};

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{CallToolRequestParams, CallToolResult, DEFAULT_MRTR_MAX_ROUNDS, JsonObject},
    service::RunningService,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{CallError, Tool, ask, protocol, send};
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

/// Whether the server offers the saga methods.
pub fn is_supported<H: ClientHandler>(service: &RunningService<RoleClient, H>) -> bool {
    let info = service.peer_info();
    let extensions = info.and_then(|info| info.capabilities.extensions.clone());
    extensions.is_some_and(|extensions| extensions.contains_key(SAGA_EXTENSION))
}

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
        let mut answer = send(service, (CALL, Some(&tool)), params, cancelled.as_mut()).await?;
        let mut completed: Vec<Completed> = Vec::new();
        for _ in 0..self.max_rounds {
            if answer.get("state").and_then(Value::as_str) != Some("suspended") {
                return serde_json::from_value(answer).map_err(protocol);
            }
            let suspended: Suspended = serde_json::from_value(answer).map_err(protocol)?;
            for step in suspended.steps {
                tokio::select! {
                    done = step.answer(service) => completed.push(done?),
                    () = cancelled.as_mut() => return Err(CallError::Cancelled),
                }
            }
            let params = json!({
                "sagaToken": suspended.saga_token,
                "completedSteps": completed,
            });
            answer = send(service, (RESUME, Some(&tool)), params, cancelled.as_mut()).await?;
        }
        if answer.get("state").and_then(Value::as_str) == Some("suspended") {
            return Err(CallError::TooManyRounds(self.max_rounds));
        }
        serde_json::from_value(answer).map_err(protocol)
    }
}

/// A question of the server.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    #[serde(rename = "type")]
    kind: String,
    step_id: String,
    #[serde(default)]
    params: Value,
}

/// A step with its answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Completed {
    step_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorData>,
}

impl Step {
    async fn answer<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<Completed, CallError> {
        let request = match self.kind.as_str() {
            "elicitation" => {
                json!({ "method": "elicitation/create", "params": with_mode(self.params) })
            }
            "sampling" => json!({ "method": "sampling/createMessage", "params": self.params }),
            "roots" => json!({ "method": "roots/list" }),
            other => return Err(CallError::Protocol(format!("a step of kind `{other}`"))),
        };
        let request = serde_json::from_value(request).map_err(protocol)?;
        let answer = ask::answer(service, &self.step_id, request, CancellationToken::new());
        let (result, error) = match answer.await? {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        Ok(Completed {
            step_id: self.step_id,
            result,
            error,
        })
    }
}

/// The proposal's elicitation has no modes: one with a url is of that mode, any other a form.
fn with_mode(mut params: Value) -> Value {
    let mode = if params.get("url").is_some() {
        "url"
    } else {
        "form"
    };
    if let Some(params) = params.as_object_mut() {
        params.entry("mode").or_insert_with(|| json!(mode));
    }
    params
}

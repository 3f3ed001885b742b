//! Tasks from the client's side (MCP tasks extension, SEP-2663).

use std::{collections::HashSet, pin::pin, time::Duration};

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
        DEFAULT_MRTR_MAX_ROUNDS, DetailedTask, GetTaskParams, InputRequest, InputRequests,
        InputResponses, JsonObject, Task, TaskPayload, UpdateTaskParams,
    },
    service::RunningService,
};
use serde_json::Value;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{CallError, ask, protocol};
use crate::wire::call::REQUEST_KEY;

/// How often a task is looked at, where the server does not say.
const POLL: Duration = Duration::from_secs(1);
/// No server is asked more often.
const SHORTEST: Duration = Duration::from_millis(5);
/// The longest pause before a round without a question.
const LONGEST: Duration = Duration::from_secs(5);

/// A call of a tool that the server may make a task of.
///
/// The handler's capabilities have to declare the extension, or no server answers with a task:
/// `ClientCapabilities::builder().enable_tasks()`.
///
/// ```no_run
/// # async fn example(
/// #     service: rmcp::service::RunningService<rmcp::RoleClient, impl rmcp::ClientHandler>,
/// # ) -> Result<(), saga_runtime::client::CallError> {
/// use saga_runtime::client::{BegunCall, TaskCall};
///
/// let result = match TaskCall::new("render").begin(&service).await? {
///     BegunCall::Task(task) => {
///         println!("task {}", task.id());
///         task.result(&service, |task| println!("{:?}", task.status_message)).await?
///     }
///     BegunCall::Result(result) => *result,
/// };
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct TaskCall {
    params: CallToolRequestParams,
    max_rounds: usize,
}

/// What became of a call.
#[derive(Debug, Clone)]
pub enum BegunCall {
    /// It is over.
    Result(Box<CallToolResult>),
    /// It is a task.
    Task(FollowedTask),
}

/// A task of a server, of this call or of another: who has its id, and is the principal that it belongs to, can follow it,
/// answer its questions, and cancel it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedTask {
    id: String,
}

impl TaskCall {
    /// A call of this tool.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            params: CallToolRequestParams::new(name.into()),
            max_rounds: DEFAULT_MRTR_MAX_ROUNDS,
        }
    }

    /// Sets the arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        self.params.arguments = Some(arguments);
        self
    }

    /// Names the call: the same request, sent again under this key, is the same call, with the same task and the same idempotency keys
    /// ([`REQUEST_KEY`](crate::REQUEST_KEY)).
    ///
    /// ```
    /// use saga_runtime::client::TaskCall;
    ///
    /// let call = TaskCall::new("render").request_key("order 17");
    /// ```
    #[must_use]
    pub fn request_key(mut self, key: impl Into<String>) -> Self {
        let meta = self.params.meta.get_or_insert_default();
        let key = Value::String(key.into());
        meta.0.0.insert(REQUEST_KEY.to_owned(), key);
        self
    }

    /// In how many rounds the tool may ask before it is a task: 10 where nothing is said, as in rmcp.
    #[must_use]
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Calls the tool, and answers what it asks until it has a result or is a task.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn begin<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<BegunCall, CallError> {
        let Self {
            mut params,
            max_rounds,
        } = self;
        let mut pause = Duration::from_millis(100);
        let mut rounds = 0;
        loop {
            let asked = match service.call_tool_once(params.clone()).await? {
                CallToolResponse::Complete(result) => {
                    return Ok(BegunCall::Result(Box::new(result)));
                }
                CallToolResponse::Task(created) => {
                    return Ok(BegunCall::Task(FollowedTask::named(created.task.task_id)));
                }
                CallToolResponse::InputRequired(asked) => asked,
                _ => return Err(protocol("an answer of no known kind")),
            };
            let requests = asked.input_requests.unwrap_or_default();
            if requests.is_empty() && asked.request_state.is_none() {
                return Err(protocol("neither a question nor a state"));
            }
            if requests.is_empty() {
                // It sleeps: nobody is asked.
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
            } else {
                if rounds == max_rounds {
                    return Err(CallError::TooManyRounds(max_rounds));
                }
                rounds += 1;
            }
            let mut answers = InputResponses::new();
            for (key, request) in requests {
                let answer = ask::accepted(service, &key, request).await?;
                answers.insert(key, answer);
            }
            params.input_responses = (!answers.is_empty()).then_some(answers);
            params.request_state = asked.request_state;
        }
    }

    /// The same, and follows the task to its result.
    ///
    /// # Errors
    /// See [`FollowedTask::result`].
    pub async fn run<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<CallToolResult, CallError> {
        match self.begin(service).await? {
            BegunCall::Result(result) => Ok(*result),
            BegunCall::Task(task) => task.result(service, |_| {}).await,
        }
    }
}

impl FollowedTask {
    /// The task of this id.
    pub fn named(id: impl Into<String>) -> Self {
        Self { id: id.into() }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How it stands.
    ///
    /// # Errors
    /// `-32602` of the server, where the caller has no such task.
    pub async fn state<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<DetailedTask, CallError> {
        let got = service.get_task(GetTaskParams::new(self.id.clone()));
        Ok(got.await?.task)
    }

    /// Follows it to its result, as often as its server says; `told` sees it each time that something of it has changed. The
    /// handler answers its questions, until somebody else has.
    ///
    /// May be dropped at any time, and begun again: nothing of the task is here.
    ///
    /// # Errors
    /// The error that the task failed with, as one of the server; [`CallError::Cancelled`] where it was cancelled.
    pub async fn result<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        mut told: impl FnMut(&Task),
    ) -> Result<CallToolResult, CallError> {
        let mut answered = HashSet::new();
        let mut known = None;
        let mut told = |task: &Task| {
            let state = (task.status, task.status_message.clone());
            if known.as_ref() != Some(&state) {
                told(task);
                known = Some(state);
            }
        };
        loop {
            let DetailedTask { task, payload, .. } = self.state(service).await?;
            told(&task);
            let asks = match payload {
                TaskPayload::Completed { result } => {
                    return serde_json::from_value(Value::Object(result)).map_err(protocol);
                }
                TaskPayload::Failed { error } => {
                    let error: ErrorData =
                        serde_json::from_value(Value::Object(error)).map_err(protocol)?;
                    return Err(ServiceError::McpError(error).into());
                }
                TaskPayload::Cancelled => return Err(CallError::Cancelled),
                TaskPayload::InputRequired { input_requests } => input_requests,
                _ => InputRequests::new(),
            };
            let poll = interval(&task);
            // The server may not have looked at an answer yet.
            let open = asks.into_iter().find(|(key, _)| !answered.contains(key));
            let Some((key, request)) = open else {
                sleep(poll).await;
                continue;
            };
            if let Some(answer) = self.put(service, (&key, request), poll, &mut told).await? {
                self.answer(service, &key, answer).await?;
                answered.insert(key);
            }
        }
    }

    /// Asks the handler, for as long as the task asks.
    async fn put<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        (key, request): (&str, InputRequest),
        poll: Duration,
        told: &mut impl FnMut(&Task),
    ) -> Result<Option<Value>, CallError> {
        let over = CancellationToken::new();
        let mut asked = pin!(ask::answer(service, key, request, over.clone()));
        let withdrawn = loop {
            tokio::select! {
                answer = &mut asked => return Ok(Some(answer?.map_err(CallError::Refused)?)),
                () = sleep(poll) => {}
            }
            let state = match self.state(service).await {
                Ok(state) => state,
                Err(error) => break Err(error),
            };
            told(&state.task);
            match state.payload {
                TaskPayload::InputRequired { input_requests }
                    if input_requests.contains_key(key) => {}
                _ => break Ok(None),
            }
        };
        over.cancel();
        // It may have something to clear away, and its answer is of no use.
        let _ = tokio::time::timeout(LONGEST, asked).await;
        withdrawn
    }

    /// Answers one of its questions.
    ///
    /// # Errors
    /// `-32602` of the server, where it is not an answer to that question.
    pub async fn answer<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        key: &str,
        answer: Value,
    ) -> Result<(), CallError> {
        let responses = InputResponses::from([(key.to_owned(), answer)]);
        let params = UpdateTaskParams::new(self.id.clone(), responses);
        Ok(service.update_task(params).await?)
    }

    /// Asks the server to cancel it: [`result`](Self::result) tells what became of it.
    ///
    /// # Errors
    /// `-32602` of the server, where the caller has no such task.
    pub async fn cancel<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<(), CallError> {
        Ok(service
            .cancel_task(CancelTaskParams::new(self.id.clone()))
            .await?)
    }
}

/// How often the server wants to be asked.
fn interval(task: &Task) -> Duration {
    let said = task.poll_interval_ms.map_or(POLL, Duration::from_millis);
    said.max(SHORTEST)
}

//! Async tool calls from the client's side (the proposal "Asynchronous tool calls").

use std::{
    collections::HashSet,
    fmt,
    future::pending,
    time::{Duration, Instant},
};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolResult, ClientNotification, CustomNotification, InputRequests, JsonObject,
        ProtocolVersion,
    },
    service::RunningService,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{CallError, Tool, ask, protocol, send};
use crate::wire::async_call::{CALL, CANCEL, EXTENSION, GET, JOIN, PENDING};

/// How long one request waits for the result: less than what lies between client and server does.
const WAIT: Duration = Duration::from_secs(20);
/// Between two requests, where the server does not wait.
const PAUSE: Duration = Duration::from_millis(50);

/// A call of a tool that gives a token at once; its result is for whoever has the token.
///
/// ```no_run
/// # async fn example(
/// #     service: rmcp::service::RunningService<rmcp::RoleClient, impl rmcp::ClientHandler>,
/// # ) -> Result<(), saga_runtime::client::CallError> {
/// use saga_runtime::client::AsyncCall;
///
/// let call = AsyncCall::new("render").begin(&service).await?;
/// println!("token {}", call.token());
/// let result = call.result(&service).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct AsyncCall {
    name: String,
    arguments: JsonObject,
    keep_alive: Option<Duration>,
}

/// Names an async call: a text or a whole number, as its server gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum AsyncToken {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl fmt::Display for AsyncToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl From<&str> for AsyncToken {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AsyncToken {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for AsyncToken {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&AsyncToken> for AsyncToken {
    fn from(token: &AsyncToken) -> Self {
        token.clone()
    }
}

/// A call that this client has made or joined. Progress of it comes to the client's handler.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedCall {
    token: AsyncToken,
    keep_alive: Duration,
}

/// `CallToolAsyncResult`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    accepted: bool,
    token: Option<AsyncToken>,
    keep_alive: Option<f64>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
}

impl AsyncCall {
    /// A call of this tool.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: JsonObject::new(),
            keep_alive: None,
        }
    }

    /// Sets the arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        self.arguments = arguments;
        self
    }

    /// How long the result is to be kept after its end and the last contact; the server may say less.
    #[must_use]
    pub fn keep_alive(mut self, time: Duration) -> Self {
        self.keep_alive = Some(time);
        self
    }

    /// Makes the call.
    ///
    /// # Errors
    /// [`CallError::NotAccepted`] where the server does not run it.
    pub async fn begin<H: ClientHandler>(
        self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<JoinedCall, CallError> {
        let tool = Tool(self.name.as_str().into());
        let mut params = json!({ "name": self.name, "arguments": self.arguments });
        keep(&mut params, self.keep_alive);
        accepted(send(service, (CALL, Some(&tool)), params, pending()).await?)
    }
}

impl JoinedCall {
    /// Joins the call of this token.
    ///
    /// # Errors
    /// [`CallError::NotAccepted`] where the caller has no such call.
    pub async fn join<H: ClientHandler>(
        service: &RunningService<RoleClient, H>,
        token: impl Into<AsyncToken>,
        keep_alive: Option<Duration>,
    ) -> Result<Self, CallError> {
        let mut params = json!({ "token": token.into() });
        keep(&mut params, keep_alive);
        accepted(send(service, (JOIN, None), params, pending()).await?)
    }

    /// Its token.
    pub fn token(&self) -> &AsyncToken {
        &self.token
    }

    /// How long its result is kept.
    pub fn keep_alive(&self) -> Duration {
        self.keep_alive
    }

    /// Waits for the result; the handler answers what the tool asks. May be dropped at any time, and begun again.
    ///
    /// # Errors
    /// See [`CallError`]. One that was cancelled is a result that is an error.
    pub async fn result<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<CallToolResult, CallError> {
        let mut answered = HashSet::new();
        let mut wait = Some(WAIT);
        loop {
            match self.look(service, wait, &mut answered).await? {
                Look::Result(result) => return Ok(*result),
                // Without a time it is a result, by the proposal.
                Look::Empty(result) if wait.is_none() => return Ok(*result),
                Look::Empty(_) => wait = None,
                Look::Asked => wait = Some(WAIT),
                Look::Pending => {
                    wait = Some(WAIT);
                    sleep(PAUSE).await;
                }
            }
        }
    }

    /// The same, for about so long; nothing where it is not over then. The time in which the handler answers does not count.
    ///
    /// A result without any content is told from none by the `_meta` that Saga's servers give: of another server it counts as none.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn poll<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        at_most: Duration,
    ) -> Result<Option<CallToolResult>, CallError> {
        let mut answered = HashSet::new();
        let mut left = at_most;
        loop {
            let begun = Instant::now();
            match self.look(service, Some(left), &mut answered).await? {
                Look::Result(result) => return Ok(Some(*result)),
                Look::Empty(_) => return Ok(None),
                // However long the handler took.
                Look::Asked => {}
                Look::Pending => left = left.saturating_sub(begun.elapsed()),
            }
            if left.is_zero() {
                return Ok(None);
            }
            sleep(PAUSE.min(left)).await;
            left = left.saturating_sub(PAUSE);
        }
    }

    /// One request; and the answers to what it asks.
    async fn look<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        wait: Option<Duration>,
        answered: &mut HashSet<String>,
    ) -> Result<Look, CallError> {
        let mut params = json!({ "token": self.token });
        if let Some(wait) = wait {
            params["timeout"] = json!(wait.as_secs_f64());
        }
        let answer = send(service, (GET, None), params, pending()).await?;
        let Some(asks) = answer.get("inputRequests") else {
            // rmcp reads it as a result, which has no such member.
            let pending = [answer.get("isPending"), answer["_meta"].get(PENDING)];
            if pending.contains(&Some(&Value::Bool(true))) {
                return Ok(Look::Pending);
            }
            let result: CallToolResult = serde_json::from_value(answer).map_err(protocol)?;
            let is_empty = result.content.is_empty()
                && result.structured_content.is_none()
                && result.is_error != Some(true);
            return Ok(match is_empty && !says_pending(service) {
                true => Look::Empty(Box::new(result)),
                false => Look::Result(Box::new(result)),
            });
        };
        let asks = InputRequests::deserialize(asks).map_err(protocol)?;
        let mut answers = JsonObject::new();
        for (key, request) in asks {
            // The server may not have looked at an answer yet.
            if answered.insert(key.clone()) {
                let answer = ask::accepted(service, &key, request).await?;
                answers.insert(key, answer);
            }
        }
        if answers.is_empty() {
            return Ok(Look::Pending);
        }
        let given = json!({ "token": self.token, "timeout": 0, "inputResponses": answers });
        send(service, (GET, None), given, pending()).await?;
        Ok(Look::Asked)
    }

    /// Tells the server that nobody wants it any more.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn cancel<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<(), CallError> {
        let params = json!({ "token": self.token });
        // Stateless HTTP has no notifications.
        let version = service
            .peer_info()
            .map(|info| info.protocol_version.clone());
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            send(service, (CANCEL, None), params, pending()).await?;
            return Ok(());
        }
        let cancel = CustomNotification::new(CANCEL, Some(params));
        let cancel = ClientNotification::CustomNotification(cancel);
        Ok(service.send_notification(cancel).await?)
    }
}

/// How a call stands.
enum Look {
    Result(Box<CallToolResult>),
    /// A result without anything in it, or none: of a server that does not say so in a place that rmcp reads.
    Empty(Box<CallToolResult>),
    Pending,
    /// It asked, and has answers.
    Asked,
}

/// Whether a server says in the `_meta` that there is no result yet.
fn says_pending<H: ClientHandler>(service: &RunningService<RoleClient, H>) -> bool {
    let info = service.peer_info();
    let extensions = info.and_then(|info| info.capabilities.extensions.clone());
    extensions.is_some_and(|extensions| extensions.contains_key(EXTENSION))
}

fn keep(params: &mut Value, time: Option<Duration>) {
    if let Some(time) = time {
        params["keepAlive"] = match time.subsec_nanos() {
            0 => json!(time.as_secs()),
            _ => json!(time.as_secs_f64()),
        };
    }
}

fn accepted(answer: Value) -> Result<JoinedCall, CallError> {
    let answer: Accepted = serde_json::from_value(answer).map_err(protocol)?;
    match (answer.accepted, answer.token) {
        (true, Some(token)) => {
            let keep_alive = Duration::try_from_secs_f64(answer.keep_alive.unwrap_or_default());
            let keep_alive = keep_alive.map_err(protocol)?;
            Ok(JoinedCall { token, keep_alive })
        }
        (true, None) => Err(CallError::Protocol("accepted, without a token".to_owned())),
        (false, _) => {
            let why = answer
                .meta
                .as_ref()
                .and_then(|meta| meta.get("io.github.saga-rs/reason"));
            let why = why.and_then(Value::as_str).map(str::to_owned);
            Err(CallError::NotAccepted(
                why.unwrap_or_else(|| "there is no such call".to_owned()),
            ))
        }
    }
}

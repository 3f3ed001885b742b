//! Async tool calls from the client's side (the proposal "Asynchronous tool calls").

use std::{future::pending, time::Duration};

use rmcp::{
    ClientHandler, RoleClient,
    model::{
        CallToolResult, ClientNotification, CustomNotification, InputRequests, JsonObject,
        ProtocolVersion,
    },
    service::RunningService,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CallError, Tool, ask, protocol, send};
use crate::wire::async_call::{CALL, CANCEL, GET, JOIN, PENDING};

/// How long one request waits for the result: less than what lies between client and server does.
const WAIT: Duration = Duration::from_secs(20);

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

/// A call that this client has made or joined. Progress of it comes to the client's handler.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedCall {
    /// A text or a whole number, as the server gave it.
    token: Value,
    keep_alive: Duration,
}

/// `CallToolAsyncResult`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accepted {
    accepted: bool,
    token: Option<Value>,
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
    /// Joins the call of this token: a text, or a whole number.
    ///
    /// # Errors
    /// [`CallError::NotAccepted`] where the caller has no such call.
    pub async fn join<H: ClientHandler>(
        service: &RunningService<RoleClient, H>,
        token: impl Into<Value>,
        keep_alive: Option<Duration>,
    ) -> Result<Self, CallError> {
        let mut params = json!({ "token": token.into() });
        keep(&mut params, keep_alive);
        accepted(send(service, (JOIN, None), params, pending()).await?)
    }

    /// Its token, as text.
    pub fn token(&self) -> String {
        match &self.token {
            Value::String(token) => token.clone(),
            other => other.to_string(),
        }
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
        loop {
            if let Some(result) = self.poll(service, WAIT).await? {
                return Ok(result);
            }
        }
    }

    /// The same, for about so long; nothing where it is not over then. The time in which the handler answers does not count.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn poll<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
        at_most: Duration,
    ) -> Result<Option<CallToolResult>, CallError> {
        let mut params = json!({ "token": self.token, "timeout": at_most.as_secs_f64() });
        loop {
            let answer = send(service, (GET, None), params.clone(), pending()).await?;
            let Some(asks) = answer.get("inputRequests") else {
                // rmcp reads it as a result, which has no such member.
                let pending = [answer.get("isPending"), answer["_meta"].get(PENDING)];
                if pending.contains(&Some(&Value::Bool(true))) {
                    return Ok(None);
                }
                return serde_json::from_value(answer).map(Some).map_err(protocol);
            };
            let asks = InputRequests::deserialize(asks).map_err(protocol)?;
            let mut answers = JsonObject::new();
            for (key, request) in asks {
                let answer = ask::accepted(service, &key, request).await?;
                answers.insert(key, answer);
            }
            params["inputResponses"] = Value::Object(answers);
        }
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

fn keep(params: &mut Value, time: Option<Duration>) {
    if let Some(time) = time {
        params["keepAlive"] = json!(time.as_secs());
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

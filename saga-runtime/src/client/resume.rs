//! Resume tokens from the client's side (the proposals "Resumable tool calls").

use rmcp::{
    ClientHandler, RoleClient,
    model::{CallToolRequestParams, CallToolResult, DEFAULT_MRTR_MAX_ROUNDS, JsonObject},
    service::RunningService,
};
use serde_json::Value;

use super::CallError;
use crate::wire::resume::{NEXT, TOKEN};

/// A call of a tool whose result comes in parts, each with a token for the next: of a server that has it in the result's
/// `_meta` as well, as Saga's have. rmcp's type drops the member.
///
/// ```no_run
/// # async fn example(
/// #     service: rmcp::service::RunningService<rmcp::RoleClient, impl rmcp::ClientHandler>,
/// # ) -> Result<(), saga_runtime::client::CallError> {
/// use saga_runtime::client::ResumableCall;
///
/// let mut call = ResumableCall::new("rollout");
/// loop {
///     let part = call.next(&service).await?;
///     println!("{:?}", part.result.content);
///     let Some(token) = part.token else { break };
///     // The token can be kept, and the call gone on with later.
///     call = call.from(token);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ResumableCall {
    name: String,
    arguments: JsonObject,
    max_rounds: usize,
}

/// A part of a result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// What is there of it.
    pub result: CallToolResult,
    /// The token for the rest; nothing where this is the end.
    pub token: Option<String>,
}

impl ResumableCall {
    /// A call of this tool.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: JsonObject::new(),
            max_rounds: DEFAULT_MRTR_MAX_ROUNDS,
        }
    }

    /// Sets the arguments: those of the first part in every part.
    #[must_use]
    pub fn arguments(mut self, arguments: JsonObject) -> Self {
        let token = self.arguments.remove(TOKEN);
        self.arguments = arguments;
        self.arguments
            .extend(token.map(|token| (TOKEN.to_owned(), token)));
        self
    }

    /// Goes on from this token.
    #[must_use]
    pub fn from(mut self, token: impl Into<String>) -> Self {
        self.arguments
            .insert(TOKEN.to_owned(), Value::String(token.into()));
        self
    }

    /// In how many rounds the tool may ask for each part: 10 where nothing is said, as in rmcp.
    #[must_use]
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.max_rounds = rounds;
        self
    }

    /// Gets one part; the handler answers what the tool asks.
    ///
    /// # Errors
    /// `-32602` from the server, if the token does not belong to this call or has expired.
    pub async fn next<H: ClientHandler>(
        &self,
        service: &RunningService<RoleClient, H>,
    ) -> Result<Part, CallError> {
        let params = CallToolRequestParams::new(self.name.clone());
        let params = params.with_arguments(self.arguments.clone());
        let result = service.call_tool_with_mrtr_max_rounds(params, self.max_rounds);
        let result = result.await?;
        // The member of the result is none of rmcp's type.
        let token = result.meta.as_ref().and_then(|meta| meta.get(NEXT));
        let token = token.and_then(Value::as_str).map(str::to_owned);
        Ok(Part { result, token })
    }

    /// Gets all parts; `told` sees each that is not the last.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn run<H: ClientHandler>(
        mut self,
        service: &RunningService<RoleClient, H>,
        mut told: impl FnMut(&Part),
    ) -> Result<CallToolResult, CallError> {
        loop {
            let part = self.next(service).await?;
            match &part.token {
                None => return Ok(part.result),
                Some(token) => self = self.from(token.clone()),
            }
            told(&part);
        }
    }
}

//! One tool with three asks, three times.

use std::{collections::BTreeMap, sync::Arc};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    handler::server::{
        router::tool::ToolRouter,
        tool::{InputResponses, RequestState, ToolCallContext},
        wrapper::Parameters,
    },
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
        ElicitRequestParams, ElicitResult, ElicitationSchema, InputRequest, InputRequiredResult,
        RequestStateCodec, ServerConfig, Tool,
    },
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Result;

pub(crate) const TOOL: &str = "deploy";
/// How often the tool asks.
pub(crate) const ASKS: usize = 3;

/// What each question is answered with.
pub(crate) const TARGET: &str = "production";

pub(crate) fn answer() -> Value {
    json!({ "action": "accept", "content": { "target": TARGET } })
}

pub(crate) fn call_arguments() -> Value {
    json!({ "service": "payments" })
}

/// The text of the tool's result.
pub(crate) fn text(result: &Value) -> Option<&str> {
    result.pointer("/content/0/text").and_then(Value::as_str)
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Arguments {
    service: String,
}

#[derive(Deserialize, JsonSchema)]
struct Target {
    target: String,
}

rmcp::elicit_safe!(Target);

/// The tool under `#[saga]`.
#[derive(Clone)]
pub(crate) struct UnderSaga;

#[tool_router(vis = "pub(crate)", server_handler)]
impl UnderSaga {
    #[saga]
    #[tool]
    async fn deploy(
        &self,
        peer: Peer<RoleServer>,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<CallToolResult, ErrorData> {
        let build = build(&arguments);
        let mut sum = 0;
        for turn in 0..ASKS {
            let answer = peer.elicit::<Target>(question(turn)).await;
            let answer = answer.map_err(invalid)?;
            sum += answer.ok_or_else(|| invalid("no answer"))?.target.len();
        }
        Ok(done(&build, sum))
    }
}

/// The same text without it: rmcp asks the client within a session, and waits.
#[derive(Clone)]
pub(crate) struct Live;

#[tool_router(server_handler)]
impl Live {
    #[tool]
    async fn deploy(
        &self,
        peer: Peer<RoleServer>,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<CallToolResult, ErrorData> {
        let build = build(&arguments);
        let mut sum = 0;
        for turn in 0..ASKS {
            let answer = peer.elicit::<Target>(question(turn)).await;
            let answer = answer.map_err(invalid)?;
            sum += answer.ok_or_else(|| invalid("no answer"))?.target.len();
        }
        Ok(done(&build, sum))
    }
}

/// What an author writes without Saga for a server without sessions: a state machine, whose state
/// rmcp's codec signs.
#[derive(Clone)]
pub(crate) struct ByHand {
    codec: Arc<RequestStateCodec>,
    schema: ElicitationSchema,
}

#[derive(Serialize, Deserialize)]
struct State {
    build: String,
    turn: usize,
    sum: usize,
}

impl ByHand {
    pub(crate) fn new(key: Vec<u8>) -> Result<Self> {
        Ok(Self {
            codec: Arc::new(RequestStateCodec::try_new(key)?),
            schema: ElicitationSchema::from_type::<Target>()?,
        })
    }

    /// A request of the tool.
    pub(crate) fn step(
        &self,
        arguments: &Arguments,
        state: Option<String>,
        responses: Option<BTreeMap<String, Value>>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut state: State = match state {
            None => State {
                build: build(arguments),
                turn: 0,
                sum: 0,
            },
            Some(token) => self.codec.open_json(&token).map_err(invalid)?,
        };
        if let Some(answer) = responses.and_then(|mut all| all.remove(&key(state.turn))) {
            state.sum += answered(&answer)?.target.len();
            state.turn += 1;
        }
        if state.turn == ASKS {
            return Ok(done(&state.build, state.sum).into());
        }
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question(state.turn),
            requested_schema: self.schema.clone(),
        };
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let requests = BTreeMap::from([(key(state.turn), request)]);
        let token = self.codec.seal_json(&state).map_err(invalid)?;
        Ok(InputRequiredResult::new(Some(requests), Some(token)).into())
    }
}

#[tool_router(vis = "pub(crate)", server_handler)]
impl ByHand {
    #[tool]
    async fn deploy(
        &self,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.step(&arguments, state, responses)
    }
}

fn build(arguments: &Arguments) -> String {
    format!("{}-4711", arguments.service)
}

fn question(turn: usize) -> String {
    format!("where to ({turn})?")
}

fn key(turn: usize) -> String {
    format!("answer-{turn}")
}

fn answered(result: &Value) -> Result<Target, ErrorData> {
    let result = ElicitResult::deserialize(result).map_err(invalid)?;
    serde_json::from_value(result.content.unwrap_or_default()).map_err(invalid)
}

fn done(build: &str, sum: usize) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(format!("{build} {sum}"))])
}

fn invalid(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

/// A handler that keeps its router: as one of `#[tool_handler(router = self.router)]` does.
#[derive(Clone)]
pub(crate) struct Kept<H> {
    handler: H,
    router: Arc<ToolRouter<H>>,
}

impl<H> Kept<H> {
    pub(crate) fn new(handler: H, router: ToolRouter<H>) -> Self {
        let router = Arc::new(router);
        Self { handler, router }
    }
}

impl<H: ServerHandler> ServerHandler for Kept<H> {
    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.router.get(name).cloned()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let context = ToolCallContext::new(&self.handler, params, context);
        self.router.call(context).await
    }
}

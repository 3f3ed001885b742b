//! A three-ask tool, as `#[saga]` makes it and as authors would write it by hand, called through rmcp's router.

use std::collections::BTreeMap;

use rmcp::{
    ErrorData, Peer, RoleServer,
    handler::server::{
        router::tool::ToolRouter,
        tool::{InputResponses, RequestState, ToolCallContext},
        wrapper::Parameters,
    },
    model::*,
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::{Keyring, Settings, saga};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tests::live::Connection;

#[derive(Deserialize, JsonSchema)]
struct Args {
    service: String,
    rounds: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Target {
    target: String,
}
rmcp::elicit_safe!(Target);

struct Bench {
    settings: Settings,
    codec: RequestStateCodec,
    schema: ElicitationSchema,
}

#[derive(Serialize, Deserialize)]
struct State {
    build: String,
    turn: usize,
    sum: usize,
}

impl Bench {
    fn question(&self, key: String, state: String) -> CallToolResponse {
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: format!("where to ({key})?"),
            requested_schema: self.schema.clone(),
        };
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        InputRequiredResult::new(Some(BTreeMap::from([(key, request)])), Some(state)).into()
    }
}

fn target(result: &Value) -> Result<Target, ErrorData> {
    let result = ElicitResult::deserialize(result).map_err(invalid)?;
    serde_json::from_value(result.content.unwrap_or_default()).map_err(invalid)
}

fn invalid(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

fn key(turn: usize) -> String {
    if turn == 0 {
        "answer".to_owned()
    } else {
        format!("answer-{}", turn + 1)
    }
}

/// The contenders, in the order in which they are shown.
pub(crate) const TOOLS: [&str; 4] = ["saga", "by_hand", "codec", "replay"];

/// What a hand-written stateless tool binds its state to.
fn purpose(args: &Args) -> Vec<u8> {
    format!("{} {}", args.service, args.rounds).into_bytes()
}

#[tool_router]
impl Bench {
    #[saga]
    #[tool]
    async fn saga(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<Args>,
    ) -> Result<CallToolResult, ErrorData> {
        let build = format!("{}-4711", args.service);
        let mut sum = 0;
        for turn in 0..args.rounds {
            let answer = peer
                .elicit::<Target>(format!("where to ({turn})?"))
                .await
                .map_err(invalid)?
                .ok_or_else(|| invalid("no answer"))?;
            sum += answer.target.len();
        }
        Ok(CallToolResult::success(vec![ContentBlock::text(format!(
            "{build} {sum}"
        ))]))
    }

    #[tool]
    async fn by_hand(
        &self,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
        Parameters(args): Parameters<Args>,
    ) -> Result<CallToolResponse, ErrorData> {
        let purpose = purpose(&args);
        let purpose: &[&[u8]] = &[b"by_hand", &purpose];
        let mut state: State = match state {
            None => State {
                build: format!("{}-4711", args.service),
                turn: 0,
                sum: 0,
            },
            Some(token) => {
                let body = self.settings.open(purpose, &token)?;
                rmp_serde::from_slice(&body).map_err(invalid)?
            }
        };
        if let Some(answer) = responses.and_then(|mut all| all.remove(&key(state.turn))) {
            state.sum += target(&answer)?.target.len();
            state.turn += 1;
        }
        if state.turn == args.rounds {
            let text = format!("{} {}", state.build, state.sum);
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        }
        let body = rmp_serde::to_vec_named(&state).map_err(invalid)?;
        Ok(self.question(key(state.turn), self.settings.seal(purpose, &body)?))
    }

    #[tool]
    async fn codec(
        &self,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
        Parameters(args): Parameters<Args>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut state: State = match state {
            None => State {
                build: format!("{}-4711", args.service),
                turn: 0,
                sum: 0,
            },
            Some(token) => self.codec.open_json(&token).map_err(invalid)?,
        };
        if let Some(answer) = responses.and_then(|mut all| all.remove(&key(state.turn))) {
            state.sum += target(&answer)?.target.len();
            state.turn += 1;
        }
        if state.turn == args.rounds {
            let text = format!("{} {}", state.build, state.sum);
            return Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        }
        Ok(self.question(
            key(state.turn),
            self.codec.seal_json(&state).map_err(invalid)?,
        ))
    }

    /// Runs from the top each round; the state is all answers so far.
    #[tool]
    async fn replay(
        &self,
        RequestState(state): RequestState,
        InputResponses(responses): InputResponses,
        Parameters(args): Parameters<Args>,
    ) -> Result<CallToolResponse, ErrorData> {
        let purpose = purpose(&args);
        let purpose: &[&[u8]] = &[b"replay", &purpose];
        let mut answers: Vec<Value> = match state {
            None => Vec::new(),
            Some(token) => {
                let body = self.settings.open(purpose, &token)?;
                rmp_serde::from_slice(&body).map_err(invalid)?
            }
        };
        answers.extend(responses.and_then(|mut all| all.remove(&key(answers.len()))));
        let build = format!("{}-4711", args.service);
        let mut sum = 0;
        for turn in 0..args.rounds {
            let Some(answer) = answers.get(turn) else {
                let body = rmp_serde::to_vec_named(&answers).map_err(invalid)?;
                return Ok(self.question(key(turn), self.settings.seal(purpose, &body)?));
            };
            sum += target(answer)?.target.len();
        }
        let text = format!("{build} {sum}");
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// The tools, and a request that asks for one of them.
pub(crate) struct Harness {
    bench: Bench,
    router: ToolRouter<Bench>,
    context: RequestContext<RoleServer>,
}

impl Harness {
    /// With the connection that its requests come over.
    pub(crate) async fn new() -> Self {
        let connection = Connection::open(0).await;
        let mut context = connection.context();
        context.meta = serde_json::from_value(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
        }))
        .unwrap();
        let settings = Settings::new(Keyring::new("bench", [7; 32]).unwrap());
        context.extensions.insert(settings.clone());
        Self {
            bench: Bench {
                settings,
                codec: RequestStateCodec::try_new(vec![7; 32]).unwrap(),
                schema: ElicitationSchema::from_type::<Target>().unwrap(),
            },
            router: Bench::tool_router(),
            context,
        }
    }

    pub(crate) fn request(
        tool: &'static str,
        rounds: usize,
        last: Option<(String, String)>,
    ) -> CallToolRequestParams {
        let arguments = json!({ "service": "payments", "rounds": rounds });
        let request = CallToolRequestParams::new(tool).with_arguments(object(arguments));
        let Some((key, state)) = last else {
            return request;
        };
        let answer = json!({ "action": "accept", "content": { "target": "production" } });
        request
            .with_input_responses(BTreeMap::from([(key, answer)]))
            .with_request_state(state)
    }

    pub(crate) async fn call(&self, request: CallToolRequestParams) -> Option<(String, String)> {
        let context = ToolCallContext::new(&self.bench, request, self.context.clone());
        match self.router.call(context).await.unwrap() {
            CallToolResponse::InputRequired(result) => {
                let key = result.input_requests.unwrap().into_keys().next().unwrap();
                Some((key, result.request_state.unwrap()))
            }
            _ => None,
        }
    }

    /// The state after `done` rounds, with the key it waits on.
    pub(crate) async fn after(
        &self,
        tool: &'static str,
        rounds: usize,
        done: usize,
    ) -> (String, String) {
        let mut last = self.call(Self::request(tool, rounds, None)).await;
        for _ in 0..done {
            last = self.call(Self::request(tool, rounds, last)).await;
        }
        last.unwrap()
    }
}

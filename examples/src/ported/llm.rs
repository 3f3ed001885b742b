//! Incidents: the model looks into them with tools of the plant, and the user has the last word.

#![expect(deprecated, reason = "sampling is what this server is about")]

use std::sync::Arc;

use rmcp::{
    ErrorData, Peer, RoleServer, ServiceError,
    handler::server::wrapper::Parameters,
    model::{
        CallToolResult, ContentBlock, CreateMessageRequestParams, CreateMessageResult, JsonObject,
        Role, SamplingMessage, SamplingMessageContentBlock, Tool, ToolUseContent,
    },
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ported::world::World;

/// How often the model may call tools.
const TURNS: usize = 4;

const INSTRUCTIONS: &str = "Find out what is wrong and put it right. Then say what it was.";

/// The server.
#[derive(Debug, Clone)]
pub struct Plant {
    /// The machines.
    pub world: Arc<World>,
}

#[derive(Deserialize, JsonSchema)]
struct IncidentArgs {
    /// What was observed.
    symptom: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sure {
    sure: bool,
}

rmcp::elicit_safe!(Sure);

#[tool_router(server_handler)]
impl Plant {
    #[saga]
    #[tool(description = "Look into an incident")]
    async fn triage(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(args): Parameters<IncidentArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        #[saga(remake)]
        let tools = tools();
        let mut conversation = vec![SamplingMessage::user_text(&args.symptom)];
        let mut report = None;
        self.world.act(format!("open {}", args.symptom)).await;
        for turn in 0..TURNS {
            let request = CreateMessageRequestParams::new(conversation.clone(), 500)
                .with_system_prompt(INSTRUCTIONS)
                .with_tools(tools.clone());
            match context.peer.create_message(request).await {
                Ok(reply) if wants_tools(&reply) => {
                    let mut results = Vec::new();
                    let calls: Vec<_> = reply
                        .message
                        .content
                        .iter()
                        .filter_map(|block| block.as_tool_use())
                        .collect();
                    for call in calls {
                        let result = self.run(&context.peer, call).await;
                        let result = vec![ContentBlock::text(result)];
                        results.push(SamplingMessageContentBlock::tool_result(&call.id, result));
                    }
                    conversation.push(reply.message);
                    conversation.push(SamplingMessage::new_multiple(Role::User, results));
                }
                Ok(reply) => {
                    report = Some(text(&reply));
                    break;
                }
                Err(ServiceError::McpError(error)) => {
                    self.world.act(format!("turn {turn} failed")).await;
                    return Ok(refusal(error.message.to_string()));
                }
                Err(error) => return Err(ErrorData::internal_error(error.to_string(), None)),
            }
        }
        let report = report.unwrap_or_else(|| "The model came to no end.".to_owned());
        self.world.act(format!("file {report}")).await;
        Ok(CallToolResult::success(vec![ContentBlock::text(report)]))
    }
}

impl Plant {
    /// Runs a tool of the model's choice. What stops machines asks the user.
    #[saga]
    async fn run(&self, peer: &Peer<RoleServer>, call: &ToolUseContent) -> String {
        let unit = call
            .input
            .get("unit")
            .and_then(|unit| unit.as_str())
            .unwrap_or("all");
        match call.name.as_str() {
            "read_log" => {
                self.touch(format!("read {unit}")).await;
                format!("{unit}: too hot")
            }
            "restart" => match peer.elicit::<Sure>(format!("Restart {unit}?")).await {
                Ok(Some(Sure { sure: true })) => {
                    self.touch(format!("restart {unit}")).await;
                    format!("{unit} is up again")
                }
                _ => "The user would rather not.".to_owned(),
            },
            other => format!("There is no tool `{other}`."),
        }
    }

    /// One at a time at the machines; nobody waits for a slot while the model or the user thinks.
    async fn touch(&self, effect: String) {
        let _slot = self.world.slots.acquire().await;
        self.world.act(effect).await;
    }
}

fn tools() -> Vec<Tool> {
    let tool = |name: &'static str, description: &'static str| {
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), "object".into());
        Tool::new(name, description, Arc::new(schema))
    };
    vec![
        tool("read_log", "What a unit says"),
        tool("restart", "Turn a unit off and on"),
    ]
}

fn wants_tools(reply: &CreateMessageResult) -> bool {
    reply.stop_reason.as_deref() == Some(CreateMessageResult::STOP_REASON_TOOL_USE)
}

fn text(reply: &CreateMessageResult) -> String {
    let texts = reply
        .message
        .content
        .iter()
        .filter_map(|block| block.as_text());
    texts.map(|content| content.text.as_str()).collect()
}

fn refusal(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

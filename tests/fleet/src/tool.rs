//! The tool: effects before, between and after its asks.

#![expect(deprecated, reason = "one of its asks goes to the model")]

use std::{path::Path, sync::Arc, time::Duration};

use examples::Transport;
use rmcp::{
    ErrorData, RoleServer,
    handler::server::wrapper::Parameters,
    model::{
        CallToolResult, ContentBlock, CreateMessageRequestParams, CreateMessageResult, RequestId,
        SamplingMessage,
    },
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::{Settings, saga};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Result,
    effects::{Effect, Recorder},
};
use examples::orphaned;

pub(crate) const TOOL: &str = "roll_out";

/// How long an effect takes, so that processes are killed between two of them.
const WORK: Duration = Duration::from_millis(2);

/// Serves the tool on `port` until the program that started this one is gone.
pub(crate) async fn serve(port: u16, effects: &Path) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .init();
    let fleet = Fleet {
        recorder: Arc::new(Recorder::new(effects)?),
    };
    let settings = Settings::from_env()?;
    let transport = Transport::Http { port, json: true };
    Ok(examples::serve(move || fleet.clone(), settings, transport, orphaned()).await?)
}

#[derive(Clone)]
struct Fleet {
    recorder: Arc<Recorder>,
}

#[derive(Deserialize, JsonSchema)]
struct RollOut {
    call: usize,
    hosts: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Region {
    region: String,
}

#[derive(Deserialize, JsonSchema)]
struct Window {
    hour: u8,
}

rmcp::elicit_safe!(Region, Window);

/// What the tool carried from request to request, as its result says.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) region: String,
    pub(crate) healthy: Vec<bool>,
    pub(crate) hour: u8,
    pub(crate) sure: bool,
    /// The request of each effect, in order.
    pub(crate) journal: Vec<String>,
}

#[tool_router(server_handler)]
impl Fleet {
    #[saga]
    #[tool]
    async fn roll_out(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(plan): Parameters<RollOut>,
    ) -> Result<CallToolResult, ErrorData> {
        let mut journal = Vec::new();
        for name in ["build", "publish"] {
            journal.push(self.act(plan.call, name, &context.id).await?);
        }
        let answer = context.peer.elicit::<Region>("Which region?").await;
        let region = answer
            .map_err(internal)?
            .ok_or_else(|| internal("no region"))?
            .region;
        journal.push(self.act(plan.call, "reserve", &context.id).await?);
        let mut healthy = Vec::new();
        for host in 0..plan.hosts {
            let name = format!("shift {host}");
            journal.push(self.act(plan.call, &name, &context.id).await?);
            let question = format!("Is host {host} in {region} healthy?");
            healthy.push(ask_model(&context, &question).await?);
        }
        journal.push(self.act(plan.call, "verify", &context.id).await?);
        let (window, sure) = tokio::join!(
            context.peer.elicit::<Window>("At which hour?"),
            ask_model(&context, "Is that sure?")
        );
        journal.push(self.act(plan.call, "finish", &context.id).await?);
        let window = window
            .map_err(internal)?
            .ok_or_else(|| internal("no hour"))?;
        let outcome = Outcome {
            region,
            healthy,
            hour: window.hour,
            sure: sure?,
            journal,
        };
        let text = serde_json::to_string(&outcome).map_err(internal)?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

impl Fleet {
    async fn act(&self, call: usize, name: &str, request: &RequestId) -> Result<String, ErrorData> {
        tokio::time::sleep(WORK).await;
        let effect = Effect {
            call,
            name: name.to_owned(),
            request: request.to_string(),
            idempotency_key: saga_runtime::idempotency_key_for(name).unwrap_or_default(),
        };
        self.recorder.record(&effect).map_err(internal)?;
        tokio::time::sleep(WORK).await;
        Ok(effect.request)
    }
}

#[saga]
async fn ask_model(
    context: &RequestContext<RoleServer>,
    question: &str,
) -> Result<bool, ErrorData> {
    let message = SamplingMessage::user_text(question);
    let reply = context
        .peer
        .create_message(CreateMessageRequestParams::new(vec![message], 10))
        .await
        .map_err(internal)?;
    Ok(said_yes(&reply))
}

fn said_yes(reply: &CreateMessageResult) -> bool {
    let text = reply.message.content.first();
    let text = text.and_then(|content| content.as_text());
    text.is_some_and(|content| content.text == "yes")
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

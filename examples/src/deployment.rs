//! The deployment example of the saga methods proposal: one tool that registers a build, asks the
//! user where to deploy it, asks the model whether that is safe, and deploys.

#![expect(
    deprecated,
    reason = "sampling is what the proposal's example asks for"
)]

use std::{
    io,
    path::{Path, PathBuf},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{
        CallToolResult, ContentBlock, CreateMessageRequestParams, CreateMessageResult,
        SamplingMessage, SamplingMessageContentBlock,
    },
    service::{ElicitationError, RequestContext},
    tool, tool_handler, tool_router,
};
use saga_runtime::{flow::Function, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::{fs, io::AsyncWriteExt};

/// The name of the tool.
pub const TOOL: &str = "complex_tool";

const REGISTERED: &str = "registered";

/// The server.
///
/// Its tool is written as if it stayed in memory for the whole conversation. It need not: at each
/// question it can stop, and any replica goes on from there.
#[derive(Debug, Clone, Default)]
pub struct Deployer {
    /// The file to which every build and deployment adds a line; none is kept without it.
    pub build_log: Option<PathBuf>,
}

#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// What to build.
    initial_arg: String,
}

// No doc comments here: they would be in the schema that the user's client shows. rmcp adds the
// type's name as a title unless there is one, and leaves out one that is null.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("title" = null))]
struct Target {
    target: String,
}

rmcp::elicit_safe!(Target);

#[tool_handler(name = "deployer", version = "0.1.0")]
impl ServerHandler for Deployer {}

#[tool_router]
impl Deployer {
    #[saga(flow)]
    #[tool(
        name = "complex_tool",
        description = "Builds, asks the user where to deploy, asks the model whether that is safe, and deploys"
    )]
    async fn deploy(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<CallToolResult, ErrorData> {
        let build = self.register_build(&arguments.initial_arg).await?;

        let answer = context
            .peer
            .elicit::<Target>("Please provide the deployment target:")
            .await;
        let target = match answer {
            Ok(Some(answer)) => answer.target,
            Ok(None) | Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => {
                return Ok(refusal("Not deployed: no target was given."));
            }
            Err(error) => return Err(internal(error)),
        };

        let question = format!("Is deploying to '{target}' safe right now?");
        let sampling =
            CreateMessageRequestParams::new(vec![SamplingMessage::user_text(question)], 100);
        let reply = context
            .peer
            .create_message(sampling)
            .await
            .map_err(internal)?;
        if !confirms(&reply) {
            let text = format!("Not deployed to {target}: the model did not confirm.");
            return Ok(refusal(text));
        }

        self.start_deployment(build, &target).await?;
        let text = format!("Deployment to {target} initiated successfully based on confirmation.");
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
    }
}

impl Deployer {
    /// The suspension points of its tool.
    pub fn flow() -> &'static Function {
        Self::deploy_flow()
    }

    /// Stands for what must not be done twice: a build that costs an hour, a ticket, a payment.
    async fn register_build(&self, what: &str) -> Result<usize, ErrorData> {
        let Some(log) = &self.build_log else {
            return Ok(1);
        };
        let build = registered_builds(log).await.map_err(internal)? + 1;
        append(log, &format!("build {build} of {what:?} {REGISTERED}")).await?;
        Ok(build)
    }

    async fn start_deployment(&self, build: usize, target: &str) -> Result<(), ErrorData> {
        match &self.build_log {
            Some(log) => append(log, &format!("build {build} deployed to {target:?}")).await,
            None => Ok(()),
        }
    }
}

/// How often a build was registered, by the log that a [`Deployer`] writes.
///
/// # Errors
/// Where there is a log that cannot be read. A log that is not there has no builds.
pub async fn registered_builds(log: &Path) -> io::Result<usize> {
    match fs::read_to_string(log).await {
        Ok(text) => Ok(text
            .lines()
            .filter(|line| line.ends_with(REGISTERED))
            .count()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Names the process, so that the log tells which replica did what.
async fn append(log: &Path, event: &str) -> Result<(), ErrorData> {
    let line = format!("process {}: {event}\n", std::process::id());
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .await
        .map_err(internal)?;
    file.write_all(line.as_bytes()).await.map_err(internal)?;
    file.flush().await.map_err(internal)
}

fn confirms(reply: &CreateMessageResult) -> bool {
    let text = reply
        .message
        .content
        .first()
        .and_then(SamplingMessageContentBlock::as_text);
    text.is_some_and(|content| content.text.trim_start().to_lowercase().starts_with("yes"))
}

fn refusal(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

//! What the server is asked to do.

use rmcp::{
    ServiceError,
    model::{CallToolResult, GetPromptRequestParams, JsonObject, ReadResourceRequestParams},
};
use saga_runtime::client::{
    self, AsyncCall, AsyncToken, BegunCall, CallError, FollowedTask, JoinedCall, ResumableCall,
    SagaCall, TaskCall,
};

use crate::{
    Outcome, Result, arguments,
    connect::Server,
    listing,
    options::{Command, Options, Wire},
    progress, results, say,
};

/// Does what the command line says, and shows what comes of it.
pub(crate) async fn perform(server: &Server, options: &Options) -> Result<Outcome> {
    match options.command.as_ref().unwrap_or(&Command::List) {
        // One that needs no server is carried out before there is one.
        Command::List | Command::Keygen { .. } => listing::show(server).await?,
        Command::Call {
            tool,
            arguments,
            resume,
        } => {
            let arguments = arguments::of_tool(server, tool, arguments).await?;
            let result = call(server, options, tool, arguments, resume.as_deref()).await?;
            return results::tool(&result);
        }
        Command::Follow { id } => return results::tool(&follow(server, options, id).await?),
        Command::Cancel { id } => cancel(server, options, id).await?,
        Command::Prompt { name, arguments } => {
            let params =
                GetPromptRequestParams::new(name).with_arguments(arguments::of_prompt(arguments)?);
            let prompt = server.get_prompt_with_mrtr_max_rounds(params, options.rounds);
            results::prompt(&prompt.await.map_err(told)?)?;
        }
        Command::Read { uri } => {
            let params = ReadResourceRequestParams::new(uri);
            let resource = server.read_resource_with_mrtr_max_rounds(params, options.rounds);
            results::resource(&resource.await.map_err(told)?)?;
        }
    }
    Ok(Outcome::Done)
}

async fn call(
    server: &Server,
    options: &Options,
    tool: &str,
    arguments: JsonObject,
    resume: Option<&str>,
) -> Result<CallToolResult> {
    if resume.is_some() && !matches!(options.wire, Wire::Mrtr | Wire::Live) {
        return Err("a resume token goes with --wire mrtr or --wire live".into());
    }
    match options.wire {
        Wire::Mrtr | Wire::Live => {
            let call = ResumableCall::new(tool).arguments(arguments);
            let call = call.max_rounds(options.rounds);
            let call = match resume {
                Some(token) => call.from(token),
                None => call,
            };
            call.run(server, results::part).await.map_err(failed)
        }
        Wire::Saga if !client::is_supported(server) => {
            Err("the server does not offer the saga methods".into())
        }
        Wire::Saga => {
            let call = SagaCall::new(tool).arguments(arguments);
            let result = call.max_rounds(options.rounds).run(server).await;
            result.map_err(failed)
        }
        Wire::Task => {
            let call = TaskCall::new(tool).arguments(arguments);
            match call
                .max_rounds(options.rounds)
                .begin(server)
                .await
                .map_err(failed)?
            {
                BegunCall::Result(result) => Ok(*result),
                BegunCall::Task(task) => followed(server, &task).await,
            }
        }
        Wire::Async => {
            let call = AsyncCall::new(tool).arguments(arguments);
            joined(server, &call.begin(server).await.map_err(failed)?).await
        }
    }
}

async fn follow(server: &Server, options: &Options, id: &str) -> Result<CallToolResult> {
    match options.wire {
        Wire::Async => {
            let call = JoinedCall::join(server, token(id), None).await;
            joined(server, &call.map_err(failed)?).await
        }
        _ => followed(server, &FollowedTask::named(id)).await,
    }
}

async fn followed(server: &Server, task: &FollowedTask) -> Result<CallToolResult> {
    server.service().follow("task", task.id())?;
    let result = task.result(server, |task| {
        if let Some(message) = &task.status_message {
            progress::said(message);
        }
    });
    result.await.map_err(failed)
}

async fn joined(server: &Server, call: &JoinedCall) -> Result<CallToolResult> {
    server.service().follow("call", &call.token().to_string())?;
    call.result(server).await.map_err(failed)
}

async fn cancel(server: &Server, options: &Options, id: &str) -> Result<()> {
    let cancelled = match options.wire {
        Wire::Async => {
            let call = JoinedCall::join(server, token(id), None).await;
            call.map_err(failed)?.cancel(server).await
        }
        _ => FollowedTask::named(id).cancel(server).await,
    };
    cancelled.map_err(failed)?;
    say("Cancelled: the server was told.")
}

/// The token that a text stands for.
fn token(id: &str) -> AsyncToken {
    id.parse().map_or_else(|_| id.into(), AsyncToken::Number)
}

fn failed(error: CallError) -> Box<dyn std::error::Error + Send + Sync> {
    match error {
        CallError::Service(error) => told(error),
        error => error.into(),
    }
}

/// The error as it is shown.
pub(crate) fn told(error: ServiceError) -> Box<dyn std::error::Error + Send + Sync> {
    match error {
        ServiceError::McpError(error) => {
            let data = error.data.map(|data| format!(" {data}"));
            let data = data.unwrap_or_default();
            format!("{} (code {}){data}", error.message, error.code.0).into()
        }
        // Its own words name the types of this program.
        ServiceError::TransportSend(error) => error.error,
        error => error.into(),
    }
}

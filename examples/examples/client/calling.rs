//! What the server is asked to do.

use rmcp::{
    ServiceError,
    model::{
        CallToolRequestParams, CallToolResult, GetPromptRequestParams, JsonObject,
        ReadResourceRequestParams,
    },
};
use saga_runtime::client::{self, CallError, SagaCall};

use crate::{
    Outcome, Result, arguments,
    connect::Server,
    listing,
    options::{Command, Options, Wire},
    results,
};

/// Does what the command line says, and shows what comes of it.
pub(crate) async fn perform(server: &Server, options: &Options) -> Result<Outcome> {
    match options.command.as_ref().unwrap_or(&Command::List) {
        // One that needs no server is carried out before there is one.
        Command::List | Command::Keygen { .. } => listing::show(server).await?,
        Command::Call { tool, arguments } => {
            let arguments = arguments::of_tool(server, tool, arguments).await?;
            let result = call(server, options, tool, arguments).await?;
            return results::tool(&result);
        }
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
) -> Result<CallToolResult> {
    match options.wire {
        Wire::Mrtr | Wire::Live => {
            let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
            let result = server.call_tool_with_mrtr_max_rounds(params, options.rounds);
            result.await.map_err(told)
        }
        Wire::Saga if !client::is_supported(server) => {
            Err("the server does not offer the saga methods".into())
        }
        Wire::Saga => {
            let call = SagaCall::new(tool).arguments(arguments);
            let result = call.max_rounds(options.rounds).run(server).await;
            result.map_err(|error| match error {
                CallError::Service(error) => told(error),
                error => error.into(),
            })
        }
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
        error => error.into(),
    }
}

//! Tools whose calls become tasks, where the client declares the tasks extension. Without it what asks does so in rounds
//! of the call: it is the same function.

use std::time::Duration;

use rmcp::{
    ErrorData,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock},
    tool, tool_router,
};
use saga_runtime::{Cx, join, saga};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    answers::{text, without},
    server::Everything,
};

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    /// How long it takes
    #[serde(default)]
    seconds: f64,
    /// What it is called
    #[serde(default)]
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// What is deleted
    #[serde(default)]
    filename: String,
}

/// Whether to go on.
#[derive(Deserialize, saga_runtime::Elicit)]
struct Deletion {
    confirm: bool,
}

/// One of two.
#[derive(Deserialize, saga_runtime::Elicit)]
struct Part {
    name: String,
}

#[tool_router(router = task_tools, vis = "pub(crate)")]
impl Everything {
    /// Greets at once
    #[tool]
    async fn greet(&self, Parameters(Greet { name }): Parameters<Greet>) -> String {
        format!("Hello, {name}!")
    }

    /// Computes for a while
    #[saga(task)]
    #[tool]
    async fn slow_compute(
        &self,
        Parameters(Compute { seconds, label }): Parameters<Compute>,
    ) -> Result<CallToolResult, ErrorData> {
        let duration = Duration::try_from_secs_f64(seconds)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        saga_runtime::sleep(duration).await;
        Ok(text(format!("Computed {label} in {seconds} s")))
    }

    /// Fails after a while, as a task only
    #[saga(task = required)]
    #[tool]
    async fn failing_job(&self) -> CallToolResult {
        saga_runtime::sleep(Duration::from_secs(1)).await;
        CallToolResult::error(vec![ContentBlock::text("The job failed")])
    }

    /// Breaks off after a while
    #[saga(task)]
    #[tool]
    async fn protocol_error_job(&self) -> Result<CallToolResult, ErrorData> {
        saga_runtime::sleep(Duration::from_millis(200)).await;
        Err(ErrorData::internal_error("the job broke off", None))
    }

    /// Deletes a file where the user agrees
    #[saga(task)]
    #[tool]
    async fn confirm_delete(
        &self,
        cx: Cx,
        Parameters(Delete { filename }): Parameters<Delete>,
    ) -> CallToolResult {
        let question = format!("Delete {filename}?");
        match cx.elicit::<Deletion>(question).key("confirm").await {
            Ok(Deletion { confirm: true }) => text(format!("Deleted {filename}")),
            _ => text(format!("Kept {filename}")),
        }
    }

    /// Asks the user for two names at once
    #[saga(task)]
    #[tool]
    async fn multi_input(&self, cx: Cx) -> CallToolResult {
        let (first, second) = join!(
            cx.elicit::<Part>("Who comes first?").key("first"),
            cx.elicit::<Part>("Who comes second?").key("second"),
        );
        match (first, second) {
            (Ok(first), Ok(second)) => text(format!("{} and {}", first.name, second.name)),
            _ => without("two names"),
        }
    }

    /// Asks the user, and greets in a task
    #[saga]
    #[tool]
    async fn test_tool_with_task(&self, cx: Cx) -> CallToolResult {
        let Ok(Part { name }) = cx.elicit::<Part>("What is your name?").key("name").await else {
            return without("a name");
        };
        cx.background().await;
        saga_runtime::sleep(Duration::from_millis(200)).await;
        text(format!("Hello, {name}!"))
    }
}

//! A tool that gives its result in parts, each with a token for the rest.

use rmcp::{model::CallToolResult, tool, tool_router};
use saga_runtime::{Cx, saga};

use crate::{
    answers::{text, without},
    server::Everything,
};

/// Whether to go on.
#[derive(serde::Deserialize, saga_runtime::Elicit)]
struct Rest {
    rest: bool,
}

#[tool_router(router = part_tools, vis = "pub(crate)")]
impl Everything {
    /// Gives two parts of its result, and asks before the rest
    #[saga(resume_token)]
    #[tool]
    async fn test_tool_with_parts(&self, cx: Cx) -> CallToolResult {
        cx.partial("2 of 5").await;
        let Ok(Rest { rest: true }) = cx.elicit::<Rest>("The rest, too?").key("rest").await else {
            return without("the rest");
        };
        cx.partial("4 of 5").await;
        text("5 of 5")
    }
}

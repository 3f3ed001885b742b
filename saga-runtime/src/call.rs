//! The call that a tool serves, extracted from rmcp's request.

use rmcp::{
    ErrorData, RoleServer,
    handler::server::{common::FromContextPart, tool::ToolCallContext},
    model::{InputResponses, JsonObject},
    service::RequestContext,
};

/// What the engine needs of a request. `#[saga]` puts it in front of the tool's own parameters,
/// before `Parameters` takes the arguments away.
#[derive(Debug)]
pub struct Call {
    /// What is called, with its kind: a tool and a prompt may share a name.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    pub(crate) arguments: Option<JsonObject>,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    pub(crate) context: RequestContext<RoleServer>,
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for Call {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(Self {
            kind: "tools/call",
            name: context.name.to_string(),
            arguments: context.arguments.clone(),
            input_responses: context.input_responses.take(),
            request_state: context.request_state.take(),
            context: context.request_context.clone(),
        })
    }
}

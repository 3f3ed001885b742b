//! The call that a tool serves, extracted from rmcp's request.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    handler::server::{common::FromContextPart, tool::ToolCallContext},
    model::{InputResponses, JsonObject},
    service::RequestContext,
};

use crate::{client::Client, settings::Settings, wire::saga::Resumption};

/// What the engine needs of a request. `#[saga]` puts it in front of the tool's own parameters,
/// before `Parameters` takes the arguments away.
#[derive(Debug)]
pub struct Call {
    /// What is called, with its kind: a tool and a prompt may share a name.
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// An absent `arguments` is an empty one, as it is for rmcp.
    pub(crate) arguments: Arc<JsonObject>,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    pub(crate) client: Client,
    /// An error where the process's keys are not of the right form.
    pub(crate) settings: Result<Settings, ErrorData>,
    pub(crate) principal: Option<String>,
    /// Set where the call came by the saga wire.
    pub(crate) resumption: Option<Resumption>,
}

impl Call {
    fn new(
        kind: &'static str,
        name: String,
        arguments: Option<JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let settings = Settings::of(context);
        let principal = settings
            .as_ref()
            .ok()
            .and_then(|settings| settings.principal(context));
        Self {
            kind,
            name,
            arguments: Arc::new(arguments.unwrap_or_default()),
            input_responses: None,
            request_state: None,
            client: Client::of(context),
            settings: settings.map_err(|error| ErrorData::internal_error(error.to_string(), None)),
            principal,
            resumption: context.extensions.get::<Resumption>().cloned(),
        }
    }
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for Call {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let name = context.name.to_string();
        let arguments = context.arguments.clone();
        let mut call = Self::new("tools/call", name, arguments, &context.request_context);
        call.input_responses = context.input_responses.take();
        call.request_state = context.request_state.take();
        Ok(call)
    }
}

//! The call that a tool, a prompt or a handler serves, extracted from rmcp's request.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    handler::server::{common::FromContextPart, prompt::PromptContext, tool::ToolCallContext},
    model::{
        CallToolRequestParams, GetPromptRequestParams, InputResponses, JsonObject,
        ReadResourceRequestParams,
    },
    service::RequestContext,
};

use crate::{ask::client::Client, token::settings::Settings, wire::saga::Resumption};

/// What the engine needs of a request. `#[saga]` puts it in front of the own parameters of a tool
/// or prompt, before `Parameters` takes the arguments away.
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

/// What of a retried `prompts/get` rmcp's prompt router does not hand on; the server's wrapper puts
/// it in the request's extensions.
#[derive(Debug, Clone)]
pub(crate) struct Retry {
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
}

impl<S> FromContextPart<PromptContext<'_, S>> for Call {
    fn from_context_part(prompt: &mut PromptContext<'_, S>) -> Result<Self, ErrorData> {
        let (name, arguments) = (prompt.name.clone(), prompt.arguments.clone());
        let mut call = Self::new("prompts/get", name, arguments, &prompt.context);
        match prompt.context.extensions.remove::<Retry>() {
            Some(retry) => {
                call.input_responses = retry.input_responses;
                call.request_state = retry.request_state;
            }
            None if call.client.is_stateless() => {
                let why = "a `#[prompt]` that asks needs `SagaServer` around its handler: rmcp's \
                           router does not hand on `requestState`";
                return Err(ErrorData::internal_error(why, None));
            }
            None => {}
        }
        Ok(call)
    }
}

/// The parameters of a request that may end with `input_required`.
pub trait Params {
    #[doc(hidden)]
    fn call(&mut self, context: &RequestContext<RoleServer>) -> Call;
}

macro_rules! params {
    ($($ty:ty: $kind:literal, $name:ident $(, $arguments:ident)?;)*) => {
        $(impl Params for $ty {
            fn call(&mut self, context: &RequestContext<RoleServer>) -> Call {
                let arguments = None$(.or_else(|| self.$arguments.clone()))?;
                let mut call = Call::new($kind, self.$name.to_string(), arguments, context);
                call.input_responses = self.input_responses.take();
                call.request_state = self.request_state.take();
                call
            }
        })*
    };
}

params! {
    CallToolRequestParams: "tools/call", name, arguments;
    GetPromptRequestParams: "prompts/get", name, arguments;
    ReadResourceRequestParams: "resources/read", uri;
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

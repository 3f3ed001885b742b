//! `Toolbox`: a server of free functions: tools, prompts and resources, with one state.

pub(crate) mod builder;
pub(crate) mod function;
pub(crate) mod resource;
mod template;

use std::{fmt, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::{
        common::FromContextPart,
        prompt::PromptContext,
        router::{
            prompt::PromptRouter,
            tool::{ToolRoute, ToolRouter},
        },
        tool::ToolCallContext,
    },
    model::{
        CacheScope, GetPromptRequestParams, GetPromptResponse, Implementation,
        ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    },
    service::RequestContext,
    tool_handler,
};

use self::{
    builder::ToolboxBuilder,
    resource::{ResourceContext, ResourceRoutes},
};
use crate::wire::call::Retry;

/// A server whose tools, prompts and resources are free functions. Made by [`toolbox!`](crate::toolbox).
///
/// ```
/// use rmcp::{ServerHandler, tool};
/// use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga, toolbox};
/// use serde::Deserialize;
///
/// #[derive(Deserialize, Elicit)]
/// struct Name {
///     name: String,
/// }
///
/// /// Greets the user.
/// #[saga]
/// #[tool]
/// async fn greet(cx: Cx) -> Result<String, AskError> {
///     let answer = cx.elicit::<Name>("What is your name?").await?;
///     Ok(format!("Hello, {}!", answer.name))
/// }
///
/// let server = SagaServer::new(toolbox![greet]?.named("greeter", "1.0.0"));
/// assert!(server.get_tool("greet").is_some());
/// # Ok::<(), saga_runtime::ToolboxError>(())
/// ```
///
/// With state, prompts and resources:
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use rmcp::{handler::server::wrapper::Parameters, model::{PromptMessage, Role}, prompt, tool};
/// use saga_runtime::{AskError, Cx, Elicit, State, resource, saga, toolbox};
/// use serde::Deserialize;
///
/// #[derive(Default)]
/// struct Desk {
///     lent: AtomicU32,
/// }
///
/// #[derive(Deserialize, Elicit)]
/// struct Book {
///     title: String,
/// }
///
/// /// Lends a book.
/// #[saga]
/// #[tool]
/// async fn lend(cx: Cx, State(desk): State<Desk>) -> Result<String, AskError> {
///     let book = cx.elicit::<Book>("Which book?").await?;
///     desk.lent.fetch_add(1, Ordering::Relaxed);
///     Ok(book.title)
/// }
///
/// /// How many books are lent.
/// #[tool]
/// fn lent(State(desk): State<Desk>) -> String {
///     desk.lent.load(Ordering::Relaxed).to_string()
/// }
///
/// /// Recommends a book.
/// #[prompt]
/// async fn recommend() -> Vec<PromptMessage> {
///     vec![PromptMessage::new_text(Role::User, "Which book should I read?")]
/// }
///
/// /// What is known of a book.
/// #[resource("books://{title}", mime_type = "text/plain")]
/// async fn book(Parameters(book): Parameters<Book>) -> String {
///     format!("{} is a book", book.title)
/// }
///
/// let library = toolbox! {
///     state: Desk::default(),
///     tools: [lend, lent],
///     prompts: [recommend],
///     resources: [book],
/// }?;
/// # Ok::<(), saga_runtime::ToolboxError>(())
/// ```
///
/// A function that takes [`State<T>`](State) does not compile in a toolbox of another state, or of none.
pub struct Toolbox<S = ()> {
    routes: Arc<Routes<S>>,
    info: Arc<ServerConfig>,
    state: Arc<S>,
}

struct Routes<S> {
    tools: ToolRouter<Toolbox<S>>,
    prompts: PromptRouter<Toolbox<S>>,
    resources: ResourceRoutes<S>,
}

impl<S> Clone for Toolbox<S> {
    fn clone(&self) -> Self {
        Self {
            routes: Arc::clone(&self.routes),
            info: Arc::clone(&self.info),
            state: Arc::clone(&self.state),
        }
    }
}

impl<S> fmt::Debug for Toolbox<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox")
            .field("tools", &self.routes.tools)
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// Why functions cannot be served together.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolboxError {
    /// Two tools have one name.
    #[error("there are two tools of the name `{0}`")]
    Duplicate(String),
    /// The name is not one that the specification allows (SEP-986).
    #[error(
        "`{0}` is no name for a tool: 1 to 128 letters, digits, `_`, `-`, `.` or `/` of ASCII are"
    )]
    Name(String),
    /// Two prompts have one name.
    #[error("there are two prompts of the name `{0}`")]
    DuplicatePrompt(String),
    /// Two resources have one URI or template.
    #[error("there are two resources of the URI `{0}`")]
    DuplicateResource(String),
}

/// The sentence: that is what `main` prints of an error that it returns.
impl fmt::Debug for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The state of the [`Toolbox`] that a function is in: one value that all of its functions share.
///
/// It belongs to the process: a continuation never contains it, and a call that goes on in another process has the
/// state of that process. What a call itself must remember belongs in a variable; what processes must share, in a
/// database that the state leads to.
#[derive(Debug)]
pub struct State<T>(pub Arc<T>);

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

macro_rules! state_of {
    ($($context:ident: $server:ident;)*) => {
        $(impl<T> FromContextPart<$context<'_, Toolbox<T>>> for State<T> {
            fn from_context_part(context: &mut $context<'_, Toolbox<T>>) -> Result<Self, ErrorData> {
                Ok(Self(Arc::clone(&context.$server.state)))
            }
        })*
    };
}

state_of! {
    ToolCallContext: service;
    PromptContext: server;
    ResourceContext: server;
}

impl Toolbox {
    /// A server of these tools.
    ///
    /// # Errors
    /// Two tools of one name, or a name that the specification does not allow.
    pub fn of(routes: impl IntoIterator<Item = ToolRoute<Self>>) -> Result<Self, ToolboxError> {
        routes
            .into_iter()
            .fold(ToolboxBuilder::new(()), ToolboxBuilder::route)
            .build()
    }
}

impl<S> Toolbox<S> {
    /// The state that its functions share.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }

    /// Sets the name and version that the server gives of itself.
    #[must_use]
    pub fn named(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.configured(|info| info.server_info = Implementation::new(name, version))
    }

    /// Sets what the server tells the model of itself.
    #[must_use]
    pub fn with_instructions(self, instructions: impl Into<String>) -> Self {
        self.configured(|info| info.instructions = Some(instructions.into()))
    }

    /// Changes what the server says of itself.
    #[must_use]
    pub fn configured(mut self, change: impl FnOnce(&mut ServerConfig)) -> Self {
        change(Arc::make_mut(&mut self.info));
        self
    }
}

/// Lists do not change while the process runs, and are the same for everybody.
fn hints(context: &RequestContext<RoleServer>) -> (Option<u64>, Option<CacheScope>) {
    let known = context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    (known.then_some(0), known.then_some(CacheScope::Public))
}

#[tool_handler(router = self.routes.tools)]
impl<S: Send + Sync + 'static> ServerHandler for Toolbox<S> {
    fn get_info(&self) -> ServerConfig {
        (*self.info).clone()
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::ListPromptsResult, ErrorData> {
        let prompts = self.routes.prompts.list_all();
        let mut listed = rmcp::model::ListPromptsResult::with_all_items(prompts);
        (listed.ttl_ms, listed.cache_scope) = hints(&context);
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        // rmcp's router does not hand it on; a wrapper around the toolbox may have put it there, too.
        context.extensions.insert(Retry {
            input_responses: request.input_responses,
            request_state: request.request_state,
        });
        let context = PromptContext::new(self, request.name, request.arguments, context);
        self.routes.prompts.get_prompt(context).await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = ListResourcesResult::with_all_items(self.routes.resources.listed());
        (listed.ttl_ms, listed.cache_scope) = hints(&context);
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.routes.resources.templates();
        let mut listed = ListResourceTemplatesResult::with_all_items(templates);
        (listed.ttl_ms, listed.cache_scope) = hints(&context);
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.routes.resources.read(self, request, context).await
    }
}

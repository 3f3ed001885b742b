//! How `toolbox!` puts a toolbox together.

use std::{collections::BTreeSet, future::ready, sync::Arc};

use rmcp::{
    ErrorData,
    handler::server::router::{
        prompt::{PromptRoute, PromptRouter},
        tool::{ToolRoute, ToolRouter},
    },
    model::{Prompt, ServerCapabilities, ServerConfig, Tool},
};

use super::{
    Routes, Toolbox, ToolboxError,
    function::{Answer, Function, Kind, OfPrompt, OfResource, OfTool, Outcome, Parts},
    resource::{ResourceAttr, ResourceContext, ResourceRoute, ResourceRoutes},
};

/// The longest name of a tool, in characters (SEP-986).
const MAX_NAME: usize = 128;

/// What `toolbox!` builds.
pub struct ToolboxBuilder<S> {
    state: S,
    tools: Vec<ToolRoute<Toolbox<S>>>,
    prompts: Vec<PromptRoute<Toolbox<S>>>,
    resources: Vec<ResourceRoute<S>>,
}

impl<S> std::fmt::Debug for ToolboxBuilder<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolboxBuilder").finish_non_exhaustive()
    }
}

/// Calls a function with what its parameters take of a request.
fn called<K, S, F, A, M>(
    function: &F,
    context: &mut K::Context<'_, S>,
    uri: &str,
) -> Answer<K::Response>
where
    K: Kind,
    S: 'static,
    A: Parts<K, S>,
    F: Function<A, Output: Outcome<K, M>>,
{
    match A::parts(context) {
        Ok(arguments) => function.call(arguments).outcome(uri),
        Err(error) => Box::pin(ready(Err::<K::Response, ErrorData>(error))),
    }
}

impl<S: Send + Sync + 'static> ToolboxBuilder<S> {
    /// An empty one.
    pub fn new(state: S) -> Self {
        Self {
            state,
            tools: Vec::new(),
            prompts: Vec::new(),
            resources: Vec::new(),
        }
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool<F, A, M>(self, attr: Tool, function: F) -> Self
    where
        F: Function<A, Output: Outcome<OfTool, M>>,
        A: Parts<OfTool, S>,
    {
        self.route(ToolRoute::new_dyn(attr, move |mut context| {
            called::<OfTool, S, F, A, M>(&function, &mut context, "")
        }))
    }

    /// Adds a tool of rmcp.
    pub(crate) fn route(mut self, route: ToolRoute<Toolbox<S>>) -> Self {
        self.tools.push(route);
        self
    }

    /// Adds a prompt.
    #[must_use]
    pub fn prompt<F, A, M>(mut self, attr: Prompt, function: F) -> Self
    where
        F: Function<A, Output: Outcome<OfPrompt, M>>,
        A: Parts<OfPrompt, S>,
    {
        let route = PromptRoute::new_dyn(attr, move |mut context| {
            called::<OfPrompt, S, F, A, M>(&function, &mut context, "")
        });
        self.prompts.push(route);
        self
    }

    /// Adds a resource.
    #[must_use]
    pub fn resource<F, A, M>(mut self, attr: ResourceAttr, function: F) -> Self
    where
        F: Function<A, Output: Outcome<OfResource, M>>,
        A: Parts<OfResource, S>,
    {
        let read = move |mut context: ResourceContext<'_, Toolbox<S>>| {
            let uri = context.uri().to_owned();
            called::<OfResource, S, F, A, M>(&function, &mut context, &uri)
        };
        self.resources
            .push(ResourceRoute::new(attr, Arc::new(read)));
        self
    }

    /// The toolbox.
    ///
    /// # Errors
    /// Two of one name or URI, or a tool's name that the specification does not allow.
    pub fn build(self) -> Result<Toolbox<S>, ToolboxError> {
        let mut tools = ToolRouter::new();
        let mut names = BTreeSet::new();
        for route in self.tools {
            let name = route.name().to_owned();
            if !is_tool_name(&name) {
                return Err(ToolboxError::Name(name));
            }
            if !names.insert(name.clone()) {
                return Err(ToolboxError::Duplicate(name));
            }
            tools.add_route(route);
        }
        let mut prompts = PromptRouter::new();
        for route in self.prompts {
            if prompts.has_route(route.name()) {
                return Err(ToolboxError::DuplicatePrompt(route.name().to_owned()));
            }
            prompts.add_route(route);
        }
        let resources = ResourceRoutes::of(self.resources)?;
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if !prompts.map.is_empty() {
            capabilities.prompts = Some(rmcp::model::PromptsCapability::default());
        }
        if !resources.is_empty() {
            capabilities.resources = Some(rmcp::model::ResourcesCapability::default());
        }
        Ok(Toolbox {
            routes: Arc::new(Routes {
                tools,
                prompts,
                resources,
            }),
            info: Arc::new(ServerConfig::new(capabilities)),
            state: Arc::new(self.state),
        })
    }
}

fn is_tool_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(allowed)
}

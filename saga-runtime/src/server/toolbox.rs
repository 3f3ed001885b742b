//! `Toolbox`: a server of standalone functions.

use std::{collections::BTreeSet, sync::Arc};

use rmcp::{
    ServerHandler,
    handler::server::router::tool::{ToolRoute, ToolRouter},
    model::{Implementation, ServerCapabilities, ServerConfig},
    tool_handler,
};

/// The longest name of a tool, in characters (SEP-986).
const MAX_NAME: usize = 128;

/// A server whose tools are free functions: no struct is needed. Made by [`toolbox!`](crate::toolbox).
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
#[derive(Debug, Clone)]
pub struct Toolbox {
    router: Arc<ToolRouter<Self>>,
    info: Arc<ServerConfig>,
}

/// Why tools cannot be served together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
}

impl Toolbox {
    /// A server of these tools.
    ///
    /// # Errors
    /// Two tools of one name, or a name that the specification does not allow.
    pub fn of(routes: impl IntoIterator<Item = ToolRoute<Self>>) -> Result<Self, ToolboxError> {
        let mut router = ToolRouter::new();
        let mut names = BTreeSet::new();
        for route in routes {
            let name = route.name().to_owned();
            if !is_tool_name(&name) {
                return Err(ToolboxError::Name(name));
            }
            if !names.insert(name.clone()) {
                return Err(ToolboxError::Duplicate(name));
            }
            router.add_route(route);
        }
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        Ok(Self {
            router: Arc::new(router),
            info: Arc::new(ServerConfig::new(capabilities)),
        })
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

fn is_tool_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(allowed)
}

#[tool_handler(router = self.router)]
impl ServerHandler for Toolbox {
    fn get_info(&self) -> ServerConfig {
        (*self.info).clone()
    }
}

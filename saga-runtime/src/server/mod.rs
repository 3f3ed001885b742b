//! `SagaServer`: any rmcp server, with the saga methods and a configuration.

pub(crate) mod extended;
mod first;
pub(crate) mod headers;
pub(crate) mod routes;
pub(crate) mod toolbox;

use std::{borrow::Cow, future::Future, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::router::tool::ToolRouter,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};

use crate::{
    ask::client::Client,
    background::{Host, Hosted, Runner, lacks},
    error::{Error, malformed},
    server::{extended::Extended, routes::Routes},
    token::{
        keyring::KeyError,
        settings::{ServerName, Settings},
    },
    wire::{
        async_call::{self, joined},
        call::Retry,
        saga, task, watched,
    },
};

/// The extension under which the saga methods are advertised in the server's capabilities.
pub const SAGA_EXTENSION: &str = "io.github.saga-rs/saga";

/// A server that can be wrapped and served: every [`ServerHandler`] is one. It is there for what the compiler says where something else
/// is given.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a server",
    label = "a `ServerHandler` is expected",
    note = "`toolbox![..]` returns a `Result`, because two tools may have the same name; instead: `toolbox![..]?`, in a function that returns a `Result`",
    note = "for `Http`, before its closure: `let server = toolbox![..]?;`, and `move || server.clone()`",
    note = "of a type of your own: `#[tool_router(server_handler)]` above its `impl`, or `impl ServerHandler`"
)]
pub trait Servable: ServerHandler {}

#[diagnostic::do_not_recommend]
impl<H: ServerHandler> Servable for H {}

/// Wraps a [`ServerHandler`]: adds `tools/callSaga` and `tools/resumeSaga`, advertises them, and
/// gives its tools these [`Settings`]. Everything else goes to the wrapped handler.
///
/// A server that serves only Multi Round-Trip Requests and the live wire does not need it.
///
/// ```
/// use rmcp::{ServerHandler, model::ServerConfig};
/// use saga_runtime::{Keyring, SagaServer, Settings};
///
/// struct Inner;
/// impl ServerHandler for Inner {}
///
/// let server = SagaServer::new(Inner).with_settings(Settings::new(Keyring::random()?));
/// let extensions = server.get_info().capabilities.extensions;
/// assert!(extensions.is_some_and(|all| all.contains_key(saga_runtime::SAGA_EXTENSION)));
/// # Ok::<(), saga_runtime::KeyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SagaServer<H> {
    inner: H,
    /// The audience of its tokens, where the settings name none.
    name: Arc<str>,
    settings: Option<Settings>,
    without_saga_methods: bool,
    tasks: Option<Hosted>,
    routes: Option<Routes<H>>,
}

impl<H: Servable> SagaServer<H> {
    /// Wraps `inner`, with the settings of the environment, read now: keys that are not right stop the server when it
    /// starts, and are not its first client's error.
    ///
    /// # Errors
    /// See [`Settings::from_env`].
    pub fn from_env(inner: H) -> Result<Self, KeyError> {
        Ok(Self::new(inner).with_settings(Settings::from_env()?))
    }

    /// Wraps `inner`. Without [`with_settings`](Self::with_settings), the settings of the process
    /// are used: what [`Settings::install`] set, else [`Settings::from_env`], read at the first call.
    pub fn new(inner: H) -> Self {
        let name = inner.get_info().server_info.name.into();
        first::look_at_forms(&inner);
        Self::of_name(inner, name)
    }

    /// Wraps `inner`, which is known to be of this name.
    pub(crate) fn of_name(inner: H, name: Arc<str>) -> Self {
        Self {
            inner,
            name,
            settings: None,
            without_saga_methods: false,
            tasks: None,
            routes: None,
        }
    }

    /// Calls its tools through this router, built once, as by `Deployer::tool_router()`: a handler of
    /// `#[tool_router(server_handler)]`, or of `#[tool_handler]` without a router of its own, builds another one for each call,
    /// with all of its tools.
    ///
    /// ```
    /// use rmcp::{tool, tool_router};
    /// use saga_runtime::SagaServer;
    ///
    /// struct Deployer;
    ///
    /// #[tool_router(server_handler)]
    /// impl Deployer {
    ///     #[tool]
    ///     async fn status(&self) -> String {
    ///         "fine".to_owned()
    ///     }
    /// }
    ///
    /// let server = SagaServer::new(Deployer).with_router(Deployer::tool_router());
    /// ```
    #[must_use]
    pub fn with_router(self, router: ToolRouter<H>) -> Self {
        self.with_routes(Routes::of(router))
    }

    pub(crate) fn with_routes(mut self, routes: Routes<H>) -> Self {
        self.routes = Some(routes);
        self
    }

    /// Lets calls of its tools become tasks, which `tasks` keeps and runs: see `saga_tasks::Tasks`. In tokio's runtime.
    ///
    /// Behind [`with_settings`](Self::with_settings): the rows are sealed with the same keys.
    #[must_use]
    pub fn with_tasks(self, tasks: impl Host) -> SagaServer<Arc<H>> {
        let tasks: Arc<dyn Host> = Arc::new(tasks);
        let server = SagaServer {
            inner: Arc::new(self.inner),
            name: self.name,
            settings: self.settings.or_else(|| tasks.settings()),
            without_saga_methods: self.without_saga_methods,
            tasks: None,
            routes: self.routes.map(Routes::shared),
        };
        if let Some(settings) = &server.settings {
            tasks.configure(settings);
        }
        tasks.bind(Runner::new(server.clone()));
        server.with_bound_tasks(Hosted::new(tasks))
    }
}

impl<H> SagaServer<H> {
    /// Gives this server settings of its own.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        if let Some(tasks) = &self.tasks {
            tasks.host.configure(&settings);
        }
        self.settings = Some(settings);
        self
    }

    /// The name of its handler.
    #[cfg(feature = "serve")]
    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// What keeps and runs its tasks.
    #[cfg(feature = "serve")]
    pub(crate) fn host(&self) -> Option<Arc<dyn Host>> {
        let tasks = self.tasks.as_ref();
        tasks.map(|tasks| Arc::clone(&tasks.host))
    }

    /// Lets calls become tasks of a host that knows already how to run them.
    pub(crate) fn with_bound_tasks(mut self, tasks: Hosted) -> Self {
        self.tasks = Some(tasks);
        self
    }

    /// The same with what rmcp's types of results have no member for: see [`Extended`].
    pub fn extended(self) -> Extended<Self> {
        Extended(self)
    }

    /// The wrapped handler.
    pub fn inner(&self) -> &H {
        &self.inner
    }

    /// Does not serve `tools/callSaga` and `tools/resumeSaga`, for a server whose clients all use Multi
    /// Round-Trip Requests or the live wire.
    #[must_use]
    pub fn without_saga_methods(mut self) -> Self {
        self.without_saga_methods = true;
        self
    }

    fn configured(&self, mut context: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        context
            .extensions
            .insert(ServerName(Arc::clone(&self.name)));
        if let Some(settings) = &self.settings {
            context.extensions.insert(settings.clone());
        }
        if let Some(tasks) = &self.tasks {
            context.extensions.insert(tasks.clone());
        }
        context
    }
}

impl<H: ServerHandler> SagaServer<H> {
    async fn saga_method(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let named = |name: &str, context: &_| headers::check_name(context, name);
        let value = match request.method.as_str() {
            saga::CALL => saga::start(&self.inner, request.params, context, named).await?,
            _ => {
                let settings = Settings::of_request(&context).map_err(Error::Keys)?;
                saga::resume(&self.inner, &settings, request.params, context, named).await?
            }
        };
        Ok(CustomResult::new(value))
    }

    /// Whether an async call is of a tool that is neither known nor listed.
    async fn lacks(&self, name: &str, context: &RequestContext<RoleServer>) -> bool {
        lacks(&self.inner, name, context.clone()).await
    }

    fn advertise(&self, capabilities: &mut ServerCapabilities) {
        if let Some(tasks) = &self.tasks {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(TASKS_EXTENSION_ID.to_owned(), JsonObject::new());
            let longest = tasks.host.max_keep_alive().as_secs();
            let calls = json!({ "maxKeepAliveTime": longest });
            if let Value::Object(calls) = calls {
                extensions.insert(async_call::EXTENSION.to_owned(), calls);
            }
        }
        if self.without_saga_methods {
            return;
        }
        let methods = json!({ "methods": [saga::CALL, saga::RESUME] });
        let extensions = capabilities.extensions.get_or_insert_default();
        if let Some(methods) = methods.as_object() {
            extensions.insert(SAGA_EXTENSION.to_owned(), methods.clone());
        }
    }
}

/// On whose behalf a request is.
fn principal_of(context: &RequestContext<RoleServer>) -> Result<Option<String>, Error> {
    let settings = Settings::of_request(context).map_err(Error::Keys)?;
    Ok(settings.principal(context))
}

/// The same of a request about a task; an error where its client knows no tasks.
fn principal_of_task(context: &RequestContext<RoleServer>) -> Result<Option<String>, ErrorData> {
    match task::declared(&Client::of(context)) {
        true => Ok(principal_of(context)?),
        false => Err(task::undeclared()),
    }
}

/// Handlers that go to the wrapped handler as they are.
macro_rules! forward {
    ($($method:ident($params:ty) -> $result:ty;)*) => {
        $(
            fn $method(
                &self,
                params: $params,
                context: RequestContext<RoleServer>,
            ) -> impl Future<Output = Result<$result, ErrorData>> + Send + '_ {
                let context = self.configured(context);
                let handler = async move { self.inner.$method(params, context).await };
                watched::caught(stringify!($method), handler)
            }
        )*
    };
}

/// Notifications that go to the wrapped handler.
macro_rules! forward_notifications {
    ($($method:ident($($params:ident: $ty:ty)?);)*) => {
        $(
            fn $method(
                &self,
                $($params: $ty,)?
                context: NotificationContext<RoleServer>,
            ) -> impl Future<Output = ()> + Send + '_ {
                self.inner.$method($($params,)? context)
            }
        )*
    };
}

#[allow(
    deprecated,
    reason = "what rmcp still serves must still reach the wrapped handler"
)]
impl<H: ServerHandler> ServerHandler for SagaServer<H> {
    forward! {
        complete(CompleteRequestParams) -> CompleteResult;
        set_level(SetLevelRequestParams) -> ();
        list_prompts(Option<PaginatedRequestParams>) -> ListPromptsResult;
        list_resources(Option<PaginatedRequestParams>) -> ListResourcesResult;
        list_resource_templates(Option<PaginatedRequestParams>) -> ListResourceTemplatesResult;
        subscribe(SubscribeRequestParams) -> ();
        unsubscribe(UnsubscribeRequestParams) -> ();
        list_tools(Option<PaginatedRequestParams>) -> ListToolsResult;
        list_skills(Option<PaginatedRequestParams>) -> ListSkillsResult;
        get_skill(GetSkillRequestParams) -> GetSkillResult;
        read_resource_directory(ReadResourceDirectoryRequestParams) -> ReadResourceDirectoryResult;
    }

    forward_notifications! {
        on_cancelled(params: CancelledNotificationParam);
        on_progress(params: ProgressNotificationParam);
        on_initialized();
        on_roots_list_changed();
    }

    fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + Send + '_ {
        let context = self.configured(context);
        let handler = async move {
            match &self.routes {
                Some(routes) => routes.call(&self.inner, params, context).await,
                // Of the author's making, and perhaps large.
                None => Box::pin(self.inner.call_tool(params, context)).await,
            }
        };
        watched::caught("call_tool", handler)
    }

    fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send + '_ {
        let mut context = self.configured(context);
        context.extensions.insert(Retry {
            input_responses: params.input_responses.clone(),
            request_state: params.request_state.clone(),
        });
        let handler = async move { self.inner.get_prompt(params, context).await };
        watched::caught("get_prompt", handler)
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let context = self.configured(context);
        if let (Some(tasks), Some(token)) = (&self.tasks, joined::token_of(&params.uri)) {
            let principal = principal_of(&context)?;
            let task = tasks.host.get(token.to_owned(), principal).await?;
            let message = task.task.task.status_message.unwrap_or_default();
            let contents = ResourceContents::text(message, params.uri);
            return Ok(ReadResourceResult::new(vec![contents]).into());
        }
        let handler = async move { self.inner.read_resource(params, context).await };
        watched::caught("read_resource", handler).await
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let context = self.configured(context);
        match &self.tasks {
            None => self.inner.get_task(params, context).await,
            Some(tasks) => {
                let answer = async {
                    let principal = principal_of_task(&context)?;
                    tasks.host.get(params.task_id, principal).await
                };
                watched::caught("tasks/get", answer).await
            }
        }
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let context = self.configured(context);
        match &self.tasks {
            None => self.inner.update_task(params, context).await,
            Some(tasks) => {
                let answer = async {
                    let principal = principal_of_task(&context)?;
                    let responses = params.input_responses;
                    let host = &tasks.host;
                    host.update(params.task_id, principal, responses).await
                };
                watched::caught("tasks/update", answer).await
            }
        }
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let context = self.configured(context);
        match &self.tasks {
            None => self.inner.cancel_task(params, context).await,
            Some(tasks) => {
                let answer = async {
                    let principal = principal_of_task(&context)?;
                    tasks.host.cancel(params.task_id, principal).await
                };
                watched::caught("tasks/cancel", answer).await
            }
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let context = self.configured(context);
        let method = request.method.clone();
        match (method.as_str(), &self.tasks) {
            (saga::CALL | saga::RESUME, _) if !self.without_saga_methods => {
                let answer = Box::pin(self.saga_method(request, context));
                watched::caught(&method, answer).await
            }
            (
                async_call::CALL | async_call::JOIN | async_call::GET | async_call::CANCEL,
                Some(tasks),
            ) => {
                let answer = async {
                    let params = request.params;
                    let called = params.as_ref().filter(|_| method == async_call::CALL);
                    if let Some(name) = called.and_then(|params| params.get("name")?.as_str()) {
                        headers::check_name(&context, name)?;
                        if self.lacks(name, &context).await {
                            return Ok(CustomResult::new(async_call::no_tool()));
                        }
                    }
                    let answer = async_call::serve(tasks, &method, params, context).await?;
                    Ok(CustomResult::new(answer))
                };
                watched::caught(&method, Box::pin(answer)).await
            }
            // rmcp does not know a request whose parameters do not fit; nobody else must take it for its own.
            (
                "tools/call" | "prompts/get" | "resources/read" | "tasks/get" | "tasks/update"
                | "tasks/cancel",
                _,
            ) => Err(malformed(format!(
                "the parameters of `{method}` are not of its form"
            ))),
            _ => {
                let answer = async { self.inner.on_custom_request(request, context).await };
                watched::caught(&method, Box::pin(answer)).await
            }
        }
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        match &self.tasks {
            Some(tasks) if notification.method == async_call::CANCEL => {
                // A notification has no answer; its principal is told as a request's.
                let mut request = RequestContext::new(NumberOrString::Number(0), context.peer);
                request.meta = RequestMetaObject(context.meta.0);
                request.extensions = context.extensions;
                let request = self.configured(request);
                match principal_of(&request) {
                    Ok(principal) => {
                        async_call::notified(tasks, notification.params, principal).await;
                    }
                    Err(error) => tracing::error!(%error, "an async call was not cancelled"),
                }
            }
            _ => {
                self.inner
                    .on_custom_notification(notification, context)
                    .await
            }
        }
    }

    fn ping(
        &self,
        context: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.inner.ping(context)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.initialize(request, context).await?;
        self.advertise(&mut result.capabilities);
        Ok(result)
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.negotiate_initialize(request)?;
        self.advertise(&mut result.capabilities);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.inner.discover(context).await?;
        self.advertise(&mut result.capabilities);
        Ok(result)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.inner.get_info();
        self.advertise(&mut info.capabilities);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        match &self.routes {
            Some(routes) => routes.get(name),
            None => self.inner.get_tool(name),
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.inner.accepted_subscription_filter(requested)
    }

    fn listen(
        &self,
        context: SubscriptionContext,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.inner.listen(context)
    }
}

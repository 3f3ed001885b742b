//! `SagaServer`: any rmcp server, with the saga methods and a configuration.

pub(crate) mod toolbox;

use std::{borrow::Cow, future::Future};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::json;

use crate::{
    token::settings::Settings,
    wire::{call::Retry, saga},
};

/// The extension under which the saga methods are advertised in the server's capabilities.
pub const SAGA_EXTENSION: &str = "io.github.saga-rs/saga";

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
    settings: Option<Settings>,
}

impl<H> SagaServer<H> {
    /// Wraps `inner`. Without [`with_settings`](Self::with_settings), the settings of the process
    /// are used: what [`Settings::install`] set, else [`Settings::from_env`].
    pub fn new(inner: H) -> Self {
        Self {
            inner,
            settings: None,
        }
    }

    /// Gives this server settings of its own.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = Some(settings);
        self
    }

    /// The wrapped handler.
    pub fn inner(&self) -> &H {
        &self.inner
    }

    fn configured(&self, mut context: RequestContext<RoleServer>) -> RequestContext<RoleServer> {
        if let Some(settings) = &self.settings {
            context.extensions.insert(settings.clone());
        }
        context
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
                self.inner.$method(params, self.configured(context))
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
        read_resource(ReadResourceRequestParams) -> ReadResourceResponse;
        subscribe(SubscribeRequestParams) -> ();
        unsubscribe(UnsubscribeRequestParams) -> ();
        call_tool(CallToolRequestParams) -> CallToolResponse;
        list_tools(Option<PaginatedRequestParams>) -> ListToolsResult;
        get_task(GetTaskParams) -> GetTaskResult;
        update_task(UpdateTaskParams) -> ();
        cancel_task(CancelTaskParams) -> ();
        list_skills(Option<PaginatedRequestParams>) -> ListSkillsResult;
        get_skill(GetSkillRequestParams) -> GetSkillResult;
        read_resource_directory(ReadResourceDirectoryRequestParams) -> ReadResourceDirectoryResult;
    }

    forward_notifications! {
        on_cancelled(params: CancelledNotificationParam);
        on_progress(params: ProgressNotificationParam);
        on_initialized();
        on_roots_list_changed();
        on_custom_notification(params: CustomNotification);
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
        self.inner.get_prompt(params, context)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let context = self.configured(context);
        let value = match request.method.as_str() {
            saga::CALL => saga::call(&self.inner, request.params, context).await?,
            saga::RESUME => {
                let settings = Settings::of(&context)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                saga::resume(&self.inner, &settings, request.params, context).await?
            }
            _ => return self.inner.on_custom_request(request, context).await,
        };
        Ok(CustomResult::new(value))
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
        advertise(&mut result.capabilities);
        Ok(result)
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.inner.negotiate_initialize(request)?;
        advertise(&mut result.capabilities);
        Ok(result)
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let mut result = self.inner.discover(context).await?;
        advertise(&mut result.capabilities);
        Ok(result)
    }

    fn get_info(&self) -> ServerConfig {
        let mut info = self.inner.get_info();
        advertise(&mut info.capabilities);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner.supported_protocol_versions()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.inner.get_tool(name)
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

fn advertise(capabilities: &mut ServerCapabilities) {
    let methods = json!({ "methods": [saga::CALL, saga::RESUME] });
    let extensions = capabilities.extensions.get_or_insert_default();
    if let Some(methods) = methods.as_object() {
        extensions.insert(SAGA_EXTENSION.to_owned(), methods.clone());
    }
}

//! The server: what it announces, and which part serves what.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::router::{prompt::PromptRouter, tool::ToolRouter},
    model::*,
    prompt_handler,
    service::{RequestContext, SubscriptionContext},
    tool_handler,
};

use crate::{
    notifying::{Changes, Level},
    resources,
};

/// The server of one session, or of one request where there are no sessions.
pub(crate) struct Everything {
    pub(crate) shared: Arc<Shared>,
    pub(crate) changes: Changes,
    /// What a client of 2025-11-25 has set for its session.
    pub(crate) level: Level,
}

/// What all sessions have in common.
pub(crate) struct Shared {
    tools: ToolRouter<Everything>,
    prompts: PromptRouter<Everything>,
}

impl Everything {
    pub(crate) fn new() -> Self {
        let tools = Self::content_tools()
            + Self::notifying_tools()
            + Self::asking_tools()
            + Self::round_tools()
            + Self::task_tools()
            + Self::part_tools();
        let shared = Shared {
            tools,
            prompts: Self::prompts(),
        };
        Self {
            shared: Arc::new(shared),
            changes: Changes::new(),
            level: Level::default(),
        }
    }

    /// The same server for another client.
    pub(crate) fn of_new_session(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            changes: self.changes.of_new_session(),
            level: Level::default(),
        }
    }
}

#[tool_handler(router = self.shared.tools)]
#[prompt_handler(router = self.shared.prompts)]
impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed();
        ServerConfig::new(capabilities.build())
            .with_server_info(Implementation::new("everything", env!("CARGO_PKG_VERSION")))
            .with_instructions("Uses every part of the protocol")
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.level.set(request.level);
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known: &[&str] = match (&request.r#ref, request.argument.name.as_str()) {
            (Reference::Prompt(_), "arg1" | "arg2") => &["first", "second", "third"],
            (Reference::Resource(_), "id") => &["1", "2", "3"],
            _ => &[],
        };
        let values = known
            .iter()
            .filter(|value| value.starts_with(&request.argument.value))
            .map(|value| (*value).to_owned())
            .collect();
        CompletionInfo::with_all_values(values)
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::all()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // The resources never change, so there is nothing to remember.
        resources::read(&request.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        resources::read(&request.uri).map(drop)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes.pass_on(&context).await;
        Ok(())
    }
}

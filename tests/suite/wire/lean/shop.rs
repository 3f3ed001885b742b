//! A handler with everything that a request can lead to.

use std::sync::{Arc, Mutex};

use axum::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{RequestContext, ServiceError},
};
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, Semaphore};

/// What a test and the handler tell each other.
#[derive(Default)]
pub(super) struct World {
    pub(super) started: Notify,
    pub(super) ended: Notify,
    pub(super) go_on: Option<Semaphore>,
    /// Of each tool that has waited, whether it was told that its client has left.
    pub(super) told: Mutex<Vec<bool>>,
}

#[derive(Clone, Default)]
pub(super) struct Shop(pub(super) Arc<World>);

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// What a handler can know of a request.
fn known(params: &impl std::fmt::Debug, context: &RequestContext<RoleServer>) -> String {
    let parts = context.extensions.get::<Parts>();
    let head = parts.map(|parts| {
        let added = parts.extensions.get::<&'static str>();
        format!(
            "{} {} {:?} {added:?}",
            parts.method, parts.uri, parts.version
        )
    });
    let header = parts.and_then(|parts| parts.headers.get("x-own").cloned());
    format!(
        "{params:?} {:?} {:?} {:?} {:?} {:?} {head:?} {header:?} {:?} {}",
        context.id,
        context.meta,
        context.protocol_version(),
        context.client_info(),
        context.client_capabilities(),
        context.peer.peer_info(),
        context.ct.is_cancelled(),
    )
}

impl Shop {
    async fn progress(
        context: &RequestContext<RoleServer>,
        steps: usize,
    ) -> Result<(), ServiceError> {
        for step in 0..steps {
            let token = context.meta.get_progress_token();
            let token = token.unwrap_or(ProgressToken(NumberOrString::Number(0)));
            let params = ProgressNotificationParam::new(token, step as f64);
            context.peer.notify_progress(params).await?;
        }
        Ok(())
    }

    #[expect(deprecated, reason = "servers may still send it")]
    async fn log(context: &RequestContext<RoleServer>, times: usize) -> Result<(), ServiceError> {
        for turn in 0..times {
            let params = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(turn));
            context.peer.notify_logging_message(params).await?;
        }
        Ok(())
    }

    async fn wait(&self, context: &RequestContext<RoleServer>) {
        self.0.started.notify_one();
        match &self.0.go_on {
            Some(go_on) => go_on.acquire().await.unwrap().forget(),
            None => std::future::pending().await,
        }
        let told = context.ct.is_cancelled();
        self.0.told.lock().unwrap().push(told);
        self.0.ended.notify_one();
    }
}

fn failure(name: &str) -> Option<ErrorData> {
    Some(match name {
        "invalid" => ErrorData::invalid_params("no", Some(json!({ "a": [1] }))),
        "lost" => ErrorData::resource_not_found("no such thing", None),
        "mismatch" => ErrorData::header_mismatch("not so", None),
        "missing" => ErrorData::method_not_found::<CallToolRequestMethod>(),
        "incapable" => ErrorData::missing_required_client_capability(ClientCapabilities::default()),
        "internal" => ErrorData::internal_error("\u{1F4A5} \"quoted\"\n", None),
        _ => return None,
    })
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" },
                "empty": { "type": "string", "x-mcp-header": "" },
                "odd": { "type": "string", "x-mcp-header": 5 },
                "plain": { "type": "string" },
                "where": { "type": "object", "properties": {
                    "floor": { "type": "integer", "x-mcp-header": "Floor" },
                } },
            },
        });
        let schema = match schema {
            Value::Object(schema) => schema,
            _ => Map::new(),
        };
        (name == "annotated").then(|| Tool::new("annotated", "", Arc::new(schema)))
    }

    #[expect(deprecated, reason = "what rmcp forbids is tried")]
    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let steps = params
            .arguments
            .as_ref()
            .and_then(|all| all.get("steps")?.as_u64());
        let steps = steps.unwrap_or(3) as usize;
        Ok(match params.name.as_ref() {
            "known" | "annotated" => text(known(&params, &context)),
            "task" => text(format!("{:?}", tokio::task::try_id().is_some())),
            "progress" => text(format!(
                "{:?}",
                Self::progress(&context, steps).await.is_ok()
            )),
            "log" => text(format!("{:?}", Self::log(&context, steps).await.is_ok())),
            "ask" => text(format!("{:?}", context.peer.list_roots().await)),
            "fails" => CallToolResult::error(vec![ContentBlock::text("not today")]).into(),
            "asks" => InputRequiredResult::new(Some([].into()), Some("state".to_owned())).into(),
            "panics" => panic!("the secret is 42"),
            "structured" => CallToolResult::structured(json!({ "z": 1, "a": [null, 1.5] })).into(),
            "waits" => {
                self.wait(&context).await;
                text(format!("{}", context.ct.is_cancelled()))
            }
            "notifies and waits" => {
                let noted = Self::progress(&context, 1).await.is_ok();
                self.wait(&context).await;
                text(format!("{noted} {}", context.ct.is_cancelled()))
            }
            "many" => {
                let noted = Self::progress(&context, 100).await.is_ok();
                self.0.ended.notify_one();
                text(format!("{noted}"))
            }
            "blocks" => {
                // As from a callback of code that is not async.
                let noted = tokio::task::block_in_place(|| {
                    let sent = Self::progress(&context, 40);
                    tokio::runtime::Handle::current().block_on(sent).is_ok()
                });
                text(format!("{noted}"))
            }
            "after" => {
                // Outlives its request, which has to be told.
                let (peer, world) = (context.peer.clone(), Arc::clone(&self.0));
                let over = context.ct.clone();
                tokio::spawn(async move {
                    over.cancelled().await;
                    let params = ProgressNotificationParam::new(
                        ProgressToken(NumberOrString::Number(9)),
                        1.0,
                    );
                    while peer.notify_progress(params.clone()).await.is_ok() {
                        tokio::task::yield_now().await;
                    }
                    world.ended.notify_one();
                });
                text("begun")
            }
            name => {
                return Err(failure(name)
                    .unwrap_or_else(|| ErrorData::invalid_params("tool not found", None)));
            }
        })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        match failure(&params.name) {
            Some(error) => Err(error),
            None => {
                let text = known(&params, &context);
                let message = PromptMessage::new_text(Role::User, text);
                Ok(GetPromptResult::new(vec![message]).into())
            }
        }
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match failure(&params.uri) {
            Some(error) => Err(error),
            None => {
                let known = ResourceContents::text(known(&params, &context), params.uri);
                Ok(ReadResourceResult::new(vec![known]).into())
            }
        }
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Err(ErrorData::invalid_params(known(&params, &context), None))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match params.task_id.as_str() {
            "fine" => Ok(()),
            _ => Err(ErrorData::invalid_params(known(&params, &context), None)),
        }
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match params.task_id.as_str() {
            "fine" => Ok(()),
            _ => Err(ErrorData::invalid_params(known(&params, &context), None)),
        }
    }
}

//! What the proposals add to messages for which rmcp's types have no member.

use std::{borrow::Cow, future::Future};

use rmcp::{
    ErrorData, RoleServer, Service,
    model::{
        ClientNotification, ClientRequest, CustomResult, ProtocolVersion, ServerConfig,
        ServerResult,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::{Map, Value, json};

use crate::wire::{async_call, resume};

/// The member of a tool's `_meta` that says that its calls are best async: `annotations.preferAsync` of the proposal.
pub const PREFER_ASYNC: &str = "io.github.saga-rs/preferAsync";

/// A server that sends what the proposals add where they have it: `nextResumeToken` as a member of the result, `async` among the
/// capabilities, `preferAsync` among a tool's annotations. Without it, they are in `_meta` and in `extensions` alone. [`serve`](crate::serve) puts it around what it serves; for rmcp's own transports, [`SagaServer::extended`](crate::SagaServer::extended).
#[derive(Debug, Clone)]
pub struct Extended<S>(pub(crate) S);

impl<S: Service<RoleServer>> Service<RoleServer> for Extended<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let result = self.0.handle_request(request, context).await?;
        let concerned = match &result {
            ServerResult::CallToolResult(called) => {
                let meta = called.meta.as_ref();
                meta.is_some_and(|meta| meta.contains_key(resume::NEXT))
            }
            // rmcp itself wants to see the result of a handshake.
            ServerResult::DiscoverResult(_) | ServerResult::ListToolsResult(_) => true,
            _ => false,
        };
        if !concerned {
            return Ok(result);
        }
        if let Ok(Value::Object(mut object)) = serde_json::to_value(&result)
            && complete(&mut object)
        {
            let completed = CustomResult::new(Value::Object(object));
            return Ok(ServerResult::CustomResult(completed));
        }
        Ok(result)
    }

    fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = Result<(), ErrorData>> + Send + '_ {
        self.0.handle_notification(notification, context)
    }

    fn get_info(&self) -> ServerConfig {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}

/// Puts members where the proposals have them; `false` where there is nothing to put.
pub(crate) fn complete(result: &mut Map<String, Value>) -> bool {
    let next = result.get("_meta").and_then(|meta| meta.get(resume::NEXT));
    if let Some(next) = next.cloned() {
        result.insert(resume::NEXT.to_owned(), next);
        return true;
    }
    if let Some(capabilities) = result.get_mut("capabilities") {
        let calls = capabilities.get("extensions");
        let calls = calls
            .and_then(|extensions| extensions.get(async_call::EXTENSION))
            .cloned();
        if let (Some(calls), Some(capabilities)) = (calls, capabilities.as_object_mut()) {
            capabilities.insert("async".to_owned(), calls);
            return true;
        }
    }
    let Some(Value::Array(tools)) = result.get_mut("tools") else {
        return false;
    };
    let mut changed = false;
    for tool in tools {
        let preferred = tool
            .get("_meta")
            .and_then(|meta| meta.get(PREFER_ASYNC))
            .cloned();
        if let (Some(preferred), Some(tool)) = (preferred, tool.as_object_mut()) {
            let annotations = tool.entry("annotations").or_insert_with(|| json!({}));
            if let Some(annotations) = annotations.as_object_mut() {
                annotations.insert("preferAsync".to_owned(), preferred);
                changed = true;
            }
        }
    }
    changed
}

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
use serde_json::{Map, Value};

use crate::wire::resume;

/// A server that sends `nextResumeToken` where the proposals have it: as a member of the result. Without it, it is in the result's
/// `_meta` alone. [`serve`](crate::serve) puts it around what it serves; for rmcp's own transports, [`SagaServer::extended`](crate::SagaServer::extended).
#[derive(Debug, Clone)]
pub struct Extended<S>(pub(crate) S);

impl<S: Service<RoleServer>> Service<RoleServer> for Extended<S> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let result = self.0.handle_request(request, context).await?;
        Ok(match result {
            ServerResult::CallToolResult(called) => {
                let next = called.meta.as_ref().and_then(|meta| meta.get(resume::NEXT));
                match next.cloned() {
                    None => ServerResult::CallToolResult(called),
                    Some(next) => with(ServerResult::CallToolResult(called), |result| {
                        result.insert(resume::NEXT.to_owned(), next);
                    }),
                }
            }
            other => other,
        })
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

/// The result as JSON, changed.
fn with(result: ServerResult, change: impl FnOnce(&mut Map<String, Value>)) -> ServerResult {
    match serde_json::to_value(&result) {
        Ok(Value::Object(mut object)) => {
            change(&mut object);
            ServerResult::CustomResult(CustomResult::new(Value::Object(object)))
        }
        _ => result,
    }
}

//! What a handler makes of a request that is as it is meant to be.

use std::future::Future;

use rmcp::{
    ErrorData, RoleServer, ServerHandler, Service as _,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientRequest,
        ProtocolVersion, RequestMetaObject,
    },
    service::RequestContext,
};
use serde_json::Value;

use super::running::{Handled, Handler};
use crate::ask::client::CAPABILITIES;

/// Serves a request of 2026-07-28 whose `_meta` was looked at.
///
/// rmcp's `handle_request` reads the client's capabilities twice more, and its future has room for each method that there is. Most
/// requests are calls of tools, for which this does the same; the others have that future.
pub(super) fn handled<H: ServerHandler>(
    handler: H,
    request: ClientRequest,
    context: RequestContext<RoleServer>,
) -> Handler {
    match request {
        ClientRequest::CallToolRequest(request) => {
            Box::pin(call_tool(handler, request.params, context))
        }
        request => Box::pin(async move { handler.handle_request(request, context).await }),
    }
}

#[expect(
    clippy::manual_async_fn,
    reason = "an async fn holds its arguments twice"
)]
fn call_tool<H: ServerHandler>(
    handler: H,
    params: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> impl Future<Output = Handled> + Send {
    async move {
        let version = ProtocolVersion::V_2026_07_28;
        let supported = handler.supported_protocol_versions();
        if !supported.contains(&version) {
            return Err(ErrorData::unsupported_protocol_version(version, &supported));
        }
        let knows_tasks = knows_tasks(&context.meta);
        let response = handler.call_tool(params, context).await?;
        if matches!(response, CallToolResponse::Task(_)) && !knows_tasks {
            let tasks = ClientCapabilities::builder().enable_tasks().build();
            return Err(ErrorData::missing_required_client_capability(tasks));
        }
        Ok(response.into())
    }
}

/// Whether the client knows what to do with a task: an object without an `extensions` is not read again.
fn knows_tasks(meta: &RequestMetaObject) -> bool {
    let declared = meta.get(CAPABILITIES).and_then(Value::as_object);
    let extends = declared.is_none_or(|declared| declared.contains_key("extensions"));
    extends
        && meta
            .client_capabilities()
            .is_some_and(|declared| declared.supports_tasks())
}

#[cfg(test)]
mod tests {
    use rmcp::model::MetaObject;
    use serde_json::json;

    use super::*;

    /// Also in the form of an array, which serde reads as it reads an object.
    #[test]
    fn a_client_knows_tasks_where_rmcp_reads_so() {
        let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
        let other = json!({ "com.example/other": {} });
        for (declared, knows) in [
            (json!({}), false),
            (json!({ "elicitation": {} }), false),
            (json!({ "extensions": other }), false),
            (json!({ "extensions": tasks }), true),
            (json!([null, tasks, null, null, null]), true),
            (json!([null, other, null, null, null]), false),
            (json!("tasks"), false),
        ] {
            let members = [(CAPABILITIES.to_owned(), declared.clone())];
            let meta = RequestMetaObject(MetaObject(members.into_iter().collect()));
            let read = meta.client_capabilities();
            let read = read.is_some_and(|declared| declared.supports_tasks());
            assert_eq!((knows_tasks(&meta), read), (knows, knows), "{declared}");
        }
    }
}

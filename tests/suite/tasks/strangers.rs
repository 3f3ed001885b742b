//! Tasks around a handler that does things its own way.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CustomNotification, ListToolsResult, PaginatedRequestParams, Tool},
    service::{NotificationContext, RequestContext},
};
use saga_runtime::{Keyring, SagaServer, Settings};
use saga_tasks::MemoryStore;
use serde_json::{Value, json};
use tests::Trace;

use super::process::quick;
use crate::wire::client::Wire;

/// Lists tools that are not found by their name, and hears notifications.
#[derive(Clone)]
struct Stranger {
    world: Arc<Trace>,
    more: bool,
}

impl ServerHandler for Stranger {
    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = Tool::new("listed", "", Arc::default());
        let mut listed = ListToolsResult::with_all_items(vec![tool]);
        listed.next_cursor = self.more.then(|| "more".to_owned());
        Ok(listed)
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        self.world.note(&notification.method);
    }
}

fn open(world: &Arc<Trace>, more: bool) -> Wire {
    let world = Arc::clone(world);
    let server = SagaServer::new(Stranger { world, more })
        .with_settings(Settings::new(Keyring::new("test", [7; 32]).unwrap()))
        .with_tasks(quick(MemoryStore::new()));
    Wire::open_service(server.extended())
}

async fn accepts(more: bool, tool: &str) -> Value {
    let params = json!({ "name": tool, "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    } });
    let mut wire = open(&Arc::default(), more);
    let mut called = wire.request("tools/async/call", params).await.unwrap();
    called["accepted"].take()
}

#[tokio::test]
async fn a_tool_that_is_listed_or_may_be_on_another_page_is_called() {
    assert_eq!(accepts(false, "listed").await, true);
    assert_eq!(accepts(false, "unlisted").await, false);
    assert_eq!(accepts(true, "unlisted").await, true);
}

#[tokio::test]
async fn notifications_that_are_none_of_ours_are_the_handlers() {
    let world = Arc::<Trace>::default();
    let mut wire = open(&world, false);
    wire.greet(json!({})).await;
    for method in ["tools/async/cancel", "notifications/own"] {
        wire.send(json!({ "jsonrpc": "2.0", "method": method, "params": {} }))
            .await;
    }
    // Each is heard beside what comes behind it.
    for _ in 0..100 {
        wire.request("ping", json!({})).await.unwrap();
    }
    assert_eq!(world.events(), ["notifications/own"]);
}

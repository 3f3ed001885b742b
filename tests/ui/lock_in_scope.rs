use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn tool(peer: Peer<RoleServer>, counter: &tokio::sync::Mutex<Vec<u8>>) -> bool {
    let mut guard = counter.lock().await;
    guard.push(1);
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}

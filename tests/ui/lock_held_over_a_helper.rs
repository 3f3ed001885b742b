use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Mutex;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn sure(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("sure?").await.is_ok()
}

#[saga]
async fn clear(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> bool {
    let mut guard = list.lock().await;
    guard.clear();
    sure(&peer).await;
    true
}

fn main() {}

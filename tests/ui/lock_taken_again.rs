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
async fn clear(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> bool {
    let list_before = list.lock().await;
    drop(list_before);
    let mut list_before = list.lock().await;
    list_before.clear();
    peer.elicit::<Confirm>("sure?").await.is_ok()
}

fn main() {}

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
async fn clear(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> (usize, bool) {
    (
        list.lock().await.len(),
        peer.elicit::<Confirm>("sure?").await.is_ok(),
    )
}

#[saga]
async fn told(peer: Peer<RoleServer>, list: &Mutex<Vec<u8>>) -> String {
    format!(
        "{} {}",
        list.lock().await.len(),
        peer.elicit::<Confirm>("sure?").await.is_ok()
    )
}

#[saga]
async fn asked(peer: Peer<RoleServer>, name: &Mutex<String>) -> bool {
    peer.elicit::<Confirm>(name.lock().await.as_str())
        .await
        .is_ok()
}

fn main() {}

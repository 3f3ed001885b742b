use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::RwLock;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn tool(peer: Peer<RoleServer>, list: &RwLock<Vec<u8>>) -> usize {
    #[saga(remake)]
    let list = list.read().await;
    let _ = peer.elicit::<Confirm>("ok?").await;
    list.len()
}

fn main() {}

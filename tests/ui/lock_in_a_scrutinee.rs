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
async fn tool(peer: Peer<RoleServer>, state: &tokio::sync::Mutex<Option<u8>>) -> bool {
    match *state.lock().await {
        Some(_) => peer.elicit::<Confirm>("ok?").await.is_ok(),
        None => false,
    }
}

fn main() {}

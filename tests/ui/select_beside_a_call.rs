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
async fn tool(peer: Peer<RoleServer>) -> bool {
    tokio::select! {
        sure = confirm(&peer) => sure,
        _ = std::future::ready(1) => false,
    }
}

#[saga]
async fn confirm(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}

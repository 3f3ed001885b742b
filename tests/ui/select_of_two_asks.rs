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
        first = peer.elicit::<Confirm>("first?") => first.is_ok(),
        second = peer.elicit::<Confirm>("second?") => second.is_ok(),
    }
}

fn main() {}

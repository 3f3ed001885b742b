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
    let limit = std::time::Duration::from_secs(60);
    tokio::time::timeout(limit, peer.elicit_with_timeout::<Confirm>("ok?", Some(limit)))
        .await
        .is_ok()
}

fn main() {}

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
async fn tool(peer: Peer<RoleServer>, name: String) -> usize {
    #[saga(remake)]
    let mut parts: Vec<&str> = name.split(' ').collect();
    parts.clear();
    let _ = peer.elicit::<Confirm>("ok?").await;
    parts.len()
}

fn main() {}

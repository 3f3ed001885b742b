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
async fn tool(peer: Peer<RoleServer>) -> String {
    let answer = peer.elicit::<Confirm>("ok?").await;
    format!("{} {}", peer.supports_sampling_tools(), answer.is_ok())
}

fn main() {}

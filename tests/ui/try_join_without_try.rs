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
    let both = tokio::try_join!(peer.elicit::<Confirm>("one?"), peer.elicit::<Confirm>("two?"));
    both.is_ok()
}

fn main() {}

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
async fn helper(peer: &Peer<RoleServer>, ((1, chosen) | (chosen, _)): &mut (u32, u32)) {
    *chosen = 1;
    let _ = peer.elicit::<Confirm>("ok?").await;
    *chosen += 1;
}

fn main() {}

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
async fn sure(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga(plain(sure), asks(sure))]
async fn tool(peer: Peer<RoleServer>) -> bool {
    sure(&peer).await
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

fn pick(peers: &[Peer<RoleServer>]) -> Peer<RoleServer> {
    peers[0].clone()
}

#[saga]
async fn ask(peer: Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn tool(peer: Peer<RoleServer>, others: &[Peer<RoleServer>]) -> bool {
    let other = pick(others);
    let sure = ask(other).await;
    peer.elicit::<Confirm>("ok?").await.is_ok() && sure
}

fn main() {}

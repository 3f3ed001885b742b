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
fn tool(peer: &Peer<RoleServer>) -> bool {
    peer.is_transport_closed()
}

#[saga]
fn begun(peer: &Peer<RoleServer>) -> impl Future<Output = bool> {
    println!("begun");
    async move { peer.elicit::<Confirm>("Sure?").await.is_ok() }
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Sure {
    ok: bool,
}
rmcp::elicit_safe!(Sure);

#[saga(once)]
async fn sure(peer: &Peer<RoleServer>) -> bool {
    matches!(peer.elicit::<Sure>("Sure?").await, Ok(Some(Sure { ok: true })))
}

fn main() {}

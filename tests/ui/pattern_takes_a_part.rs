use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Serialize, Deserialize)]
struct Order {
    note: Option<String>,
    total: u8,
}

#[saga]
async fn tool(peer: Peer<RoleServer>, order: Order) -> u8 {
    let Order { note, .. } = order;
    let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
    if sure && note.is_some() { order.total } else { 0 }
}

fn main() {}

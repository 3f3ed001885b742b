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
    let mut sure = false;
    if let Order { note: Some(note), .. } = order {
        sure = peer.elicit::<Confirm>(note).await.is_ok();
    }
    if sure { order.total } else { 0 }
}

fn main() {}

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
struct Note(String);

#[derive(Serialize, Deserialize)]
struct Order {
    note: Note,
    total: u8,
}

#[saga]
async fn tool(peer: Peer<RoleServer>, order: Order) -> u8 {
    let note = order.note;
    match peer.elicit::<Confirm>(note.0.as_str()).await {
        Ok(_) => order.total,
        Err(_) => 0,
    }
}

fn main() {}

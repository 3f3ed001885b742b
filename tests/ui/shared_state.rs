use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

use std::sync::{Arc, Mutex};

struct Desk {
    lent: Arc<Mutex<Vec<String>>>,
}

fn lent(desk: &Desk) -> Arc<Mutex<Vec<String>>> {
    desk.lent.clone()
}

#[saga]
async fn tool(peer: Peer<RoleServer>, desk: &Desk) -> bool {
    let lent = lent(desk);
    let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
    lent.lock().is_ok() && sure
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

use std::sync::Mutex;

#[saga]
async fn tool(peer: Peer<RoleServer>, counter: &Mutex<u8>) -> bool {
    let _guard = counter.lock();
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}

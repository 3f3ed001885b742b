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
async fn confirmed<F: FnOnce() -> u8>(peer: &Peer<RoleServer>, then: F) -> u8 {
    match peer.elicit::<Confirm>("ok?").await {
        Ok(_) => then(),
        Err(_) => 0,
    }
}

fn main() {}

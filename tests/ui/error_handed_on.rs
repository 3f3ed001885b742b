//! What is stored by its text alone is not left to a call that is made again.

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
async fn told(peer: &Peer<RoleServer>, error: std::io::Error) -> String {
    let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
    format!("{error} {sure}")
}

#[saga]
async fn handed_on(peer: &Peer<RoleServer>, error: std::io::Error) -> String {
    told(peer, error).await
}

fn main() {}

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
async fn tool(peer: Peer<RoleServer>) -> usize {
    let ask = async |message: &str| peer.elicit::<Confirm>(message).await.is_ok();
    usize::from(ask("ok?").await)
}

fn main() {}

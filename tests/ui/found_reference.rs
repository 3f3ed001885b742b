use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

fn longest(names: &[String]) -> &String {
    &names[0]
}

#[saga]
async fn tool(peer: Peer<RoleServer>, names: &[String]) -> String {
    let name = longest(names);
    let _ = peer.elicit::<Confirm>("ok?").await;
    name.clone()
}

fn main() {}

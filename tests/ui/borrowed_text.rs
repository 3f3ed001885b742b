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
async fn unit(peer: Peer<RoleServer>, call: &serde_json::Value) -> String {
    let unit = call.get("unit").and_then(|unit| unit.as_str()).unwrap_or("all");
    let _ = peer.elicit::<Confirm>(format!("{unit}?")).await;
    unit.to_owned()
}

fn main() {}

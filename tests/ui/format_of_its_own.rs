use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

macro_rules! format {
    ($text:literal, $value:expr) => {
        if $text.is_empty() { String::new() } else { $value.to_string() }
    };
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> String {
    format!("{}", peer.elicit::<Confirm>("ok?").await.is_ok())
}

fn main() {}

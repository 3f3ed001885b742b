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
async fn tool(peer: Peer<RoleServer>) -> bool {
    let (first, second) = tokio::join!(peer.elicit::<Confirm>("first?"), async {
        peer.elicit::<Confirm>("second?").await.is_ok()
    });
    first.is_ok_and(|first| first.is_some_and(|first| first.ok)) && second
}

fn main() {}

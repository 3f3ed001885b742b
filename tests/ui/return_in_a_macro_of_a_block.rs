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
async fn tool(peer: Peer<RoleServer>) -> Option<String> {
    async {
        let confirm = peer.elicit::<Confirm>("ok?").await.ok()?;
        Some(format!("{}", confirm?.ok))
    }
    .await
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

macro_rules! ask {
    ($peer:expr, $message:expr) => {
        $peer.elicit::<Confirm>($message).await.is_ok()
    };
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    let first = peer.elicit::<Confirm>("ok?").await.is_ok();
    first && ask!(peer, "sure?")
}

fn main() {}

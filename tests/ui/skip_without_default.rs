use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Connection(u8);

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    #[saga(skip)]
    let connection = Connection(1);
    peer.elicit::<Confirm>("ok?").await.is_ok() && connection.0 == 1
}

fn main() {}

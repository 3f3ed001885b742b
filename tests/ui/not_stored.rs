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

fn open() -> Connection {
    Connection(1)
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> u8 {
    let connection = open();
    let answer = peer.elicit::<Confirm>("ok?").await;
    connection.0 + u8::from(answer.is_ok())
}

fn main() {}

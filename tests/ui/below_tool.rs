use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Server;

impl Server {
    #[rmcp::tool]
    #[saga]
    async fn tool(&self, peer: Peer<RoleServer>) -> String {
        let answer = peer.elicit::<Confirm>("ok?").await;
        format!("{}", answer.is_ok())
    }
}

fn main() {}

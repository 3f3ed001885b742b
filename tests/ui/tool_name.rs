use rmcp::{Peer, RoleServer, tool, tool_router};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Server;

#[tool_router]
impl Server {
    #[saga]
    #[tool(name = "deploy now!", description = "Deploys")]
    async fn deploy(&self, peer: Peer<RoleServer>) -> String {
        let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
        sure.to_string()
    }
}

fn main() {}

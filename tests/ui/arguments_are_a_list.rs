use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, tool, tool_router};
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
    #[tool(description = "Deploys")]
    async fn deploy(&self, peer: Peer<RoleServer>, hosts: Parameters<Vec<String>>) -> String {
        let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
        format!("{sure} {:?}", hosts.0)
    }
}

fn main() {}

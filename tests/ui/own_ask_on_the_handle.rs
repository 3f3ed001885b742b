use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Desk {
    client: Peer<RoleServer>,
}

impl Desk {
    fn client(&self) -> Peer<RoleServer> {
        self.client.clone()
    }

    #[saga]
    async fn elicit(&self, peer: &Peer<RoleServer>, question: &str) -> bool {
        peer.elicit::<Confirm>(question).await.is_ok()
    }
}

#[saga(asks(elicit))]
async fn tool(peer: Peer<RoleServer>, desk: &Desk) -> bool {
    desk.elicit(&peer, "ok?").await && desk.client().elicit::<Confirm>("sure?").await.is_ok()
}

fn main() {}

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
    asked: u32,
}

impl Desk {
    #[saga]
    async fn tool(&mut self, peer: &Peer<RoleServer>) -> bool {
        let limit = std::time::Duration::from_secs(60);
        tokio::time::timeout(limit, tokio::time::timeout(limit, self.confirm(peer)))
            .await
            .is_ok()
    }

    #[saga]
    async fn confirm(&mut self, peer: &Peer<RoleServer>) -> bool {
        self.asked += 1;
        peer.elicit::<Confirm>("ok?").await.is_ok()
    }
}

fn main() {}

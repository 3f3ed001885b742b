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
    async fn both(&mut self, peer: &Peer<RoleServer>) -> bool {
        let (first, second) = tokio::join!(peer.elicit::<Confirm>("first?"), async {
            self.asked += 1;
            peer.elicit::<Confirm>("second?").await.is_ok()
        });
        first.is_ok_and(|first| first.is_some_and(|first| first.ok)) && second
    }
}

fn main() {}

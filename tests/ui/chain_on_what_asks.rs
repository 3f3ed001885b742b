use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Counter<'a> {
    peer: &'a Peer<RoleServer>,
    sum: u8,
}

impl Counter<'_> {
    #[saga]
    async fn add(&mut self) -> &mut Self {
        self.sum += u8::from(self.peer.elicit::<Confirm>("ok?").await.is_ok());
        self
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> u8 {
    let mut counter = Counter { peer: &peer, sum: 0 };
    counter.add().await.add().await.sum
}

fn main() {}

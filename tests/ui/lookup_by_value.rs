use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

use std::cell::Cell;

struct Counter(Cell<u8>);

impl Counter {
    #[saga]
    async fn tool(&self, peer: Peer<RoleServer>) -> u8 {
        let before = self.0.get();
        let _ = peer.elicit::<Confirm>("ok?").await;
        before
    }
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

trait Instrument: Sized {
    fn instrument(self, _: u8) -> Self {
        self
    }
}

impl<F: Future> Instrument for F {}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    async { peer.elicit::<Confirm>("ok?").await.is_ok() }.instrument(1).await
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::{AskError, Cx, Elicit, saga};
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

#[derive(Deserialize, Elicit)]
struct Sure {
    yes: bool,
}

#[saga]
async fn question(cx: Cx) -> Result<bool, AskError> {
    Ok(cx.elicit::<Sure>("Sure?").key("sure").instrument(1).await?.yes)
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

// Which of the two it was cannot be seen any more once it is changed.
#[saga]
async fn tool(peer: Peer<RoleServer>, mut pair: (u32, u32)) -> u32 {
    match &mut pair {
        (1, chosen) | (chosen, _) => {
            *chosen = 1;
            let _ = peer.elicit::<Confirm>("ok?").await;
            *chosen += 1;
        }
    }
    pair.0
}

fn main() {}

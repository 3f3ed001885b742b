use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    let asking = peer.elicit::<Confirm>("ok?");
    tokio::pin!(asking);
    loop {
        tokio::select! {
            answer = &mut asking => return answer.is_ok(),
            () = tokio::task::yield_now() => {}
        }
    }
}

fn main() {}

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
async fn tool(peer: Peer<RoleServer>) -> usize {
    let mut count = 0;
    for name in std::iter::from_fn(|| Some(String::from("x"))) {
        if peer.elicit::<Confirm>(name).await.is_ok() {
            count += 1;
        }
    }
    count
}

fn main() {}

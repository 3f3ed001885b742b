use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

use std::collections::HashMap;

#[saga]
async fn tool(peer: Peer<RoleServer>, names: &HashMap<String, u8>) -> usize {
    let mut count = 0;
    for (name, _) in names {
        if peer.elicit::<Confirm>(name.as_str()).await.is_ok() {
            count += 1;
        }
    }
    count
}

fn main() {}

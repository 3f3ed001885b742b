use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Form {
    n: u8,
}
rmcp::elicit_safe!(Form);

macro_rules! stop_if {
    ($wrong:expr) => {
        if $wrong {
            return Err(1);
        }
    };
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> Result<u8, u8> {
    let mut sum = 0;
    for item in [1, 2].iter().map(|item| -> Result<u8, u8> {
        stop_if!(*item > 1);
        Ok(*item)
    }) {
        sum += item.unwrap_or_default();
        sum += peer.elicit::<Form>("?").await.is_ok() as u8;
    }
    Ok(sum)
}

fn main() {}

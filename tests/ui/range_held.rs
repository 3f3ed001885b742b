//! serde does not tell whether a `RangeInclusive` has been used up.

use rmcp::{Peer, RoleServer, elicit_safe, service::ElicitationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

#[saga_runtime::saga]
async fn held(peer: Peer<RoleServer>) -> Result<u16, ElicitationError> {
    let mut ports = 1..=3u16;
    let first = ports.next();
    peer.elicit::<Port>("Port?").await?;
    Ok(first.unwrap_or(0) + ports.sum::<u16>())
}

#[saga_runtime::saga]
async fn in_a_pair(peer: Peer<RoleServer>) -> Result<u16, ElicitationError> {
    let mut ports = (1..=3u16, "open");
    let first = ports.0.next();
    peer.elicit::<Port>("Port?").await?;
    Ok(first.unwrap_or(0) + ports.0.sum::<u16>())
}

fn main() {}

//! The author's lints look at the author's code, and at nothing else: what is used behind an ask is used.

#![deny(warnings, unused, deprecated)]

use rmcp::{Peer, RoleServer, elicit_safe, service::ElicitationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

#[deprecated]
fn old() -> u16 {
    1
}

#[saga_runtime::saga]
#[deny(warnings)]
pub async fn in_order(
    peer: Peer<RoleServer>,
    name: &str,
    mut least: u16,
) -> Result<String, ElicitationError> {
    let mut ports = Vec::new();
    let prefix = name;
    let last;
    for round in 0..2 {
        let port = match peer.elicit::<Port>(format!("Port {round}?")).await {
            Ok(Some(Port { port })) => port,
            Ok(None) => continue,
            Err(error) => return Err(error),
        };
        if let Some(other) = peer.elicit::<Port>("Another?").await? {
            ports.push(other.port.max(port));
        } else {
            least += 1;
        }
    }
    last = ports.last().copied().unwrap_or(least);
    let sure = peer.elicit::<Port>("Sure?").await?.is_some();
    Ok(format!("{prefix} {last} {sure}"))
}

#[saga_runtime::saga]
pub async fn not_in_order(peer: Peer<RoleServer>, unused: u16) -> Result<u16, ElicitationError> {
    let never = 1;
    let mut constant = old();
    let port = peer.elicit::<Port>("Port?").await?;
    let first = 5;
    Ok(match port {
        Some(other) => constant,
        None => 0,
    })
}

fn main() {}

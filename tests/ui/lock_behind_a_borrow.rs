//! What a temporary holds is held as long as the temporary lives.

use rmcp::{Peer, RoleServer, elicit_safe, service::ElicitationError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

#[saga_runtime::saga]
async fn in_a_loop(peer: &Peer<RoleServer>, hosts: &Mutex<Vec<String>>) -> Result<(), ElicitationError> {
    for host in hosts.lock().await.iter() {
        peer.elicit::<Port>(host.as_str()).await?;
    }
    Ok(())
}

#[saga_runtime::saga]
async fn in_a_let(peer: &Peer<RoleServer>, hosts: &Mutex<Vec<String>>) -> Result<usize, ElicitationError> {
    let held = &hosts.lock().await;
    let count = held.len();
    peer.elicit::<Port>("Port?").await?;
    Ok(count)
}

#[saga_runtime::saga]
async fn in_an_argument(peer: &Peer<RoleServer>, host: &Mutex<String>) -> Result<u16, ElicitationError> {
    port(peer, host.lock().await.as_str()).await
}

#[saga_runtime::saga]
async fn port(peer: &Peer<RoleServer>, host: &str) -> Result<u16, ElicitationError> {
    let port = peer.elicit::<Port>(host).await?;
    Ok(port.map_or(host.len() as u16, |port| port.port))
}

fn main() {}

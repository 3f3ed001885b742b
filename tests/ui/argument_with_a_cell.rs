//! What a helper changed in its argument would not be in the one that it is given again.

use std::{cell::Cell, sync::Arc, sync::Mutex};

use rmcp::{Peer, RoleServer, elicit_safe};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Port {
    port: u16,
}
elicit_safe!(Port);

#[saga_runtime::saga]
async fn counted(peer: &Peer<RoleServer>, count: Cell<u16>) -> u16 {
    count.set(count.get() + 1);
    let _ = peer.elicit::<Port>("Port?").await;
    count.get()
}

#[saga_runtime::saga]
async fn shared(peer: &Peer<RoleServer>, count: Arc<Mutex<u16>>) -> usize {
    let _ = peer.elicit::<Port>("Port?").await;
    Arc::strong_count(&count)
}

fn main() {}

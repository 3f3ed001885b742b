use rmcp::{Peer, RoleServer};
use saga_runtime::saga;

#[saga(task(required, after = "2s"))]
async fn tool(peer: Peer<RoleServer>) -> bool {
    peer.list_roots().await.is_ok()
}

fn main() {}

use rmcp::{Peer, RoleServer, model::ListRootsResult};

#[saga_runtime::saga(task, resume_token)]
async fn helper(peer: &Peer<RoleServer>) -> Option<ListRootsResult> {
    peer.list_roots().await.ok()
}

fn main() {}

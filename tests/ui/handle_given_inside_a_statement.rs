use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

struct Desk {
    client: Option<Peer<RoleServer>>,
}

#[saga]
async fn ask(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

#[saga]
async fn tool(peer: Peer<RoleServer>, desk: &Desk) -> bool {
    if let Some(client) = &desk.client {
        return ask(client).await;
    }
    peer.elicit::<Confirm>("ok?").await.is_ok()
}

fn main() {}

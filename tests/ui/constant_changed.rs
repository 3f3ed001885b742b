use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

#[derive(serde::Serialize, serde::Deserialize)]
struct Counter {
    n: u8,
}

const START: Counter = Counter { n: 1 };
static FIXED: Counter = Counter { n: 1 };

impl Counter {
    #[saga]
    async fn add(&mut self, peer: &Peer<RoleServer>) -> u8 {
        self.n += 1;
        let _ = peer.elicit::<Confirm>("More?").await;
        self.n
    }

    #[saga]
    async fn look(&self, peer: &Peer<RoleServer>) -> u8 {
        let _ = peer.elicit::<Confirm>("More?").await;
        self.n
    }
}

#[saga]
async fn by_method(peer: &Peer<RoleServer>) -> u8 {
    START.add(peer).await + START.look(peer).await + FIXED.look(peer).await
}

fn main() {}

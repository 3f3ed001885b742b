use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Confirm;

#[saga]
async fn counted(peer: &Peer<RoleServer>) -> u8 {
    let next = || {
        static COUNT: AtomicU8 = AtomicU8::new(0);
        COUNT.fetch_add(1, Ordering::SeqCst)
    };
    let first = next();
    let _ = peer.elicit::<Confirm>("More?").await;
    first + next()
}

fn main() {}

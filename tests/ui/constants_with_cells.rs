use std::sync::atomic::{AtomicI64, Ordering};

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Count;

const HITS: AtomicI64 = AtomicI64::new(0);
const SLOTS: [AtomicI64; 2] = [const { AtomicI64::new(0) }; 2];

struct Mark;

impl Drop for Mark {
    fn drop(&mut self) {}
}

#[saga]
async fn of_a_constant(peer: Peer<RoleServer>) -> i64 {
    let hits = &HITS;
    hits.fetch_add(1, Ordering::Relaxed);
    let _ = peer.elicit::<Count>("more").await;
    hits.load(Ordering::Relaxed)
}

#[saga]
async fn of_a_list(peer: Peer<RoleServer>) -> i64 {
    let mut turns = 0;
    for slot in SLOTS.iter().cycle() {
        turns += slot.fetch_add(1, Ordering::Relaxed);
        if turns > 2 || peer.elicit::<Count>("more").await.is_err() {
            break;
        }
    }
    turns
}

#[saga]
async fn of_a_unit(peer: Peer<RoleServer>) -> usize {
    let mark = &Mark;
    let _ = peer.elicit::<Count>("more").await;
    size_of_val(mark)
}

fn main() {}

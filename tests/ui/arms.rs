use std::ops::RangeInclusive;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Count;

#[saga]
async fn asked(peer: Peer<RoleServer>, n: i64) -> i64 {
    let more = peer.elicit::<Count>("more").await.ok().flatten().map_or(0, |one| one.n);
    n + more
}

#[saga]
async fn read_before_a_later_arm_changes_it(peer: Peer<RoleServer>) -> i64 {
    let mut x = asked(peer.clone(), 1).await;
    let (before, after) = tokio::join!(async move { x * 10 }, asked(peer.clone(), {
        x += 1;
        x
    }));
    before + after
}


async fn range(n: i64) -> RangeInclusive<i64> {
    1..=n
}

async fn shared(n: i64) -> std::sync::Arc<i64> {
    std::sync::Arc::new(n)
}

#[saga]
async fn with_a_range(peer: Peer<RoleServer>) -> i64 {
    let (range, more) = tokio::join!(range(3), asked(peer.clone(), 1));
    range.sum::<i64>() + more
}

#[saga]
async fn with_a_share(peer: Peer<RoleServer>) -> i64 {
    let (shared, more) = tokio::join!(shared(3), asked(peer.clone(), 1));
    *shared + more
}

struct Stack(Vec<i64>);

impl Stack {
    fn by_ref(&self) -> std::slice::Iter<'_, i64> {
        self.0.iter()
    }
}

#[saga]
async fn over_another_by_ref(peer: Peer<RoleServer>) -> i64 {
    let stack = Stack(vec![1, 2]);
    let mut sum = 0;
    for n in stack.by_ref() {
        sum += n + asked(peer.clone(), 1).await;
    }
    sum
}

fn main() {}

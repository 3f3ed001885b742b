use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use tests::answers::Count;

#[saga]
async fn asked(peer: Peer<RoleServer>, n: i64) -> i64 {
    let more = peer.elicit::<Count>("more").await.ok().flatten().map_or(0, |one| one.n);
    n + more
}

#[saga]
async fn awaited_later(peer: Peer<RoleServer>) -> i64 {
    let first = asked(peer.clone(), 1).await;
    let later = asked(peer.clone(), 2);
    first + later.await
}

#[saga]
async fn joined_later(peer: Peer<RoleServer>) -> i64 {
    let first = asked(peer.clone(), 1).await;
    let all = vec![asked(peer.clone(), 2), asked(peer.clone(), 3)];
    let more = futures::future::join_all(all).await;
    first + more.iter().sum::<i64>()
}

#[saga]
async fn joined_one_by_one(peer: Peer<RoleServer>) -> i64 {
    let first = asked(peer.clone(), 1).await;
    let mut all = Vec::new();
    for n in 0..first {
        all.push(asked(peer.clone(), n));
    }
    futures::future::join_all(all).await.iter().sum()
}

fn main() {}

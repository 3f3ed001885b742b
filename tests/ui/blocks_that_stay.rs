use std::time::Duration;

use futures::future::join_all;
use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn put_aside(peer: Peer<RoleServer>) -> bool {
    let limit = Duration::from_secs(60);
    let first = timeout(limit, async {
        peer.elicit::<Confirm>("first?").await.is_ok()
    });
    let second = peer.elicit::<Confirm>("second?").await.is_ok();
    first.await.is_ok() && second
}

#[saga]
async fn shown(peer: Peer<RoleServer>) -> usize {
    let mut seen = Vec::new();
    let done = timeout(Duration::from_secs(60), async {
        println!("{}", stringify!(seen));
        seen.push(peer.elicit::<Confirm>("ok?").await.is_ok());
    });
    done.await.map_or(0, |()| seen.len())
}

#[saga]
async fn changed_by_both(peer: Peer<RoleServer>) -> (bool, usize) {
    let mut order = (0, String::new());
    tokio::join!(
        async {
            order.0 += 1;
            peer.elicit::<Confirm>("first?").await.is_ok()
        },
        async {
            let asked = peer.elicit::<Confirm>(order.1.as_str()).await;
            asked.map_or(0, |_| order.1.len())
        },
    )
}

#[saga]
async fn led_out(peer: Peer<RoleServer>) -> Result<bool, String> {
    let limit = Duration::from_secs(60);
    let both = timeout(limit, join_all([sure(&peer, limited()?), sure(&peer, 2)])).await;
    Ok(both.is_ok())
}

#[saga]
async fn hidden_handle(peer: Peer<RoleServer>) -> usize {
    let other = peer.clone();
    join_all([1, 2].iter().map(|at| {
        let peer = if *at == 1 { peer.clone() } else { other.clone() };
        let own = peer.clone();
        async move { sure(&own, *at).await }
    }))
    .await
    .len()
}

#[saga]
async fn sure(peer: &Peer<RoleServer>, at: i64) -> bool {
    peer.elicit::<Confirm>(format!("{at}?")).await.is_ok()
}

fn limited() -> Result<i64, String> {
    Ok(1)
}

fn main() {}

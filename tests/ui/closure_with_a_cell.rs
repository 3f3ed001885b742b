//! A closure that changes what it has taken, behind a shared reference: it would be made again with what that was.

use std::cell::Cell;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Serialize, Deserialize)]
struct Hits {
    count: Cell<i64>,
}

#[saga]
async fn count(peer: &Peer<RoleServer>, next: impl Fn() -> i64) -> i64 {
    let first = next();
    let sure = peer.elicit::<Confirm>("ok?").await.is_ok();
    first + next() + i64::from(sure)
}

#[saga]
async fn in_the_call(peer: Peer<RoleServer>) -> i64 {
    let hits = Hits { count: Cell::new(1) };
    count(&peer, move || {
        hits.count.set(hits.count.get() + 1);
        hits.count.get()
    })
    .await
}

fn main() {}

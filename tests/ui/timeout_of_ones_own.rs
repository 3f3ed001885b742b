use std::time::Duration;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Form {
    n: u8,
}
rmcp::elicit_safe!(Form);

async fn timeout<F: Future>(_: Duration, inner: F) -> Option<F::Output> {
    println!("it has begun");
    Some(inner.await)
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> bool {
    timeout(Duration::from_secs(1), peer.elicit::<Form>("?")).await.is_some()
}

#[saga]
async fn calls(peer: Peer<RoleServer>) -> bool {
    timeout(Duration::from_secs(1), tool(peer)).await.is_some()
}

fn main() {}

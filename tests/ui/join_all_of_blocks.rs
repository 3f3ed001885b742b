use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn sure(peer: &Peer<RoleServer>, host: &str) -> bool {
    peer.elicit::<Confirm>(host).await.is_ok()
}

#[saga]
async fn tool(peer: Peer<RoleServer>, hosts: Vec<String>) -> usize {
    let first = sure(&peer, "first?").await;
    let all = futures::future::join_all(hosts.iter().map(|host| {
        let asked = sure(&peer, host);
        async move { (host, asked.await) }
    }))
    .await;
    all.len() + usize::from(first)
}

fn main() {}

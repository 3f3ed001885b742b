use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

fn count(seen: &mut u8) -> String {
    *seen += 1;
    seen.to_string()
}

#[saga]
async fn tool(peer: Peer<RoleServer>, names: &[String]) -> usize {
    let mut seen = 0;
    let all = futures::future::join_all(names.iter().map(|_| peer.elicit::<Confirm>(count(&mut seen)))).await;
    all.len()
}

fn main() {}

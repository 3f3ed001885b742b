use std::collections::HashMap;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Count {
    n: u32,
}
rmcp::elicit_safe!(Count);

// `u32 += &u32` is a function of std's: its left side comes first, that of `u32 += u32` last.
#[saga]
async fn tool(peer: Peer<RoleServer>) -> Vec<u32> {
    let mut counts = vec![0, 0, 0];
    let mut next = 0;
    counts[next] += &{
        next += 1;
        peer.elicit::<Count>("how many?").await.ok().flatten().map_or(0, |count| count.n)
    };
    counts
}

#[saga]
async fn of_an_entry(peer: Peer<RoleServer>) -> HashMap<u32, String> {
    let mut texts: HashMap<u32, String> = HashMap::new();
    *texts.entry(1).or_default() += &match peer.elicit::<Count>("how many?").await {
        Ok(Some(count)) => count.n.to_string(),
        _ => String::new(),
    };
    texts
}

fn main() {}

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
async fn tool(peer: Peer<RoleServer>, ns: Vec<u8>, i: usize) -> u8 {
    match ns[i] {
        1 if peer.elicit::<Confirm>("ok?").await.is_ok() => 2,
        other => other,
    }
}

#[saga]
async fn either(peer: Peer<RoleServer>, pair: (u8, u8)) -> u8 {
    match pair {
        (n, _) | (_, n) if peer.elicit::<Confirm>(format!("{n}?")).await.is_ok() => n,
        _ => 0,
    }
}

#[saga]
async fn through(peer: Peer<RoleServer>, all: Vec<(String, u8)>) -> u8 {
    match all.first() {
        Some((name, n)) if *n > 1 && peer.elicit::<Confirm>(label(&name)).await.is_ok() => 1,
        _ => 0,
    }
}

fn label(name: &str) -> String {
    name.to_uppercase()
}

fn main() {}

use std::sync::LazyLock;

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[derive(Clone, Copy)]
struct Boot(u64);

struct Instance {
    boot: Boot,
}

static INSTANCE: LazyLock<Instance> = LazyLock::new(|| Instance {
    boot: Boot(u64::from(std::process::id())),
});

// Another process has another one.
#[saga]
async fn tool(peer: Peer<RoleServer>) -> u64 {
    let boot = INSTANCE.boot;
    let _ = peer.elicit::<Confirm>("ok?").await;
    boot.0
}

fn main() {}

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
struct Lease(u32);

impl Drop for Lease {
    fn drop(&mut self) {
        println!("{} is free", self.0);
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> u32 {
    let lease = Lease(1);
    let _ = peer.elicit::<Confirm>("ok?").await;
    lease.0
}

fn main() {}

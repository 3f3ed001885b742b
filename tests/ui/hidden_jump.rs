use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

macro_rules! skip_if {
    ($cond:expr) => {
        if $cond {
            continue;
        }
    };
}

#[saga]
async fn tool(peer: Peer<RoleServer>) -> u8 {
    let mut sure = 0;
    let mut n = 0;
    while n < 6 {
        n += 1;
        skip_if!(n % 2 == 1);
        if peer.elicit::<Confirm>("ok?").await.is_ok() {
            sure += 1;
        }
    }
    sure
}

fn main() {}

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
async fn tool(peer: Peer<RoleServer>) -> usize {
    let mut all = Vec::new();
    for turn in 0..3 {
        let sure = peer.elicit::<Confirm>("ok?").await;
        all.extend(vec![if sure.is_err() { continue } else { turn }]);
    }
    all.len()
}

#[saga]
async fn far(peer: Peer<RoleServer>) -> usize {
    let mut all = Vec::new();
    'turns: for turn in 0..3 {
        let sure = peer.elicit::<Confirm>("ok?").await;
        for part in ["1", "x"] {
            let Ok(()) = part.parse::<u8>().map(|_| ()) else { continue };
            all.push(format!("{turn} {}", if sure.is_err() { continue 'turns } else { part }));
        }
    }
    all.len()
}

fn main() {}

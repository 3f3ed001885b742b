use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Form {
    name: String,
}
rmcp::elicit_safe!(Form);

#[saga]
async fn tool(peer: Peer<RoleServer>) -> Option<String> {
    let form = loop {
        let form = peer.elicit::<Form>("who?").await.ok()??;
        if form.name.len() > 3 {
            break form;
        }
        let other = peer.elicit::<Form>("or who?").await.ok()??;
        if other.name.len() > 3 {
            break other;
        }
    };
    let also = peer.elicit::<Form>("and?").await.ok()??;
    Some(form.name + &also.name)
}

#[saga]
async fn shadowed(peer: Peer<RoleServer>) -> Option<String> {
    let form = peer.elicit::<Form>("who?").await.ok()??;
    let chosen = loop {
        let other = peer.elicit::<Form>("or who?").await.ok()??;
        if other.name.len() > 3 {
            let form = other;
            break form;
        }
    };
    let also = peer.elicit::<Form>("and?").await.ok()??;
    Some(form.name + &chosen.name + &also.name)
}

fn main() {}

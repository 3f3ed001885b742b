use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga(accepts(confirm = "0123456789abcdef elicit: name"))]
async fn stored_since(peer: &Peer<RoleServer>) -> String {
    let (name, count) = (String::from("a"), 2);
    let _ = peer.elicit::<Confirm>("sure?").await;
    format!("{name} {count}")
}

#[saga(accepts(other = "0123456789abcdef elicit: name", confirm = "0123 elicit: name", confirm = "0123456789abcdef ask_name: name"))]
async fn no_such_point(peer: &Peer<RoleServer>) -> String {
    let name = String::from("a");
    let _ = peer.elicit::<Confirm>("sure?").await;
    name
}

fn main() {}

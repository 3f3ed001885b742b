use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Form;

impl Form {
    async fn elicit<T>(&self, _: &str) -> bool {
        true
    }
}

#[saga]
async fn tool(peer: Peer<RoleServer>, form: &Form) -> bool {
    let _ = peer.elicit::<Confirm>("ok?").await;
    form.elicit::<Confirm>("ok?").await
}

fn main() {}

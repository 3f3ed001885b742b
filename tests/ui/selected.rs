use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

#[saga]
async fn tool(context: RequestContext<RoleServer>) -> bool {
    tokio::select! {
        answer = context.peer.elicit::<Confirm>("ok?") => answer.is_ok(),
        _ = context.ct.cancelled() => false,
    }
}

fn main() {}

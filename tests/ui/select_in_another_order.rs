use rmcp::{RoleServer, service::RequestContext};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

fn label(step: &str) -> String {
    step.to_owned()
}

async fn stopped(of: String) {
    let _ = of;
    std::future::pending::<()>().await;
}

#[saga]
async fn tool(cx: RequestContext<RoleServer>) -> bool {
    tokio::select! {
        _ = stopped(label("work")) => false,
        answer = cx.peer.elicit::<Confirm>(label("go on?")) => answer.is_ok(),
    }
}

fn main() {}

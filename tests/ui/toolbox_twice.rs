use rmcp::tool;
use saga_runtime::{Cx, saga, toolbox};

mod other {
    use super::*;

    #[saga]
    #[tool(description = "Deploys elsewhere")]
    pub async fn deploy(cx: Cx) -> String {
        cx.roots().await.map_or_else(|error| error.to_string(), |_| "ok".into())
    }
}

#[saga]
#[tool(description = "Deploys")]
async fn deploy(cx: Cx) -> String {
    cx.roots().await.map_or_else(|error| error.to_string(), |_| "ok".into())
}

fn main() {
    let _ = toolbox![deploy, other::deploy];
}

use rmcp::tool;
use saga_runtime::{
    SagaServer, Settings,
    serve::{Http, stdio},
    toolbox,
};

#[tool(description = "Lists the books")]
fn list() -> String {
    String::new()
}

async fn over_stdio(settings: Settings) -> std::io::Result<()> {
    stdio(toolbox![list], settings).await
}

fn over_http(settings: Settings) {
    let _ = Http::new(|| toolbox![list], settings);
}

fn wrapped() {
    let _ = SagaServer::new(toolbox![list]);
}

fn main() {}

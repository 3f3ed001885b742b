use rmcp::tool;
use saga_runtime::toolbox;

#[tool(description = "Lends a book")]
async fn lend() -> String {
    String::new()
}

fn main() {
    let _ = toolbox! { tool: [lend] };
    let _ = toolbox! { tools: [lend], tools: [lend] };
    let _ = toolbox! { tools: lend };
    let _ = toolbox! { tools: [lend, lend] };
}

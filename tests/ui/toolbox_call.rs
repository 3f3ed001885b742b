use rmcp::tool;
use saga_runtime::toolbox;

#[tool(description = "Lists the books")]
fn list() -> String {
    String::new()
}

fn main() {
    let _ = toolbox![list()];
    let _ = toolbox! { tools: ["list"] };
}

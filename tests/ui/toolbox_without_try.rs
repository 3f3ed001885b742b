use rmcp::tool;
use saga_runtime::toolbox;

#[tool(description = "Lists the books")]
fn list() -> String {
    String::new()
}

fn main() -> Result<(), saga_runtime::ToolboxError> {
    let _ = toolbox![list].named("library", "1.0.0");
    Ok(())
}

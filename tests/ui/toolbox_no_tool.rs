use rmcp::{prompt, tool};
use saga_runtime::toolbox;

mod ops {
    pub async fn restart() {}
}

async fn helper() -> String {
    String::new()
}

#[prompt(name = "recommend")]
async fn recommend() -> Vec<rmcp::model::PromptMessage> {
    Vec::new()
}

#[tool(description = "Lends a book")]
async fn lend() -> String {
    String::new()
}

fn main() {
    let _ = toolbox![helper, ops::restart];
    let _ = toolbox! { tools: [recommend], prompts: [lend], resources: [helper] };
}

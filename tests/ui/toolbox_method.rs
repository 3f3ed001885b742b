use rmcp::{prompt, tool};
use saga_runtime::{resource, toolbox};

struct Desk;

impl Desk {
    #[tool(description = "Lends a book")]
    async fn lend(&self) -> String {
        String::new()
    }

    #[tool(description = "Lists the books")]
    async fn list() -> String {
        String::new()
    }

    #[prompt(name = "recommend")]
    async fn recommend(&self) -> Vec<rmcp::model::PromptMessage> {
        Vec::new()
    }

    #[resource("books://all")]
    async fn all(&self) -> String {
        String::new()
    }
}

fn main() {
    let _ = toolbox![Desk::lend, self::Desk::list];
    let _ = toolbox! { prompts: [Desk::recommend], tools: [<Desk>::lend] };
}

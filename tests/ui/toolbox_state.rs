use rmcp::{prompt, tool};
use saga_runtime::{AskError, Cx, Elicit, State, Uri, resource, saga, toolbox};

struct Desk;
struct Shelf;

#[derive(serde::Deserialize, Elicit)]
struct Name {
    name: String,
}

#[saga]
#[tool(description = "Lends a book")]
async fn lend(cx: Cx, State(_desk): State<Desk>) -> Result<String, AskError> {
    Ok(cx.elicit::<Name>("Who?").await?.name)
}

#[tool(description = "Lists the books")]
fn list(_: State<Desk>) -> String {
    String::new()
}

#[prompt(name = "recommend")]
async fn recommend(_: State<Desk>) -> Vec<rmcp::model::PromptMessage> {
    Vec::new()
}

#[resource("books://all")]
async fn all(_: State<Desk>) -> String {
    String::new()
}

#[tool(description = "Looks for a URI where there is none")]
fn uri(_: Uri) -> String {
    String::new()
}

#[resource("books://number")]
async fn number() -> u32 {
    1
}

fn main() {
    let _ = toolbox![lend, list];
    let _ = toolbox! { state: Shelf, tools: [lend], prompts: [recommend], resources: [all] };
    let _ = toolbox! { state: Desk, tools: [uri], resources: [number] };
    let fits = toolbox! { state: Desk, tools: [lend, list], prompts: [recommend], resources: [all] };
    let _ = fits;
}

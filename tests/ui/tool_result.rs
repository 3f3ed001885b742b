use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

enum Broken {
    Ask(AskError),
}

impl From<AskError> for Broken {
    fn from(error: AskError) -> Self {
        Self::Ask(error)
    }
}

#[saga]
#[tool(description = "An error that says nothing to a client")]
async fn boxed(cx: Cx) -> Result<String, Box<dyn std::error::Error>> {
    Ok(cx.elicit::<Confirm>("Sure?").await?.ok.to_string())
}

#[saga]
#[tool(description = "One of the author's own")]
async fn own(cx: Cx) -> Result<String, Broken> {
    Ok(cx.elicit::<Confirm>("Sure?").await?.ok.to_string())
}

#[saga]
#[tool(description = "No text")]
async fn truth(cx: Cx) -> Result<bool, AskError> {
    Ok(cx.elicit::<Confirm>("Sure?").await?.ok)
}

fn main() {}

use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
#[tool(description = "`?` where nothing can be returned")]
async fn lend(cx: Cx) -> String {
    cx.elicit::<Confirm>("Sure?").await?.ok.to_string()
}

#[saga]
#[tool(description = "A reply is more than its text")]
async fn recommend(cx: Cx) -> Result<String, AskError> {
    let title: String = cx.sample("Which book?").await?;
    Ok(title)
}

fn main() {}

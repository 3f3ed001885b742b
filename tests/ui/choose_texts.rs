use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
#[tool(description = "Chooses among borrowed texts")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let titles = ["Emma", "Persuasion"];
    let first = cx.choose("Which?", ["Emma", "Persuasion"]).await?;
    let others = cx.choose_many("Which others?", vec!["Emma"]).await?;
    let last = cx.choose("And which?", titles.iter().copied()).key("last").await?;
    Ok(format!("{first}{others:?}{last}"))
}

fn main() {}

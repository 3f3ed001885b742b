use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

use std::rc::Rc;

#[saga]
#[tool(description = "Holds an `Rc`")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let titles = Rc::new(vec!["Emma".to_owned()]);
    let sure = cx.elicit::<Confirm>("Sure?").await?;
    Ok(format!("{titles:?}{}", sure.ok))
}

fn main() {}

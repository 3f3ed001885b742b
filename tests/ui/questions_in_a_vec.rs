use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
#[tool(description = "Collects questions")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let questions = vec![cx.elicit::<Confirm>("Sure?"), cx.elicit::<Confirm>("Really?")];
    let mut sure = true;
    for question in questions {
        sure &= question.await?.ok;
    }
    Ok(sure.to_string())
}

fn main() {}

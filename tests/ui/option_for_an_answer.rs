use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
#[tool(description = "Takes declining for nothing")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let Some(sure) = cx.elicit::<Confirm>("Sure?").await else {
        return Ok(String::new());
    };
    if let Ok(Some(again)) = cx.elicit::<Confirm>("Really?").await {
        return Ok(again.ok.to_string());
    }
    while let Some(reply) = cx.sample("Why?").await {
        println!("{}", reply.text());
    }
    match cx.elicit::<Confirm>("Still?").await? {
        Some(still) => Ok(still.ok.to_string()),
        None => Ok(sure.ok.to_string()),
    }
}

fn main() {}

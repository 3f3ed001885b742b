use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
#[tool(description = "Asks twice at once")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let (sure, really) = saga_runtime::join!(
        cx.elicit::<Confirm>("Sure?").key("sure"),
        cx.elicit::<Confirm>("Really?").key("sure"),
    );
    Ok(format!("{}{}", sure?.ok, really?.ok))
}

fn main() {}

use saga_runtime::{AskError, Cx, Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
async fn sure(cx: &Cx) -> Result<bool, AskError> {
    Ok(cx.elicit::<Confirm>("Sure?").await?.ok)
}

#[saga]
async fn tool(cx: Cx) -> Result<bool, AskError> {
    if sure(&cx)? {
        return Ok(true);
    }
    Ok(false)
}

fn main() {}

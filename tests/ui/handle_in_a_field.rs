use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

struct Desk {
    cx: Cx,
}

impl Desk {
    #[saga]
    async fn sure(&self) -> Result<bool, AskError> {
        Ok(self.cx.elicit::<Confirm>("Sure?").await?.ok)
    }
}

#[saga]
#[tool(description = "Lends a book")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let desk = Desk { cx: cx.clone() };
    cx.elicit::<Confirm>("Sure?").await?;
    let _ = desk.cx.peer();
    Ok(String::new())
}

fn main() {}

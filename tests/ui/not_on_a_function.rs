use rmcp::{tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

struct Desk;

#[saga]
#[tool_router]
impl Desk {
    #[tool(description = "Lends a book")]
    async fn lend(&self, cx: Cx) -> Result<String, AskError> {
        Ok(cx.elicit::<Confirm>("Sure?").await?.ok.to_string())
    }
}

#[saga]
struct Shelf;

#[saga]
trait Lends {
    async fn lends(&self, cx: &Cx) -> Result<bool, AskError>;
}

trait Returns {
    #[saga]
    async fn returns(&self, cx: &Cx) -> Result<bool, AskError>;
}

impl Lends for Shelf {
    async fn lends(&self, _: &Cx) -> Result<bool, AskError> {
        Ok(true)
    }
}

fn main() {
    let _ = Desk::tool_router();
}

use rmcp::tool;
use saga_runtime::{AskError, Cx, saga};

struct Copy {
    shelf: u8,
}

#[saga]
#[tool(description = "Lends a copy")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let copies = vec![Copy { shelf: 1 }];
    let copy = cx.choose_by("Which?", copies, |copy| copy.shelf.to_string()).await?;
    Ok(copy.shelf.to_string())
}

fn main() {}

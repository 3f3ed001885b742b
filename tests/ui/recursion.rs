use rmcp::tool;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[saga]
async fn lend(cx: &Cx, books: u8) -> Result<u8, AskError> {
    if cx.elicit::<Confirm>("Another one?").await?.ok {
        return lend(cx, books + 1).await;
    }
    Ok(books)
}

#[saga]
async fn give(cx: &Cx, books: u8) -> Result<u8, AskError> {
    cx.elicit::<Confirm>("Another one?").await?;
    take(cx, books).await
}

#[saga]
async fn take(cx: &Cx, books: u8) -> Result<u8, AskError> {
    cx.elicit::<Confirm>("Is it back?").await?;
    give(cx, books + 1).await
}

fn main() {}

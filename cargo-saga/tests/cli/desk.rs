//! A server whose source the commands read, and that gives tokens.

use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, saga};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, Deserialize, JsonSchema)]
pub struct Book {
    pub title: String,
}

#[derive(Debug, Deserialize, Elicit)]
pub struct Sure {
    pub ok: bool,
}

#[derive(Clone)]
pub struct Desk;

#[saga]
pub async fn sure(cx: &Cx, question: String) -> Result<bool, AskError> {
    let length = question.len();
    let sure = cx.elicit::<Sure>(question).key("sure").await?;
    Ok(sure.ok && length > 0)
}

#[tool_router(server_handler)]
impl Desk {
    #[saga]
    #[tool]
    pub async fn lend(
        &self,
        cx: Cx,
        Parameters(book): Parameters<Book>,
    ) -> Result<String, AskError> {
        let secret = vec![format!("secret of {}", book.title)];
        if sure(&cx, format!("Lend {}?", book.title)).await? {
            return Ok(secret.concat());
        }
        Ok(book.title)
    }

    #[saga(resume_token)]
    #[tool]
    pub async fn count(
        &self,
        cx: Cx,
        Parameters(book): Parameters<Book>,
    ) -> Result<String, AskError> {
        let first = book.title.len();
        cx.partial("half of it").await;
        Ok(format!("{first}"))
    }
}

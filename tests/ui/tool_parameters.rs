#![allow(unused_imports)]

use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, State, saga};

#[derive(serde::Deserialize, Elicit)]
struct Confirm {
    ok: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Agreed {
    ok: bool,
}
rmcp::elicit_safe!(Agreed);

#[saga]
#[tool(description = "Lends a book")]
async fn lend(cx: &Cx, title: String, days: u8) -> Result<String, AskError> {
    Ok(format!("{title}{days}{}", cx.elicit::<Confirm>("Sure?").await?.ok))
}

#[saga]
#[tool(description = "Lends a book")]
async fn borrow(peer: &Peer<RoleServer>) -> String {
    let agreed = peer.elicit::<Agreed>("Sure?").await;
    format!("{}", agreed.is_ok())
}

struct Desk;

#[tool_router]
impl Desk {
    #[saga]
    #[tool(description = "Lends a book")]
    async fn lend(&self, cx: Cx, State(lent): State<u8>) -> Result<String, AskError> {
        Ok(format!("{lent}{}", cx.elicit::<Confirm>("Sure?").await?.ok))
    }

    #[saga]
    #[tool(description = "Lends a book")]
    async fn twice(
        &self,
        cx: Cx,
        Parameters(a): Parameters<Confirm>,
        Parameters(b): Parameters<Confirm>,
    ) -> Result<String, AskError> {
        Ok(format!("{}{}{}", a.ok, b.ok, cx.elicit::<Confirm>("Sure?").await?.ok))
    }

    #[saga]
    #[tool(description = "Takes a book back")]
    async fn take(&mut self, cx: Cx) -> Result<String, AskError> {
        Ok(cx.elicit::<Confirm>("Sure?").await?.ok.to_string())
    }
}

fn main() {}

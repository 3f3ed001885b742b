use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

macro_rules! ensure {
    ($cond:expr, $error:expr) => {
        if !$cond {
            return Err($error);
        }
    };
}

#[saga]
async fn tool(peer: Peer<RoleServer>, n: u32) -> Result<String, String> {
    let outcome: Result<String, String> = async {
        let confirm = peer.elicit::<Confirm>("ok?").await.ok().flatten();
        ensure!(n < 10, String::from("too large"));
        Ok(format!("{}", confirm.is_some()))
    }
    .await;
    outcome.or_else(|error| Ok(format!("handled: {error}")))
}

fn main() {}

use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

fn longest(titles: &[String]) -> &str {
    titles.iter().max_by_key(|title| title.len()).unwrap()
}

#[saga]
async fn picked<'a>(peer: &Peer<RoleServer>, titles: &'a [String]) -> Result<&'a str, rmcp::service::ElicitationError> {
    let longest = longest(titles);
    peer.elicit::<Confirm>(longest).await?;
    Ok(longest)
}

fn main() {}

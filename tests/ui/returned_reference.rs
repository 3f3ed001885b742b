use rmcp::{Peer, RoleServer};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Confirm {
    ok: bool,
}
rmcp::elicit_safe!(Confirm);

struct Title {
    text: String,
}

fn longest(titles: &[Title]) -> &str {
    let texts = titles.iter().map(|title| title.text.as_str());
    texts.max_by_key(|text| text.len()).unwrap()
}

#[saga]
async fn picked<'a>(peer: &Peer<RoleServer>, titles: &'a [Title]) -> Result<&'a str, rmcp::service::ElicitationError> {
    let longest = longest(titles);
    peer.elicit::<Confirm>(longest).await?;
    Ok(longest)
}

fn main() {}

//! The server as its clients see it, torn down wherever that can happen.

use std::error::Error;

use saga_runtime::testing::Kit;
use serde_json::json;

#[tokio::test]
async fn a_guest_is_greeted_wherever_the_call_goes_on() -> Result<(), Box<dyn Error>> {
    let server = super::server()?;
    let kit = Kit::of(move || server.clone());
    let greeted = kit
        .tool("greet", json!({ "name": "Ada" }))
        .answer("language", json!({ "choice": "Bonjour" }))
        .resumed_everywhere()
        .await?;
    assert_eq!(greeted.result().text(), "Bonjour, Ada!");
    Ok(())
}

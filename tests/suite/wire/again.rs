//! Arguments are made again where a call goes on, and have to be what they were.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::{handler::server::wrapper::Parameters, tool};
use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga, toolbox};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::json;

use super::client::{Replicas, Wire};

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

static COUNTED: AtomicU64 = AtomicU64::new(0);

/// Another one each time, and it cannot be stored.
#[derive(Debug, PartialEq, JsonSchema)]
struct Counted(u64);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        Ok(Self::next())
    }
}

impl Counted {
    fn next() -> Self {
        Self(COUNTED.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Restless {
    #[serde(default = "Counted::next")]
    counted: Counted,
}

#[saga]
#[tool(description = "Has arguments that are others each time")]
async fn restless(
    cx: Cx,
    Parameters(Restless { counted }): Parameters<Restless>,
) -> Result<String, AskError> {
    let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
    Ok(format!("{counted:?} {}", sure.ok))
}

#[tokio::test]
async fn arguments_that_are_others_each_time_are_an_error_before_anybody_is_asked() {
    let replicas = Replicas::new();
    let toolbox = toolbox! { tools: [restless] };
    let server = SagaServer::new(toolbox.unwrap()).with_settings(replicas.settings.clone());
    let params = replicas.params(json!({ "name": "restless", "arguments": {} }));
    let refused = Wire::open(server).request("tools/call", params).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "store");
    let told = replicas.audit.error().to_string();
    assert!(told.contains("another value each time"), "{told}");
}

//! What is found in a state or in the arguments, by where it was: in another process, with another state.

use rmcp::{handler::server::wrapper::Parameters, tool};
use saga_runtime::{AskError, Cx, Elicit, SagaServer, State, saga, toolbox};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::client::{Replicas, Response, Wire, accept};

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

/// Without serde.
#[derive(Debug)]
struct Plan(&'static str);

struct Desk {
    plans: Vec<Plan>,
}

/// Without `Debug`, and without `Serialize`.
#[derive(Deserialize, JsonSchema)]
struct Item {
    name: String,
    count: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    plan: String,
    items: Vec<Item>,
}

#[saga]
#[tool(description = "Orders a plan")]
async fn order(
    cx: Cx,
    State(desk): State<Desk>,
    Parameters(order): Parameters<Order>,
) -> Result<String, AskError> {
    let Some(plan) = desk.plans.iter().find(|plan| plan.0 == order.plan) else {
        return Ok("none".to_owned());
    };
    let most = order.items.iter().max_by_key(|item| item.count);
    let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
    let most = most.map(|item| item.name.as_str());
    Ok(format!("{} {most:?} {}", plan.0, sure.ok))
}

async fn call(replicas: &Replicas, plans: &[&'static str], goes_on: Option<&Value>) -> Response {
    let desk = Desk {
        plans: plans.iter().copied().map(Plan).collect(),
    };
    let toolbox = toolbox! { state: desk, tools: [order] };
    let server = SagaServer::new(toolbox.unwrap()).with_settings(replicas.settings.clone());
    let items = json!([{ "name": "pen", "count": 2 }, { "name": "cup", "count": 5 }]);
    let mut params = json!({ "name": "order", "arguments": { "plan": "pro", "items": items } });
    if let Some(first) = goes_on {
        params["requestState"] = first["requestState"].clone();
        params["inputResponses"] = json!({ "sure": accept(json!({ "ok": true })) });
    }
    let params = replicas.params(params);
    Wire::open(server).request("tools/call", params).await
}

#[tokio::test]
async fn what_is_found_elsewhere_is_the_same_or_the_call_ends() {
    let replicas = Replicas::new();
    let first = call(&replicas, &["free", "pro"], None).await.unwrap();
    let result = call(&replicas, &["basic", "pro"], Some(&first)).await;
    assert_eq!(
        result.unwrap()["content"][0]["text"],
        r#"pro Some("cup") true"#
    );
    // Another item there, and a list of another length.
    for plans in [&["pro", "free"][..], &["free", "pro", "new"], &[]] {
        let refused = call(&replicas, plans, Some(&first)).await;
        assert_eq!(refused.unwrap_err()["data"]["reason"], "stale", "{plans:?}");
    }
}

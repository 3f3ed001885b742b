//! Each round goes by the capabilities of its own request: who does not declare one on a retry is neither asked
//! again nor heard.

use serde_json::{Value, json};

use super::client::{Replicas, Reply, accept, everything, reply};

/// The tool, the key of its question, an answer to it, the capability that it needs, and what the tool has
/// without it.
fn kinds() -> [(
    &'static str,
    &'static str,
    Value,
    &'static str,
    &'static str,
); 4] {
    [
        (
            "verdict",
            "count",
            accept(json!({ "n": 3 })),
            "elicitation",
            "CapabilityNotSupported",
        ),
        (
            "page",
            "visit",
            json!({ "action": "accept" }),
            "elicitation",
            "CapabilityNotSupported",
        ),
        (
            "sample",
            "advice",
            reply("go"),
            "sampling",
            "McpError -32021",
        ),
        (
            "roots",
            "roots",
            json!({ "roots": [{ "uri": "file:///a" }] }),
            "roots",
            "McpError -32021",
        ),
    ]
}

fn without(capability: &str) -> Value {
    let mut declared = everything();
    declared.as_object_mut().unwrap().remove(capability);
    declared
}

#[tokio::test]
async fn who_declares_it_no_more_is_not_asked_again_and_its_answer_is_none() {
    for (tool, key, answer, capability, refused) in kinds() {
        let replicas = Replicas::new();
        let first = replicas.call(tool).start().await;
        assert_eq!(first.keys(), [key]);
        for declared in [json!({}), without(capability)] {
            let poorer = replicas.for_client(declared);
            for answers in [Value::Null, json!({ key: answer })] {
                let last = poorer.call(tool).resume(first.token(), answers).await;
                assert!(last.text().starts_with(refused), "{tool}: {}", last.text());
            }
        }
        // What it does declare is enough.
        let mut only = json!({});
        only[capability] = everything()[capability].clone();
        let able = replicas.for_client(only);
        let answers = json!({ key: answer });
        let last = able.call(tool).resume(first.token(), answers).await;
        assert!(!last.text().starts_with(refused), "{tool}: {}", last.text());
    }
}

#[tokio::test]
async fn forms_and_pages_are_two_capabilities() {
    let replicas = Replicas::new();
    for (tool, key, answer, other) in [
        (
            "verdict",
            "count",
            accept(json!({ "n": 3 })),
            json!({ "url": {} }),
        ),
        (
            "page",
            "visit",
            json!({ "action": "accept" }),
            json!({ "form": {} }),
        ),
    ] {
        let first = replicas.call(tool).start().await;
        let poorer = replicas.for_client(json!({ "elicitation": other }));
        let last = poorer
            .call(tool)
            .resume(first.token(), json!({ key: answer }))
            .await;
        assert_eq!(last.text(), "CapabilityNotSupported");
    }
}

#[tokio::test]
async fn in_a_join_each_branch_has_its_refusal() {
    let replicas = Replicas::new();
    let first = replicas.call("pair").start().await;
    assert_eq!(first.keys(), ["count", "sure"]);
    let answers = json!({
        "count": accept(json!({ "n": 3 })),
        "sure": accept(json!({ "ok": true })),
    });
    let poorer = replicas.for_client(without("elicitation"));
    let last = poorer.call("pair").resume(first.token(), answers).await;
    assert_eq!(last.text(), "None false");
    assert_eq!(replicas.effects(), ["before", "0", "after"]);
}

#[tokio::test]
async fn on_the_saga_methods_as_well() {
    for (tool, key, answer, capability, refused) in kinds() {
        let replicas = Replicas::new();
        let call = json!({ "name": tool, "arguments": {} });
        let first = replicas.request("tools/callSaga", call).await.unwrap();
        let steps = json!({
            "sagaToken": first["sagaToken"],
            "completedSteps": [{ "stepId": key, "result": answer }],
        });
        let poorer = replicas.for_client(without(capability));
        let last = Reply(poorer.request("tools/resumeSaga", steps.clone()).await);
        let text = last.result()["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(refused), "{tool}: {text}");
    }
}

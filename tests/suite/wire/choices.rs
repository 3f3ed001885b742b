//! `cx.choose`: what the client is sent, what counts as an answer, and that the answer is the option itself.

use std::time::Duration;

use rmcp::{handler::server::wrapper::Parameters, tool};
use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga, toolbox};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::client::{Replicas, Reply, Wire, accept, everything, hello};

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Copy {
    /// Nobody's business.
    id: u64,
    shelf: String,
}

fn copies() -> Vec<Copy> {
    [(4711, "A"), (4712, "B"), (4713, "A")]
        .map(|(id, shelf)| Copy {
            id,
            shelf: shelf.to_owned(),
        })
        .into()
}

#[saga]
#[tool(description = "Lends a copy")]
async fn lend(cx: Cx) -> Result<String, AskError> {
    let copies = copies();
    let copy = cx
        .choose_by("Which copy?", copies, |copy| {
            format!("on shelf {}", copy.shelf)
        })
        .tries(2)
        .timeout(Duration::from_secs(600))
        .await?;
    Ok(format!("{} {}", copy.id, copy.shelf))
}

#[saga]
#[tool(description = "Burns some")]
async fn burn(cx: Cx) -> Result<String, AskError> {
    let shelves = cx
        .choose_many("Which shelves?", ["A", "B", "C", "D"].map(str::to_owned))
        .key("shelves")
        .at_least(1)
        .at_most(3)
        .await?;
    Ok(shelves.join(" "))
}

#[derive(Deserialize, Elicit)]
struct Many {
    count: u32,
}

#[saga]
#[tool(description = "Chooses among so many")]
async fn among(cx: Cx, Parameters(many): Parameters<Many>) -> Result<String, AskError> {
    let options = (0..many.count).map(|number| format!("{number} {}", "x".repeat(40)));
    let option = cx.choose("Which?", options).key("option").await?;
    Ok(option.len().to_string())
}

#[saga]
#[tool(description = "Asks for what nobody can do")]
async fn impossible(cx: Cx) -> Result<String, AskError> {
    let none = cx.choose_many("Which?", Vec::<u8>::new()).await;
    let few = cx.choose_many("Which?", [1, 2]).at_least(3).await;
    let empty = cx
        .choose_many("Which?", [1, 2])
        .at_least(2)
        .at_most(1)
        .await;
    Ok(format!("{none:?} {few:?} {empty:?}"))
}

fn server(replicas: &Replicas) -> SagaServer<saga_runtime::Toolbox> {
    let tools = toolbox![lend, burn, among, impossible].unwrap();
    SagaServer::new(tools).with_settings(replicas.settings.clone())
}

struct Library(Replicas);

impl Library {
    fn new() -> Self {
        Self(Replicas::new())
    }

    async fn send(&self, params: Value) -> Reply {
        let params = self.0.params(params);
        let mut wire = Wire::open(server(&self.0));
        Reply(wire.request("tools/call", params).await)
    }

    async fn start(&self, tool: &str) -> Reply {
        self.send(json!({ "name": tool, "arguments": {} })).await
    }

    async fn resume(&self, tool: &str, last: &Reply, key: &str, answer: Value) -> Reply {
        let token = last.token();
        let answers = json!({ key: answer });
        self.send(json!({
            "name": tool, "arguments": {}, "requestState": token, "inputResponses": answers,
        }))
        .await
    }
}

fn choice(text: &str) -> Value {
    accept(json!({ "choice": text }))
}

#[tokio::test]
async fn the_client_sees_the_options_and_the_tool_gets_one_of_them() {
    let library = Library::new();
    let first = library.start("lend").await;
    assert_eq!(
        first.result()["inputRequests"]["copy"]["params"],
        json!({
            "mode": "form",
            "message": "Which copy?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "choice": { "type": "string", "enum": ["on shelf A", "on shelf B", "on shelf A (2)"] },
                },
                "required": ["choice"],
            },
        })
    );
    let answers = [
        ("on shelf A", "4711 A"),
        ("on shelf B", "4712 B"),
        ("on shelf A (2)", "4713 A"),
    ];
    for (text, expected) in answers {
        let last = library.resume("lend", &first, "copy", choice(text)).await;
        assert_eq!(last.text(), expected);
    }
}

#[tokio::test]
async fn an_answer_that_is_no_option_is_asked_again_and_then_refused() {
    let library = Library::new();
    let first = library.start("lend").await;
    let others = [
        choice("on shelf C"),
        choice("4711"),
        choice(""),
        accept(json!({ "choice": 0 })),
        accept(json!({ "choice": ["on shelf A"] })),
        accept(json!({ "choices": "on shelf A" })),
        accept(json!({})),
        accept(Value::Null),
        // What the record of a good answer is made of.
        json!({ "action": "accept", "values": ["kaM"] }),
        json!({ "action": "accept", "content": { "values": ["kaM"] }, "values": ["kaM"] }),
    ];
    for other in others {
        let second = library.resume("lend", &first, "copy", other.clone()).await;
        assert_eq!(second.keys(), ["copy-2"], "{other}");
        let asked = &second.result()["inputRequests"]["copy-2"]["params"];
        let message = asked["message"].as_str().unwrap();
        assert!(message.starts_with("Which copy?\n("), "{message}");
        let good = library
            .resume("lend", &second, "copy-2", choice("on shelf B"))
            .await;
        assert_eq!(good.text(), "4712 B");
        let last = library
            .resume("lend", &second, "copy-2", other.clone())
            .await;
        assert_eq!(last.result()["isError"], true, "{other}");
        let text = last.result()["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("the answer does not fit: "), "{text}");
    }
    for (action, text) in [("decline", "declined"), ("cancel", "dismissed")] {
        let said = json!({ "action": action, "values": ["kaM"] });
        let last = library.resume("lend", &first, "copy", said).await;
        let said = last.result()["content"][0]["text"].as_str().unwrap();
        assert!(said.contains(text), "{said}");
    }
}

#[tokio::test]
async fn an_answer_that_came_along_with_the_call_is_judged_too() {
    let library = Library::new();
    let early =
        |answer| json!({ "name": "lend", "arguments": {}, "inputResponses": { "copy": answer } });
    let last = library.send(early(choice("on shelf B"))).await;
    assert_eq!(last.text(), "4712 B");
    let forged = json!({ "action": "accept", "values": ["kaM"] });
    assert_eq!(library.send(early(forged)).await.keys(), ["copy-2"]);
}

#[tokio::test]
async fn several_are_given_in_the_order_of_the_options() {
    let library = Library::new();
    let first = library.start("burn").await;
    assert_eq!(
        first.result()["inputRequests"]["shelves"]["params"]["requestedSchema"]["properties"],
        json!({ "choices": {
            "type": "array", "minItems": 1, "maxItems": 3,
            "items": { "type": "string", "enum": ["A", "B", "C", "D"] },
        } })
    );
    let chosen = |items: Value| accept(json!({ "choices": items }));
    let last = library
        .resume("burn", &first, "shelves", chosen(json!(["D", "A"])))
        .await;
    assert_eq!(last.text(), "A D");
    let wrong = [
        (json!([]), "choose at least 1"),
        (json!(["A", "B", "C", "D"]), "choose at most 3"),
        (json!(["A", "A"]), "choose each option once"),
        (json!(["A", "E"]), "that is not one of the options"),
        (json!(["A", 1]), "choose among the options"),
        (json!("A"), "choose among the options"),
    ];
    for (items, why) in wrong {
        let again = library
            .resume("burn", &first, "shelves", chosen(items))
            .await;
        let asked = &again.result()["inputRequests"]["shelves-2"]["params"]["message"];
        assert_eq!(*asked, format!("Which shelves?\n({why})"));
    }
}

#[tokio::test]
async fn no_options_too_many_and_impossible_numbers_are_told_without_a_question() {
    let library = Library::new();
    let count = |count: u32| json!({ "name": "among", "arguments": { "count": count } });
    for (number, why) in [
        (0, "nothing to choose from"),
        (257, "more than 256 options"),
        (4_000_000_000, "more than 256"),
    ] {
        let last = library.send(count(number)).await;
        assert_eq!(last.result()["isError"], true);
        let text = last.result()["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(why), "{text}");
    }
    // As many as there may be, of some length, fit in a token.
    let first = library.send(count(256)).await;
    let last = &first.result()["inputRequests"]["option"]["params"]["requestedSchema"]["properties"]
        ["choice"]["enum"][255];
    let mut again = count(256);
    again["requestState"] = json!(first.token());
    again["inputResponses"] = json!({ "option": choice(last.as_str().unwrap()) });
    assert_eq!(library.send(again).await.text(), "44");
    let text = library.start("impossible").await;
    let text = text.text();
    for why in [
        "nothing to choose from",
        "3 to 2 of 2 options",
        "2 to 1 of 2 options",
    ] {
        assert!(text.contains(why), "{text}");
    }
}

#[tokio::test]
async fn older_clients_choose_one_and_have_no_choice_of_several() {
    for version in ["2025-11-25", "2025-06-18"] {
        let mut wire = Wire::open(server(&Replicas::new()));
        let mut greeting = hello(everything());
        greeting["protocolVersion"] = json!(version);
        wire.request("initialize", greeting).await.unwrap();
        wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        let id = wire
            .put("tools/call", json!({ "name": "lend", "arguments": {} }))
            .await;
        for text in ["nowhere", "on shelf A (2)"] {
            let ask = wire.receive().await;
            assert_eq!(ask["method"], "elicitation/create");
            wire.send(json!({ "jsonrpc": "2.0", "id": ask["id"], "result": choice(text) }))
                .await;
        }
        let end = wire.receive().await;
        assert_eq!(end["id"], id);
        assert_eq!(end["result"]["content"][0]["text"], "4713 A");
    }
    let mut wire = Wire::open(server(&Replicas::new()));
    let mut greeting = hello(everything());
    greeting["protocolVersion"] = json!("2025-06-18");
    wire.request("initialize", greeting).await.unwrap();
    wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    let several = wire
        .request("tools/call", json!({ "name": "burn", "arguments": {} }))
        .await
        .unwrap();
    let text = several["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("from 2025-11-25"), "{text}");
}

#[tokio::test]
async fn the_saga_methods_carry_a_choice() {
    let library = Library::new();
    let mut wire = Wire::open(server(&library.0));
    let params = json!({ "name": "lend", "arguments": {} });
    let first = wire
        .request("tools/callSaga", library.0.params(params))
        .await
        .unwrap();
    let step = &first["steps"][0];
    let options = &step["params"]["requestedSchema"]["properties"]["choice"]["enum"];
    assert_eq!(options[1], "on shelf B", "{first}");
    let done = json!({ "stepId": step["stepId"], "result": choice("on shelf B") });
    let params = json!({ "sagaToken": first["sagaToken"], "completedSteps": [done] });
    let mut other = Wire::open(server(&library.0));
    let last = other
        .request("tools/resumeSaga", library.0.params(params))
        .await
        .unwrap();
    assert_eq!(last["content"][0]["text"], "4712 B", "{last}");
}

//! Over the live wire: a client from before 2026-07-28 is asked while its call waits, with `#[saga]` and
//! without.

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use serde_json::{Value, json};

use super::{
    super::client::{Three, Wire, accept, everything, hello, reply},
    Desk, failure,
};

/// What was said during a call.
struct Said {
    asked: Vec<Value>,
    notified: Vec<Value>,
    end: Value,
}

impl Said {
    fn messages(&self) -> Vec<&str> {
        let params = self.asked.iter().map(|ask| &ask["params"]["message"]);
        params.map(|message| message.as_str().unwrap()).collect()
    }

    fn text(&self) -> &str {
        self.end["result"]["content"][0]["text"].as_str().unwrap()
    }
}

/// Calls a tool and answers its questions in order.
async fn call_with(wire: &mut Wire, params: Value, answers: &[Value]) -> Said {
    let id = wire.put("tools/call", params).await;
    let (mut asked, mut notified) = (Vec::new(), Vec::new());
    loop {
        let message = wire.receive().await;
        if message.get("id").is_none() {
            notified.push(message);
            continue;
        }
        if message.get("method").is_none() {
            assert_eq!(message["id"], id);
            assert_eq!(asked.len(), answers.len(), "{message}");
            return Said {
                asked,
                notified,
                end: message,
            };
        }
        let result = &answers[asked.len()];
        let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
        wire.send(answer).await;
        asked.push(message);
    }
}

async fn call(tool: &str, answers: &[Value]) -> Said {
    call_of(everything(), tool, answers).await
}

async fn call_of(capabilities: Value, tool: &str, answers: &[Value]) -> Said {
    let mut wire = Wire::session(Desk::new().server(), capabilities).await;
    call_with(&mut wire, json!({ "name": tool }), answers).await
}

fn target(target: &str) -> Value {
    accept(json!({ "target": target }))
}

fn count(n: i64) -> Value {
    accept(json!({ "n": n }))
}

#[tokio::test]
async fn a_bad_answer_is_asked_again_with_the_reason() {
    for tool in ["plain", "strict"] {
        let tries = if tool == "plain" { 2 } else { 1 };
        let answers = &[target("ab"), target("staging")][2 - tries..];
        let said = call(tool, answers).await;
        assert_eq!(said.text(), "staging");
    }
    let said = call("plain", &[target("ab"), target("staging")]).await;
    assert_eq!(
        said.messages(),
        [
            "Where to?",
            "Where to?\n(`target` must have at least 3 characters)"
        ]
    );
}

#[tokio::test]
async fn when_the_tries_are_used_up_the_tool_has_the_reason() {
    let said = call("verdict", &[count(12), accept(json!({}))]).await;
    assert_eq!(
        said.text(),
        "invalid: the answer does not fit: `n` is needed"
    );
    let said = call("plain", &[target("ab"), target("cd")]).await;
    assert_eq!(
        failure(&said.end["result"]),
        "the answer does not fit: `target` must have at least 3 characters"
    );
}

#[tokio::test]
async fn a_user_who_takes_too_long_is_the_tools_error() {
    let mut wire = Wire::session(Desk::new().server(), everything()).await;
    let id = wire.put("tools/call", json!({ "name": "hurried" })).await;
    let ask = wire.receive().await;
    assert_eq!(ask["method"], "elicitation/create");
    let end = loop {
        let message = wire.receive().await;
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/cancelled");
    };
    assert_eq!(failure(&end["result"]), "no answer within 0ns");
}

#[tokio::test]
async fn an_answer_of_another_kind_is_the_tools_error() {
    let said = call("plain", &[reply("staging")]).await;
    assert_eq!(
        failure(&said.end["result"]),
        "no answer: it was the answer to another question"
    );
}

#[tokio::test]
async fn the_model_and_the_roots_are_asked_too() {
    let said = call("deploy", &[target("staging"), reply("done")]).await;
    assert_eq!(said.text(), "staging: done (client-side-llm-v2)");
    assert_eq!(said.asked[1]["params"]["systemPrompt"], "You are brief.");
    let said = call("roots", &[json!({ "roots": [{ "uri": "file:///a" }] })]).await;
    assert_eq!(said.text(), "file:///a");
}

#[tokio::test]
async fn helpers_loops_and_pages_do_as_they_do_between_requests() {
    let said = call("helped", &[count(1), count(2), count(3)]).await;
    assert_eq!(said.text(), "7");
    let said = call("looped", &[count(1), count(2), count(4)]).await;
    assert_eq!(said.text(), "7");
    let said = call("page", &[json!({ "action": "cancel" })]).await;
    assert_eq!(
        failure(&said.end["result"]),
        "the user dismissed the question"
    );
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_sent_nothing() {
    for tool in ["deploy", "plain"] {
        let said = call_of(json!({}), tool, &[]).await;
        assert_eq!(
            failure(&said.end["result"]),
            "the client cannot be asked this: it does not declare `elicitation`"
        );
    }
    for tool in ["strict", "plain_strict"] {
        let said = call_of(json!({}), tool, &[]).await;
        assert_eq!(said.end["error"]["code"], -32021);
        let required = json!({ "requiredCapabilities": { "elicitation": {} } });
        assert_eq!(said.end["error"]["data"], required);
    }
}

#[tokio::test]
async fn a_clients_own_error_is_the_tools() {
    let mut wire = Wire::session(Desk::new().server(), everything()).await;
    for (tool, expected) in [("plain", None), ("plain_strict", Some(-7))] {
        wire.put("tools/call", json!({ "name": tool })).await;
        let ask = wire.receive().await;
        let error = json!({ "code": -7, "message": "no user" });
        wire.send(json!({ "jsonrpc": "2.0", "id": ask["id"], "error": error }))
            .await;
        let end = wire.receive().await;
        match expected {
            None => assert_eq!(failure(&end["result"]), "the question was refused: no user"),
            Some(code) => assert_eq!(end["error"]["code"], code),
        }
    }
}

#[tokio::test]
async fn progress_is_told_to_those_who_gave_a_token() {
    let mut wire = Wire::session(Desk::new().server(), everything()).await;
    let params = json!({ "name": "progress", "_meta": { "progressToken": "p-1" } });
    let said = call_with(&mut wire, params, &[count(3)]).await;
    assert_eq!(said.text(), "3");
    let params: Vec<_> = said
        .notified
        .iter()
        .map(|message| &message["params"])
        .collect();
    assert_eq!(
        params,
        [
            &json!({ "progressToken": "p-1", "progress": 1.0, "total": 2.0, "message": "half" }),
            &json!({ "progressToken": "p-1", "progress": 2.0 }),
        ]
    );
    let said = call_with(&mut wire, json!({ "name": "progress" }), &[count(3)]).await;
    assert!(said.notified.is_empty());
}

#[tokio::test]
async fn the_oldest_clients_are_sent_the_schema_of_their_version() {
    let mut wire = Wire::open(Desk::new().server());
    let mut greeting = hello(json!({ "elicitation": {} }));
    greeting["protocolVersion"] = json!("2025-06-18");
    wire.request("initialize", greeting).await.unwrap();
    wire.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    let said = call_with(&mut wire, json!({ "name": "several" }), &[]).await;
    assert_eq!(
        failure(&said.end["result"]),
        "the question was refused: `sizes` is a choice of several, which clients have from 2025-11-25"
    );
    let said = call_with(&mut wire, json!({ "name": "facts" }), &[count(1)]).await;
    assert_eq!(said.text(), "2025-06-18 true false false false false");
}

#[tokio::test]
async fn rmcps_own_client_is_asked() {
    let (near, far) = tokio::io::duplex(1 << 16);
    let three = Three(ProtocolVersion::V_2025_11_25);
    let desk = Desk::new();
    let (server, client) = tokio::join!(desk.server().serve(near), three.serve(far));
    let (_server, client) = (server.unwrap(), client.unwrap());
    let last = client
        .call_tool(CallToolRequestParams::new("looped"))
        .await
        .unwrap();
    assert_eq!(last.content[0].as_text().unwrap().text, "9");
}

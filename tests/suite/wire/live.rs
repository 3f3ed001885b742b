//! The live wire: a client from before 2026-07-28 is asked while its call waits.

use rmcp::{
    ServiceExt,
    model::{CallToolRequestParams, ProtocolVersion},
};
use serde_json::{Value, json};

use super::client::{Replicas, Three, Wire, accept, everything, reply};

/// What was said during a call: the requests of the server, and how the call ended.
struct Transcript {
    asked: Vec<Value>,
    end: Value,
}

impl Transcript {
    fn text(&self) -> &str {
        self.end["result"]["content"][0]["text"].as_str().unwrap()
    }

    fn methods(&self) -> Vec<&str> {
        self.asked
            .iter()
            .map(|ask| ask["method"].as_str().unwrap())
            .collect()
    }
}

/// Calls a tool and answers its asks, in order, with these responses.
async fn call(replicas: &Replicas, params: Value, answers: &[Value]) -> Transcript {
    let mut wire = Wire::session(replicas.server(), replicas.capabilities.clone()).await;
    let id = wire.put("tools/call", params).await;
    let mut asked = Vec::new();
    loop {
        let message = wire.receive().await;
        if message.get("method").is_none() {
            assert_eq!(message["id"], id);
            assert_eq!(asked.len(), answers.len(), "{message}");
            return Transcript {
                asked,
                end: message,
            };
        }
        let mut answer = answers[asked.len()].clone();
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = message["id"].clone();
        wire.send(answer).await;
        asked.push(message);
    }
}

fn answers() -> [Value; 3] {
    [
        json!({ "result": accept(json!({ "text": "Ada" })) }),
        json!({ "result": accept(json!({ "ok": true })) }),
        json!({ "result": reply("go") }),
    ]
}

#[tokio::test]
async fn asks_go_to_the_client_while_the_call_waits() {
    let replicas = Replicas::new();
    let said = call(&replicas, json!({ "name": "three" }), &answers()).await;
    assert_eq!(
        said.methods(),
        [
            "elicitation/create",
            "elicitation/create",
            "sampling/createMessage"
        ]
    );
    assert_eq!(said.asked[0]["params"]["message"], "Who?");
    assert_eq!(said.text(), r#"7 Some("Ada") Some(true) go"#);
    assert_eq!(replicas.effects(), ["7", "named", "confirmed", "advised"]);
}

#[tokio::test]
async fn no_token_and_no_newer_field_appears() {
    let said = call(&Replicas::new(), json!({ "name": "three" }), &answers()).await;
    assert_eq!(
        said.end["result"],
        json!({
            "content": [{ "type": "text", "text": r#"7 Some("Ada") Some(true) go"# }],
            "isError": false,
        })
    );
    for message in &said.asked {
        let text = message.to_string();
        for newer in ["requestState", "sagaToken", "inputRequests", "resultType"] {
            assert!(!text.contains(newer), "{text}");
        }
    }
}

#[tokio::test]
async fn answers_and_states_that_come_along_mean_nothing() {
    let replicas = Replicas::new();
    let params = json!({
        "name": "three",
        "inputResponses": { "user_name": accept(json!({ "text": "Mallory" })) },
        "requestState": "anything",
    });
    let said = call(&replicas, params, &answers()).await;
    assert_eq!(said.text(), r#"7 Some("Ada") Some(true) go"#);
}

#[tokio::test]
async fn refusals_of_the_user_reach_the_tool_as_rmcp_names_them() {
    let outcomes = [
        (json!({ "result": { "action": "decline" } }), "UserDeclined"),
        (json!({ "result": { "action": "cancel" } }), "UserCancelled"),
        (json!({ "result": { "action": "accept" } }), "NoContent"),
        (
            json!({ "result": accept(json!({ "n": "many" })) }),
            r#"ParseError {"n":"many"}"#,
        ),
        (
            json!({ "error": { "code": -7, "message": "no user" } }),
            "McpError -7 no user null",
        ),
        (json!({ "result": reply("what?") }), "UnexpectedResponse"),
    ];
    for (answer, verdict) in outcomes {
        let replicas = Replicas::new();
        let said = call(&replicas, json!({ "name": "verdict" }), &[answer]).await;
        assert_eq!(said.text(), verdict);
        assert_eq!(replicas.effects(), ["before", "after"]);
    }
}

#[tokio::test]
async fn a_client_without_elicitation_is_sent_nothing() {
    let replicas = Replicas::new().for_client(json!({}));
    let said = call(&replicas, json!({ "name": "verdict" }), &[]).await;
    assert_eq!(said.text(), "CapabilityNotSupported");
}

#[tokio::test]
async fn sampling_is_sent_regardless_as_rmcp_does() {
    let replicas = Replicas::new().for_client(json!({}));
    let refusal = json!({ "error": { "code": -32601, "message": "no model" } });
    let said = call(&replicas, json!({ "name": "sample" }), &[refusal]).await;
    assert_eq!(said.text(), "McpError -32601 no model null");
}

#[tokio::test]
async fn what_the_client_can_do_is_read_from_the_handshake() {
    let forms = json!({ "elicitation": {}, "sampling": {} });
    for (capabilities, abilities) in [(everything(), "Form+Url true"), (forms, "Form false")] {
        let replicas = Replicas::new().for_client(capabilities);
        let answer = json!({ "result": accept(json!({ "ok": true })) });
        let said = call(&replicas, json!({ "name": "abilities" }), &[answer]).await;
        assert_eq!(
            said.text(),
            format!(r#"{abilities}, {abilities}, Some("alice")"#)
        );
    }
}

#[tokio::test]
async fn what_a_token_could_not_hold_is_no_matter_here() {
    let answer = json!({ "result": accept(json!({ "ok": true })) });
    let params = json!({ "name": "big", "arguments": { "bytes": 300_000 } });
    let said = call(&Replicas::new(), params, &[answer]).await;
    assert_eq!(said.text(), "1 300000 true");
}

#[tokio::test]
async fn rmcps_own_client_is_asked_live() {
    let replicas = Replicas::new();
    let (near, far) = tokio::io::duplex(1 << 16);
    let three = Three(ProtocolVersion::V_2025_11_25);
    let (server, client) = tokio::join!(replicas.server().serve(near), three.serve(far));
    let (_server, client) = (server.unwrap(), client.unwrap());
    let last = client
        .call_tool(CallToolRequestParams::new("verdict"))
        .await
        .unwrap();
    assert_eq!(
        last.content[0].as_text().unwrap().text,
        "Some(Count { n: 3 })"
    );
    assert_eq!(last.result_type, None);
}

//! Resume tokens: a call ends with a part of its result, and goes on from there when it is made again.

use std::{sync::Arc, time::Duration};

use rmcp::{
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ProtocolVersion},
    tool, tool_router,
};
use saga_runtime::{
    AskError, Cx, Elicit, Keyring, SagaServer, Settings,
    client::{CallError, ResumableCall},
    saga,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::Trace;

use super::{
    answering::{Answering, Manner},
    client::{Response, Wire, everything},
};

#[derive(Debug, Deserialize, JsonSchema)]
struct Rollout {
    app: String,
    #[serde(default)]
    breaks: bool,
}

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

#[derive(Clone)]
struct Cluster(Arc<Trace>);

#[tool_router(server_handler)]
impl Cluster {
    /// Three parts.
    #[saga(resume_token)]
    #[tool]
    async fn rollout(
        &self,
        cx: Cx,
        Parameters(rollout): Parameters<Rollout>,
    ) -> Result<String, AskError> {
        self.0.note("first");
        cx.partial(format!("2 of 5 pods of {}", rollout.app)).await;
        self.0.note("second");
        if rollout.breaks {
            return Err(AskError::Declined);
        }
        cx.partial("4 of 5").await;
        self.0.note("third");
        Ok("5 of 5".to_owned())
    }

    /// No arguments of its own, a question between two parts.
    #[saga(resume_token)]
    #[tool]
    async fn asked(&self, cx: Cx) -> Result<String, AskError> {
        cx.partial("a part").await;
        let sure = cx.elicit::<Sure>("Go on?").key("sure").await?;
        self.0.note("answered");
        cx.partial("another part").await;
        Ok(format!("{}", sure.ok))
    }

    /// Nothing to give before it has slept.
    #[saga(resume_token)]
    #[tool]
    async fn rests(&self, cx: Cx) -> Result<String, AskError> {
        let sure = cx.elicit::<Sure>("Go on?").key("sure").await?;
        saga_runtime::sleep(Duration::from_secs(3600)).await;
        self.0.note("rested");
        Ok(format!("{}", sure.ok))
    }

    /// The same question before each part.
    #[saga(resume_token)]
    #[tool]
    async fn insists(&self, cx: Cx) -> Result<String, AskError> {
        for part in 1..4 {
            cx.elicit::<Sure>("Go on?").key("sure").await?;
            cx.partial(format!("part {part}")).await;
        }
        Ok("all".to_owned())
    }
}

struct Service {
    world: Arc<Trace>,
    settings: Settings,
}

impl Service {
    fn new() -> Self {
        Self {
            world: Arc::default(),
            settings: Settings::new(Keyring::random().unwrap()),
        }
    }

    fn server(&self) -> saga_runtime::Extended<SagaServer<Cluster>> {
        let cluster = Cluster(Arc::clone(&self.world));
        SagaServer::new(cluster)
            .with_settings(self.settings.clone())
            .extended()
    }

    async fn send(&self, method: &str, mut params: Value) -> Response {
        let meta = params["_meta"].take();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": everything(),
        });
        if let Some(more) = meta.as_object() {
            for (name, value) in more {
                params["_meta"][name] = value.clone();
            }
        }
        Wire::open_service(self.server())
            .request(method, params)
            .await
    }

    /// A call with the token in its arguments.
    async fn call(&self, tool: &str, mut arguments: Value, token: Option<&Value>) -> Response {
        if let Some(token) = token {
            arguments["resumeToken"] = token.clone();
        }
        self.send(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
        .await
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn who_knows_of_no_resume_tokens_comes_back_with_a_state_while_the_tool_sleeps() {
    let service = Service::new();
    let call = json!({ "name": "rests", "arguments": {} });
    let asked = service.send("tools/call", call.clone()).await.unwrap();
    let mut answered = call;
    answered["requestState"] = asked["requestState"].clone();
    answered["inputResponses"] =
        json!({ "sure": { "action": "accept", "content": { "ok": true } } });
    let asleep = service.send("tools/call", answered).await.unwrap();
    assert!(asleep["requestState"].is_string(), "{asleep}");
    assert_eq!(asleep.get("content"), None, "{asleep}");
    assert!(service.world.events().is_empty());
}

#[tokio::test]
async fn a_call_gives_parts_and_a_token_for_the_rest() {
    let service = Service::new();
    let first = service
        .call("rollout", json!({ "app": "api" }), None)
        .await
        .unwrap();
    assert_eq!(
        (text(&first), &first["isError"]),
        ("2 of 5 pods of api", &json!(false))
    );
    let token = &first["nextResumeToken"];
    assert!(token.is_string() && first["_meta"]["nextResumeToken"] == *token);
    assert_eq!(first["_meta"]["io.github.saga-rs/resumeTtl"], 3600);
    assert_eq!(service.world.events(), ["first"]);
    let second = service
        .call("rollout", json!({ "app": "api" }), Some(token))
        .await
        .unwrap();
    assert_eq!(text(&second), "4 of 5");
    let last = service
        .call(
            "rollout",
            json!({ "app": "api" }),
            Some(&second["nextResumeToken"]),
        )
        .await
        .unwrap();
    assert_eq!(text(&last), "5 of 5");
    assert!(
        last.get("nextResumeToken").is_none() && last["_meta"].get("nextResumeToken").is_none()
    );
    assert_eq!(service.world.events(), ["first", "second", "third"]);
    // A token is stable: it goes on from its point as often as it is valid.
    let again = service
        .call("rollout", json!({ "app": "api" }), Some(token))
        .await
        .unwrap();
    assert_eq!(text(&again), "4 of 5");
}

#[tokio::test]
async fn the_token_is_taken_from_where_clients_put_it() {
    let service = Service::new();
    let first = service
        .call("rollout", json!({ "app": "api" }), None)
        .await
        .unwrap();
    let token = first["nextResumeToken"].clone();
    let call = |meta: Value, argument: Value| {
        let mut params = json!({ "name": "rollout", "arguments": { "app": "api" }, "_meta": meta });
        if !argument.is_null() {
            params["arguments"]["resumeToken"] = argument;
        }
        service.send("tools/call", params)
    };
    let by_meta = call(json!({ "resumeToken": token }), json!(null))
        .await
        .unwrap();
    assert_eq!(text(&by_meta), "4 of 5");
    let by_both = call(json!({ "resumeToken": token }), token.clone())
        .await
        .unwrap();
    assert_eq!(text(&by_both), "4 of 5");
    for (meta, argument) in [
        (json!({ "resumeToken": "another" }), token.clone()),
        (json!({ "resumeToken": 7 }), json!(null)),
        (json!({}), json!(["x"])),
    ] {
        let refused = call(meta, argument).await.unwrap_err();
        assert_eq!(
            (&refused["code"], &refused["data"]["reason"]),
            (&json!(-32602), &json!("malformed"))
        );
    }
    // An empty place is none.
    let anew = call(json!({ "resumeToken": null }), json!(null))
        .await
        .unwrap();
    assert_eq!(text(&anew), "2 of 5 pods of api");
}

#[tokio::test]
async fn another_call_is_refused() {
    let service = Service::new();
    let first = service
        .call("rollout", json!({ "app": "api" }), None)
        .await
        .unwrap();
    let token = &first["nextResumeToken"];
    for (tool, arguments, token) in [
        ("rollout", json!({ "app": "web" }), token.clone()),
        ("asked", json!({}), token.clone()),
        ("rollout", json!({ "app": "api" }), json!("no token")),
        (
            "rollout",
            json!({ "app": "api" }),
            json!(format!("{}x", token.as_str().unwrap())),
        ),
        ("rollout", json!({ "app": "api" }), json!("")),
    ] {
        let refused = service
            .call(tool, arguments, Some(&token))
            .await
            .unwrap_err();
        assert_eq!(refused["code"], -32602, "{refused}");
        assert!(!refused.to_string().contains("nextResumeToken"));
    }
    // What MRTR seals is none, and the other way round.
    let state = json!({ "name": "rollout", "arguments": { "app": "api" }, "requestState": token });
    assert_eq!(
        service.send("tools/call", state).await.unwrap_err()["code"],
        -32602
    );
    assert_eq!(service.world.events(), ["first"]);
}

#[tokio::test]
async fn an_error_has_no_token() {
    let service = Service::new();
    let arguments = json!({ "app": "api", "breaks": true });
    let first = service
        .call("rollout", arguments.clone(), None)
        .await
        .unwrap();
    let failed = service
        .call("rollout", arguments, Some(&first["nextResumeToken"]))
        .await;
    let shown = format!("{failed:?}");
    assert!(failed.is_err() || failed.is_ok_and(|failed| failed["isError"] == true));
    assert!(!shown.contains("nextResumeToken"), "{shown}");
}

#[tokio::test]
async fn a_token_expires_and_each_part_has_one_of_its_own() {
    let mut service = Service::new();
    let offset = Arc::new(std::sync::Mutex::new(Duration::ZERO));
    let clock = Arc::clone(&offset);
    service.settings = service
        .settings
        .with_clock(move || std::time::SystemTime::now() + *clock.lock().unwrap())
        .with_ttl(Duration::from_secs(100));
    let first = service
        .call("rollout", json!({ "app": "api" }), None)
        .await
        .unwrap();
    *offset.lock().unwrap() += Duration::from_secs(90);
    let second = service
        .call(
            "rollout",
            json!({ "app": "api" }),
            Some(&first["nextResumeToken"]),
        )
        .await
        .unwrap();
    *offset.lock().unwrap() += Duration::from_secs(20);
    let expired = service
        .call(
            "rollout",
            json!({ "app": "api" }),
            Some(&first["nextResumeToken"]),
        )
        .await
        .unwrap_err();
    assert_eq!(expired["data"]["reason"], "expired");
    let last = service
        .call(
            "rollout",
            json!({ "app": "api" }),
            Some(&second["nextResumeToken"]),
        )
        .await
        .unwrap();
    assert_eq!(text(&last), "5 of 5");
}

#[tokio::test]
async fn a_question_between_two_parts_is_a_round_of_the_call() {
    let service = Service::new();
    let first = service.call("asked", json!({}), None).await.unwrap();
    let token = first["nextResumeToken"].clone();
    let asked = service
        .call("asked", json!({}), Some(&token))
        .await
        .unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let answers = json!({ "sure": { "action": "accept", "content": { "ok": true } } });
    let retry = json!({
        "name": "asked", "arguments": { "resumeToken": token },
        "requestState": asked["requestState"], "inputResponses": answers,
    });
    let second = service.send("tools/call", retry).await.unwrap();
    assert_eq!(text(&second), "another part");
    let last = service
        .call("asked", json!({}), Some(&second["nextResumeToken"]))
        .await
        .unwrap();
    assert_eq!(text(&last), "true");
    assert_eq!(service.world.events(), ["answered"]);
}

#[tokio::test]
async fn a_client_of_before_has_parts_as_well() {
    let service = Service::new();
    let mut wire = Wire::session_service(service.server(), everything()).await;
    let call = |token: Option<&Value>| {
        let mut params = json!({ "name": "rollout", "arguments": { "app": "api" } });
        if let Some(token) = token {
            params["arguments"]["resumeToken"] = token.clone();
        }
        params
    };
    let first = wire.request("tools/call", call(None)).await.unwrap();
    let second = wire
        .request("tools/call", call(Some(&first["nextResumeToken"])))
        .await
        .unwrap();
    assert_eq!(text(&second), "4 of 5");
    let last = wire
        .request("tools/call", call(Some(&second["nextResumeToken"])))
        .await
        .unwrap();
    assert_eq!((text(&last), last.get("nextResumeToken")), ("5 of 5", None));
    assert_eq!(service.world.events(), ["first", "second", "third"]);
}

#[tokio::test]
async fn the_schema_shows_the_token() {
    let service = Service::new();
    let tools = service.send("tools/list", json!({})).await.unwrap();
    for tool in tools["tools"].as_array().unwrap() {
        let schema = &tool["inputSchema"];
        assert_eq!(
            schema["properties"]["resumeToken"]["type"], "string",
            "{tool}"
        );
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        assert!(!required.contains(&json!("resumeToken")), "{tool}");
    }
    assert_eq!(tools["tools"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn in_a_session_another_call_is_refused_and_a_guard_counts() {
    let mut service = Service::new();
    let guard = saga_runtime::MemoryGuard::new(100);
    service.settings = service.settings.with_guard(guard);
    let mut wire = Wire::session_service(service.server(), everything()).await;
    let call = |app: &str, token: Option<&Value>| {
        let mut params = json!({ "name": "rollout", "arguments": { "app": app } });
        if let Some(token) = token {
            params["arguments"]["resumeToken"] = token.clone();
        }
        params
    };
    let first = wire.request("tools/call", call("api", None)).await.unwrap();
    let token = &first["nextResumeToken"];
    let other = wire
        .request("tools/call", call("web", Some(token)))
        .await
        .unwrap_err();
    assert_eq!(other["data"]["reason"], "invalid");
    assert_eq!(service.world.events(), ["first"]);
    let second = wire
        .request("tools/call", call("api", Some(token)))
        .await
        .unwrap();
    assert_eq!(text(&second), "4 of 5");
    let used = wire
        .request("tools/call", call("api", Some(token)))
        .await
        .unwrap_err();
    assert_eq!(used["data"]["reason"], "used");
    // It is the same call over the other wire.
    let last = service
        .call(
            "rollout",
            json!({ "app": "api" }),
            Some(&second["nextResumeToken"]),
        )
        .await
        .unwrap();
    assert_eq!(text(&last), "5 of 5");
    assert_eq!(service.world.events(), ["first", "second", "third"]);
}

#[tokio::test]
async fn a_token_is_not_dropped_by_another_wire() {
    let service = Service::new();
    let first = service
        .call("rollout", json!({ "app": "api" }), None)
        .await
        .unwrap();
    let arguments = json!({ "app": "api", "resumeToken": first["nextResumeToken"] });
    let params = json!({ "name": "rollout", "arguments": arguments });
    let refused = service.send("tools/callSaga", params).await.unwrap_err();
    assert_eq!(
        (&refused["code"], &refused["data"]["reason"]),
        (&json!(-32602), &json!("malformed"))
    );
    assert_eq!(service.world.events(), ["first"]);
}

#[tokio::test]
async fn the_client_gets_part_after_part() {
    for version in [ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25] {
        let service = Service::new();
        let client = Answering::connect(service.server(), version, Manner::Answers).await;
        let arguments = json!({ "app": "api" }).as_object().unwrap().clone();
        let call = ResumableCall::new("rollout").arguments(arguments);
        let first = call.next(&client).await.unwrap();
        let said = |result: &CallToolResult| result.content[0].as_text().unwrap().text.clone();
        assert_eq!(said(&first.result), "2 of 5 pods of api");
        // What its process has forgotten, another one goes on with.
        let mut parts = Vec::new();
        let rest = call.from(first.token.unwrap());
        let done = rest
            .run(&client, |part| parts.push(said(&part.result)))
            .await;
        assert_eq!(
            (parts, said(&done.unwrap())),
            (vec!["4 of 5".to_owned()], "5 of 5".to_owned())
        );
        assert_eq!(service.world.events(), ["first", "second", "third"]);

        let mut parts = Vec::new();
        let asked = ResumableCall::new("asked").run(&client, |part| parts.push(said(&part.result)));
        assert_eq!(said(&asked.await.unwrap()), "true");
        assert_eq!(parts, ["a part", "another part"]);
        let bad = ResumableCall::new("asked")
            .from("no token")
            .next(&client)
            .await
            .unwrap_err();
        assert!(matches!(bad, CallError::Service(_)), "{bad:?}");
    }
}

/// What a client of 2026-07-28 was asked counts, though one of before goes on in between.
#[tokio::test]
async fn a_key_that_was_given_out_is_not_given_out_again_behind_a_live_leg() {
    let service = Service::new();
    let yes = json!({ "action": "accept", "content": { "ok": true } });
    let asked = service.call("insists", json!({}), None).await.unwrap();
    let retry = json!({
        "name": "insists", "arguments": {},
        "requestState": asked["requestState"], "inputResponses": { "sure": yes },
    });
    let first = service.send("tools/call", retry).await.unwrap();
    assert_eq!(text(&first), "part 1");

    let mut wire = Wire::session_service(service.server(), everything()).await;
    let arguments = json!({ "resumeToken": first["nextResumeToken"] });
    let params = json!({ "name": "insists", "arguments": arguments });
    wire.put("tools/call", params).await;
    let question = wire.receive().await;
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }))
        .await;
    let second = wire.receive().await["result"].take();
    assert_eq!(text(&second), "part 2");

    let last = service
        .call("insists", json!({}), Some(&second["nextResumeToken"]))
        .await
        .unwrap();
    let keys: Vec<_> = last["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["sure-2"]);
}

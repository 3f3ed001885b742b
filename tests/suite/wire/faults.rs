//! What a tool or a client may do to a server, and what holds.

use std::{future::pending, sync::Arc};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult},
    prompt, prompt_handler, prompt_router,
    service::RequestContext,
    tool, tool_handler, tool_router,
};
use saga_runtime::{Error, Keyring, OnDisconnect, SagaServer, Settings, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::{
    Trace,
    answers::{Confirm, Text},
};
use tokio::sync::Notify;

use super::client::{Replicas, Reply, Wire, accept, everything};

#[derive(Debug, Deserialize, JsonSchema)]
struct When {
    /// How many questions come before the fault.
    after: u32,
}

/// A server whose handlers fail.
#[derive(Clone)]
struct Faulty {
    world: Arc<Trace>,
    started: Arc<Notify>,
}

struct Ends(Arc<Trace>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

fn panics(after: u32, asked: u32) {
    assert_ne!(after, asked, "the secret is 42");
}

#[tool_router]
impl Faulty {
    #[saga]
    #[tool(description = "Panics after so many questions")]
    async fn panicking(
        &self,
        peer: Peer<RoleServer>,
        Parameters(When { after }): Parameters<When>,
    ) -> String {
        panics(after, 0);
        let _ = peer.elicit::<Confirm>("Sure?").await;
        panics(after, 1);
        let _ = tokio::join!(self.deeper(&peer, after), peer.elicit::<Text>("And?"));
        panics(after, 4);
        "done".to_owned()
    }

    #[saga]
    async fn deeper(&self, peer: &Peer<RoleServer>, after: u32) -> bool {
        panics(after, 2);
        let sure = peer.elicit::<Confirm>("Sure, deep down?").await;
        panics(after, 3);
        sure.is_ok()
    }

    #[tool(description = "Panics without Saga")]
    async fn plain(&self) -> String {
        panics(0, 0);
        String::new()
    }

    #[saga]
    #[tool(description = "Waits for something that never comes")]
    async fn endless(&self, peer: Peer<RoleServer>) -> String {
        let _ = peer.elicit::<Confirm>("Sure?").await;
        self.wait().await;
        String::new()
    }

    async fn wait(&self) {
        let ends = Ends(Arc::clone(&self.world));
        self.world.note("waits");
        self.started.notify_one();
        pending::<()>().await;
        drop(ends);
    }

    #[saga]
    #[tool(description = "Keeps what it is told")]
    async fn keeps(&self, peer: Peer<RoleServer>) -> String {
        let text = peer.elicit::<Text>("What?").await;
        self.world.note("told");
        let sure = peer.elicit::<Confirm>("Sure?").await;
        format!("{} {}", text.is_ok(), sure.is_ok())
    }
}

#[prompt_router]
impl Faulty {
    #[saga]
    #[prompt(description = "Panics")]
    async fn summary(&self, peer: Peer<RoleServer>) -> Result<Vec<PromptMessage>, ErrorData> {
        let _ = peer.elicit::<Confirm>("Sure?").await;
        panics(0, 0);
        Ok(Vec::new())
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Faulty {
    #[saga]
    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let _ = context.peer.elicit::<Confirm>("Sure?").await;
        panics(0, 0);
        let _ = request;
        Ok(ReadResourceResult::new(Vec::new()).into())
    }
}

struct Faults {
    replicas: Replicas,
    started: Arc<Notify>,
}

fn settings() -> Settings {
    Settings::new(Keyring::new("first", [1; 32]).unwrap())
}

impl Faults {
    fn with(settings: Settings) -> Self {
        Self {
            replicas: Replicas::with(settings),
            started: Arc::default(),
        }
    }

    fn server(&self) -> SagaServer<Faulty> {
        let faulty = Faulty {
            world: Arc::clone(&self.replicas.world),
            started: Arc::clone(&self.started),
        };
        SagaServer::new(faulty).with_settings(self.replicas.settings.clone())
    }

    async fn send(
        &self,
        method: &str,
        params: &Value,
        token: Option<&str>,
        answers: Value,
    ) -> Reply {
        let mut params = params.clone();
        if let Some(token) = token {
            params["requestState"] = json!(token);
            params["inputResponses"] = answers;
        }
        let mut wire = Wire::open(self.server());
        let reply = Reply(wire.request(method, self.replicas.params(params)).await);
        // The connection goes on.
        wire.request("tools/list", self.replicas.params(json!({})))
            .await
            .unwrap();
        reply
    }

    /// Where the observer was told that a call panicked.
    fn place(&self) -> Option<(&'static str, u32)> {
        match self.replicas.audit.error() {
            Error::Panicked { at } => at,
            other => panic!("{other}"),
        }
    }
}

fn told(reply: &Reply) {
    let error = reply.error();
    assert_eq!(error["code"], -32603, "{error}");
    assert_eq!(error["data"]["reason"], "panic");
    assert!(!error.to_string().contains("42"), "{error}");
}

fn all(reply: &Reply) -> Value {
    let answer = |key: &&str| {
        let content = match *key {
            "text" => json!({ "text": "t" }),
            _ => json!({ "ok": true }),
        };
        ((*key).to_owned(), accept(content))
    };
    reply.keys().iter().map(answer).collect()
}

#[tokio::test]
async fn a_panic_is_the_calls_end_and_not_the_servers() {
    let places = [
        None,
        Some(("panicking", 1)),
        Some(("panicking", 1)),
        Some(("deeper", 1)),
        Some(("deeper", 1)),
    ];
    for (after, place) in places.into_iter().enumerate() {
        let faults = Faults::with(settings());
        let params = json!({ "name": "panicking", "arguments": { "after": after } });
        let mut reply = faults.send("tools/call", &params, None, Value::Null).await;
        while reply.0.is_ok() {
            let (token, answers) = (reply.token().to_owned(), all(&reply));
            reply = faults
                .send("tools/call", &params, Some(&token), answers)
                .await;
        }
        told(&reply);
        if after == 4 {
            // Which of the two came last is the join's to say.
            assert!(faults.place().is_some());
        } else {
            assert_eq!(faults.place(), place, "after {after}");
        }
    }
}

#[tokio::test]
async fn on_the_live_wire_too() {
    let faults = Faults::with(settings());
    let mut wire = Wire::session(faults.server(), everything()).await;
    for (after, place) in [
        (0, None),
        (1, Some(("panicking", 1))),
        (3, Some(("deeper", 1))),
    ] {
        let params = json!({ "name": "panicking", "arguments": { "after": after } });
        let id = wire.put("tools/call", params).await;
        loop {
            let message = wire.receive().await;
            if message["id"] == id && message.get("method").is_none() {
                told(&Reply(super::client::response(&message)));
                assert_eq!(faults.place(), place, "after {after}");
                break;
            }
            let text = message["params"]["message"] == "And?";
            let content = if text {
                json!({ "text": "t" })
            } else {
                json!({ "ok": true })
            };
            let result =
                json!({ "jsonrpc": "2.0", "id": message["id"], "result": accept(content) });
            wire.send(result).await;
        }
    }
    wire.request("tools/list", json!({})).await.unwrap();
}

#[tokio::test]
async fn and_of_prompts_and_resources_and_tools_without_saga() {
    let faults = Faults::with(settings());
    for (method, params) in [
        ("prompts/get", json!({ "name": "summary" })),
        ("resources/read", json!({ "uri": "book://emma" })),
    ] {
        let first = faults.send(method, &params, None, Value::Null).await;
        let answers = all(&first);
        told(
            &faults
                .send(method, &params, Some(first.token()), answers)
                .await,
        );
    }
    let plain = json!({ "name": "plain", "arguments": {} });
    told(&faults.send("tools/call", &plain, None, Value::Null).await);
    let panicking = json!({ "name": "panicking", "arguments": { "after": 0 } });
    told(
        &faults
            .send("tools/callSaga", &panicking, None, Value::Null)
            .await,
    );
}

/// Cancels a call that waits, live and stateless; gives what became of the tool.
async fn cancelled(then: Option<OnDisconnect>, stateless: bool) -> Vec<String> {
    let settings = match then {
        Some(then) => settings().on_disconnect(then),
        None => settings(),
    };
    let faults = Faults::with(settings);
    let params = json!({ "name": "endless", "arguments": {} });
    let mut wire = match stateless {
        true => Wire::open(faults.server()),
        false => Wire::session(faults.server(), everything()).await,
    };
    let id = if stateless {
        let first = faults.send("tools/call", &params, None, Value::Null).await;
        let mut params = faults.replicas.params(params);
        params["requestState"] = json!(first.token());
        params["inputResponses"] = all(&first);
        wire.put("tools/call", params).await
    } else {
        let id = wire.put("tools/call", params).await;
        let asked = wire.receive().await;
        let result = accept(json!({ "ok": true }));
        wire.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
            .await;
        id
    };
    faults.started.notified().await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    wire.send(cancel).await;
    // What was sent before has been read when this is answered; a tool that is stopped is by then.
    for _ in 0..3 {
        let params = match stateless {
            true => faults.replicas.params(json!({})),
            false => json!({}),
        };
        wire.request("tools/list", params).await.unwrap();
    }
    faults.replicas.effects()
}

#[tokio::test]
async fn a_tool_whose_client_is_gone_runs_on_or_stops() {
    for stateless in [true, false] {
        assert_eq!(cancelled(None, stateless).await, ["waits"]);
        let on = Some(OnDisconnect::RunOn);
        assert_eq!(cancelled(on, stateless).await, ["waits"]);
        let stop = Some(OnDisconnect::StopAtNextAwait);
        assert_eq!(cancelled(stop, stateless).await, ["waits", "dropped"]);
    }
}

#[tokio::test]
async fn a_state_that_is_no_text_is_malformed_and_nothing_runs() {
    let faults = Faults::with(settings());
    for (method, params) in [
        ("tools/call", json!({ "name": "keeps", "arguments": {} })),
        ("prompts/get", json!({ "name": "summary" })),
        ("resources/read", json!({ "uri": "book://emma" })),
    ] {
        for state in [json!(5), json!({}), json!([]), json!(true)] {
            let mut params = params.clone();
            params["requestState"] = state;
            let reply = faults.send(method, &params, None, Value::Null).await;
            assert_eq!(reply.refusal(), "malformed");
        }
    }
    assert!(faults.replicas.effects().is_empty());
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_the_clients_mistake() {
    let faults = Faults::with(settings());
    let params = json!({ "name": "keeps", "arguments": {} });
    let first = faults.send("tools/call", &params, None, Value::Null).await;
    let large = json!({ "text": accept(json!({ "text": "x".repeat(100_000) })) });
    let refused = faults
        .send("tools/call", &params, Some(first.token()), large)
        .await;
    assert_eq!(refused.refusal(), "too_large");
    let small = json!({ "text": accept(json!({ "text": "x" })) });
    let second = faults
        .send("tools/call", &params, Some(first.token()), small)
        .await;
    assert_eq!(second.keys(), ["sure"]);
}

#[tokio::test]
async fn the_saga_methods_can_be_left_off() {
    let faults = Faults::with(settings());
    let mut wire = Wire::open(faults.server().without_saga_methods());
    let params = json!({ "name": "keeps", "arguments": {} });
    let params = faults.replicas.params(params);
    for method in ["tools/callSaga", "tools/resumeSaga"] {
        let refused = wire.request(method, params.clone()).await.unwrap_err();
        assert_eq!(refused["code"], -32601);
    }
    let shown = wire
        .request("server/discover", faults.replicas.params(json!({})))
        .await
        .unwrap();
    assert_eq!(
        shown["capabilities"]["extensions"].get(saga_runtime::SAGA_EXTENSION),
        None
    );
}

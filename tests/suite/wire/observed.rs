//! What an operator sees of a call, and what nobody does.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{self, Write},
};

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use rmcp::{
    Peer, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult},
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::{Error, Keyring, SagaServer, Settings, WireName, saga};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::answers::{Confirm, Text};

use super::client::{Replicas, Reply, Wire, accept, everything};

const SECRETS: [&str; 5] = [
    "argument-secret",
    "variable-secret",
    "answer-secret",
    "question-secret",
    "panic-secret",
];

#[derive(Debug, Deserialize, JsonSchema)]
struct Told {
    text: String,
}

#[derive(Clone)]
struct Discreet;

#[tool_router(server_handler)]
impl Discreet {
    #[saga]
    #[tool(description = "Is told what nobody else may know")]
    async fn confide(
        &self,
        peer: Peer<RoleServer>,
        Parameters(told): Parameters<Told>,
    ) -> Result<String, rmcp::ErrorData> {
        let variable = format!("variable-secret {}", told.text.len());
        let text = peer.elicit::<Text>("question-secret?").await;
        let (sure, _) = tokio::join!(
            peer.elicit::<Confirm>("Sure?"),
            peer.elicit::<Confirm>("question-secret!")
        );
        assert!(told.text != "panic", "panic-secret");
        if told.text == "fail" {
            return Err(rmcp::ErrorData::invalid_request("no", None));
        }
        Ok(format!("{variable} {} {}", text.is_ok(), sure.is_ok()))
    }
}

fn settings() -> Settings {
    let settings = Settings::new(Keyring::new("first", [0xab; 32]).unwrap());
    settings.with_principal(|request| Some(request.client_info()?.name))
}

fn answers(reply: &Reply) -> Value {
    let answer = |key: &&str| {
        let content = match *key {
            "text" => json!({ "text": "answer-secret" }),
            _ => json!({ "ok": true }),
        };
        ((*key).to_owned(), accept(content))
    };
    reply.keys().iter().map(answer).collect()
}

/// Makes a whole call; gives its tokens.
async fn confide(replicas: &Replicas, told: &str) -> Vec<String> {
    let server = || SagaServer::new(Discreet).with_settings(replicas.settings.clone());
    let mut params = json!({ "name": "confide", "arguments": { "text": told } });
    let mut tokens = Vec::new();
    loop {
        let params_now = replicas.params(params.clone());
        let reply = Reply(Wire::open(server()).request("tools/call", params_now).await);
        let asks = matches!(&reply.0, Ok(result) if result["resultType"] == "input_required");
        if !asks {
            return tokens;
        }
        params["requestState"] = json!(reply.token());
        params["inputResponses"] = answers(&reply);
        tokens.push(reply.token().to_owned());
    }
}

/// The events of an audit, each with leg, wire and principal.
fn told(replicas: &Replicas) -> Vec<String> {
    let heard = replicas.audit.heard();
    let calls: Vec<_> = heard.iter().map(|heard| heard.call.clone()).collect();
    assert!(
        calls.iter().all(|call| *call == calls[0] && call.is_some()),
        "{calls:?}"
    );
    heard
        .iter()
        .map(|heard| {
            let principal = heard.principal.as_deref().unwrap_or("nobody");
            format!("{principal} {} {} {}", heard.wire, heard.leg, heard.event)
        })
        .collect()
}

#[tokio::test]
async fn an_observer_hears_of_each_question_and_answer() {
    let replicas = Replicas::with(settings());
    confide(&replicas, "argument-secret").await;
    assert_eq!(
        told(&replicas),
        [
            "alice mrtr 1 asked text",
            "alice mrtr 1 answered text",
            "alice mrtr 2 asked confirm sure",
            "alice mrtr 2 answered sure confirm",
            "alice mrtr 2 completed",
        ]
    );
}

#[tokio::test]
async fn on_the_live_wire_as_well() {
    let replicas = Replicas::with(settings());
    let server = SagaServer::new(Discreet).with_settings(replicas.settings.clone());
    let mut wire = Wire::session(server, everything()).await;
    let params = json!({ "name": "confide", "arguments": { "text": "x" } });
    let id = wire.put("tools/call", params).await;
    loop {
        let message = wire.receive().await;
        if message.get("method").is_none() {
            assert_eq!(message["id"], id);
            break;
        }
        let text = message["params"]["message"] == "question-secret?";
        let content = if text {
            json!({ "text": "t" })
        } else {
            json!({ "ok": true })
        };
        let result = json!({ "jsonrpc": "2.0", "id": message["id"], "result": accept(content) });
        wire.send(result).await;
    }
    let told = told(&replicas);
    assert_eq!(told.first().unwrap(), "alice live 0 asked text");
    assert_eq!(told.get(1).unwrap(), "alice live 0 answered text");
    assert_eq!(told.last().unwrap(), "alice live 0 completed");
    assert_eq!(told.len(), 7, "{told:?}");
    assert_eq!(WireName::Live.to_string(), "live");
}

#[tokio::test]
async fn who_cannot_be_asked_has_answered_nothing() {
    let replicas = Replicas::with(settings());
    let server = SagaServer::new(Discreet).with_settings(replicas.settings.clone());
    let mut wire = Wire::session(server, json!({})).await;
    let params = json!({ "name": "confide", "arguments": { "text": "x" } });
    wire.request("tools/call", params).await.unwrap();
    let told = told(&replicas);
    assert_eq!(told.last().unwrap(), "alice live 0 completed");
    assert!(
        told.iter().all(|told| !told.contains("answered")),
        "{told:?}"
    );
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_none() {
    let replicas = Replicas::with(settings());
    let call = replicas.call("hurried");
    let asked = call.start().await;
    let late = json!({ asked.keys()[0]: accept(json!({ "n": 1 })) });
    call.resume(asked.token(), late).await;
    let heard = replicas.audit.heard();
    let heard: Vec<_> = heard.iter().map(|heard| heard.event.as_str()).collect();
    assert_eq!(heard, [&format!("asked {}", asked.keys()[0]), "completed"]);
}

#[tokio::test]
async fn what_is_refused_is_told_with_its_cause() {
    let replicas = Replicas::with(settings());
    let params = json!({ "name": "confide", "arguments": { "text": "x" }, "requestState": "AAAA" });
    let server = SagaServer::new(Discreet).with_settings(replicas.settings.clone());
    let mut wire = Wire::open(server);
    let refused = Reply(wire.request("tools/call", replicas.params(params)).await);
    assert_eq!(refused.refusal(), "invalid");
    let heard = replicas.audit.heard();
    assert_eq!(heard.len(), 1);
    assert_eq!(heard[0].event, "refused");
    assert_eq!(heard[0].principal.as_deref(), Some("alice"));
    assert!(matches!(&heard[0].error, Some(Error::Token { .. })));
}

thread_local! {
    /// What was logged on this thread, while somebody looks.
    static LOG: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Writes where this thread looks. One subscriber serves all tests, since what a call site is worth is known
/// to the whole process.
struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.with_borrow_mut(|log| log.as_mut().map(|log| log.extend_from_slice(bytes)));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Records only what is Saga's: rmcp's own traces show whole messages.
struct Sagas<S>(S);

impl<S: tracing::Subscriber> tracing::Subscriber for Sagas<S> {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("saga_runtime") && self.0.enabled(metadata)
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.new_span(span)
    }
    fn record(&self, span: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        self.0.record(span, values);
    }
    fn record_follows_from(&self, span: &tracing::span::Id, follows: &tracing::span::Id) {
        self.0.record_follows_from(span, follows);
    }
    fn event(&self, event: &tracing::Event<'_>) {
        self.0.event(event);
    }
    fn enter(&self, span: &tracing::span::Id) {
        self.0.enter(span);
    }
    fn exit(&self, span: &tracing::span::Id) {
        self.0.exit(span);
    }
    fn clone_span(&self, id: &tracing::span::Id) -> tracing::span::Id {
        self.0.clone_span(id)
    }
    fn try_close(&self, id: tracing::span::Id) -> bool {
        self.0.try_close(id)
    }
}

#[tokio::test]
async fn the_log_has_neither_a_value_nor_a_token_nor_a_key() {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(|| Log)
        .finish();
    let _ = tracing::subscriber::set_global_default(Sagas(subscriber));
    LOG.set(Some(Vec::new()));
    let replicas = Replicas::with(settings());
    let mut tokens = Vec::new();
    {
        for told in ["argument-secret", "panic", "fail"] {
            tokens.extend(confide(&replicas, told).await);
        }
        let params = json!({
            "name": "confide",
            "arguments": { "text": "argument-secret" },
            "requestState": tokens[0].replace('A', "B"),
        });
        let server = SagaServer::new(Discreet).with_settings(replicas.settings.clone());
        let mut wire = Wire::open(server);
        let refused = Reply(wire.request("tools/call", replicas.params(params)).await);
        assert_eq!(refused.refusal(), "invalid");
    }
    let log = String::from_utf8(LOG.take().unwrap()).unwrap();
    for said in [
        "saga.round",
        "otel.name=\"tools/call confide\"",
        "mcp.method.name=\"tools/call\"",
        "gen_ai.tool.name=\"confide\"",
        "mcp.protocol.version=\"2026-07-28\"",
        "saga.wire=\"mrtr\"",
        "saga.leg=1",
        "saga.point=1",
        "saga.keys=\"text\"",
        "saga.outcome=\"completed\"",
        "error.type=\"panic\"",
        "saga.call=",
        "teller: asked",
        "teller: answered",
        "teller: refused",
        "teller: failed",
        "teller: completed",
    ] {
        assert!(log.contains(said), "no {said} in {log}");
    }
    let ended = |line: &&str| line.contains("saga.outcome=");
    assert!(
        log.lines().filter(ended).all(|line| {
            line.contains("saga.call=") || line.contains("saga.outcome=\"refused\"")
        })
    );
    let hidden = tokens.iter().map(String::as_str).chain(SECRETS);
    for secret in hidden.chain(["abababab", "alice"]) {
        assert!(!log.contains(secret), "{secret} in {log}");
    }
}

#[tokio::test]
async fn metrics_count_what_happens() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let replicas = Replicas::with(settings());
    {
        let _counted = metrics::set_default_local_recorder(&recorder);
        for told in ["x", "panic", "fail"] {
            confide(&replicas, told).await;
        }
        let params =
            json!({ "name": "confide", "arguments": { "text": "x" }, "requestState": "AAAA" });
        let server = SagaServer::new(Discreet).with_settings(replicas.settings.clone());
        let mut wire = Wire::open(server);
        let refused = Reply(wire.request("tools/call", replicas.params(params)).await);
        assert_eq!(refused.refusal(), "invalid");
    }
    let mut counted = BTreeMap::new();
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let labels: Vec<String> = key
            .key()
            .labels()
            .filter(|label| matches!(label.key(), "reason" | "error" | "error.type"))
            .map(|label| format!(" {}", label.value()))
            .collect();
        let count = match value {
            DebugValue::Counter(count) => count,
            DebugValue::Histogram(values) => values.len() as u64,
            DebugValue::Gauge(_) => 0,
        };
        counted.insert(format!("{}{}", key.key().name(), labels.concat()), count);
    }
    let expected = [
        ("saga_suspensions_total", 6),
        ("saga_resumptions_total", 6),
        ("saga_token_bytes", 6),
        ("saga_answer_seconds", 6),
        ("saga_failures_total panic", 1),
        ("saga_refusals_total malformed", 1),
        ("saga_completions_total false", 1),
        ("saga_completions_total true", 1),
        ("mcp.server.operation.duration ", 7),
        ("mcp.server.operation.duration panic", 1),
        ("mcp.server.operation.duration malformed", 1),
        ("mcp.server.operation.duration -32600", 1),
    ];
    let expected: BTreeMap<String, u64> = expected
        .into_iter()
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    assert_eq!(counted, expected);
}

/// Its URI is an argument, and there is no end of them.
#[tokio::test]
async fn metrics_have_neither_a_resource_by_its_name_nor_a_token_that_is_none() {
    #[derive(Clone)]
    struct Shelf;

    impl ServerHandler for Shelf {
        #[saga]
        async fn read_resource(
            &self,
            request: ReadResourceRequestParams,
            context: RequestContext<RoleServer>,
        ) -> Result<ReadResourceResponse, rmcp::ErrorData> {
            let _ = context.peer.elicit::<Confirm>("Sure?").await;
            let _ = request;
            Ok(ReadResourceResult::new(Vec::new()).into())
        }
    }

    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let replicas = Replicas::new();
    {
        let _counted = metrics::set_default_local_recorder(&recorder);
        let server = || SagaServer::new(Shelf).with_settings(replicas.settings.clone());
        let params = json!({ "uri": "file:///secret" });
        let first = Wire::open(server())
            .request("resources/read", replicas.params(params.clone()))
            .await;
        Reply(first).token();
        let mut wire = Wire::session(server(), everything()).await;
        wire.put("resources/read", params).await;
        let asked = wire.receive().await;
        let result = accept(json!({ "ok": true }));
        wire.send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
            .await;
        assert!(wire.receive().await.get("result").is_some());
    }
    let mut tokens = 0;
    for (key, _, _, value) in snapshotter.snapshot().into_vec() {
        let key = key.key();
        let names = key.labels().filter(|label| label.key() == "name");
        assert!(names.map(metrics::Label::value).all(str::is_empty), "{key}");
        if let ("saga_token_bytes", DebugValue::Histogram(values)) = (key.name(), value) {
            tokens += values.len();
        }
    }
    assert_eq!(tokens, 1, "one was asked between requests, and one live");
}

//! A client that sees every message as it was sent, and servers for it to talk to.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, ServerHandler, Service, ServiceExt,
    model::{
        ElicitRequestParams, ElicitResult, ElicitationAction, Implementation,
        InitializeRequestParams, ProtocolVersion,
    },
    service::RequestContext,
};
use saga_runtime::{Error, Event, Keyring, Observer, Record, SagaServer, Settings};
use serde_json::{Value, json};
use tests::Trace;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::{lean::twins, server::Fixture};

/// What a client can do that can do everything.
pub(super) fn everything() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} })
}

/// The greeting of a client from before 2026-07-28.
pub(super) fn hello(capabilities: Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "alice", "version": "1" },
    })
}

/// A response: the result, or the error.
pub(crate) type Response = Result<Value, Value>;

/// A connection, one JSON text a line.
pub(crate) struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    id: u64,
}

impl Wire {
    pub(crate) fn open(server: impl ServerHandler) -> Self {
        Self::open_service(server)
    }

    pub(crate) fn open_service(server: impl Service<RoleServer>) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            if let Ok(running) = server.serve(near).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, writer) = tokio::io::split(far);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            id: 0,
        }
    }

    /// Connects with a handshake, as clients did before 2026-07-28.
    pub(super) async fn session(server: impl ServerHandler, capabilities: Value) -> Self {
        Self::session_service(server, capabilities).await
    }

    pub(super) async fn session_service(
        server: impl Service<RoleServer>,
        capabilities: Value,
    ) -> Self {
        let mut wire = Self::open_service(server);
        wire.greet(capabilities).await;
        wire
    }

    /// The handshake.
    pub(crate) async fn greet(&mut self, capabilities: Value) {
        self.request("initialize", hello(capabilities))
            .await
            .unwrap();
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(initialized).await;
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_line(&message.to_string()).await;
    }

    async fn send_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends a line as it is and returns the next message.
    pub(super) async fn exchange(&mut self, line: &str) -> Value {
        self.send_line(line).await;
        self.receive().await
    }

    pub(crate) async fn receive(&mut self) -> Value {
        // Only so that a server that never answers fails the test instead of holding it.
        let line = tokio::time::timeout(Duration::from_secs(60), self.lines.next_line());
        let line = line.await.expect("an answer in time").unwrap();
        serde_json::from_str(&line.expect("the server is there")).unwrap()
    }

    /// Sends a request and returns its id.
    pub(crate) async fn put(&mut self, method: &str, params: Value) -> u64 {
        self.id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.send(request).await;
        self.id
    }

    /// Sends a request and waits for its response, which must be the next message.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Response {
        let id = self.put(method, params).await;
        let message = self.receive().await;
        assert_eq!(
            message["id"], id,
            "not the response to `{method}`: {message}"
        );
        response(&message)
    }
}

pub(super) fn response(message: &Value) -> Response {
    match message.get("error") {
        Some(error) => Err(error.clone()),
        None => Ok(message["result"].clone()),
    }
}

/// What the servers' observer has heard.
#[derive(Debug, Default, Clone)]
pub(crate) struct Audit(Arc<Mutex<Vec<Heard>>>);

/// One record.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) principal: Option<String>,
    pub(crate) call: Option<String>,
    pub(crate) leg: u32,
    pub(crate) wire: &'static str,
    /// The event's name, and the keys of its questions.
    pub(crate) event: String,
    /// Of one that was refused or failed.
    pub(crate) error: Option<Error>,
}

impl Observer for Audit {
    fn observe(&self, record: &Record<'_>) {
        let (keys, error) = match &record.event {
            Event::Asked { keys, .. } | Event::Answered { keys, .. } => (keys.join(" "), None),
            Event::Refused { error } | Event::Failed { error } => {
                (String::new(), Some((*error).clone()))
            }
            _ => (String::new(), None),
        };
        let heard = Heard {
            principal: record.principal.map(ToOwned::to_owned),
            call: record.call.map(|id| id.to_string()),
            leg: record.leg,
            wire: record.wire.as_str(),
            event: format!("{} {keys}", record.event.as_str())
                .trim_end()
                .to_owned(),
            error,
        };
        self.0.lock().unwrap().push(heard);
    }
}

impl Audit {
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.0.lock().unwrap().clone()
    }

    /// The error that it heard of last.
    pub(crate) fn error(&self) -> Error {
        let heard = self.heard();
        let errors = heard.iter().rev().find_map(|heard| heard.error.clone());
        errors.expect("an error")
    }
}

/// Any number of servers with the same keys and the same outside world. Every request goes to a
/// new one, so whatever a test sees go on went on in another server.
#[derive(Clone)]
pub(super) struct Replicas {
    pub(super) world: Arc<Trace>,
    pub(super) settings: Settings,
    pub(super) capabilities: Value,
    pub(super) user: &'static str,
    pub(super) audit: Audit,
}

impl Replicas {
    pub(super) fn new() -> Self {
        Self::with(Settings::new(Keyring::new("first", [1; 32]).unwrap()))
    }

    pub(super) fn with(settings: Settings) -> Self {
        let audit = Audit::default();
        Self {
            world: Arc::default(),
            settings: settings.with_observer(audit.clone()),
            audit,
            capabilities: everything(),
            user: "alice",
        }
    }

    /// The same world and client, with other settings.
    pub(super) fn reconfigured(&self, settings: Settings) -> Self {
        Self {
            settings: settings.with_observer(self.audit.clone()),
            ..self.clone()
        }
    }

    /// The same servers, for a client that can do only this.
    pub(super) fn for_client(&self, capabilities: Value) -> Self {
        Self {
            capabilities,
            ..self.clone()
        }
    }

    pub(super) fn server(&self) -> SagaServer<Fixture> {
        let fixture = Fixture::new(Arc::clone(&self.world));
        SagaServer::new(fixture).with_settings(self.settings.clone())
    }

    /// `params` as a request of 2026-07-28 has them.
    pub(super) fn params(&self, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": self.user, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        params
    }

    /// A request of 2026-07-28 to a new server.
    pub(super) async fn request(&self, method: &str, params: Value) -> Response {
        let params = self.params(params);
        // A guard would take the second of two for a replay.
        if format!("{:?}", self.settings).contains("guarded: None") {
            twins::agree(&self.settings, method, &params).await;
        }
        let mut wire = Wire::open(self.server());
        wire.request(method, params).await
    }

    pub(super) fn call(&self, tool: &'static str) -> Call<'_> {
        self.call_with(tool, json!({}))
    }

    pub(super) fn call_with(&self, tool: &'static str, arguments: Value) -> Call<'_> {
        Call {
            replicas: self,
            tool,
            arguments,
        }
    }

    pub(super) fn effects(&self) -> Vec<String> {
        self.world.events()
    }
}

/// A tool call over Multi Round-Trip Requests.
pub(super) struct Call<'r> {
    replicas: &'r Replicas,
    tool: &'static str,
    arguments: Value,
}

impl Call<'_> {
    pub(super) fn params(&self, token: Option<&str>, answers: Value) -> Value {
        let mut params = json!({ "name": self.tool, "arguments": self.arguments });
        if let Some(token) = token {
            params["requestState"] = json!(token);
        }
        if !answers.is_null() {
            params["inputResponses"] = answers;
        }
        params
    }

    async fn send(&self, token: Option<&str>, answers: Value) -> Reply {
        let params = self.params(token, answers);
        Reply(self.replicas.request("tools/call", params).await)
    }

    pub(super) async fn start(&self) -> Reply {
        self.send(None, Value::Null).await
    }

    /// Answers that come with the first request.
    pub(super) async fn start_with(&self, answers: Value) -> Reply {
        self.send(None, answers).await
    }

    pub(super) async fn resume(&self, token: &str, answers: Value) -> Reply {
        self.send(Some(token), answers).await
    }
}

/// What a round gave.
#[derive(Debug, Clone)]
pub(super) struct Reply(pub(super) Response);

impl Reply {
    pub(super) fn result(&self) -> &Value {
        self.0.as_ref().expect("a result")
    }

    pub(super) fn error(&self) -> &Value {
        self.0.as_ref().expect_err("an error")
    }

    pub(super) fn token(&self) -> &str {
        let result = self.result();
        assert_eq!(result["resultType"], "input_required", "{result}");
        result["requestState"].as_str().unwrap()
    }

    /// The keys of the asks.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.token();
        let asks = self.result()["inputRequests"].as_object().unwrap();
        asks.keys().map(String::as_str).collect()
    }

    /// The text of a completed call.
    pub(super) fn text(&self) -> &str {
        let result = self.result();
        assert_eq!(result["resultType"], "complete", "{result}");
        result["content"][0]["text"].as_str().unwrap()
    }

    /// Why the token was refused.
    pub(super) fn refusal(&self) -> &str {
        let error = self.error();
        assert_eq!(error["code"], -32602, "{error}");
        error["data"]["reason"].as_str().unwrap()
    }
}

/// An accepted form.
pub(super) fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// The model's reply.
pub(super) fn reply(text: &str) -> Value {
    json!({
        "role": "assistant",
        "content": { "type": "text", "text": text },
        "model": "client-side-llm-v2",
    })
}

/// rmcp's own client, on this version; answers every form with a three.
pub(super) struct Three(pub(super) ProtocolVersion);

impl ClientHandler for Three {
    fn get_info(&self) -> InitializeRequestParams {
        InitializeRequestParams::new(tests::live::capable(), Implementation::new("alice", "1"))
            .with_protocol_version(self.0.clone())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "n": 3 })))
    }
}

//! A shop that is served over HTTP, and a client that sees what is sent.

use std::{collections::BTreeMap, future::pending, net::SocketAddr, sync::Arc};

use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{Keyring, Settings, saga, serve::Http};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::{Trace, answers::Confirm};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
    sync::{Notify, Semaphore, oneshot},
    task::JoinHandle,
};

use super::super::client::{Replicas, accept};

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Anything {
    #[serde(default)]
    value: Value,
}

/// What a test and the tool tell each other.
#[derive(Default)]
pub(super) struct World {
    pub(super) trace: Trace,
    pub(super) started: Notify,
    pub(super) ended: Notify,
    pub(super) go_on: Option<Semaphore>,
}

#[derive(Clone)]
pub(super) struct Shop(Arc<World>);

pub(super) struct Ends<'a>(&'a World);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.trace.note("dropped");
        self.0.ended.notify_one();
    }
}

#[tool_router(server_handler)]
impl Shop {
    #[saga]
    #[tool(description = "Asks once")]
    async fn order(
        &self,
        peer: Peer<RoleServer>,
        Parameters(Anything { value }): Parameters<Anything>,
    ) -> String {
        self.0.trace.note("before");
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.0.trace.note("after");
        format!("{} {}", sure.is_ok(), value.is_null())
    }

    #[saga]
    #[tool(description = "Takes its time")]
    async fn slow(&self, peer: Peer<RoleServer>) -> String {
        let _ = peer.elicit::<Confirm>("Sure?").await;
        self.work().await;
        "slow, but sure".to_owned()
    }

    async fn work(&self) {
        let ends = Ends(&self.0);
        self.0.started.notify_one();
        match &self.0.go_on {
            Some(go_on) => drop(go_on.acquire().await),
            None => pending().await,
        }
        self.0.trace.note("worked");
        drop(ends);
    }

    #[tool(description = "Has much to say")]
    async fn verbose(&self) -> String {
        "x".repeat(1 << 20)
    }

    #[saga]
    #[tool(description = "Panics")]
    async fn panicking(&self, peer: Peer<RoleServer>) -> String {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        assert!(sure.is_err(), "the secret is 42");
        String::new()
    }
}

/// A server, and what stops it.
pub(super) struct Served {
    pub(super) replicas: Replicas,
    pub(super) world: Arc<World>,
    pub(super) address: SocketAddr,
    pub(super) stop: Option<oneshot::Sender<()>>,
    pub(super) running: JoinHandle<std::io::Result<()>>,
}

pub(super) fn settings() -> Settings {
    Settings::new(Keyring::new("first", [1; 32]).unwrap())
}

pub(super) type Server = Http<Box<dyn Fn() -> Shop + Send + Sync>>;

impl Served {
    pub(super) async fn new() -> Self {
        Self::with(World::default(), settings(), |http| http).await
    }

    pub(super) async fn with(
        world: World,
        settings: Settings,
        change: impl FnOnce(Server) -> Server,
    ) -> Self {
        let world = Arc::new(world);
        let shop = Shop(Arc::clone(&world));
        let make: Box<dyn Fn() -> Shop + Send + Sync> = Box::new(move || shop.clone());
        let replicas = Replicas::with(settings);
        let http = change(Http::new(make, replicas.settings.clone()));
        let bound = http.bind(("127.0.0.1", 0)).await.unwrap();
        let address = bound.address().unwrap();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(bound.run(async {
            let _ = stopped.await;
        }));
        Self {
            replicas,
            world,
            address,
            stop: Some(stop),
            running,
        }
    }

    pub(super) async fn connect(&self) -> Connection {
        Connection(BufReader::new(
            TcpStream::connect(self.address).await.unwrap(),
        ))
    }

    pub(super) fn headers(
        &self,
        method: &str,
        name: Option<&str>,
    ) -> BTreeMap<&'static str, String> {
        let mut headers = BTreeMap::from([
            ("Host", format!("localhost:{}", self.address.port())),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("Content-Type", "application/json".to_owned()),
            ("MCP-Protocol-Version", "2026-07-28".to_owned()),
            ("Mcp-Method", method.to_owned()),
        ]);
        if let Some(name) = name {
            headers.insert("Mcp-Name", name.to_owned());
        }
        headers
    }

    pub(super) fn body(&self, method: &str, params: Value) -> String {
        let params = self.replicas.params(params);
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
    }

    /// A request of its own connection.
    pub(super) async fn post(&self, method: &str, name: Option<&str>, params: Value) -> Answer {
        let headers = self.headers(method, name);
        self.post_with(&headers, &self.body(method, params)).await
    }

    pub(super) async fn post_with(
        &self,
        headers: &BTreeMap<&'static str, String>,
        body: &str,
    ) -> Answer {
        let mut connection = self.connect().await;
        connection.send(headers, body).await;
        connection.answer().await
    }

    pub(super) async fn call(&self, tool: &str, token: Option<&str>) -> Answer {
        self.post("tools/call", Some(tool), call(tool, token)).await
    }

    /// A connection over which `slow` was answered, and works.
    pub(super) async fn under_way(&self) -> Connection {
        let first = self.call("slow", None).await;
        let mut connection = self.connect().await;
        let headers = self.headers("tools/call", Some("slow"));
        let body = self.body("tools/call", call("slow", Some(first.token())));
        connection.send(&headers, &body).await;
        self.world.started.notified().await;
        connection
    }

    pub(super) fn effects(&self) -> Vec<String> {
        self.world.trace.events()
    }
}

pub(super) fn call(tool: &str, token: Option<&str>) -> Value {
    let mut params = json!({ "name": tool, "arguments": {} });
    if let Some(token) = token {
        params["requestState"] = json!(token);
        params["inputResponses"] = json!({
            "sure": accept(json!({ "ok": true })),
            "confirm": accept(json!({ "ok": true })),
        });
    }
    params
}

pub(super) struct Connection(BufReader<TcpStream>);

/// A response.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) message: Value,
}

impl Answer {
    pub(super) fn token(&self) -> &str {
        self.message["result"]["requestState"]
            .as_str()
            .unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(super) fn text(&self) -> &str {
        self.message["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{self:?}"))
    }

    pub(super) fn reason(&self) -> &str {
        self.message["error"]["data"]["reason"]
            .as_str()
            .unwrap_or_else(|| panic!("{self:?}"))
    }
}

impl Connection {
    pub(super) async fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).await.unwrap();
    }

    pub(super) async fn send(&mut self, headers: &BTreeMap<&'static str, String>, body: &str) {
        let mut head = "POST /mcp HTTP/1.1\r\n".to_owned();
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        // What is refused early is not read to its end.
        let _ = self.0.get_mut().write_all(head.as_bytes()).await;
        let _ = self.0.get_mut().write_all(body.as_bytes()).await;
    }

    /// The whole answer: the last message of a stream, or the body.
    pub(super) async fn answer(&mut self) -> Answer {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("{line}"));
        let status = status.parse().unwrap();
        let (mut length, mut chunked, mut session) = (0, false, None);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("transfer-encoding", "chunked")) => chunked = true,
                Some(("mcp-session-id", id)) => session = Some(id.to_owned()),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        if chunked {
            body = self.chunks().await;
        } else {
            self.0.read_exact(&mut body).await.unwrap();
        }
        let body = String::from_utf8(body).unwrap();
        let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
        let last = data.map(str::trim).rfind(|data| !data.is_empty());
        let message = serde_json::from_str(last.unwrap_or(&body)).unwrap_or(json!(body));
        Answer {
            status,
            session,
            message,
        }
    }

    pub(super) async fn chunks(&mut self) -> Vec<u8> {
        let mut body = Vec::new();
        loop {
            let mut size = String::new();
            self.0.read_line(&mut size).await.unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            self.0.read_exact(&mut chunk).await.unwrap();
            if size == 0 {
                return body;
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }

    /// What comes until the server closes the connection.
    pub(super) async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        let _ = self.0.read_to_end(&mut rest).await;
        String::from_utf8_lossy(&rest).into_owned()
    }
}

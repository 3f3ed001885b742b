//! The tasks extension from the client's side, over Streamable HTTP.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::Result;

const VERSION: &str = "2026-07-28";
/// How often the client looks. A server says how often it may: `pollIntervalMs`.
const LOOK: Duration = Duration::from_millis(100);

/// A client that knows tasks.
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    id: u64,
}

impl Client {
    pub(crate) fn new(url: &str) -> Result<Self> {
        Ok(Self {
            http: reqwest::Client::builder().no_proxy().build()?,
            url: url.to_owned(),
            id: 0,
        })
    }

    /// Talks to another replica from here on.
    pub(crate) fn turn_to(&mut self, url: &str) {
        url.clone_into(&mut self.url);
    }

    /// Sends a request and gives its result.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> Result<Value> {
        self.id += 1;
        let of = params.get("taskId").or_else(|| params.get("name"));
        let of = of.and_then(Value::as_str).unwrap_or_default().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "tasks", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            },
        });
        let message =
            json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        let sent = self
            .http
            .post(&self.url)
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", VERSION)
            .header("Mcp-Method", method)
            .header("Mcp-Name", of)
            .json(&message);
        let mut reply: Value = sent.send().await?.json().await?;
        match reply.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(format!("{method}: {}", reply["error"]).into()),
        }
    }

    /// Looks at a task until `is`; tells what is new.
    pub(crate) async fn follow(&mut self, id: &str, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let mut known = String::new();
        loop {
            let task = self.request("tasks/get", json!({ "taskId": id })).await?;
            let message = task["statusMessage"].as_str().unwrap_or_default();
            let now = format!("{} {message}", task["status"].as_str().unwrap_or_default());
            if now != known {
                println!("     {now}");
                known = now;
            }
            if is(&task) {
                return Ok(task);
            }
            sleep(LOOK).await;
        }
    }
}

//! A client of the service, that asks again where Restate is not there.

use rmcp::{RoleServer, Service, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::server::until;

/// What it talks to: a process of the service that runs no legs.
pub(crate) struct Client<S>(pub(crate) S);

impl<S: Service<RoleServer> + Clone> Client<S> {
    async fn request(&self, method: &str, mut params: Value) -> Result<Value, Value> {
        let key = params["key"].take();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            },
        });
        if !key.is_null() {
            params["_meta"][saga_runtime::REQUEST_KEY] = key;
        }
        let (near, far) = tokio::io::duplex(1 << 20);
        let server = self.0.clone();
        tokio::spawn(async move {
            if let Ok(running) = server.serve(near).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, mut writer) = tokio::io::split(far);
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writer
            .write_all(format!("{request}\n").as_bytes())
            .await
            .unwrap();
        let line = BufReader::new(reader)
            .lines()
            .next_line()
            .await
            .unwrap()
            .unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].take()),
        }
    }

    /// The answer of a store that is there.
    async fn answered(&self, method: &str, params: &Value) -> Value {
        let answered = async || match self.request(method, params.clone()).await {
            Ok(answer) => Some(answer),
            Err(error) => {
                assert_eq!(error["data"]["reason"], "store", "{method}: {error}");
                None
            }
        };
        until(method, answered).await
    }

    /// Begins a task. It is named: where the answer is lost, the same call is the same task.
    pub(crate) async fn begin(&self, name: &str) -> String {
        let arguments = json!({ "name": name });
        let call = json!({ "name": "journey", "arguments": arguments, "key": name });
        let task = self.answered("tools/call", &call).await;
        task["taskId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, id: &str) -> Value {
        self.answered("tasks/get", &json!({ "taskId": id })).await
    }

    /// Waits until it is asked this.
    pub(crate) async fn asked(&self, id: &str, key: &str) {
        let asked = async || {
            let task = self.get(id).await;
            assert_ne!(task["status"], "failed", "{task}");
            task["inputRequests"].get(key).map(drop)
        };
        until(key, asked).await;
    }

    pub(crate) async fn answer(&self, id: &str, key: &str, content: Value) {
        let answer = json!({ "action": "accept", "content": content });
        let params = json!({ "taskId": id, "inputResponses": { key: answer } });
        self.answered("tasks/update", &params).await;
    }

    /// The text that it ends with.
    pub(crate) async fn result(&self, id: &str) -> String {
        let result = async || {
            let task = self.get(id).await;
            assert_ne!(task["status"], "failed", "{task}");
            let text = task["result"]["content"][0]["text"].as_str();
            text.map(str::to_owned)
        };
        until("a result", result).await
    }
}

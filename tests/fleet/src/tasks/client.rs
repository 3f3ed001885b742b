//! One of the clients: it makes a call, follows the task and answers.

use std::time::{Duration, Instant};

use reqwest::header;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::tool::Outcome;
use crate::{Result, balancer::Balancer};

const VERSION: &str = "2026-07-28";
/// For how long a request is repeated, and the pause in between.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(40);
/// Milliseconds between two looks at a task.
const LOOK: std::ops::Range<u64> = 100..200;

pub(crate) struct Client<'a> {
    pub(crate) http: &'a reqwest::Client,
    pub(crate) balancer: &'a Balancer,
}

/// What a call is, by the seed.
pub(crate) struct Script {
    pub(crate) call: usize,
    pub(crate) hosts: usize,
    pub(crate) region: String,
    pub(crate) sure: bool,
    random: fastrand::Rng,
}

/// A completed task.
pub(crate) struct Report {
    pub(crate) script: Script,
    pub(crate) outcome: Outcome,
    /// Whether another process tells the same outcome.
    pub(crate) stands: bool,
    pub(crate) requests: usize,
}

impl Script {
    pub(crate) fn new(seed: u64, call: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        // Calls of neighbouring numbers have nothing in common.
        let seed = random.u64(..) ^ fastrand::Rng::with_seed(call as u64).u64(..);
        random.seed(seed);
        Self {
            call,
            hosts: random.usize(1..=4),
            region: format!("region-{}", random.u16(..)),
            sure: random.bool(),
            random,
        }
    }

    fn answer(&self, question: &Value) -> Result<Value> {
        let text = question.pointer("/params/message").and_then(Value::as_str);
        let content = match text {
            Some("Which region?") => json!({ "region": self.region }),
            Some("Is that sure?") => json!({ "sure": self.sure }),
            _ => return Err(format!("an unknown question: {question}").into()),
        };
        Ok(json!({ "action": "accept", "content": content }))
    }
}

impl Client<'_> {
    /// Makes a whole call.
    pub(crate) async fn call(&self, mut script: Script) -> Result<Report> {
        let mut requests = 0;
        let key = format!("{:032x}", script.random.u128(..));
        let call = json!({
            "name": "release",
            "arguments": { "task": script.call, "hosts": script.hosts },
            "_meta": { saga_runtime::REQUEST_KEY: key },
        });
        let task = self.request("tools/call", "release", call, &mut requests);
        let id = task.await?["taskId"].as_str().map(str::to_owned);
        let id = id.ok_or("a call is no task")?;
        let named = json!({ "taskId": id });
        let result = loop {
            let task = self.request("tasks/get", &id, named.clone(), &mut requests);
            let task = task.await?;
            match task["status"].as_str() {
                Some("completed") => break task["result"].clone(),
                Some("working") => {}
                Some("input_required") => {
                    let mut answers = serde_json::Map::new();
                    for (key, question) in task["inputRequests"].as_object().into_iter().flatten() {
                        answers.insert(key.clone(), script.answer(question)?);
                    }
                    let update = json!({ "taskId": id, "inputResponses": answers });
                    self.request("tasks/update", &id, update, &mut requests)
                        .await?;
                }
                _ => return Err(format!("task {id} of call {}: {task}", script.call).into()),
            }
            sleep(Duration::from_millis(script.random.u64(LOOK))).await;
        };
        let again = self.request("tasks/get", &id, named, &mut requests).await?;
        let text = result.pointer("/content/0/text").and_then(Value::as_str);
        let outcome = serde_json::from_str(text.unwrap_or_default());
        let outcome = outcome.map_err(|_| format!("call {} ended with {result}", script.call))?;
        Ok(Report {
            script,
            outcome,
            stands: again["result"] == result,
            requests,
        })
    }

    /// Sends a request until it is answered.
    async fn request(
        &self,
        method: &str,
        of: &str,
        mut params: Value,
        requests: &mut usize,
    ) -> Result<Value> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "fleet", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            },
        });
        if let Value::Object(meta) = meta {
            for (name, value) in meta {
                params["_meta"][name] = value;
            }
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let started = Instant::now();
        loop {
            *requests += 1;
            let sent = self
                .http
                .post(self.balancer.url()?)
                .header(header::ACCEPT, "application/json, text/event-stream")
                .header("MCP-Protocol-Version", VERSION)
                .header("Mcp-Method", method)
                .header("Mcp-Name", of)
                .json(&message);
            let reply = async { sent.send().await?.json::<Value>().await };
            match reply.await {
                Ok(mut reply) if reply.get("result").is_some() => {
                    return Ok(reply["result"].take());
                }
                Ok(reply) if !is_passing(&reply["error"]) => {
                    return Err(format!("{method}: {reply}").into());
                }
                Err(_) | Ok(_) if started.elapsed() < PATIENCE => sleep(PAUSE).await,
                lost => return Err(format!("{method}: {lost:?}").into()),
            }
        }
    }
}

/// Whether a process could not, and another one can.
fn is_passing(error: &Value) -> bool {
    let reason = error.pointer("/data/reason").and_then(Value::as_str);
    // A key that this process does not have yet, and a store that is being waited for.
    matches!(reason, Some("keys" | "store"))
}

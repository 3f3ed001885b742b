//! `Cx`: the questions of new tools, over every wire.

mod live;
mod rounds;
mod server;

use std::sync::Arc;

use saga_runtime::SagaServer;
use serde_json::{Value, json};

use super::client::{Replicas, Reply, Wire};

/// Each request goes to a new server.
struct Desk(Replicas);

impl Desk {
    fn new() -> Self {
        Self(Replicas::new())
    }

    fn for_client(capabilities: Value) -> Self {
        Self(Replicas::new().for_client(capabilities))
    }

    fn server(&self) -> SagaServer<server::Asker> {
        let asker = server::Asker::new(Arc::clone(&self.0.world));
        SagaServer::new(asker).with_settings(self.0.settings.clone())
    }

    async fn request(&self, method: &str, params: Value, retry: &Value) -> Reply {
        let mut params = self.0.params(params);
        for (name, value) in retry.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        Reply(Wire::open(self.server()).request(method, params).await)
    }

    async fn start(&self, tool: &str) -> Reply {
        self.request("tools/call", json!({ "name": tool }), &Value::Null)
            .await
    }

    async fn resume(&self, tool: &str, last: &Reply, answers: Value) -> Reply {
        self.request("tools/call", json!({ "name": tool }), &retry(last, answers))
            .await
    }

    /// Starts a call and answers it, a round at a time.
    async fn run(&self, tool: &str, rounds: impl IntoIterator<Item = Value>) -> Reply {
        let mut last = self.start(tool).await;
        for answers in rounds {
            last = self.resume(tool, &last, answers).await;
        }
        last
    }
}

fn retry(last: &Reply, answers: Value) -> Value {
    json!({ "requestState": last.token(), "inputResponses": answers })
}

/// The question under this key.
fn question<'r>(reply: &'r Reply, key: &str) -> &'r Value {
    let question = &reply.result()["inputRequests"][key];
    assert!(!question.is_null(), "no `{key}` in {}", reply.result());
    question
}

/// The text of a result that is marked as an error.
fn failure(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

//! The kit for tasks, with keys and settings of its own.

#![cfg(feature = "testing")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::{Arc, Mutex};

use rmcp::{tool, tool_router};
use saga_runtime::{
    AskError, Cx, Elicit, Keyring, SagaServer, Settings, idempotency_key_for, saga,
    testing::Failure,
};
use saga_tasks::testing::TaskKit;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, Elicit)]
struct Grade {
    grade: String,
}

/// What was done, with the idempotency key that it was done under.
#[derive(Clone, Default)]
struct Studio {
    done: Arc<Mutex<Vec<String>>>,
}

impl Studio {
    fn does(&self, what: &str) {
        let key = idempotency_key_for(what);
        self.done.lock().unwrap().push(format!("{what} {key:?}"));
    }
}

#[tool_router(server_handler)]
impl Studio {
    #[saga(task)]
    #[tool(description = "Render a film")]
    async fn render(&self, cx: Cx) -> Result<String, AskError> {
        self.does("frame 1");
        cx.checkpoint().await;
        self.does("frame 2");
        let grade = cx.elicit::<Grade>("Which grade?").key("grade").await?;
        self.does("print");
        Ok(format!("in {}", grade.grade))
    }
}

#[tokio::test]
async fn every_run_has_the_same_keys_and_none_of_the_environment() -> Result<(), Failure> {
    let server = |studio: &Studio, tasks| SagaServer::new(studio.clone()).with_tasks(tasks);
    let kit = TaskKit::with_world(Studio::default, server)
        .comparing(|studio| studio.done.lock().unwrap().clone());
    let render = kit.tool("render", json!({}));
    let killed = render
        .answer("grade", json!({ "grade": "colour" }))
        .killed_everywhere()
        .await?;
    assert_eq!(killed.result().text(), "in colour");
    assert_eq!(killed.effects().len(), 3);
    let places: Vec<_> = killed.killed().map(|place| place.to_string()).collect();
    assert_eq!(places.len() + 1, killed.runs());
    let first = ["before call 1 of its store", "after call 1 of its store"];
    assert_eq!(places[..2], first);
    // Those of the environment would be in use by now.
    assert!(Settings::new(Keyring::random().unwrap()).install());
    Ok(())
}

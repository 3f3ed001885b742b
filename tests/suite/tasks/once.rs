//! Single use, where calls are tasks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::router::tool::ToolRouter,
    model::{CallToolRequestParams, CallToolResponse, Tool},
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::{
    AskError, Consumed, Cx, Guard, GuardError, Guarding, Keyring, Leg, MemoryGuard, SagaServer,
    Settings, saga,
};
use saga_tasks::{MemoryStore, Tasks};
use serde_json::{Value, json};

use super::{
    process::{accept, quick, until_record},
    world::{Sure, World},
};
use crate::wire::client::{Response, Wire};

/// A till; something stands before it that may refuse.
#[derive(Clone)]
struct Till(Arc<World>, ToolRouter<Self>);

#[tool_router]
impl Till {
    /// Charges once, or not at all.
    #[saga(once, task)]
    #[tool]
    async fn charge(&self, cx: Cx) -> Result<String, AskError> {
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        self.0.trace.note("charged");
        self.0.pass().await;
        Ok(format!("charged, {}", sure.ok))
    }

    /// Asks, and goes on in the background.
    #[saga]
    #[tool]
    async fn later(&self, cx: Cx) -> Result<String, AskError> {
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        cx.background().await;
        self.0.trace.note("later");
        Ok(format!("later, {}", sure.ok))
    }
}

impl ServerHandler for Till {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.0.files.load(std::sync::atomic::Ordering::SeqCst) > 0 {
            return Err(ErrorData::internal_error("not now", None));
        }
        let context = rmcp::handler::server::tool::ToolCallContext::new(self, request, context);
        self.1.call(context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.1.get(name).cloned()
    }
}

struct Process {
    runtime: Option<tokio::runtime::Runtime>,
    server: SagaServer<Arc<Till>>,
}

impl Process {
    fn start(world: &Arc<World>, settings: &Settings, tasks: Tasks) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let till = Till(Arc::clone(world), Till::tool_router());
        let server = {
            let _entered = runtime.enter();
            let server = SagaServer::new(till).with_settings(settings.clone());
            server.with_tasks(tasks)
        };
        let runtime = Some(runtime);
        Self { runtime, server }
    }

    async fn request(&self, method: &str, mut params: Value) -> Response {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            },
        });
        let mut wire = {
            let _entered = self.runtime.as_ref().unwrap().enter();
            Wire::open_service(self.server.clone().extended())
        };
        wire.request(method, params).await
    }

    async fn until(&self, id: &Value, status: &str) -> Value {
        for _ in 0..6000 {
            let task = self.request("tasks/get", json!({ "taskId": id })).await;
            let task = task.unwrap();
            if task["status"] == status {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("never {status}");
    }

    async fn begin_and_answer(&self) -> Value {
        let call = json!({ "name": "charge", "arguments": {} });
        let task = self.request("tools/call", call).await.unwrap();
        let id = task["taskId"].clone();
        self.until(&id, "input_required").await;
        let sure = json!({ "sure": accept(json!({ "ok": true })) });
        let update = json!({ "taskId": id, "inputResponses": sure });
        self.request("tasks/update", update).await.unwrap();
        id
    }

    fn kill(mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn settings() -> Settings {
    Settings::new(Keyring::new("test", [7; 32]).unwrap())
}

#[tokio::test]
async fn a_marked_tool_is_no_task_without_a_guard() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, &settings(), quick(MemoryStore::new()));
    let call = json!({ "name": "charge", "arguments": {} });
    let refused = process.request("tools/call", call.clone()).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "unguarded");
    let call = process.request("tools/async/call", call).await.unwrap();
    let get = json!({ "token": call["token"] });
    let refused = process.request("tools/async/get", get).await;
    assert_eq!(refused.unwrap_err()["data"]["reason"], "unguarded");
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn a_leg_of_a_marked_tool_runs_at_most_once() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let settings = settings().with_guard(MemoryGuard::new(100));
    let process = Process::start(&world, &settings, quick(store.clone()));
    let id = process.begin_and_answer().await;
    while world.effects().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    process.kill();
    let process = Process::start(&world, &settings, quick(store));
    let failed = process.until(&id, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "used");
    assert_eq!(world.effects(), ["charged"]);
    world.gate.add_permits(1);
    let id = process.begin_and_answer().await;
    process.until(&id, "completed").await;
}

/// A guard whose store is not there for so many legs.
struct Hiccup(AtomicUsize, MemoryGuard);

impl Guard for Hiccup {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        let fails = |left: usize| left.checked_sub(1);
        match self.0.fetch_update(SeqCst, SeqCst, fails) {
            Ok(_) => Box::pin(async { Err(GuardError::new("not there")) }),
            Err(_) => self.1.consume(leg),
        }
    }
}

#[tokio::test]
async fn a_guard_that_is_away_for_a_moment_ends_no_task() {
    let world = Arc::<World>::default();
    let guard = Arc::new(Hiccup(AtomicUsize::new(0), MemoryGuard::new(100)));
    let settings = settings().with_guard(Arc::clone(&guard));
    let process = Process::start(&world, &settings, quick(MemoryStore::new()));
    let call = json!({ "name": "charge", "arguments": {} });
    let task = process.request("tools/call", call).await.unwrap();
    let id = task["taskId"].clone();
    process.until(&id, "input_required").await;
    guard.0.store(2, SeqCst);
    let sure = json!({ "sure": accept(json!({ "ok": true })) });
    let update = json!({ "taskId": id, "inputResponses": sure });
    process.request("tasks/update", update).await.unwrap();
    world.gate.add_permits(1);
    process.until(&id, "completed").await;
    assert_eq!(world.effects(), ["charged"]);
}

#[tokio::test]
async fn a_call_that_became_a_task_is_that_task_again_where_outcomes_are_kept() {
    let world = Arc::<World>::default();
    let settings = settings().with_guard(MemoryGuard::new(100).keeping(1 << 20));
    let process = Process::start(&world, &settings, quick(MemoryStore::new()));
    let call = json!({ "name": "later", "arguments": {} });
    let asked = process.request("tools/call", call.clone()).await.unwrap();
    let mut answered = call;
    answered["requestState"] = asked["requestState"].clone();
    answered["inputResponses"] = json!({ "sure": accept(json!({ "ok": true })) });
    let task = process.request("tools/call", answered.clone()).await;
    let again = process.request("tools/call", answered).await.unwrap();
    assert_eq!(again["taskId"], task.unwrap()["taskId"]);
    process.until(&again["taskId"], "completed").await;
    assert_eq!(world.effects(), ["later"]);
}

#[tokio::test]
async fn what_stands_before_a_tool_is_not_its_code() {
    let world = Arc::<World>::default();
    let settings = settings().with_guard(MemoryGuard::new(100));
    let store = MemoryStore::new();
    let process = Process::start(&world, &settings, quick(store.clone()));
    world.files.store(0, std::sync::atomic::Ordering::SeqCst);
    let call = json!({ "name": "charge", "arguments": {} });
    let task = process.request("tools/call", call).await.unwrap();
    let id = task["taskId"].clone();
    process.until(&id, "input_required").await;
    world.files.store(1, std::sync::atomic::Ordering::SeqCst);
    let sure = json!({ "sure": accept(json!({ "ok": true })) });
    let update = json!({ "taskId": id, "inputResponses": sure });
    process.request("tasks/update", update).await.unwrap();
    let id_text = id.as_str().unwrap();
    until_record(&store, id_text, |record| record.fence > 1).await;
    world.files.store(0, std::sync::atomic::Ordering::SeqCst);
    world.gate.add_permits(1);
    process.until(&id, "completed").await;
    assert_eq!(world.effects(), ["charged"]);
}

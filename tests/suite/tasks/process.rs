//! Processes of one service, with the store that they share, and what a client sees of them.

use std::{sync::Arc, time::Duration};

use rmcp::ServerHandler;
use saga_runtime::{Keyring, OnDisconnect, SagaServer, Settings};
use saga_tasks::{MemoryStore, TaskId, TaskRecord, TaskStore, Tasks};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::world::{Studio, World};
use crate::wire::client::{Audit, Response, Wire};

/// One process of the service.
pub(super) struct Process {
    runtime: Option<Runtime>,
    server: SagaServer<Arc<Studio>>,
    /// A server of other tools in it.
    others: Option<Box<dyn std::any::Any + Send + Sync>>,
}

impl Process {
    /// Starts one with a worker.
    pub(super) fn start(world: &Arc<World>, store: impl TaskStore) -> Self {
        Self::with(world, quick(store))
    }

    pub(super) fn with(world: &Arc<World>, tasks: Tasks) -> Self {
        Self::of(world, tasks, Keyring::new("test", [7; 32]).unwrap())
    }

    pub(super) fn of(world: &Arc<World>, tasks: Tasks, keys: Keyring) -> Self {
        Self::configured(world, tasks, Settings::new(keys))
    }

    /// One whose operator hears of its calls.
    pub(super) fn observed(world: &Arc<World>, tasks: Tasks, audit: &Audit) -> Self {
        let settings = Settings::new(Keyring::new("test", [7; 32]).unwrap());
        Self::configured(world, tasks, settings.with_observer(audit.clone()))
    }

    fn configured(world: &Arc<World>, tasks: Tasks, settings: Settings) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let settings = settings.with_principal(|request| {
            let caller = request.meta.0.get("caller").and_then(Value::as_str);
            Some(caller.unwrap_or("alice").to_owned())
        });
        // No client leaves a task: what is cancelled is undone in its grace all the same.
        let settings = settings.on_disconnect(OnDisconnect::StopAtNextAwait);
        let server = {
            let _entered = runtime.enter();
            SagaServer::new(Studio(Arc::clone(world)))
                .with_settings(settings)
                .with_tasks(tasks)
        };
        Self {
            runtime: Some(runtime),
            server,
            others: None,
        }
    }

    /// One that has other tools, and none of ours.
    pub(super) fn of_others(handler: impl ServerHandler, tasks: Tasks) -> Self {
        let keys = || Keyring::new("test", [7; 32]).unwrap();
        let mut process = Self::of(&Arc::default(), Tasks::new(MemoryStore::new()), keys());
        let entered = process.runtime.as_ref().map(Runtime::enter);
        let settings = Settings::new(keys());
        let others = SagaServer::new(handler).with_settings(settings);
        let others = Box::new(others.with_tasks(tasks));
        drop(entered);
        process.others = Some(others);
        process
    }

    /// Its server, for a client of any kind.
    pub(super) fn server(&self) -> SagaServer<Arc<Studio>> {
        self.server.clone()
    }

    /// A call that its client has named, as `key` says.
    pub(super) async fn named_call(&self, call: &Value) -> Value {
        let mut call = call.clone();
        let key = call["key"].take();
        call["_meta"] = json!({ saga_runtime::REQUEST_KEY: key });
        self.request("tools/call", call).await.unwrap()
    }

    /// Ends it at once, wherever it is.
    pub(super) fn kill(mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }

    /// A request of a client that knows tasks.
    pub(super) async fn request(&self, method: &str, params: Value) -> Response {
        let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
        self.request_of(
            "alice",
            json!({ "elicitation": {}, "extensions": tasks }),
            method,
            params,
        )
        .await
    }

    pub(super) async fn request_of(
        &self,
        caller: &str,
        capabilities: Value,
        method: &str,
        mut params: Value,
    ) -> Response {
        let named = params["_meta"][saga_runtime::REQUEST_KEY].take();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "client", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
            "caller": caller,
        });
        if !named.is_null() {
            params["_meta"][saga_runtime::REQUEST_KEY] = named;
        }
        let mut wire = {
            let _entered = self.runtime.as_ref().unwrap().enter();
            Wire::open_service(self.server.clone().extended())
        };
        wire.request(method, params).await
    }

    /// The connection of a client from before 2026-07-28, of nobody in particular's.
    pub(super) async fn session(&self, capabilities: Value) -> Wire {
        let mut wire = {
            let _entered = self.runtime.as_ref().unwrap().enter();
            Wire::open_service(self.server.clone().extended())
        };
        wire.greet(capabilities).await;
        wire
    }

    /// Begins a task, and gives its id.
    pub(super) async fn begin(&self, tool: &str, arguments: Value) -> String {
        let params = json!({ "name": tool, "arguments": arguments });
        let task = self.request("tools/call", params).await.unwrap();
        assert_eq!(task["resultType"], "task", "{task}");
        task["taskId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn get(&self, id: &str) -> Value {
        self.request("tasks/get", json!({ "taskId": id }))
            .await
            .unwrap()
    }

    pub(super) async fn answer(&self, id: &str, answers: Value) -> Response {
        let params = json!({ "taskId": id, "inputResponses": answers });
        self.request("tasks/update", params).await
    }

    pub(super) async fn cancel(&self, id: &str) {
        let params = json!({ "taskId": id });
        let ack = self.request("tasks/cancel", params).await.unwrap();
        assert_eq!(ack, json!({ "resultType": "complete" }));
    }

    /// Follows a task until it has this status, as a client does.
    pub(super) async fn until(&self, id: &str, status: &str) -> Value {
        self.until_it(id, |task| task["status"] == status, status)
            .await
    }

    pub(super) async fn until_it(
        &self,
        id: &str,
        is: impl Fn(&Value) -> bool,
        what: &str,
    ) -> Value {
        for _ in 0..6000 {
            let task = self.get(id).await;
            if is(&task) {
                return task;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("never {what}: {}", self.get(id).await);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Tasks whose times are those of a test.
pub(super) fn quick(store: impl TaskStore) -> Tasks {
    Tasks::new(store)
        .lease(Duration::from_millis(300))
        .look_interval(Duration::from_millis(10))
        .cancel_grace(Duration::from_millis(100))
        .ttl(Duration::from_secs(7 * 86_400))
}

/// The answer to a form.
pub(super) fn accept(content: Value) -> Value {
    json!({ "action": "accept", "content": content })
}

/// Looks at a record until it is so.
pub(super) async fn until_record(
    store: &impl TaskStore,
    id: &str,
    is: impl Fn(&TaskRecord) -> bool,
) -> TaskRecord {
    let id = TaskId::named(id);
    for _ in 0..10_000 {
        let record = store.get(&id).await.unwrap().unwrap();
        if is(&record) {
            return record;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("never: {:?}", store.get(&id).await);
}

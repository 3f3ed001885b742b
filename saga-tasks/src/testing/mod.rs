//! A test kit for tools that are tasks: kills the process that runs them before and after every call of its store, and lets
//! another one go on. Needs the feature `testing`, among the `dev-dependencies`.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use rmcp::{ServerHandler, tool, tool_router};
//! use saga_runtime::{AskError, Cx, Elicit, SagaServer, saga, testing::Failure};
//! use saga_tasks::testing::TaskKit;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, Elicit)]
//! struct Grade { grade: String }
//!
//! #[derive(Clone, Default)]
//! struct Studio { done: Arc<Mutex<Vec<String>>> }
//!
//! #[tool_router(server_handler)]
//! impl Studio {
//!     #[saga(task)]
//!     #[tool(description = "Render a film")]
//!     async fn render(&self, cx: Cx) -> Result<String, AskError> {
//!         self.done.lock().unwrap().push("rendered".to_owned());
//!         cx.checkpoint().await;
//!         let grade = cx.elicit::<Grade>("Which grade?").key("grade").await?;
//!         self.done.lock().unwrap().push(grade.grade.clone());
//!         Ok(format!("in {}", grade.grade))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Failure> {
//! let server = |studio: &Studio, tasks| SagaServer::new(studio.clone()).with_tasks(tasks);
//! let kit = TaskKit::with_world(Studio::default, server)
//!     .comparing(|studio| studio.done.lock().unwrap().clone());
//! let render = kit.tool("render", json!({})).answer("grade", json!({ "grade": "colour" }));
//! let killed = render.killed_everywhere().await?;
//! assert_eq!(killed.result().text(), "in colour");
//! # Ok(())
//! # }
//! ```

mod fatal;
mod kit;
mod person;
mod run;

pub use self::{
    fatal::{Clock, Fatal, Killed},
    kit::{KilledEverywhere, TaskKit, TaskScript},
    run::{KilledRun, RunEnded},
};

//! A test kit for servers: in an ordinary `#[tokio::test]`, calls a tool, a prompt or a resource of your own server, answers what it asks,
//! and tears the call down wherever that can happen. Needs the feature `testing`, among the `dev-dependencies`.
//!
//! Nothing is simulated: every request goes to a fresh server, as JSON over a connection in memory, through the handler,
//! router and wire that serve a client. Only the keys and the clock are the kit's own.
//!
//! ```
//! use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, handler::server::wrapper::Parameters, tool, tool_router};
//! use saga_runtime::{saga, testing::{Failure, Kit}};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Lend { title: String }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Edition { copy: String }
//! rmcp::elicit_safe!(Edition);
//!
//! struct Library;
//!
//! #[tool_router(server_handler)]
//! impl Library {
//!     #[saga]
//!     #[tool(description = "Lend a book")]
//!     async fn lend(&self, peer: Peer<RoleServer>, Parameters(args): Parameters<Lend>) -> String {
//!         match peer.elicit::<Edition>("Which copy?").await {
//!             Ok(Some(edition)) => format!("{} on {}", args.title, edition.copy),
//!             _ => "nothing was lent".to_owned(),
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Failure> {
//! let kit = Kit::of(|| Library);
//! let mut call = kit.tool("lend", json!({ "title": "Emma" })).await?;
//! assert_eq!(call.question("edition")?.message(), "Which copy?");
//! call.answer("edition", json!({ "copy": "paper" })).await?;
//! assert_eq!(call.result()?.text(), "Emma on paper");
//!
//! let lend = kit.tool("lend", json!({ "title": "Emma" }));
//! let everywhere = lend.answer("edition", json!({ "copy": "paper" })).resumed_everywhere().await?;
//! assert_eq!(everywhere.result().text(), "Emma on paper");
//! # Ok(())
//! # }
//! ```
//!
//! - [`Kit`]: your server, and how it is called.
//! - [`Call`]: a call that goes step by step: its questions, its token, a lost response, a duplicate.
//! - [`Scripted`]: a call with all its answers: [once](Scripted::run), or [torn down at every choice of points](Scripted::resumed_everywhere).
//! - [`Clock`]: moves when the test says so.

mod bench;
mod call;
mod clock;
mod compared;
mod ended;
mod everywhere;
mod failure;
mod kit;
mod question;
mod reply;
mod run;
mod schemas;
mod scripted;
mod session;
mod watched;
mod wire;

pub(crate) use self::{bench::Bench, watched::Watched};
#[doc(hidden)]
pub use self::{
    failure::difference,
    reply::Script,
    schemas::{LISTS, List},
};

pub use self::{
    call::Call,
    clock::Clock,
    compared::ComparedRun,
    ended::Ended,
    everywhere::ResumedEverywhere,
    failure::{Failure, FailureKind},
    kit::Kit,
    question::{Question, QuestionKind},
    reply::Reply,
    run::Ran,
    scripted::Scripted,
    session::Request,
};

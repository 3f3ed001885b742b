//! Runtime of Saga: MCP tools that ask the user and the model in the middle of their work, and are
//! continued statelessly by any replica of the server.
//!
//! Put [`#[saga]`](macro@saga) above an `async fn` that awaits `peer.elicit(..)` or
//! `peer.create_message(..)`. At each such await the function can stop: its live variables go to the
//! client in a sealed token, and whichever server gets the retry goes on from there. Nothing before
//! the await runs twice.
//!
//! ```
//! use rmcp::{
//!     ErrorData, Peer, RoleServer, handler::server::wrapper::Parameters,
//!     model::{CallToolResult, ContentBlock}, tool, tool_router,
//! };
//! use saga_runtime::saga;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct DeployArgs { service: String }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Target { target: String }
//! rmcp::elicit_safe!(Target);
//!
//! struct Deployer;
//!
//! #[tool_router(server_handler)]
//! impl Deployer {
//!     #[saga]
//!     #[tool(description = "Deploy a service")]
//!     async fn deploy(
//!         &self,
//!         peer: Peer<RoleServer>,
//!         Parameters(args): Parameters<DeployArgs>,
//!     ) -> Result<CallToolResult, ErrorData> {
//!         let build = format!("{}-42", args.service); // runs once, ever
//!         match peer.elicit::<Target>("Where to?").await {
//!             Ok(Some(answer)) => {
//!                 let text = format!("{build} is on {}", answer.target);
//!                 Ok(CallToolResult::success(vec![ContentBlock::text(text)]))
//!             }
//!             _ => Ok(CallToolResult::error(vec![ContentBlock::text("not deployed")])),
//!         }
//!     }
//! }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

mod activation;
mod ask;
pub mod background;
#[cfg(feature = "client")]
pub mod client;
mod clock;
mod codec;
mod cx;
pub mod elicit;
mod engine;
mod error;
pub mod flow;
mod guard;
mod hash;
#[cfg(feature = "http")]
pub mod http;
mod identity;
#[cfg(feature = "inspect")]
pub mod inspect;
mod observe;
mod persist;
#[cfg(feature = "serve")]
pub mod serve;
mod server;
#[cfg(feature = "testing")]
pub mod testing;
mod token;
mod wire;
pub mod with;

#[doc(hidden)]
pub mod __private;

/// The SDK that everything here builds on, for crates that do not depend on it themselves:
/// `use saga_runtime::rmcp;` where `#[tool]` stands, whose code says `rmcp::`.
pub use rmcp;

pub use ask::answer::Answer;
pub use ask::client::Client;
pub use ask::pause::{Cancelled, Pause, Sleep, TrySleep, sleep, try_sleep};
pub use cx::Cx;
pub use cx::question::{
    AskError, Background, Checkpoint, ChoiceQuestion, Choosable, FormQuestion, IntoPartial,
    ManyQuestion, Messages, Partial, Reply, RootsQuestion, SampleQuestion, UrlQuestion,
};
pub use elicit::Elicit;
pub use engine::answers::Answers;
pub use engine::continuation::{Continuation, Standing};
pub use engine::scope::{call_id, idempotency_key, idempotency_key_for};
pub use engine::{Engine, Outcome, Suspended};
pub use error::{Error, Reason};
pub use guard::{Consumed, Guard, GuardError, Guarding, Leg, MemoryGuard};
pub use identity::CallId;
pub use observe::{Event, Observer, Record, WireName};
pub use persist::stored::Stored;
pub use saga_macros::{Elicit, resource, saga, toolbox};
pub use server::extended::{Extended, PREFER_ASYNC};
pub use server::toolbox::resource::{IntoResource, Uri};
pub use server::toolbox::{State, Toolbox, ToolboxError};
pub use server::{SAGA_EXTENSION, SagaServer, Servable};
pub use token::keyring::{KEY_LEN, KeyError, Keyring};
pub use token::provider::{EnvKeys, FileKeys, KeyProvider};
pub use token::settings::{OnDisconnect, Settings};
/// Several asks in one round: [`tokio::join`] and [`tokio::try_join`], which `#[saga]` understands by
/// either name.
pub use tokio::{join, try_join};
pub use wire::call::REQUEST_KEY;

//! Servers that show Saga, for the programs under `examples/` and for tests.
//!
//! - [`deployment`]: a server with one tool that asks the user and then the model.
//! - [`ported`]: three servers before and after `#[saga]`.
//! - [`terminal`]: a person who fills in forms and answers prompts.
//! - [`Message`]: JSON-RPC messages for readers.
//! - [`serve`]: serves a handler on stdio or Streamable HTTP.

pub mod deployment;
mod message;
pub mod ported;
mod serving;
pub mod terminal;

pub use message::Message;
pub use serving::{Transport, serve, serve_with, stopped};

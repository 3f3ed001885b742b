//! Servers that show Saga, for the programs under `examples/` and for tests.
//!
//! - [`deployment`]: a server with one tool that asks the user and then the model.
//! - [`serve`]: serves a handler on stdio or Streamable HTTP.

pub mod deployment;
mod serving;

pub use serving::{Transport, serve, stopped};

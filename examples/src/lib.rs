//! Servers that show Saga, for the programs under `examples/` and for tests.
//!
//! - [`deployment`]: a server with one tool that asks the user and then the model.
//! - [`ported`]: three servers before and after `#[saga]`.
//! - [`serve`]: serves a handler on stdio or Streamable HTTP.

pub mod deployment;
pub mod ported;
mod serving;

pub use serving::{Transport, serve, stopped};

//! Servers that show Saga, for the programs under `examples/` and for tests.
//!
//! - [`deployment`]: a server with one tool that asks the user and then the model.
//! - [`ported`]: three servers before and after `#[saga]`.
//! - [`serve`]: serves a handler on stdio or Streamable HTTP.
//! - [`Process`]: a program that starts itself again as a server; [`Scratch`]: where its servers keep things.

pub mod deployment;
pub mod ported;
mod process;
mod scratch;
mod serving;

use std::error::Error;

pub use process::{Process, orphaned};
pub use scratch::{Scratch, random_hex};
pub use serving::{Transport, serve, serve_with, stopped};

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

//! The whole suite in one binary, but for the catalogue, which is `tests/differential`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    deprecated,
    missing_docs,
    reason = "tests"
)]

mod clients;
mod documents;
mod forms;
mod guide;
mod kit;
mod refusals;
mod tasks;
mod wire;

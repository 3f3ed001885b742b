//! The whole suite in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    deprecated,
    missing_docs,
    reason = "tests"
)]

mod clients;
// Its programs are as strange as they have to be, and take most of the time.
#[cfg(not(clippy))]
mod differential;
mod documents;
mod forms;
mod guide;
mod kit;
mod refusals;
mod tasks;
mod wire;

//! The differential harness: one text, compiled with and without `#[saga]`, must do the same.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    deprecated,
    reason = "a test harness"
)]

pub mod answers;
pub mod batch;
pub mod deploys;
pub mod difference;
pub mod driver;
pub mod live;
pub mod stored;
pub mod trace;

pub use difference::{Case, check, check_unordered};
pub use trace::{Failure, Trace};

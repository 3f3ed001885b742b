//! The commands as they are run, on crates that are made for it.

#![allow(clippy::expect_used, reason = "a test ends where it cannot go on")]

mod commands;
mod fixture;
mod port;

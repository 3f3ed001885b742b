//! The commands as they are run, on crates that are made for it.

#![allow(clippy::expect_used, reason = "a test ends where it cannot go on")]

mod check;
mod commands;
mod fixture;
mod new;
mod port;

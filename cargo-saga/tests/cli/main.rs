//! The commands as they are run, on crates that are made for it.

#![allow(clippy::expect_used, reason = "a test ends where it cannot go on")]

mod check;
mod commands;
#[allow(unreachable_pub, reason = "it is the source of a crate as well")]
mod desk;
mod fixture;
mod flow;
mod inspect;
mod lock;
mod new;
mod port;

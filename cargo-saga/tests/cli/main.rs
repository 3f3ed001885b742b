//! The commands as they are run, on crates that are made for it.

mod commands;
mod fixture;

//! The virtual objects that tasks are made of. Restate runs the handlers of one key one after the other, and each to its end,
//! whatever is killed: what a handler decides about its record, it decides alone.
//!
//! None waits for another object. One that does holds one of the places that Restate has for running handlers: with many of them
//! waiting for one queue, its handler found none, and all stood still until Restate suspended them, a minute later.

pub(crate) mod call;
pub(crate) mod owner;
pub(crate) mod queue;
pub(crate) mod task;

/// Where something of a service is: several may share one Restate.
pub(crate) fn key(service: &str, name: impl std::fmt::Display) -> String {
    format!("{service}/{name}")
}

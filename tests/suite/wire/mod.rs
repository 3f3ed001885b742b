//! What clients and servers say to each other: the wires, their tokens, and what is refused.

pub(crate) mod answering;
mod capabilities;
mod choices;
pub(crate) mod client;
mod codec;
mod cx;
mod faults;
mod http;
mod identity;
mod keys;
mod lean;
mod live;
mod mrtr;
mod observed;
mod once;
mod ported;
mod prompts_and_resources;
mod refusals;
mod resume;
mod saga;
mod saga_client;
mod server;
mod stale;
mod toolbox;
mod tried;
mod words;

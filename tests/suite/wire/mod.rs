//! What clients and servers say to each other: the wires, their tokens, and what is refused.

mod client;
mod codec;
mod cx;
mod live;
mod mrtr;
mod ported;
mod prompts_and_resources;
mod refusals;
mod saga;
mod saga_client;
mod server;
mod words;

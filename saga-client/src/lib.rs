//! What the program `saga-client` shows and asks in a terminal, for other programs that do so.
//!
//! - [`terminal`]: a person who fills in forms and answers prompts.
//! - [`Message`]: JSON-RPC messages for readers.

mod message;
pub mod terminal;

pub use message::Message;

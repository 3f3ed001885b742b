//! The servers as they were: they hold the call open while the user or the model thinks.

pub mod confirm;
pub mod llm;
pub mod wizard;

//! A person at a terminal: forms to fill in, and prompts to answer as the model.
//!
//! Whatever gives lines can stand for the person, so that programs that ask can be tested.

mod field;
mod form;
mod lines;
mod sampling;
mod style;

pub use field::{Choice, Field};
pub use form::Answer;
pub use lines::{Line, Terminal};
pub use style::{Style, plain};

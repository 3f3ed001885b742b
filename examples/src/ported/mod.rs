//! Three servers before and after `#[saga]`, for `docs/porting.md`. The doc's diffs are those of the
//! files here, and a test answers both versions alike and compares what they did.

pub mod before;
pub mod confirm;
pub mod confirm_cx;
pub mod llm;
pub mod wizard;
pub mod world;

//! What the author's text says, without a word about suspension.

pub(crate) mod assigned;
pub(crate) mod assigned_places;
pub(crate) mod attributes;
pub(crate) mod calls;
pub(crate) mod changed;
pub(crate) mod closures;
pub(crate) mod declared;
pub(crate) mod definitely_assigned;
pub(crate) mod exits;
pub(crate) mod handed_on;
pub(crate) mod hash;
pub(crate) mod jumps;
pub(crate) mod keywords;
pub(crate) mod macros;
pub(crate) mod order;
pub(crate) mod owned;
pub(crate) mod patterns;
pub(crate) mod picks;
pub(crate) mod projection;
pub(crate) mod rename;
pub(crate) mod stays;
pub(crate) mod tokens;
pub(crate) mod touched;
pub(crate) mod types;
pub(crate) mod uses;
pub(crate) mod vocabulary;

//! A file for each command.

pub(crate) mod check;
pub(crate) mod new;
pub(crate) mod port;

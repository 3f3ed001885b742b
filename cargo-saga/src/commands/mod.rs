//! A file for each command.

pub(crate) mod check;
pub(crate) mod flow;
pub(crate) mod inspect;
pub(crate) mod keygen;
pub(crate) mod lock;
pub(crate) mod new;
pub(crate) mod port;

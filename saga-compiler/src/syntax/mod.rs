//! From tokens to one function in a smaller language: what it asks, and how it is written.

pub(crate) mod asks;
pub(crate) mod attribute;
mod awaited_later;
pub(crate) mod boxed_future;
pub(crate) mod conditional;
mod constants;
pub(crate) mod declared_by_macros;
pub(crate) mod destructure;
pub(crate) mod desugar;
pub(crate) mod fingerprint;
pub(crate) mod function;
mod gathered;
pub(crate) mod given;
mod guards;
pub(crate) mod hoist;
mod inner_imports;
mod lasting;
mod lift;
mod local_macros;
pub(crate) mod locks;
pub(crate) mod nested;
pub(crate) mod receiver;
pub(crate) mod select;
pub(crate) mod stepped;

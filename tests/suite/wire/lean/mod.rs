//! The short way of a request is taken by what is beyond doubt, and leads to the same answers as rmcp's service.

mod bodies;
mod hostile;
mod pair;
mod running;
mod shop;
pub(super) mod twins;

//! What follows from the control-flow graph: what is live, what moves, what a state carries.

pub(crate) mod accepts;
pub(crate) mod aggregates;
pub(crate) mod borrowers;
mod bound_parts;
pub(crate) mod copied_parts;
pub(crate) mod doubts;
pub(crate) mod escaping;
pub(crate) mod fingerprint;
pub(crate) mod for_good;
pub(crate) mod given_receivers;
pub(crate) mod graph;
pub(crate) mod hidden;
pub(crate) mod in_scope;
mod literal_texts;
pub(crate) mod liveness;
pub(crate) mod named;
mod outline;
pub(crate) mod outliving;
pub(crate) mod partial_moves;
pub(crate) mod referents;
mod referring;
pub(crate) mod replaced;
pub(crate) mod states;
pub(crate) mod successors;
mod unassigned;
mod var_set;

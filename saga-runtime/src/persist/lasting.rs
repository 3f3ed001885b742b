//! Whether what a path names is there for good, so that it is the same wherever it is borrowed.

use super::in_scope::{Memory, Witness};

/// Found first: what only frees memory has no cell in it that anybody could have changed.
pub trait LastingMemory<T> {
    /// It may be a new one each time.
    fn saga_lasts(&self, _: &T) {}
}

impl<T: Memory> LastingMemory<T> for &Witness<T> {}

/// Found for everything else. rustc gives a constant a place of its own that is there for good, unless there is a cell in it, or it
/// has a `Drop`.
pub trait LastingOther<T> {
    /// It is there for good.
    fn saga_lasts(&self, _: &'static T)
    where
        T: 'static,
    {
    }
}

impl<T> LastingOther<T> for Witness<T> {}

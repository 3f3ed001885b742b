//! Whether what a path names is there for good, so that it is the same wherever it is borrowed.

use super::in_scope::{Memory, Witness};

/// Found first: what only frees memory.
pub trait LastingMemory<T> {
    /// It may be a new one each time.
    fn saga_lasts(&self, _: &T) {}
}

impl<T: Memory> LastingMemory<T> for &&Witness<T> {}

/// Found next, for what has a `Drop` of its own: a constant of it is another one for each mention, and each is dropped.
pub trait LastingDropped<T> {
    /// It is a static.
    fn saga_lasts(&self, _: &'static T)
    where
        T: 'static,
    {
    }
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> LastingDropped<T> for &Witness<T> {}

/// Found for everything else. Whether there is a cell in it, rustc says.
pub trait LastingOther<T> {
    /// It looks the same each time.
    fn saga_lasts(&self, _: &T) {}
}

impl<T> LastingOther<T> for Witness<T> {}

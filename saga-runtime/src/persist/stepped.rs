//! Iterators that are stepped by hand in a loop that asks: what a `for` over them needs of their types.

use std::marker::PhantomData;

use crate::persist::{in_scope::Memory, iterate::Owned};

/// An iterator that the author steps by hand, in a loop that asks.
#[derive(Debug, Clone, Copy)]
pub struct Stepped<I>(PhantomData<fn() -> I>);

impl<I> Stepped<I> {
    /// That of `items`.
    pub fn of(_: &I) -> Self {
        Self(PhantomData)
    }
}

/// Never implemented for items with a `Drop` of their own.
#[diagnostic::on_unimplemented(
    message = "items of type `{Self}`, which have a `Drop` of their own, are stepped by hand in a loop that asks",
    label = "a `while let` with `next()`",
    note = "why: what is left of them would be dropped at the loop's end, and not at the end of the scope",
    note = "instead: `for item in items`, which drops them there in plain Rust, too"
)]
pub trait SteppedInALoop {}

/// Found first: items whose `Drop` frees memory, and no more.
pub trait SteppedMemory<I: Iterator> {
    /// The items; only std's are let through.
    fn saga_items(&self, items: I) -> I
    where
        I: Owned,
    {
        items
    }
}

impl<I: Iterator<Item: Memory>> SteppedMemory<I> for &&Stepped<I> {}

/// Found next: items with an effect where they are dropped.
pub trait SteppedDrop<I: Iterator> {
    /// Refuses them.
    fn saga_items(&self, items: I) -> I
    where
        I::Item: SteppedInALoop,
    {
        items
    }
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<I: Iterator<Item: Drop>> SteppedDrop<I> for &Stepped<I> {}

/// Found for all others.
pub trait SteppedOther<I: Iterator> {
    /// The items; only std's are let through.
    fn saga_items(&self, items: I) -> I
    where
        I: Owned,
    {
        items
    }
}

impl<I: Iterator> SteppedOther<I> for Stepped<I> {}

/// What [`IteratorNext`] gives.
#[derive(Debug)]
pub struct Next;

/// Ambiguous where another trait has a `next` that would be found before an iterator's own.
pub trait IteratorNext {
    /// For code that is never run.
    fn next(&self) -> Next;
}

impl<I: Iterator> IteratorNext for I {
    fn next(&self) -> Next {
        Next
    }
}

//! What a guard looks at before it asks.

/// A variable of a pattern, and what it is where that is matched by reference.
#[diagnostic::on_unimplemented(
    message = "a guard of a `match` asks, and what it looks at is matched through a reference",
    label = "this would be another reference than it is",
    note = "instead: `match &order {{ … }}`, where it is `match order {{ … }}` now, or a `let` for it before the `match`"
)]
pub trait MatchedAsItIs<T: ?Sized> {}

impl<T: ?Sized> MatchedAsItIs<T> for T {}

/// Lets only the same through.
pub fn matched_as_it_is<T: ?Sized, N: MatchedAsItIs<T> + ?Sized>(_: &T, _: &N) {}

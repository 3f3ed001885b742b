//! Whether a place is the same one wherever it is borrowed: a reference on the way to it, which is in what can be changed, may lead
//! elsewhere meanwhile. The borrow checker lets that be.
//!
//! ```text
//! fn name(cur: &mut &Node, next: &Node) { let name = &cur.name; advance(cur, next); ask; name }
//! ```

use std::marker::PhantomData;

/// What a place is in, or itself.
#[derive(Debug)]
pub struct LedBy<'p, P: ?Sized>(PhantomData<&'p P>);

impl<'p, P: ?Sized> LedBy<'p, P> {
    /// This part.
    pub fn of(_: &'p P) -> Self {
        Self(PhantomData)
    }
}

/// The way so far has nothing but what the function owns.
#[derive(Debug)]
pub struct Owned;

/// It is behind a `&`: nothing there has another value.
#[derive(Debug)]
pub struct Frozen;

/// It is behind a `&mut`.
#[derive(Debug)]
pub struct Changing;

/// It is behind a reference that may have another value.
#[derive(Debug)]
pub struct Elsewhere;

/// Found first: a reference in what a `&mut` leads to.
pub trait LedByBoth {
    /// What the way is from here on.
    fn saga_led<W: Way>(&self, _: W) -> W::ByBoth {
        W::by_both()
    }
}

impl<T: ?Sized> LedByBoth for &&&LedBy<'_, &mut &T> {}

/// A reference by which things change.
pub trait LedByMut {
    /// What the way is from here on.
    fn saga_led<W: Way>(&self, _: W) -> W::ByMut {
        W::by_mut()
    }
}

impl<T: ?Sized> LedByMut for &&LedBy<'_, &mut T> {}

/// A reference.
pub trait LedByReference {
    /// What the way is from here on.
    fn saga_led<W: Way>(&self, _: W) -> W::ByReference {
        W::by_reference()
    }
}

impl<T: ?Sized> LedByReference for &LedBy<'_, &T> {}

/// Everything else.
pub trait LedByOther {
    /// What the way is from here on.
    fn saga_led<W: Way>(&self, way: W) -> W {
        way
    }
}

impl<P: ?Sized> LedByOther for LedBy<'_, P> {}

/// What the next part makes of a way.
pub trait Way {
    #[doc(hidden)]
    type ByReference;
    #[doc(hidden)]
    type ByMut;
    #[doc(hidden)]
    type ByBoth;
    #[doc(hidden)]
    fn by_reference() -> Self::ByReference;
    #[doc(hidden)]
    fn by_mut() -> Self::ByMut;
    #[doc(hidden)]
    fn by_both() -> Self::ByBoth;
}

macro_rules! ways {
    ($($way:ident: $by_reference:ident, $by_mut:ident, $by_both:ident;)*) => {
        $(impl Way for $way {
            type ByReference = $by_reference;
            type ByMut = $by_mut;
            type ByBoth = $by_both;

            fn by_reference() -> $by_reference {
                $by_reference
            }

            fn by_mut() -> $by_mut {
                $by_mut
            }

            fn by_both() -> $by_both {
                $by_both
            }
        })*
    };
}

ways! {
    Owned: Frozen, Changing, Elsewhere;
    Frozen: Frozen, Frozen, Frozen;
    Changing: Elsewhere, Changing, Elsewhere;
    Elsewhere: Elsewhere, Elsewhere, Elsewhere;
}

/// Never implemented for what may lead elsewhere.
#[diagnostic::on_unimplemented(
    message = "what this variable refers to is behind a reference that may lead elsewhere before it is used for the last time",
    label = "it is borrowed again behind an ask, by way of what is there by then",
    note = "a function, a method, a pattern or a macro may give that reference another value",
    note = "name the reference first, which stays what it is: `let node = *current;`, and `&node.name` in place of `&current.name`"
)]
pub trait LeadsThere {}

#[diagnostic::do_not_recommend]
impl LeadsThere for Owned {}
#[diagnostic::do_not_recommend]
impl LeadsThere for Frozen {}
#[diagnostic::do_not_recommend]
impl LeadsThere for Changing {}

/// Lets a way through that leads to the same place each time.
pub fn leads_there<W: LeadsThere>(_: W) {}

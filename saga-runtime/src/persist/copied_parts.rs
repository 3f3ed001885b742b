//! Fields that are taken out of a variable whose rest is used after an ask: the variable stays whole, and what is taken is a copy.
//!
//! What is `Copy` is copied without its `Clone`, as plain Rust does it; a clone has to be the same as what it is one of.

use std::{borrow, collections, ffi, fmt::Debug, marker::PhantomData, ops, path};

use serde::Serialize;

use super::{
    borrowed::encode,
    faithful,
    kinds::{Plain, Shared},
    shown::shows_the_same,
};

/// A field that is moved out of a variable whose rest is used after an ask.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` is moved out of a variable whose rest is used after an ask",
    label = "the rest cannot be stored without it",
    note = "derive `Clone` for it, so that the variable can stay whole",
    note = "or take the variable apart where it is declared: `let Order {{ items, note }} = order;`"
)]
pub trait Part: Sized {
    /// A copy of it.
    fn part(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Clone> Part for T {
    fn part(&self) -> Self {
        self.clone()
    }
}

/// A field by whose type it is chosen how it is copied, and what a pattern on it looks at.
#[derive(Debug)]
pub struct Looked<T>(PhantomData<T>);

impl<T> Looked<T> {
    /// At what is copied.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }

    /// At a field.
    pub fn at(_: &T) -> Self {
        Self(PhantomData)
    }

    /// At one on which a method is called that takes it, if it is std's.
    pub fn at_optional(_: &T) -> Self
    where
        T: OptionalPart,
    {
        Self(PhantomData)
    }
}

macro_rules! ways {
    ($(#[doc = $found:literal] $name:ident $(where $bounds:tt)? { $self:ty, $($impl_bounds:tt)* } |$field:ident| $copy:expr;)*) => {
        $(
            #[doc = $found]
            pub trait $name<T> {
                /// A copy.
                fn saga_part(&self, field: &T) -> T $(where T: $bounds)?;

                /// A copy of a field that may be changed.
                fn saga_changeable(&self, field: &mut T) -> T $(where T: $bounds)? {
                    self.saga_part(field)
                }

                /// A copy of a field that may only be looked at.
                fn saga_looked_at(&self, field: &T) -> T $(where T: $bounds)? {
                    self.saga_part(field)
                }

                /// A copy of what a pattern binds by reference.
                fn saga_bound(&self, bound: &T) -> T $(where T: $bounds)? {
                    self.saga_part(bound)
                }

                /// The same for a guard.
                fn saga_seen(&self, bound: &&T) -> T $(where T: $bounds)? {
                    self.saga_part(bound)
                }
            }

            impl<T: $($impl_bounds)*> $name<T> for $self {
                fn saga_part(&self, $field: &T) -> T $(where T: $bounds)? {
                    $copy
                }
            }
        )*
    };
}

ways! {
    #[doc = "Found first: its bits are copied."]
    PartCopied { &&&&&Looked<T>, Copy } |field| *field;
    #[doc = "Found next: std's `Clone` gives the same."]
    PartPlain { &&&&Looked<T>, Clone + Plain } |field| field.clone();
    #[doc = "Found next: of what several share it gives the same."]
    PartShared { &&&Looked<T>, Clone + Shared } |field| field.clone();
    #[doc = "Found next: a clone that shows the same."]
    PartShown { &&Looked<T>, Clone + Debug } |field| shown(field);
    #[doc = "Found next: a clone that is written the same."]
    PartWritten { &Looked<T>, Clone + Serialize } |field| written(field);
    #[doc = "Found for everything else."]
    PartOther where Part { Looked<T>, Sized } |field| field.part();
}

/// A clone that looks the same.
#[allow(
    clippy::panic,
    reason = "the type's own `Clone` is at fault, and no caller waits for an error"
)]
fn same<T: Clone>(field: &T, are_same: fn(&T, &T) -> bool) -> T {
    let copy = field.clone();
    match are_same(field, &copy) {
        true => copy,
        false => panic!(
            "a value of type `{}` is cloned, as it may be needed after an ask and is moved away before it, and its `Clone` gives another value",
            std::any::type_name::<T>()
        ),
    }
}

fn is_written_the_same<T: Serialize>(value: &T, copy: &T) -> bool {
    // What cannot be written is not stored either.
    match (encode(value), encode(copy)) {
        (Ok(value), Ok(copy)) => faithful::compare(&value, &copy).is_ok(),
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// A clone that shows the same.
pub(super) fn shown<T: Clone + Debug>(value: &T) -> T {
    same(value, shows_the_same)
}

/// A clone that is written the same.
pub(super) fn written<T: Clone + Serialize>(value: &T) -> T {
    same(value, is_written_the_same)
}

/// Of a copy of what is `Copy`: what is bound is taken as it is.
#[derive(Debug, Clone, Copy)]
pub struct OfCopy;

impl OfCopy {
    /// How that is done.
    pub fn saga_binding<T>(self, _: &T) -> Self {
        self
    }

    /// What is bound.
    pub fn saga_bound<T>(self, bound: T) -> T {
        bound
    }

    /// A copy for a guard.
    pub fn saga_seen<T: Copy>(self, bound: &T) -> T {
        *bound
    }

    /// What is bound by `ref`.
    pub fn saga_lent<T: ?Sized>(self, bound: &T) -> &T {
        bound
    }
}

/// The same of a clone.
#[derive(Debug, Clone, Copy)]
pub struct OfClone;

impl OfClone {
    /// How that is done.
    pub fn saga_binding<T>(self, _: &T) -> Self {
        self
    }

    /// What is bound.
    pub fn saga_bound<T>(self, bound: T) -> T {
        bound
    }

    /// A copy for a guard.
    pub fn saga_seen<T: Part>(self, bound: &T) -> T {
        bound.part()
    }

    /// What is bound by `ref`.
    pub fn saga_lent<T: ?Sized>(self, bound: &T) -> &T {
        bound
    }
}

/// Of the field itself: what is bound is copied.
#[derive(Debug, Clone, Copy)]
pub struct OfField;

impl OfField {
    /// By whose type it is chosen how.
    pub fn saga_binding<T>(self, bound: &&T) -> Looked<T> {
        Looked::at(bound)
    }

    /// What is bound by `ref`.
    pub fn saga_lent<'f, T: ?Sized>(self, bound: &&'f T) -> &'f T {
        bound
    }
}

/// Found first: it is copied.
pub trait TakeCopied<T> {
    /// The copy, and how a binding is taken out of it.
    fn saga_taken(&self, field: &T) -> (OfCopy, T);
}

impl<T: Copy> TakeCopied<T> for &&&&Looked<T> {
    fn saga_taken(&self, field: &T) -> (OfCopy, T) {
        (OfCopy, *field)
    }
}

/// For patterns that are written for the value alone, found next: with `Clone` the whole of it is copied.
pub trait TakeWhole<T> {
    /// The copy, and how a binding is taken out of it.
    fn saga_taken(&self, field: &T) -> (OfClone, T);
}

macro_rules! take_whole {
    ($($self:ty, [$($bounds:tt)*] |$field:ident| $copy:expr;)*) => {
        $(impl<T: $($bounds)*> TakeWhole<T> for $self {
            fn saga_taken(&self, $field: &T) -> (OfClone, T) {
                (OfClone, $copy)
            }
        })*
    };
}

// A clone that shows the same, one that is written the same, and one of which nothing is known.
take_whole! {
    &&&Looked<T>, [Clone + Debug] |field| shown(field);
    &&Looked<T>, [Clone + Serialize] |field| written(field);
    &Looked<T>, [Clone] |field| field.clone();
}

/// Found for everything else: what the pattern binds is copied.
pub trait TakeBindings<T> {
    /// The field, and how a binding is taken out of it.
    fn saga_taken<'f>(&self, field: &'f T) -> (OfField, &'f T);
}

impl<T> TakeBindings<T> for Looked<T> {
    fn saga_taken<'f>(&self, field: &'f T) -> (OfField, &'f T) {
        (OfField, field)
    }
}

/// A field that such a method takes out of its variable.
#[diagnostic::on_unimplemented(
    message = "a method that may take or change it is called on a field of type `{Self}`, and the rest of its variable is used after an ask",
    label = "the field of a variable that goes on",
    note = "of an `Option`, a `Result`, an array or a range it takes a copy, where what is in it is `Clone`",
    note = "for another type write `let part = &mut …;` where the method changes the field, `let part = …;` where it takes it, and call it on `part`"
)]
pub trait OptionalPart {}

macro_rules! optional_parts {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<$($generics)*> OptionalPart for $ty {}
        )*
    };
}

optional_parts! {
    [T: Clone] Option<T>;
    [T: Clone, E: Clone] Result<T, E>;
    [T: Clone, const N: usize] [T; N];
    [T: Clone] ops::Range<T>;
    [T: Clone] ops::RangeInclusive<T>;
    [] String; [] path::PathBuf; [] ffi::OsString;
    [T: Clone] Box<T>; [T: Clone] Vec<T>; [T: Clone] collections::VecDeque<T>; [T: Clone] collections::BTreeSet<T>;
    [K: Clone, V: Clone] collections::BTreeMap<K, V>;
    [T: Clone, S: Clone] collections::HashSet<T, S>; [K: Clone, V: Clone, S: Clone] collections::HashMap<K, V, S>;
    ['t, T: ToOwned + ?Sized] borrow::Cow<'t, T>;
}

/// A field that may be changed, on which a method of `Option`'s names is called: of std's types the value is taken.
pub trait ChangeableOfStd<T> {
    /// By whose type it is chosen how it is copied.
    fn saga_of_std(&self) -> Looked<T>;
}

impl<T: OptionalPart> ChangeableOfStd<T> for &Looked<T> {
    fn saga_of_std(&self) -> Looked<T> {
        Looked(PhantomData)
    }
}

/// Of any other type the field itself is lent: its method is not known.
pub trait ChangeableOther<T> {
    /// What lends it.
    fn saga_of_std(&self) -> LentPart<T>;
}

impl<T> ChangeableOther<T> for Looked<T> {
    fn saga_of_std(&self) -> LentPart<T> {
        LentPart(PhantomData)
    }
}

/// Lends a field.
#[derive(Debug)]
pub struct LentPart<T>(PhantomData<T>);

impl<T> LentPart<T> {
    /// The field.
    pub fn saga_changeable<'f>(&self, field: &'f mut T) -> &'f mut T {
        field
    }

    /// The same to look at.
    pub fn saga_looked_at<'f>(&self, field: &'f T) -> &'f T {
        field
    }
}

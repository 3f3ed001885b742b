//! Chooses the form of a slot by its variable's type.
//!
//! Of methods of one name, the one that is found after fewer dereferences wins; so each level below
//! has one reference less. The calls stand behind the blocks, where the type is known, and are never
//! reached.

use std::{fmt::Debug, marker::PhantomData};

use serde::{Deserialize, Serialize};

use super::{
    Slot,
    borrowed::{Borrowed, ToOwners, ToOwnersBeside, ToTexts},
    forms::{
        AsInstant, AsPlain, AsReferences, AsRequestHandle, AsSerde, AsSerdeLent, AsStored, Refused,
        Rematerialized, RematerializedShown, Unsaved,
    },
    kinds::{AnInstant, Handle, Lossy, Plain, Shared, SharedPart, SharedRest},
};
use crate::persist::{
    in_scope::{Guard, HeldAcrossAnAsk, Memory},
    stored::Stored,
};

/// The type of a slot's variable.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn(T) -> T>);

impl<T> TypeOf<T> {
    /// The type of a slot's variable.
    pub fn slot<F>(_: &Slot<T, F>) -> Self {
        Self(PhantomData)
    }
}

/// Never implemented for shared state.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask: it is shared, or changes behind a shared reference, and what comes back after the ask would be a copy of its own",
    label = "this variable is live after the ask",
    note = "use the place itself where it is needed (`self.lent.lock()…` after the ask), or ask first",
    note = "above its `let`: `#[saga(remake)]` evaluates it again (right for a clone of what `self` has), `#[saga(with = saga_runtime::with::arc)]` stores the content, in an `Arc` of its own"
)]
pub trait HeldByOneOnly {}

/// Never implemented for an inclusive range.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is held across an ask, and its serde form does not say whether it is exhausted",
    label = "this variable is live after the ask",
    note = "a `for` over it may ask; where you step through it yourself, hold a `Range` (`1..4`) or the next number"
)]
pub trait WrittenWhole {}

/// Never implemented for a type with a `Drop` of its own.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask, and its `Drop` would run where the call is put aside and once more where it goes on",
    label = "this variable is live after the ask",
    note = "end it before the ask (`drop(…)`, or a block around its use), or hold the data it is made of"
)]
pub trait DroppedOnce {}

/// One level: the kind of types, and the form of each of the three kinds of variables.
macro_rules! level {
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] $form:ty, $lent:ty, $unsaved:ty; [$($bound:tt)*]) => {
        $(#[$doc])*
        pub trait $name {
            /// The form.
            fn form(&self) -> $form;
            /// The form of a value that may borrow from a block's own variables.
            fn lent(&self) -> $lent;
            /// The form of a value that can be evaluated again.
            fn again(&self) -> $form;
            /// The form of such a value that is never there where the function stops.
            fn unsaved(&self) -> $unsaved;
        }

        impl<T: $($bound)*> $name for $($reference)* TypeOf<T> {
            fn form(&self) -> $form {
                unreached()
            }

            fn lent(&self) -> $lent {
                unreached()
            }

            fn again(&self) -> $form {
                unreached()
            }

            fn unsaved(&self) -> $unsaved {
                unreached()
            }
        }
    };
}

/// One level of types that do not cross an ask but by evaluating them again.
macro_rules! refused {
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] $lacking:ident; [$($bound:tt)*]) => {
        refused! {
            $(#[$doc])* $name [$($reference)*] $lacking; [$($bound)*]; Rematerialized
        }
    };
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] $lacking:ident; [$($bound:tt)*]; $again:ident) => {
        $(#[$doc])*
        pub trait $name {
            /// The variable's type.
            type Held;
            /// Does not compile.
            fn form(&self) -> Refused
            where
                Self::Held: $lacking;
            /// Does not compile.
            fn lent(&self) -> Refused
            where
                Self::Held: $lacking;
            /// Evaluated again.
            fn again(&self) -> $again;
            /// Never there where the function stops.
            fn unsaved(&self) -> Unsaved;
        }

        #[allow(drop_bounds, reason = "the types that implement it themselves are meant")]
        impl<T: $($bound)*> $name for $($reference)* TypeOf<T> {
            type Held = T;

            fn form(&self) -> Refused
            where
                T: $lacking,
            {
                Refused
            }

            fn lent(&self) -> Refused
            where
                T: $lacking,
            {
                Refused
            }

            fn again(&self) -> $again {
                $again
            }

            fn unsaved(&self) -> Unsaved {
                Unsaved
            }
        }
    };
}

#[allow(clippy::unreachable, reason = "stands in code that is never reached")]
fn unreached<F>() -> F {
    unreachable!("the form of a slot is a type alone")
}

level! {
    /// Found first: the client's handle.
    ChooseHandle [&&&&&&&&&&&&&&&&&] AsRequestHandle, AsRequestHandle, Unsaved; [Handle]
}
refused! {
    /// Locks and permits.
    ChooseGuard [&&&&&&&&&&&&&&&&] HeldAcrossAnAsk; [Guard]
}
refused! {
    /// What serde does not write whole.
    ChooseLossy [&&&&&&&&&&&&&&&] WrittenWhole; [Lossy]
}
refused! {
    /// Shared state.
    ChooseShared [&&&&&&&&&&&&&&] HeldByOneOnly; [Shared]
}
refused! {
    /// The same in a tuple.
    ChooseSharedPart [&&&&&&&&&&&&&] HeldByOneOnly; [SharedPart]
}
refused! {
    /// The same.
    ChooseSharedRest [&&&&&&&&&&&&] HeldByOneOnly; [SharedRest]
}
level! {
    /// Instants.
    ChooseInstant [&&&&&&&&&&&] AsInstant, AsInstant, Unsaved; [AnInstant]
}
level! {
    /// Numbers and texts.
    ChoosePlain [&&&&&&&&&&] AsPlain, AsPlain, Unsaved; [Plain]
}
level! {
    /// References to references to texts.
    ChooseTexts [&&&&&&&&&] AsReferences<ToTexts>, AsReferences<ToTexts>, AsReferences<ToTexts>; [for<'s> Borrowed<'s, ToTexts>]
}
level! {
    /// References.
    ChooseBorrowed [&&&&&&&&] AsReferences<ToOwners>, AsReferences<ToOwners>, AsReferences<ToOwners>; [for<'s> Borrowed<'s, ToOwners>]
}
level! {
    /// References beside values of the author's own.
    ChooseBeside [&&&&&&&] AsReferences<ToOwnersBeside>, AsReferences<ToOwnersBeside>, AsReferences<ToOwnersBeside>; [for<'s> Borrowed<'s, ToOwnersBeside>]
}
level! {
    /// What only frees memory when it is dropped.
    ChooseMemory [&&&&&&] AsSerde, AsSerdeLent, Unsaved; [Memory + Serialize + for<'s> Deserialize<'s>]
}
refused! {
    /// The same of what serde cannot.
    ChooseMemoryOther [&&&&&] Stored; [Memory]
}
refused! {
    /// Types with a `Drop` of their own.
    ChooseWithDrop [&&&&] DroppedOnce; [Drop]
}
level! {
    /// What serde can write and read.
    ChooseSerde [&&&] AsSerde, AsSerdeLent, Unsaved; [Serialize + for<'s> Deserialize<'s>]
}
level! {
    /// What a function of one's own is generic in.
    ChooseStored [&&] AsStored, AsStored, Unsaved; [Stored]
}
refused! {
    /// What cannot be stored, but shows what it is.
    ChooseShown [&] Stored; [Debug]; RematerializedShown
}
refused! {
    /// Found for everything else.
    ChooseNothing [] Stored; [Sized]
}

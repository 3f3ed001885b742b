//! Chooses the form of a slot by its variable's type.
//!
//! Of methods of one name, the one that is found after fewer dereferences wins; so each level below
//! has one reference less. The calls stand behind the blocks, where the type is known, and are never
//! reached.

use std::{fmt::Debug, marker::PhantomData};

use serde::{Deserialize, Serialize};

pub use super::plain::{ChoosePlain, KnownPlain};
use super::{
    Slot,
    borrowed::{Borrowed, Own, ToOwners, ToStatics, ToTexts},
    forms::{
        AsGiven, AsParts, AsReferences, AsSerde, AsSerdeLent, AsSerdeShown, AsStatic, AsSteps,
        AsStored, AsTextSteps, AsWritten, Refused, Rematerialized, RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    iterators::Steps,
    kinds::{Handle, LentPlain, LentRows, Lossy, RestOf, Shared, SharedPart, SharedRest},
    lent_parts::AsLentParts,
    shown::{AsSerdeLentShown, AsShownReferences},
    text_steps::TextSteps,
    written::Written,
};
use crate::persist::{
    in_scope::{Guard, HeldAcrossAnAsk, Memory},
    kept::GivenAgain,
    stored::Stored,
};

/// The type of a slot's variable.
#[derive(Debug)]
pub struct TypeOf<T>(PhantomData<fn(T) -> T>);

/// Where the choice for a slot's variable begins.
pub fn of_slot<'s, T: 's, F>(_: &'s Slot<T, F>) -> &'s &'s First<'s, T> {
    unreached()
}

/// The type of a slot's variable, where the choice begins: most are plain, and rustc need not look at the levels for those.
#[derive(Debug)]
pub struct First<'s, T>(PhantomData<&'s TypeOf<T>>);

/// Everything else.
pub trait ChooseFurther {
    /// The highest of the levels.
    type Levels;

    /// The highest of the levels.
    fn saga_first(&self) -> Self::Levels {
        unreached()
    }
}

impl<'s, T: 's> ChooseFurther for First<'s, T> {
    type Levels = &'s AllLevels<'s, T>;
}

/// As many references as there are levels.
pub type AllLevels<'s, T> = &'s Twelve<'s, Twelve<'s, Twelve<'s, &'s TypeOf<T>>>>;

type Twelve<'s, T> = &'s &'s &'s &'s &'s &'s &'s &'s &'s &'s &'s &'s T;

/// Never implemented for shared state.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask: it is shared, or changes behind a shared reference, and what comes back after the ask would be a copy of its own",
    label = "this variable is live after the ask",
    note = "use the place itself where it is needed (`self.lent.lock()…` after the ask), or ask first",
    note = "where nobody shares it, hold what is in it: `Rc`, `Arc`, `Cell`, `RefCell` and `Mutex` are all refused, so that an `Arc` in place of an `Rc` does not help",
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
    note = "end it before the ask (`drop(…)`, or a block around its use), or hold the data it is made of",
    note = "for an error, hold its text: `let error = error.to_string();`"
)]
pub trait DroppedOnce {}

/// The form of a type that crosses an ask. One trait for all levels: rustc looks at each trait with a method of the
/// name at each step.
pub trait Choose {
    /// The form.
    type Form;
    /// The form of a value that may borrow from a block's own variables.
    type Lent;
    /// The form of a value that can be evaluated again.
    type Again;
    /// The same where it may be a reference that is returned: that must not refer to a copy.
    type Found;
    /// The form of an argument that is given again.
    type Given;
    /// The form of such a value that is never there where the function stops.
    type Unsaved;

    /// The form.
    fn saga_form(&self) -> Self::Form {
        unreached()
    }

    /// The form of a value that may borrow from a block's own variables.
    fn saga_lent(&self) -> Self::Lent {
        unreached()
    }

    /// The form of a value that can be evaluated again.
    fn saga_again(&self) -> Self::Again {
        unreached()
    }

    /// The form of one that is made again.
    fn saga_made(&self) -> Self::Again {
        unreached()
    }

    /// The form of one that may be a reference which is returned.
    fn saga_found(&self) -> Self::Found {
        unreached()
    }

    /// The form of an argument that is given again.
    fn saga_given(&self) -> Self::Given {
        unreached()
    }

    /// The form of a value that the function puts together.
    fn saga_parts(&self) -> Self::Form {
        unreached()
    }

    /// The form of one that may borrow from a block's own variables.
    fn saga_lent_parts(&self) -> Self::Lent {
        unreached()
    }

    /// The form of one of which that is seen.
    fn saga_lending_parts(&self) -> Self::Lent {
        unreached()
    }

    /// The form of one that would be put together of what a block lends it.
    fn saga_perhaps_lending_parts(&self) -> Self::Form {
        unreached()
    }

    /// The form of such a value that is never there where the function stops.
    fn saga_unsaved(&self) -> Self::Unsaved {
        unreached()
    }

    /// The form of one of which it is seen that it refers to what its block owns.
    fn saga_passing_parts(&self) -> Self::Unsaved {
        unreached()
    }
}

/// One level: the kind of types, and the form of each of the three kinds of variables.
macro_rules! level {
    ($(#[$doc:meta])* [$($reference:tt)*] $form:ty, $lent:ty, $unsaved:ty; [$($bound:tt)*]) => {
        level! { $(#[$doc])* [$($reference)*] $form, $lent, $unsaved; [$($bound)*]; $form; $form; $form }
    };
    ($(#[$doc:meta])* [$($reference:tt)*] $form:ty; [$($bound:tt)*]) => {
        level! { $(#[$doc])* [$($reference)*] $form, $form, $form; [$($bound)*]; $form; Rematerialized; AsGiven }
    };
    ($(#[$doc:meta])* [$($reference:tt)*] $form:ty, $lent:ty, $unsaved:ty; [$($bound:tt)*]; $again:ty) => {
        level! { $(#[$doc])* [$($reference)*] $form, $lent, $unsaved; [$($bound)*]; $again; $again; $form }
    };
    ($(#[$doc:meta])* [$($reference:tt)*] $form:ty, $lent:ty, $unsaved:ty; [$($bound:tt)*]; $again:ty; $found:ty; $given:ty) => {
        $(#[$doc])*
        impl<T: $($bound)*> Choose for $($reference)* TypeOf<T> {
            type Form = $form;
            type Lent = $lent;
            type Again = $again;
            type Found = $found;
            type Given = $given;
            type Unsaved = $unsaved;
        }
    };
}

/// Types that do not cross an ask but by evaluating them again, by what they lack. The compiler shows the line of the
/// bound that is not met: it is written below, and not here.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident { $($method:ident -> $form:ident where [$($bound:tt)*];)* })*) => {
        $(
            $(#[$doc])*
            pub trait $name {
                /// What cannot cross.
                type Held;
                /// The form of a value that can be evaluated again.
                type Again;
                /// The form of one that is given again.
                type Given;
                /// The form of one that the function puts together.
                type Parts;
                /// The form of one that it puts together of what a block lends it.
                type LendingParts;
                /// The form of one that it puts together, and that is never there where the function stops.
                type Passing;
                /// The form of one that is refused.
                type Lacking;

                $(
                    /// Does not compile, unless the bound is `Any`.
                    fn $method(&self) -> Self::$form
                    where
                        $($bound)*
                    {
                        unreached()
                    }
                )*

                /// Evaluated again.
                fn saga_again(&self) -> Self::Again {
                    unreached()
                }

                /// The same.
                fn saga_found(&self) -> Self::Again {
                    unreached()
                }

                /// Never there where the function stops.
                fn saga_unsaved(&self) -> Unsaved {
                    unreached()
                }

                /// The same of what refers to what its block owns.
                fn saga_passing_parts(&self) -> Self::Passing {
                    unreached()
                }
            }
        )*
    };
}

refusals! {
    /// Locks and permits.
    ChooseGuard {
        saga_form -> Lacking where [Self::Held: HeldAcrossAnAsk];
        saga_lent -> Lacking where [Self::Held: HeldAcrossAnAsk];
        saga_given -> Given where [Self::Held: HeldAcrossAnAsk];
        saga_made -> Again where [Self::Held: HeldAcrossAnAsk];
        saga_parts -> Lacking where [Self::Held: HeldAcrossAnAsk];
        saga_lent_parts -> Lacking where [Self::Held: HeldAcrossAnAsk];
        saga_lending_parts -> Lacking where [Self::Held: HeldAcrossAnAsk];
        saga_perhaps_lending_parts -> Lacking where [Self::Held: HeldAcrossAnAsk];
    }
    /// What serde does not write whole.
    ChooseLossy {
        saga_form -> Lacking where [Self::Held: WrittenWhole];
        saga_lent -> Lacking where [Self::Held: WrittenWhole];
        saga_given -> Given where [Self::Held: Any];
        saga_made -> Again where [Self::Held: Any];
        saga_parts -> Lacking where [Self::Held: WrittenWhole];
        saga_lent_parts -> Lacking where [Self::Held: WrittenWhole];
        saga_lending_parts -> Lacking where [Self::Held: WrittenWhole];
        saga_perhaps_lending_parts -> Lacking where [Self::Held: WrittenWhole];
    }
    /// Shared state.
    ChooseShared {
        saga_form -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lent -> Lacking where [Self::Held: HeldByOneOnly];
        saga_given -> Given where [Self::Held: GivenAgain];
        saga_made -> Again where [Self::Held: Any];
        saga_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lent_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lending_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_perhaps_lending_parts -> Lacking where [Self::Held: HeldByOneOnly];
    }
    /// The same in a value.
    ChooseSharedIn {
        saga_form -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lent -> Lacking where [Self::Held: HeldByOneOnly];
        saga_given -> Given where [Self::Held: HeldByOneOnly];
        saga_made -> Again where [Self::Held: Any];
        saga_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lent_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_lending_parts -> Lacking where [Self::Held: HeldByOneOnly];
        saga_perhaps_lending_parts -> Lacking where [Self::Held: HeldByOneOnly];
    }
    /// Types with a `Drop` of their own.
    ChooseWithDrop {
        saga_form -> Lacking where [Self::Held: DroppedOnce];
        saga_lent -> Lacking where [Self::Held: DroppedOnce];
        saga_given -> Given where [Self::Held: DroppedOnce];
        saga_made -> Again where [Self::Held: DroppedOnce];
        saga_parts -> Lacking where [Self::Held: DroppedOnce];
        saga_lent_parts -> Lacking where [Self::Held: DroppedOnce];
        saga_lending_parts -> Lacking where [Self::Held: DroppedOnce];
        saga_perhaps_lending_parts -> Lacking where [Self::Held: DroppedOnce];
    }
    /// What is left of a loop.
    ChooseRest {
        saga_form -> Lacking where [Self::Held: StorableItem];
        saga_lent -> Lacking where [Self::Held: StorableItem];
        saga_given -> Given where [Self::Held: Any];
        saga_made -> Again where [Self::Held: Any];
        saga_parts -> Parts where [Self::Held: Any];
        saga_lent_parts -> Parts where [Self::Held: Any];
        saga_lending_parts -> LendingParts where [Self::Held: Any];
        saga_perhaps_lending_parts -> LendingParts where [Self::Held: Any];
    }
    /// Everything else.
    ChooseNothing {
        saga_form -> Lacking where [Self::Held: Storable];
        saga_lent -> Lacking where [Self::Held: Storable];
        saga_given -> Given where [Self::Held: Any];
        saga_made -> Again where [Self::Held: Any];
        saga_parts -> Parts where [Self::Held: Any];
        saga_lent_parts -> Parts where [Self::Held: Any];
        saga_lending_parts -> LendingParts where [Self::Held: Any];
        saga_perhaps_lending_parts -> LendingParts where [Self::Held: Any];
    }
}

/// One level of them.
macro_rules! refused {
    ($(#[$doc:meta])* ChooseNothing [$($reference:tt)*] [$($bound:tt)*]; $again:ident, $given:ident) => {
        refused! { $(#[$doc])* ChooseNothing [$($reference)*] [$($bound)*]; $again, $given; T; AsLentParts }
    };
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] [$($bound:tt)*]; $again:ident, $given:ident) => {
        refused! { $(#[$doc])* $name [$($reference)*] [$($bound)*]; $again, $given; T; Unsaved }
    };
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] [$($bound:tt)*]; $again:ident, $given:ident; $held:ty) => {
        refused! { $(#[$doc])* $name [$($reference)*] [$($bound)*]; $again, $given; $held; Unsaved }
    };
    ($(#[$doc:meta])* $name:ident [$($reference:tt)*] [$($bound:tt)*]; $again:ident, $given:ident; $held:ty; $passing:ident) => {
        $(#[$doc])*
        #[allow(drop_bounds, reason = "the types that implement it themselves are meant")]
        impl<T: $($bound)*> $name for $($reference)* TypeOf<T> {
            type Held = $held;
            type Again = $again;
            type Given = $given;
            type Parts = AsParts;
            type LendingParts = AsLentParts;
            type Passing = $passing;
            type Lacking = Refused;
        }
    };
}

/// Never implemented for what cannot be stored. Whether `Stored` is may depend on a lifetime, and rustc does
/// not look at those in code that is never reached.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask and cannot be stored in a continuation",
    label = "this variable is live after the ask",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize` (with `#[serde(borrow)]` on a field of `&str` or `&[u8]`, which are all that serde reads by reference, and the type written out where it is made: `let report: Report<'_> = …`; another reference: own what it leads to, or `#[saga(remake)]`), or make it from the arguments (those need only `Deserialize`); for a type of another crate, turn on that crate's `serde` feature",
    note = "where a field of it cannot have serde (`dyn`, `fn`, `&mut`, an iterator, a callback): keep that outside of it and give it to the functions that need it, or make the value after the ask",
    note = "for a lock or a permit, or what holds one: nothing can be held while the client answers, so release it first (`drop(guard)`, or a block around its use)",
    note = "for what holds the client's handle: give `cx` to its methods in place of keeping it in a field",
    note = "for a reference, hold the owner instead (`.to_owned()`, `.clone()`), and for a `&mut`, name what it leads to again where it is changed (`list[i].push(..)`); for an iterator, an index, or a `for` over it; for an error, its text (`.to_string()`), or `try_join!` in place of `join!`, which stores no errors; for a closure or a `fn`, leave out `move`, give a variable with the name of a function that is called in it another name, or make it after the ask",
    note = "above its `let`: `#[saga(with = module)]` stores it another way (there is `saga_runtime::with::instant`, `tokio_instant` and `arc`), `#[saga(remake)]` evaluates it again, with its effects (right for a client or a compiled pattern, wrong for a transaction or a stream), `#[saga(skip)]` brings back its `Default`",
    note = "every awaited call that is given the client's handle counts as an ask; one that never asks: `#[saga(plain(name))]` above the function"
)]
pub trait Storable {}

/// Never implemented for what cannot be stored.
#[diagnostic::on_unimplemented(
    message = "a `for` asks in its body, and its items, of type `{Self}`, cannot be stored",
    label = "what is left of the items goes along",
    note = "derive `serde::Serialize` and `serde::Deserialize` for them, or for what they are made of and refer to; what a function is generic in needs them as bounds; `collect` what the body needs of them before the loop",
    note = "or loop over a reference to a field of `self` or of the arguments (`for item in &self.items`): those are looked up again, but not of a `HashMap` or `HashSet`, whose order is another one in each process: take a `BTreeMap`, or loop over the sorted keys"
)]
pub trait StorableItem {}

/// Implemented for everything.
pub trait Any {}

impl<T> Any for T {}

#[allow(clippy::unreachable, reason = "stands in code that is never reached")]
pub(super) fn unreached<F>() -> F {
    unreachable!("the form of a slot is a type alone")
}

level! {
    /// The client's handle.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsRequestHandle, AsRequestHandle, Unsaved; [Handle]
}
refused! {
    /// Locks and permits.
    ChooseGuard [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] [Guard]; Rematerialized, Refused
}
refused! {
    /// What serde does not write whole.
    ChooseLossy [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] [Lossy]; Rematerialized, AsGiven
}
refused! {
    /// Shared state.
    ChooseShared [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] [Shared]; Rematerialized, AsGiven
}
refused! {
    /// The same in a tuple.
    ChooseSharedIn [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] [SharedPart]; Rematerialized, Refused
}
refused! {
    /// The same.
    ChooseSharedIn [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] [SharedRest]; Rematerialized, Refused
}
level! {
    /// Instants, and other types without serde that have a form here.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsWritten, AsWritten, Unsaved; [Written]
}
level! {
    /// References to references to texts.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsReferences<ToTexts>; [for<'s> Borrowed<'s, ToTexts>]
}
level! {
    /// References to numbers and texts.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsReferences<ToOwners>; [LentPlain + for<'s> Borrowed<'s, ToOwners>]
}
level! {
    /// References to rows of texts and plain values, which are there for good.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsReferences<ToStatics>; [LentRows + for<'s> Borrowed<'s, ToStatics>]
}
level! {
    /// References to what shows what it is.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&&] AsShownReferences<ToOwners>; [Debug + for<'s> Borrowed<'s, ToOwners>]
}
level! {
    /// References.
    [&&&&&&&&&&&&&&&&&&&&&&&&&&] AsReferences<ToOwners>; [for<'s> Borrowed<'s, ToOwners>]
}
level! {
    /// References behind a value of the author's own: the same of what shows what it is.
    [&&&&&&&&&&&&&&&&&&&&&&&&&] AsShownReferences<(Own, ToOwners)>; [Debug + for<'s> Borrowed<'s, (Own, ToOwners)>]
}
level! {
    /// References behind a value of the author's own.
    [&&&&&&&&&&&&&&&&&&&&&&&&] AsReferences<(Own, ToOwners)>; [for<'s> Borrowed<'s, (Own, ToOwners)>]
}
level! {
    /// References before one: the same of what shows what it is.
    [&&&&&&&&&&&&&&&&&&&&&&&] AsShownReferences<(ToOwners, Own)>; [Debug + for<'s> Borrowed<'s, (ToOwners, Own)>]
}
level! {
    /// References before one.
    [&&&&&&&&&&&&&&&&&&&&&&] AsReferences<(ToOwners, Own)>; [for<'s> Borrowed<'s, (ToOwners, Own)>]
}
level! {
    /// Two references beside a value of the author's own.
    [&&&&&&&&&&&&&&&&&&&&&] AsReferences<(ToOwners, ToOwners, Own)>; [for<'s> Borrowed<'s, (ToOwners, ToOwners, Own)>]
}
level! {
    /// The same around it.
    [&&&&&&&&&&&&&&&&&&&&] AsReferences<(ToOwners, Own, ToOwners)>; [for<'s> Borrowed<'s, (ToOwners, Own, ToOwners)>]
}
level! {
    /// The same behind it.
    [&&&&&&&&&&&&&&&&&&&] AsReferences<(Own, ToOwners, ToOwners)>; [for<'s> Borrowed<'s, (Own, ToOwners, ToOwners)>]
}
level! {
    /// One before two of them: these are tried behind those above, as there a reference may be taken for one of them.
    [&&&&&&&&&&&&&&&&&&] AsReferences<(ToOwners, Own, Own)>; [for<'s> Borrowed<'s, (ToOwners, Own, Own)>]
}
level! {
    /// One between them.
    [&&&&&&&&&&&&&&&&&] AsReferences<(Own, ToOwners, Own)>; [for<'s> Borrowed<'s, (Own, ToOwners, Own)>]
}
level! {
    /// One behind them.
    [&&&&&&&&&&&&&&&&] AsReferences<(Own, Own, ToOwners)>; [for<'s> Borrowed<'s, (Own, Own, ToOwners)>]
}
level! {
    /// std's iterators of references to texts.
    [&&&&&&&&&&&&&&&] AsTextSteps, AsTextSteps, AsTextSteps; [for<'s> TextSteps<'s>]; Rematerialized
}
level! {
    /// std's iterators.
    [&&&&&&&&&&&&&&] AsSteps, AsSteps, AsSteps; [for<'s> Steps<'s>]; Rematerialized
}
level! {
    /// References to values with texts in them that are there for good: the same of what shows what it is.
    [&&&&&&&&&&&&&] AsShownReferences<ToStatics>; [Debug + for<'s> Borrowed<'s, ToStatics>]
}
level! {
    /// References to values with texts in them that are there for good.
    [&&&&&&&&&&&&] AsReferences<ToStatics>; [for<'s> Borrowed<'s, ToStatics>]
}
level! {
    /// What only frees memory when it is dropped, and shows what it is.
    [&&&&&&&&&&&] AsSerdeShown, AsSerdeLentShown, Unsaved; [Memory + Debug + Serialize + for<'s> Deserialize<'s>]
}
level! {
    /// What only frees memory when it is dropped.
    [&&&&&&&&&&] AsSerde, AsSerdeLent, Unsaved; [Memory + Serialize + for<'s> Deserialize<'s>]
}
level! {
    /// The same with references to what is there for good.
    [&&&&&&&&&] AsStatic, AsStatic, Unsaved; [Memory + Serialize + Deserialize<'static>]
}
refused! {
    /// The same of what serde cannot.
    ChooseNothing [&&&&&&&&] [Memory]; Rematerialized, AsGiven
}
refused! {
    /// Types with a `Drop` of their own.
    ChooseWithDrop [&&&&&&&] [Drop]; Rematerialized, Refused
}
level! {
    /// What serde can write and read, and shows what it is.
    [&&&&&&] AsSerdeShown, AsSerdeLentShown, Unsaved; [Debug + Serialize + for<'s> Deserialize<'s>]
}
level! {
    /// What serde can write and read.
    [&&&&&] AsSerde, AsSerdeLent, Unsaved; [Serialize + for<'s> Deserialize<'s>]
}
level! {
    /// The same with references to what is there for good.
    [&&&&] AsStatic, AsStatic, Unsaved; [Serialize + Deserialize<'static>]
}
level! {
    /// What a function of one's own is generic in.
    [&&&] AsStored, AsStored, Unsaved; [Stored]
}
refused! {
    /// What is left of a loop.
    ChooseRest [&&] [RestOf]; Rematerialized, AsGiven; T::Item
}
refused! {
    /// What cannot be stored, but shows what it is.
    ChooseNothing [&] [Debug]; RematerializedShown, AsGiven
}
refused! {
    /// Found for everything else.
    ChooseNothing [] [Sized]; Rematerialized, AsGiven
}

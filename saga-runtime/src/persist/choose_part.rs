//! Which form a part has that is stored by itself: chosen by its type, as that of a slot is.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    fmt::Debug,
    marker::PhantomData,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    again::{Again, whole_forms},
    borrowed::{Borrowed, Own, ToOwners, ToStatics, ToTexts},
    choose::{DroppedOnce, TypeOf, unreached},
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    in_scope::{Memory, Witness},
    kinds::{Handle, LentPlain, Lossy, Shared, SharedPart, SharedRest, kind},
    lent_parts::{AsLentParts, Lends, LentPart, LentShownPart},
    shown::{AsSerdeLentShown, AsShownReferences},
};

/// The type of a part, and how it is stored.
#[derive(Debug)]
pub struct PartOf<P, F>(PhantomData<fn(P) -> P>, PhantomData<F>);

impl<P, F> PartOf<P, F> {
    /// Of a type that is not known yet.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub fn new() -> Self {
        Self(PhantomData, PhantomData)
    }

    /// Takes the part's type.
    pub fn is(&self, _: &P) {}

    /// Takes the form.
    pub fn chosen(&self, _: F) {}
}

/// Where the choice for a part begins: one reference more than the highest level has.
pub fn of_part<'p, P: 'p, F>(_: &'p PartOf<P, F>) -> &'p Levels<'p, TypeOf<P>> {
    unreached()
}

/// As many references as there are levels.
pub type Levels<'p, T> =
    &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p &'p T;

/// Where such a part may be: in what crosses in another form, it is no part.
pub trait Takes<P> {}

impl<P: Stands> Takes<P> for AsParts {}
impl<P: Stands> Takes<P> for AsLentParts {}

/// What can be a part.
pub trait Stands {}

impl<P: StorablePart> Stands for Unstorable<P> {}
impl<P: PartOfOneOnly> Stands for SharedByMore<P> {}
impl<P: DroppedOnce> Stands for DroppedTwice<P> {}

/// A part that cannot be stored.
#[derive(Debug)]
pub struct Unstorable<P>(PhantomData<P>);

/// A part that several share.
#[derive(Debug)]
pub struct SharedByMore<P>(PhantomData<P>);

/// A part that is dropped where the call is put aside, and once more.
#[derive(Debug)]
pub struct DroppedTwice<P>(PhantomData<P>);

whole_forms! { Takes }
impl<P> Takes<P> for Rematerialized {}
impl<P> Takes<P> for RematerializedShown {}

/// Never implemented for what cannot be stored.
#[diagnostic::on_unimplemented(
    message = "a value is held across an ask whose type has no serde, and neither has a part of it, of type `{Self}`",
    label = "this part cannot be stored in a continuation",
    note = "derive `serde::Serialize` and `serde::Deserialize` for the type of the part, or for that of the whole value; for a reference, put the owner in it (`.to_owned()`, `.clone()`)",
    note = "or make the value after the ask, of what is held across it; `#[saga(remake)]` above its `let` evaluates it again, with its effects"
)]
pub trait StorablePart {}

/// Never implemented for shared state.
#[diagnostic::on_unimplemented(
    message = "a part of a value that is held across an ask, of type `{Self}`, is shared, or changes behind a shared reference, and what comes back after the ask would be a copy of its own",
    label = "this part would be another one after the ask",
    note = "use the place itself where it is needed, or make the value after the ask; a clone of a variable with `#[saga(remake)]` in a `let` with one of its own"
)]
pub trait PartOfOneOnly {}

/// By its own `Serialize` and `Deserialize`.
#[derive(Debug)]
pub struct StoredPart;

/// The same of a value that shows what it is.
#[derive(Debug)]
pub struct ShownPart;

/// A text that is there for good, wherever it is from.
#[derive(Debug)]
pub struct TextPart;

/// The client's handle: that of the request that continues.
#[derive(Debug)]
pub struct HandlePart;

/// Not at all.
#[derive(Debug)]
pub struct RefusedPart;

/// What has no reference in it, of what may have: each stands for itself beside one.
pub trait OwnedPart {}

kind! {
    OwnedPart:
    [] (); [] bool; [] char; [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] i8; [] i16; [] i32; [] i64; [] i128; [] isize; [] f32; [] f64; [] String;
    [] Duration; [] SystemTime; [] Value; [] Map<String, Value>; [] Arc<str>;
    [T: OwnedPart] Option<T>; [T: OwnedPart, E: OwnedPart] Result<T, E>; [T: OwnedPart] Box<T>;
    [T: OwnedPart] Vec<T>; [T: OwnedPart] VecDeque<T>; [T: OwnedPart, const N: usize] [T; N];
    [T: OwnedPart] BTreeSet<T>; [T: OwnedPart, S] HashSet<T, S>;
    [K: OwnedPart, V: OwnedPart] BTreeMap<K, V>; [K: OwnedPart, V: OwnedPart, S] HashMap<K, V, S>;
    [A: OwnedPart] (A,); [A: OwnedPart, B: OwnedPart] (A, B); [A: OwnedPart, B: OwnedPart, C: OwnedPart] (A, B, C);
    [A: OwnedPart, B: OwnedPart, C: OwnedPart, D: OwnedPart] (A, B, C, D);
}

/// The levels at which a part is stored.
pub trait ChoosePart {
    /// How.
    fn saga_part<F>(&self, _: &Again<F>) -> StoredPart {
        unreached()
    }
}

impl<P: OwnedPart + Serialize + for<'s> Deserialize<'s>> ChoosePart
    for &&&&&&&&&&&&&&&&&&&&TypeOf<P>
{
}
impl<P: Memory + Serialize + for<'s> Deserialize<'s>> ChoosePart for &&&&&TypeOf<P> {}
impl<P: Serialize + for<'s> Deserialize<'s>> ChoosePart for &TypeOf<P> {}

/// The same, where the value shows what it is.
pub trait ChooseShownPart {
    /// How.
    fn saga_part<F>(&self, _: &Again<F>) -> ShownPart {
        unreached()
    }
}

impl<P: Memory + Debug + Serialize + for<'s> Deserialize<'s>> ChooseShownPart for &&&&&&TypeOf<P> {}
impl<P: Debug + Serialize + for<'s> Deserialize<'s>> ChooseShownPart for &&TypeOf<P> {}

/// Found beside the highest of them.
pub trait ChooseHandlePart {
    /// How.
    fn saga_part<F>(&self, _: &Again<F>) -> HandlePart {
        unreached()
    }
}

impl<P: Handle> ChooseHandlePart for &&&&&&&&&&&&&&&&&&&&TypeOf<P> {}

/// The levels at which it is refused: where the value is stored in parts, it does not compile. The compiler shows the line of the
/// bound that is not met.
macro_rules! refused {
    ($($(#[$doc:meta])* $name:ident [$($reference:tt)*] [$($bound:tt)*] where [$($proof:tt)*];)*) => {
        $(
            $(#[$doc])*
            pub trait $name {
                /// The part.
                type Part;
                /// Does not compile where the value is stored in parts.
                fn saga_part<F>(&self, _: &Again<F>) -> RefusedPart
                where
                    $($proof)*,
                {
                    unreached()
                }
            }

            #[allow(drop_bounds, reason = "the types that implement it themselves are meant")]
            impl<P: $($bound)*> $name for $($reference)* TypeOf<P> {
                type Part = P;
            }
        )*
    };
}

refused! {
    /// Shared state.
    ChooseSharedPart [&&&&&&&&&&&&&&&&&&&] [Shared] where [F: Takes<SharedByMore<Self::Part>>];
    /// The same in a tuple.
    ChooseSharedInPart [&&&&&&&&&&&&&&&&&&] [SharedPart] where [F: Takes<SharedByMore<Self::Part>>];
    /// The same.
    ChooseSharedBehindPart [&&&&&&&&&&&&&&&&&] [SharedRest] where [F: Takes<SharedByMore<Self::Part>>];
    /// What serde does not write whole.
    ChooseLossyPart [&&&&&&&&&&&&&&&&] [Lossy] where [F: Takes<Unstorable<Self::Part>>];
    /// What only frees memory when it is dropped.
    ChooseMemoryPart [&&&&] [Memory] where [F: Takes<Unstorable<Self::Part>>];
    /// Types with a `Drop` of their own.
    ChoosePartWithDrop [&&&] [Drop] where [F: Takes<DroppedTwice<Self::Part>>];
    /// Everything else.
    ChooseNoPart [] [Sized] where [F: Takes<Unstorable<Self::Part>>];
}

/// The levels at which what it refers to is stored.
pub trait ChooseLentPart {
    /// How, where the value is stored in parts.
    type Form;
    /// How.
    fn saga_part<F: Lends<Self::Form>>(&self, _: &Again<F>) -> F::Part {
        unreached()
    }
}

macro_rules! lent {
    ($([$($reference:tt)*] $form:ty; [$($bounds:tt)*])*) => {
        $(impl<P: $($bounds)*> ChooseLentPart for $($reference)* TypeOf<P> {
            type Form = $form;
        })*
    };
}

lent! {
    // References to texts.
    [&&&&&&&&&&&&&&&] LentPart<ToTexts>; [for<'s> Borrowed<'s, ToTexts>]
    // References to numbers and texts.
    [&&&&&&&&&&&&&&] LentPart<ToOwners>; [LentPlain + for<'s> Borrowed<'s, ToOwners>]
    // References to what shows what it is.
    [&&&&&&&&&&&&&] LentShownPart<ToOwners>; [Debug + for<'s> Borrowed<'s, ToOwners>]
    // References.
    [&&&&&&&&&&&&] LentPart<ToOwners>; [for<'s> Borrowed<'s, ToOwners>]
    // References behind a value of the author's own, where both show what they are.
    [&&&&&&&&&&&] LentShownPart<(Own, ToOwners)>; [Debug + for<'s> Borrowed<'s, (Own, ToOwners)>]
    // References behind a value of the author's own.
    [&&&&&&&&&&] LentPart<(Own, ToOwners)>; [for<'s> Borrowed<'s, (Own, ToOwners)>]
    // References before one, where both show what they are.
    [&&&&&&&&&] LentShownPart<(ToOwners, Own)>; [Debug + for<'s> Borrowed<'s, (ToOwners, Own)>]
    // References before one.
    [&&&&&&&&] LentPart<(ToOwners, Own)>; [for<'s> Borrowed<'s, (ToOwners, Own)>]
    // References to what is there for good.
    [&&&&&&&] LentPart<ToStatics>; [for<'s> Borrowed<'s, ToStatics>]
}

/// Found first: a value that is taken apart, and has a `Drop` of its own.
pub trait ApartWithDrop {
    /// Its type.
    type Part;
    /// Does not compile where it is stored in parts.
    fn saga_apart<F>(&self, _: &Again<F>)
    where
        F: Takes<DroppedTwice<Self::Part>>,
    {
    }
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<P: Drop> ApartWithDrop for &Witness<P> {
    type Part = P;
}

/// Everything else.
pub trait ApartAsItIs {
    /// Nothing.
    fn saga_apart<F>(&self, _: &Again<F>) {}
}

impl<P> ApartAsItIs for Witness<P> {}

//! Values of types without serde that a function puts together itself: in a frame, what they are made of.
//!
//! Each part is an ordinary value, so that its type chooses once more, of fewer forms. What a value is made of is looked at where it
//! is written: one that another function made differently is an error then.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    fmt::Debug,
    marker::PhantomData,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;
use serde_json::{Map, Value};

use super::{
    Arena, Persist, Slot,
    again::{Again, whole_forms},
    borrowed::{Borrowed, Own, ToOwners, ToStatics, ToTexts},
    choose::{DroppedOnce, TypeOf, unreached},
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved, checked,
    },
    handles::AsRequestHandle,
    in_scope::{Memory, Witness},
    kinds::{
        self, Handle, HandleForm, LentPlain, Lossy, RequestHandle, Shared, SharedPart, SharedRest,
        kind,
    },
    lent_parts::{AsLentParts, Lends, LentPart, LentShownPart},
    shown::{AsSerdeLentShown, AsShownReferences, checked_shown},
};
pub use super::{
    lists::{List, count, items},
    places::{
        ChoosePlace, ChoosePlaceOfItems, Lent, LookedInto, LookedIntoOther, PlacePart, of_place,
    },
    written::ChooseWrittenPart,
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec::{self, Failure},
    with,
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
    note = "or make the value after the ask, of what is held across it"
)]
pub trait StorablePart {}

/// Never implemented for shared state.
#[diagnostic::on_unimplemented(
    message = "a part of a value that is held across an ask, of type `{Self}`, is shared, or changes behind a shared reference, and what comes back after the ask would be a copy of its own",
    label = "this part would be another one after the ask",
    note = "use the place itself where it is needed, or make the value after the ask"
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
macro_rules! lent {
    ($($(#[$doc:meta])* $name:ident [$($reference:tt)*] $form:ty; [$($bounds:tt)*])*) => {
        $(
            $(#[$doc])*
            pub trait $name {
                /// How.
                fn saga_part<F: Lends<$form>>(&self, _: &Again<F>) -> F::Part {
                    unreached()
                }
            }

            impl<P: $($bounds)*> $name for $($reference)* TypeOf<P> {}
        )*
    };
}

lent! {
    /// References to texts.
    ChooseTextsPart [&&&&&&&&&&&&&&&] LentPart<ToTexts>; [for<'s> Borrowed<'s, ToTexts>]
    /// References to numbers and texts.
    ChoosePlainReferencesPart [&&&&&&&&&&&&&&] LentPart<ToOwners>; [LentPlain + for<'s> Borrowed<'s, ToOwners>]
    /// References to what shows what it is.
    ChooseShownReferencesPart [&&&&&&&&&&&&&] LentShownPart<ToOwners>; [Debug + for<'s> Borrowed<'s, ToOwners>]
    /// References.
    ChooseReferencesPart [&&&&&&&&&&&&] LentPart<ToOwners>; [for<'s> Borrowed<'s, ToOwners>]
    /// References behind a value of the author's own, where both show what they are.
    ChooseShownReferencesBehindPart [&&&&&&&&&&&] LentShownPart<(Own, ToOwners)>; [Debug + for<'s> Borrowed<'s, (Own, ToOwners)>]
    /// References behind a value of the author's own.
    ChooseReferencesBehindPart [&&&&&&&&&&] LentPart<(Own, ToOwners)>; [for<'s> Borrowed<'s, (Own, ToOwners)>]
    /// References before one, where both show what they are.
    ChooseShownReferencesBeforePart [&&&&&&&&&] LentShownPart<(ToOwners, Own)>; [Debug + for<'s> Borrowed<'s, (ToOwners, Own)>]
    /// References before one.
    ChooseReferencesBeforePart [&&&&&&&&] LentPart<(ToOwners, Own)>; [for<'s> Borrowed<'s, (ToOwners, Own)>]
    /// References to what is there for good.
    ChooseStaticsPart [&&&&&&&] LentPart<ToStatics>; [for<'s> Borrowed<'s, ToStatics>]
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

/// How a part is stored.
pub trait SavesPart<'s, P>: Sized {
    /// It is taken from where it was.
    const IS_PLACE: bool = false;

    /// Appends it.
    ///
    /// # Errors
    /// It does not give back what it took.
    fn save(part: &P, out: &mut Vec<u8>, arena: &'s Arena<'s>) -> Result<(), Failure>;
}

/// The same where it is read: what refers to something refers to what is in the arena then.
pub trait LoadsPart<'s, P>: Sized {
    /// It is taken from where it was.
    const IS_PLACE: bool = false;

    /// Reads it from the front.
    ///
    /// # Errors
    /// It is no such value.
    fn load(input: &mut &'s [u8], request: Request<'_, 's>) -> Result<P, Stop>;
}

/// What a part that is not in the frame is taken from.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a, 's> {
    activation: &'a Activation,
    pub(super) arena: &'s Arena<'s>,
}

impl<'s, P: HandleForm> SavesPart<'s, P> for HandlePart {
    fn save(part: &P, out: &mut Vec<u8>, arena: &'s Arena<'s>) -> Result<(), Failure> {
        part.leave(arena);
        codec::encode(&part.is_there(), out)
    }
}

impl<'s, P: RequestHandle<'s>> LoadsPart<'s, P> for HandlePart {
    fn load(input: &mut &'s [u8], request: Request<'_, 's>) -> Result<P, Stop> {
        match codec::decode_next(input).map_err(Stop::Stale)? {
            true => P::of_request(request.activation, request.arena),
            false => P::none(),
        }
    }
}

impl<'s, P: Serialize + Deserialize<'s>> SavesPart<'s, P> for StoredPart {
    fn save(part: &P, out: &mut Vec<u8>, arena: &'s Arena<'s>) -> Result<(), Failure> {
        kinds::not_shared::<P>()?;
        let start = out.len();
        codec::encode(part, out)?;
        checked::<P>(out.get(start..).unwrap_or_default(), arena)
    }
}

impl<'s, P: Deserialize<'s>> LoadsPart<'s, P> for StoredPart {
    fn load(input: &mut &'s [u8], _: Request<'_, 's>) -> Result<P, Stop> {
        codec::decode_next(input).map_err(Stop::Stale)
    }
}

impl<'s, P: Debug + Serialize + Deserialize<'s>> SavesPart<'s, P> for ShownPart {
    fn save(part: &P, out: &mut Vec<u8>, arena: &'s Arena<'s>) -> Result<(), Failure> {
        kinds::not_shared::<P>()?;
        let start = out.len();
        codec::encode(part, out)?;
        checked_shown(part, out.get(start..).unwrap_or_default(), arena)
    }
}

impl<'s, P: Deserialize<'s>> LoadsPart<'s, P> for ShownPart {
    fn load(input: &mut &'s [u8], _: Request<'_, 's>) -> Result<P, Stop> {
        codec::decode_next(input).map_err(Stop::Stale)
    }
}

impl<'s, P: Serialize> SavesPart<'s, P> for TextPart {
    fn save(part: &P, out: &mut Vec<u8>, _: &'s Arena<'s>) -> Result<(), Failure> {
        codec::encode(part, out)
    }
}

impl<'s, P: Deserialize<'static>> LoadsPart<'s, P> for TextPart {
    fn load(input: &mut &'s [u8], _: Request<'_, 's>) -> Result<P, Stop> {
        codec::decode_interned(input, with::literal::intern).map_err(Stop::Stale)
    }
}

impl<'s, P> SavesPart<'s, P> for RefusedPart {
    fn save(_: &P, _: &mut Vec<u8>, _: &'s Arena<'s>) -> Result<(), Failure> {
        Err("a part of it cannot be stored".to_owned())
    }
}

impl<'s, P> LoadsPart<'s, P> for RefusedPart {
    fn load(_: &mut &'s [u8], _: Request<'_, 's>) -> Result<P, Stop> {
        Err(Stop::Stale("a part of it cannot be stored".to_owned()))
    }
}

/// A value being taken apart.
#[derive(Debug)]
pub struct Apart<'s> {
    written: Vec<u8>,
    failure: Option<Failure>,
    /// No literal of those that were tried makes it.
    unmade: bool,
    /// Where the values begin that several literals are tried for, and whether one around it was unmade.
    begun: Vec<(usize, bool)>,
    arena: &'s Arena<'s>,
}

impl<'s> Apart<'s> {
    /// Which literal makes it, or how many there are.
    pub fn number(&mut self, number: u32) {
        self.written.extend(number.to_le_bytes());
    }

    /// The next of its parts, which may be lent for less than the part that comes back.
    pub fn part<P, Q, F: SavesPart<'s, Q>>(&mut self, _: &PartOf<P, F>, part: &Q) {
        if self.failure.is_none() {
            self.failure = F::save(part, &mut self.written, self.arena).err();
        }
    }

    /// Nothing was seen to be put in this list.
    pub fn nothing_in<L: List>(&mut self, list: &L) {
        self.unmade |= list.all().len() > 0;
    }

    /// This literal does not make it.
    pub fn other(&mut self) {
        self.unmade = true;
    }

    /// One of several literals makes what comes next.
    pub fn begin(&mut self) {
        // Until one does.
        self.begun.push((self.written.len(), self.unmade));
        self.unmade = true;
    }

    /// Whether none of those that were tried does; then the next one begins.
    pub fn is_open(&mut self) -> bool {
        if self.unmade
            && let Some((start, _)) = self.begun.last()
        {
            self.written.truncate(*start);
            self.unmade = false;
            return true;
        }
        false
    }

    /// All were tried.
    pub fn end(&mut self) {
        let around = self.begun.pop();
        self.unmade |= around.is_some_and(|(_, unmade)| unmade);
    }

    /// What there is of it.
    fn finish(self) -> TakenApart {
        let unmade = || {
            "its type has no serde, and it is not what this function made of it: derive `serde::Serialize` and `serde::Deserialize`".to_owned()
        };
        let failure = self.failure.or_else(|| self.unmade.then(unmade));
        TakenApart {
            written: self.written,
            result: failure.map_or(Ok(()), Err),
        }
    }
}

/// A value being put together.
#[derive(Debug)]
pub struct Together<'a, 's>(&'s [u8], Request<'a, 's>);

impl<'a, 's> Together<'a, 's> {
    /// What is made of all that was written.
    pub(super) fn of<T>(
        written: &'s [u8],
        activation: &'a Activation,
        arena: &'s Arena<'s>,
        put_together: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut parts = Self(written, Request { activation, arena });
        let value = put_together(&mut parts)?;
        match parts.0.is_empty() {
            true => Ok(value),
            false => Err(Stop::Stale("a value has more parts".to_owned())),
        }
    }

    /// Which literal made it, or how many there are.
    ///
    /// # Errors
    /// [`Stop::Stale`] where there is no more.
    pub fn number(&mut self) -> Result<u32, Stop> {
        let (number, rest) = self.0.split_first_chunk().ok_or_else(|| self.other())?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*number))
    }

    /// How many items there are of a list of that kind.
    ///
    /// # Errors
    /// [`Stop::Stale`] where it is another one.
    pub fn list(&mut self, kind: u32) -> Result<u32, Stop> {
        match self.number()? == kind {
            true => self.number(),
            false => Err(self.other()),
        }
    }

    /// The next of its parts.
    ///
    /// # Errors
    /// [`Stop::Stale`] where it does not decode.
    pub fn part<P, F: LoadsPart<'s, P>>(&mut self, _: &PartOf<P, F>) -> Result<P, Stop> {
        F::load(&mut self.0, self.1)
    }

    /// No literal of the function made it.
    pub fn other(&self) -> Stop {
        Stop::Stale("the function makes no such value".to_owned())
    }
}

/// Whether the variable of a slot is stored in parts.
pub fn is_in_parts<'s, T, F: Persist<'s, T>>(_: &Slot<T, F>, _: &'s Arena<'s>) -> bool {
    F::IN_PARTS
}

/// A value that was taken apart.
#[derive(Debug)]
pub struct TakenApart {
    written: Vec<u8>,
    result: Result<(), Failure>,
}

impl TakenApart {
    /// What was written of them.
    pub(super) fn written(self) -> Result<Vec<u8>, Failure> {
        self.result.map(|()| self.written)
    }

    /// The parts of `value`.
    pub fn of<'s, T>(
        value: &T,
        arena: &'s Arena<'s>,
        take_apart: impl FnOnce(&T, &mut Apart<'s>),
    ) -> Self {
        let mut parts = Apart {
            written: Vec::new(),
            failure: None,
            unmade: false,
            begun: Vec::new(),
            arena,
        };
        take_apart(value, &mut parts);
        parts.finish()
    }
}

/// Puts the parts of the slot's value in the frame; of one that was given away, those that it had.
pub fn save_parts<'s, T, F>(
    slot: &Slot<T, F>,
    given_away: Option<TakenApart>,
    suspension: &mut Suspension,
    arena: &'s Arena<'s>,
    take_apart: impl FnOnce(&T, &mut Apart<'s>),
) {
    suspension.writes::<T>();
    let parts = match slot.value() {
        Some(value) => Some(TakenApart::of(value, arena, take_apart)),
        None => given_away,
    };
    match parts {
        Some(TakenApart { written, result }) => {
            suspension.store(&Bytes::new(&written), |_| result);
        }
        None => suspension.missing(),
    }
}

/// Puts the slot's value together of the parts in the frame.
pub fn load_parts<'s, T, F>(
    slot: &mut Slot<T, F>,
    activation: &mut Activation,
    arena: &'s Arena<'s>,
    put_together: impl FnOnce(&mut Together<'_, 's>) -> Result<T, Stop>,
) {
    activation.loading(|activation| {
        activation.reads::<T>();
        let written: &'s Bytes = activation.read_lent(arena)?;
        let value = Together::of(written, activation, arena, put_together)?;
        slot.put(value);
        Ok(())
    });
}

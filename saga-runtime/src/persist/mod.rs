//! Slots: where a variable is between two blocks of its function, and how it crosses a suspension.
//!
//! A slot is generic in the form in which its value is saved. Saving and loading are type-checked with
//! that open; it is chosen from the variable's type behind the blocks ([`choose`]).

pub(crate) mod adapted;
pub(crate) mod copied_parts;
pub(crate) mod copying;
pub(crate) mod for_good;
pub(crate) mod found;
pub(crate) mod given;
pub(crate) mod guards;
pub(crate) mod handles;
pub(crate) mod in_scope;
pub(crate) mod iterate;
pub(crate) mod kept;
pub(crate) mod keys;
pub(crate) mod of_std;
mod ordered;
pub mod parts;
pub(crate) mod put_aside;
pub(crate) mod receivers;
pub(crate) mod referent;
pub(crate) mod root;
pub mod searched;
pub(crate) mod signature;
pub(crate) mod stepped;
pub(crate) mod stored;
pub(crate) mod types;
mod unordered;

pub(crate) mod again;
mod arena;
pub(crate) mod arms;
mod borrowed;
mod borrowed_in;
pub mod choose;
pub(crate) mod choose_part;
pub(crate) mod faithful;
pub(crate) mod forms;
mod iterators;
mod kinds;
pub(crate) mod lasting;
pub mod led;
pub(crate) mod lent_parts;
mod lists;

mod pieces;
mod places;
mod plain;
pub(crate) mod shown;
mod text_steps;
pub(crate) mod texts;
mod written;
mod written_arrays;
mod written_errors;

use std::marker::PhantomData;

use self::shown::Shows;
pub use self::{
    arena::Arena,
    borrowed::Borrowed,
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Persist, Refused, Rehome,
        Rematerialized, RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    kinds::{
        GivenNoRequest, GivenPart, GivenRequest, Handle, LentAsItIs, LentHandle, Plain, RequestPart,
    },
};
use crate::{
    activation::{Activation, Answered, suspension::Suspension},
    ask::Ask,
    codec::{Failure, ReadError, Sink, Source, WriteError},
};

/// The bit of a state in which a frame is read; the rest of it is the point.
pub const LOAD: u32 = 1 << 30;

/// The bit of a state in which a frame is written; the rest of it is the point.
pub const SAVE: u32 = 1 << 31;

/// A variable between blocks. `F` is the form in which it crosses a suspension.
pub struct Slot<T, F> {
    value: Option<T>,
    form: PhantomData<fn() -> F>,
}

impl<T, F> std::fmt::Debug for Slot<T, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot")
            .field("full", &self.value.is_some())
            .finish()
    }
}

impl<T, F> Slot<T, F> {
    /// Without a value.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub const fn new() -> Self {
        Self {
            value: None,
            form: PhantomData,
        }
    }

    /// Gives the slot its value.
    pub fn put(&mut self, value: T) {
        self.value = Some(value);
    }

    /// The same of one that borrows from the arena now. Where that failed, the call has ended.
    fn put_home(
        &mut self,
        name: &'static str,
        value: Result<T, Failure>,
        activation: &Activation,
    ) -> bool {
        match value {
            Ok(value) => {
                self.put(value);
                true
            }
            Err(detail) => {
                activation.not_rehomed(name, detail);
                false
            }
        }
    }

    /// Takes the value out.
    ///
    /// # Panics
    /// Where the slot is empty: what a block takes was put there before it, so that is an error of the
    /// macro, and no token leads to it.
    #[allow(clippy::expect_used, reason = "an error of the macro must not go on")]
    #[track_caller]
    pub fn take(&mut self) -> T {
        self.value
            .take()
            .expect("a block's variable is in its slot")
    }

    /// The value, where there is one.
    pub fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Drops the value: no path from here on uses it.
    pub fn clear(&mut self) {
        self.value = None;
    }

    /// Has the type of `value`. In code that is never reached types unify and borrows do not.
    pub fn is(&self, _: &T) {}
}

impl<K, F> Slot<Answered<K>, F> {
    /// Has the answers to `question`.
    pub fn answers(&self, _: &K) {}
}

/// Gives a slot a value that may borrow from a block's own variables, which move. Where it fails, the
/// call has ended.
#[must_use]
pub fn rehome<'s, T, U, F: Rehome<'s, T, U>>(
    slot: &mut Slot<U, F>,
    value: T,
    name: &'static str,
    activation: &Activation,
    arena: &'s Arena<'s>,
) -> bool {
    slot.put_home(name, F::rehome(value, arena), activation)
}

/// Puts the slot's value in the frame.
pub fn save<'s, T, F: Persist<'s, T>>(
    slot: &Slot<T, F>,
    suspension: &mut Suspension,
    arena: &'s Arena<'s>,
) {
    save_shown(slot, suspension, arena, Shows::NOT);
}

/// The same of a value of the author's: what shows what it is has to show the same when it comes back.
pub fn save_shown<'s, T, F: Persist<'s, T>>(
    slot: &Slot<T, F>,
    suspension: &mut Suspension,
    arena: &'s Arena<'s>,
    shows: Shows<T>,
) {
    if F::TYPED {
        suspension.writes::<T>();
    }
    match &slot.value {
        Some(value) => F::save_shown(value, suspension, arena, shows),
        // It was handed on.
        None if F::GIVEN => suspension.skip(),
        None => suspension.missing(),
    }
}

/// Notes the type of a variable that is not in the frame.
pub fn save_type<T, F>(_: &Slot<T, F>, suspension: &mut Suspension) {
    suspension.writes::<T>();
}

/// The same where the frame is read.
pub fn load_type<T, F>(_: &Slot<T, F>, activation: &mut Activation) {
    activation.reads::<T>();
}

/// Puts the record of answers in the frame, which no variable of the author's is.
pub fn save_record<'s, T, F: Persist<'s, T>>(
    slot: &Slot<T, F>,
    suspension: &mut Suspension,
    arena: &'s Arena<'s>,
) {
    let names = suspension.aside(&["an answer"]);
    save(slot, suspension, arena);
    suspension.aside(names);
}

/// Takes the slot's value from the frame. Where it does not decode, the activation [cannot go on](Activation::cannot_go_on): generated code
/// looks at that once, behind all of them, since a `?` at each would be much of what rustc has to check.
pub fn load<'s, T, F: Persist<'s, T>>(
    slot: &mut Slot<T, F>,
    activation: &mut Activation,
    arena: &'s Arena<'s>,
) {
    activation.loading(|activation| {
        if F::TYPED {
            activation.reads::<T>();
        }
        if F::OF_REQUEST && slot.value.is_some() {
            activation.pass::<bool>()?;
        } else if let Some(value) = F::load(activation, arena)? {
            slot.put(value);
        }
        Ok(())
    });
}

/// Takes the answer that the frame waits for.
pub fn load_answer<K: Ask, F>(slot: &mut Slot<Answered<K>, F>, activation: &mut Activation) {
    activation.loading(|activation| {
        slot.put(activation.answer()?);
        Ok(())
    });
}

/// Whether the variable of a slot is evaluated again where a frame is read, and is not in it.
pub fn is_rematerialized<'s, T, F: Persist<'s, T>>(_: &Slot<T, F>, _: &'s Arena<'s>) -> bool {
    F::REMATERIALIZED
}

/// Whether the variable of a slot can be compared with what it would be if it were evaluated again.
pub fn is_compared<'s, T, F: Persist<'s, T>>(_: &Slot<T, F>, _: &'s Arena<'s>) -> bool {
    F::COMPARED
}

/// Refuses to suspend where a variable would be another one.
pub fn compare<'s, T, F: Persist<'s, T>>(
    slot: &Slot<T, F>,
    again: &T,
    suspension: &mut Suspension,
    _: &'s Arena<'s>,
) {
    let same = slot
        .value
        .as_ref()
        .is_none_or(|value| F::same(value, again));
    if !same {
        suspension.unstable();
    }
}

/// The same in the form of the author's module.
pub fn save_with<T, F>(
    slot: &Slot<T, F>,
    suspension: &mut Suspension,
    write: impl FnOnce(&T, Sink<'_, '_>) -> Result<(), WriteError>,
) {
    suspension.writes::<T>();
    match &slot.value {
        Some(value) => suspension.store_with(value, write),
        None => suspension.missing(),
    }
}

/// The same in the form of the author's module.
pub fn load_with<T, F>(
    slot: &mut Slot<T, F>,
    activation: &mut Activation,
    read: impl FnOnce(Source<'_, '_>) -> Result<T, ReadError>,
) {
    activation.loading(|activation| {
        activation.reads::<T>();
        slot.put(activation.restore_with(read)?);
        Ok(())
    });
}

/// The form of a slot, once its type is known.
pub fn chosen<T, F>(_: &Slot<T, F>, _: F) {}

/// Whether two values that were written are different ones.
pub(crate) fn differ(before: &[u8], after: &[u8]) -> bool {
    faithful::compare(before, after).is_err()
}

/// A value, written and read. It must be written the same again.
pub(crate) fn copied<T: serde::Serialize + serde::de::DeserializeOwned>(
    value: &T,
) -> Result<T, crate::codec::Failure> {
    let written = borrowed::encode(value)?;
    let copy = crate::codec::decode(&written)?;
    faithful::compare(&written, &borrowed::encode(&copy)?).map(|()| copy)
}

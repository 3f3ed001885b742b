//! Values of types without serde that a function puts together itself: in a frame, what they are made of.
//!
//! Each part is an ordinary value, so that its type chooses once more, of fewer forms. What a value is made of is looked at where it
//! is written: one that another function made differently is an error then.

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use super::{
    Arena, Persist, Slot,
    forms::checked,
    kinds::{self, HandleForm, RequestHandle},
    shown::checked_shown,
};
pub use super::{
    choose_part::*,
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

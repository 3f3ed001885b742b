//! Parts that refer to what a block owns: wherever the value crosses, what they point to is written, and read into the arena.

use std::{fmt::Debug, marker::PhantomData};

use serde::Serialize;

use super::{
    Arena, Persist, Rehome, Slot,
    borrowed::{self, Borrowed, encode},
    faithful,
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    kinds,
    parts::{Apart, LoadsPart, RefusedPart, Request, SavesPart, TakenApart, Together},
    shown::{AsSerdeLentShown, AsShownReferences, same},
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec::{self, Failure},
};

/// What the function made it of, some of which is lent by the block.
#[derive(Debug)]
pub struct AsLentParts;

impl<'s, T> Persist<'s, T> for AsLentParts {
    const IN_PARTS: bool = true;

    fn save(_: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.missing();
    }

    fn load(_: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        Err(Stop::Stale("it is stored in parts".to_owned()))
    }
}

impl<'s, T, U> Rehome<'s, T, U> for AsLentParts {
    fn rehome(_: T, _: &'s Arena<'s>) -> Result<U, Failure> {
        Err("it goes on in parts".to_owned())
    }

    fn rehome_parts(
        value: T,
        _: &'s Arena<'s>,
        make: impl FnOnce(T) -> Result<U, Failure>,
    ) -> Result<U, Failure> {
        make(value)
    }
}

/// What a reference in it points to.
#[derive(Debug)]
pub struct LentPart<K>(PhantomData<fn() -> K>);

/// Appends it, and gives what is read back.
fn save<'s, K, P: Borrowed<'s, K>>(part: &P, out: &mut Vec<u8>) -> Result<P::Owned, Failure> {
    kinds::not_shared::<P>()?;
    let start = out.len();
    codec::encode(part, out)?;
    let written = out.get(start..).unwrap_or_default();
    let owned: P::Owned = borrowed::decode::<K, P, _>(&mut &*written)?;
    faithful::compare(written, &encode(&owned)?)?;
    if P::COWS {
        let mut owning = Vec::new();
        part.owning(&mut owning);
        codec::encode(&owning, out)?;
    }
    Ok(owned)
}

impl<'s, K, P: Borrowed<'s, K>> SavesPart<'s, P> for LentPart<K> {
    fn save(part: &P, out: &mut Vec<u8>, _: &'s Arena<'s>) -> Result<(), Failure> {
        save::<K, P>(part, out).map(|_| ())
    }
}

impl<'s, K, P: Borrowed<'s, K, Home = P>> LoadsPart<'s, P> for LentPart<K> {
    fn load(input: &mut &'s [u8], request: Request<'_, 's>) -> Result<P, Stop> {
        let arena = request.arena;
        let owned = borrowed::decode::<K, P, _>(input).map_err(Stop::Stale)?;
        if !P::COWS {
            return Ok(P::borrow(owned, arena));
        }
        let owning = codec::decode_next(input).map_err(Stop::Stale)?;
        Ok(arena.owning(owning, || P::borrow(owned, arena)))
    }
}

/// The same of what shows what it is.
#[derive(Debug)]
pub struct LentShownPart<K>(PhantomData<fn() -> K>);

impl<'s, K, P: Debug + Borrowed<'s, K, Home: Debug + Serialize>> SavesPart<'s, P>
    for LentShownPart<K>
{
    fn save(part: &P, out: &mut Vec<u8>, arena: &'s Arena<'s>) -> Result<(), Failure> {
        let owned = save::<K, P>(part, out)?;
        same(part, &P::borrow(owned, arena))
    }
}

impl<'s, K, P: Borrowed<'s, K, Home = P>> LoadsPart<'s, P> for LentShownPart<K> {
    fn load(input: &mut &'s [u8], request: Request<'_, 's>) -> Result<P, Stop> {
        LentPart::<K>::load(input, request)
    }
}

/// How what a part refers to is stored, by the form of the value: where that is stored whole, a part that came back would live too short for some types.
pub trait Lends<P> {
    /// How.
    type Part;
}

macro_rules! lends {
    ($part:ty: $($form:ident)*) => {
        $(impl<P> Lends<P> for $form {
            type Part = $part;
        })*
    };
}

lends! { P: AsParts AsLentParts }
lends! {
    RefusedPart: AsSerde AsSerdeLent AsSerdeLentShown AsSerdeShown AsStatic AsStored AsUntouched AsPlain AsSteps AsTextSteps AsWritten AsRequestHandle
    AsGiven AsSaid Refused Unsaved Rematerialized RematerializedShown
}

impl<P, K> Lends<P> for AsReferences<K> {
    type Part = RefusedPart;
}

impl<P, K> Lends<P> for AsShownReferences<K> {
    type Part = RefusedPart;
}

/// The same as [`rehome`](super::rehome), of what the function puts together.
#[must_use]
pub fn rehome_parts<'s, T, U, F: Rehome<'s, T, U>>(
    slot: &mut Slot<U, F>,
    value: T,
    name: &'static str,
    activation: &Activation,
    arena: &'s Arena<'s>,
    take_apart: impl FnOnce(&T, &mut Apart<'s>),
    put_together: impl FnOnce(&mut Together<'_, 's>) -> Result<U, Stop>,
) -> bool {
    let make = |value: T| {
        let written = TakenApart::of(&value, arena, take_apart).written()?;
        // What is the same as before takes no more memory.
        let written = arena.written(written);
        let made = Together::of(written, activation, arena, put_together);
        made.map_err(|stop| match stop {
            Stop::Stale(detail) => detail,
            _ => "what it refers to is gone".to_owned(),
        })
    };
    slot.put_home(name, F::rehome_parts(value, arena, make), activation)
}

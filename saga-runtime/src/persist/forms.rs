//! The forms in which a variable crosses a suspension, and what each takes.

use std::{fmt::Debug, marker::PhantomData};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    arena::Arena,
    borrowed::{self, Borrowed, encode},
    faithful,
    iterators::{Steps, left_of},
    kinds,
    shown::{Shows, same_shown, shown},
    text_steps::TextSteps,
    written::Written,
};
use crate::{
    activation::{Activation, Stop, suspension::Suspension},
    codec::{self, Failure},
    persist::stored::Stored,
    with,
};

/// A form in which a value of type `T` crosses a suspension.
pub trait Persist<'s, T>: Sized {
    /// Whether it is evaluated again instead.
    const REMATERIALIZED: bool = false;
    /// Whether that can be compared with what it is.
    const COMPARED: bool = false;
    /// Whether its parts are stored, and not itself.
    const IN_PARTS: bool = false;
    /// Whether a call that is made again is given it again.
    const GIVEN: bool = false;
    /// Whether it comes with the request, so that what a parameter was given is newer.
    const OF_REQUEST: bool = false;
    /// Whether its type counts: that of the handle is the request's.
    const TYPED: bool = true;
    /// Whether two values are the same, as far as that can be seen.
    fn same(before: &T, after: &T) -> bool {
        let _ = (before, after);
        true
    }
    /// Writes it.
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>);
    /// The same where it is known whether it shows what it is.
    fn save_shown(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>, _: Shows<T>) {
        Self::save(value, suspension, arena);
    }
    /// Reads it; `None` where it is evaluated again.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the frame is of another function.
    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop>;
}

/// How a value goes on in the same process, where what it borrows from may move.
pub trait Rehome<'s, T, U>: Sized {
    /// The value, borrowing from the arena.
    ///
    /// # Errors
    /// What it refers to cannot be written and read.
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure>;

    /// The same of a value that the function puts together, and can `make` again of its parts.
    ///
    /// # Errors
    /// A part cannot be written and read.
    fn rehome_parts(
        value: T,
        arena: &'s Arena<'s>,
        make: impl FnOnce(T) -> Result<U, Failure>,
    ) -> Result<U, Failure> {
        drop(make);
        Self::rehome(value, arena)
    }
}

/// Values without borrows move.
macro_rules! moves {
    ($($form:ident)*) => {
        $(impl<'s, T> Rehome<'s, T, T> for $form {
            fn rehome(value: T, _: &'s Arena<'s>) -> Result<T, Failure> {
                Ok(value)
            }
        })*
    };
}

moves!(AsSerde AsSerdeShown AsStatic AsStored AsUntouched AsPlain AsWritten AsSaid AsGiven AsParts Rematerialized RematerializedShown Refused Unsaved);

/// By its own `Serialize` and `Deserialize`.
#[derive(Debug)]
pub struct AsSerde;

/// The same of a value that shows what it is: what comes back has to show the same.
#[derive(Debug)]
pub struct AsSerdeShown;

/// The same of a value that may borrow from a block's own variables.
#[derive(Debug)]
pub struct AsSerdeLent;

/// A type that a function is generic in: as its own form says.
#[derive(Debug)]
pub struct AsStored;

/// By its own `Serialize` and `Deserialize`, with references to what is there for good.
#[derive(Debug)]
pub struct AsStatic;

/// Numbers, texts and collections of them: by serde, which is known to give back what it took.
#[derive(Debug)]
pub struct AsPlain;

/// A range of the macro's own.
#[derive(Debug)]
pub struct AsUntouched;

/// References, and collections of them: what they point to is written.
#[derive(Debug)]
pub struct AsReferences<K>(PhantomData<fn() -> K>);

/// An iterator of std's: the items that are left are written.
#[derive(Debug)]
pub struct AsSteps;

/// The same of references to texts.
#[derive(Debug)]
pub struct AsTextSteps;

/// An instant: as the time of the clock on the wall.
#[derive(Debug)]
pub struct AsWritten;

/// As an attribute above the `let` says.
#[derive(Debug)]
pub struct AsSaid;

/// Not at all: evaluated again where the frame is read.
#[derive(Debug)]
pub struct Rematerialized;

/// Not at all: the call is made again with it.
#[derive(Debug)]
pub struct AsGiven;

/// What the function made it of, and not itself.
#[derive(Debug)]
pub struct AsParts;

/// Evaluated again; its text shows whether it would be another value.
#[derive(Debug)]
pub struct RematerializedShown;

/// Not at all: it is never there where the function stops.
#[derive(Debug)]
pub struct Unsaved;

/// Not at all: the compiler has been told to refuse it.
#[derive(Debug)]
pub struct Refused;

fn decode<'i, T: Deserialize<'i>>(mut bytes: &'i [u8]) -> Result<T, Failure> {
    codec::decode_next(&mut bytes)
}

/// Checks that what was written gives the same again.
pub(super) fn checked<'s, T: Serialize + Deserialize<'s>>(
    written: &[u8],
    arena: &'s Arena<'s>,
) -> Result<(), Failure> {
    read_back::<T>(written, arena).map(|_| ())
}

pub(super) fn read_back<'s, T: Serialize + Deserialize<'s>>(
    written: &[u8],
    arena: &'s Arena<'s>,
) -> Result<T, Failure> {
    let unreadable = |detail| format!("it cannot be read back: {detail}");
    let value: T = decode(arena.written(written.to_vec())).map_err(unreadable)?;
    faithful::compare(written, &encode(&value)?)?;
    Ok(value)
}

impl<'s, T: Serialize + Deserialize<'s>> Persist<'s, T> for AsSerde {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        suspension.store(value, |written| {
            kinds::not_shared::<T>()?;
            checked::<T>(written, arena)
        });
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.read_lent(arena).map(Some)
    }
}

impl<'s, T: Serialize + Deserialize<'static>> Persist<'s, T> for AsStatic {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        Self::save_shown(value, suspension, arena, Shows::NOT);
    }

    fn save_shown(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>, shows: Shows<T>) {
        suspension.store(value, |mut written| {
            kinds::not_shared::<T>()?;
            let before = written;
            let unreadable = |detail| format!("it cannot be read back: {detail}");
            let again: T = interned(&mut written).map_err(unreadable)?;
            faithful::compare(before, &encode(&again)?)?;
            shows.same(value, &again)
        });
    }

    fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.read(interned).map(Some)
    }
}

fn interned<T: Deserialize<'static>>(input: &mut &[u8]) -> Result<T, Failure> {
    codec::decode_interned(input, with::literal::intern)
}

impl<'s, T: Serialize + Deserialize<'s>> Persist<'s, T> for AsSerdeLent {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        AsSerde::save(value, suspension, arena);
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        AsSerde::load(activation, arena)
    }
}

impl<'s, T: Serialize, U: Serialize + Deserialize<'s>> Rehome<'s, T, U> for AsSerdeLent {
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        Self::rehomed(&value, arena)
    }
}

impl AsSerdeLent {
    /// What refers to the arena in a value's place.
    pub(super) fn rehomed<'s, T: Serialize, U: Serialize + Deserialize<'s>>(
        value: &T,
        arena: &'s Arena<'s>,
    ) -> Result<U, Failure> {
        let written = encode(value)?;
        let lent = arena.written(written);
        let value: U = decode(lent)?;
        faithful::compare(lent, &encode(&value)?)?;
        Ok(value)
    }
}

impl<'s, T: Stored> Persist<'s, T> for AsStored {
    fn save(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.store_stored(value);
    }

    fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.read(T::decode).map(Some)
    }
}

impl<'s, T: Serialize + DeserializeOwned> Persist<'s, T> for AsPlain {
    fn save(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.store(value, |_| Ok(()));
    }

    fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.read_owned().map(Some)
    }
}

impl<'s, T: Serialize + DeserializeOwned> Persist<'s, T> for AsUntouched {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        AsPlain::save(value, suspension, arena);
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        AsPlain::load(activation, arena)
    }
}

/// Writes references, with what they refer to, which is read back, and has to be what `check` lets through.
pub(super) fn save_references<'s, K, T: Borrowed<'s, K, Home = T>>(
    value: &T,
    suspension: &mut Suspension,
    arena: &'s Arena<'s>,
    check: impl FnOnce(&T) -> Result<(), Failure>,
) {
    if T::COWS {
        let mut owning = Vec::new();
        value.owning(&mut owning);
        suspension.store(&(value, &owning), |mut written| {
            kinds::not_shared::<T>()?;
            let before = written;
            let (owned, _): (T::Owned, Vec<bool>) = borrowed::decode::<K, T, _>(&mut written)?;
            let again = T::borrow(owned, arena);
            faithful::compare(before, &encode(&(&again, &owning))?)?;
            check(&again)
        });
        return;
    }
    suspension.store(value, |mut written| {
        kinds::not_shared::<T>()?;
        let before = written;
        let owned: T::Owned = borrowed::decode::<K, T, _>(&mut written)?;
        let again = T::borrow(owned, arena);
        faithful::compare(before, &encode(&again)?)?;
        check(&again)
    });
}

impl<'s, K, T: Borrowed<'s, K, Home = T>> Persist<'s, T> for AsReferences<K> {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        save_references::<K, T>(value, suspension, arena, |_| Ok(()));
    }

    fn save_shown(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>, shows: Shows<T>) {
        save_references::<K, T>(value, suspension, arena, |again| shows.same(value, again));
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        if T::COWS {
            let (owned, owning): (T::Owned, Vec<bool>) =
                activation.read(borrowed::decode::<K, T, _>)?;
            return Ok(Some(arena.owning(owning, || T::borrow(owned, arena))));
        }
        let owned = activation.read(borrowed::decode::<K, T, _>)?;
        Ok(Some(T::borrow(owned, arena)))
    }
}

impl<'s, K, T: Borrowed<'s, K, Home = U>, U> Rehome<'s, T, U> for AsReferences<K> {
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        value.rehome(arena)
    }
}

impl<'s, T: Steps<'s, Home = T>> Persist<'s, T> for AsSteps {
    fn save(value: &T, suspension: &mut Suspension, arena: &'s Arena<'s>) {
        suspension.store(&left_of(value), |written| {
            kinds::not_shared::<T>()?;
            let again = T::over(codec::decode(written)?, arena);
            faithful::compare(written, &encode(&left_of(&again))?)?;
            same_steps(value, &again)
        });
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        let left = activation.read_owned()?;
        Ok(Some(T::over(left, arena)))
    }
}

impl<'s, T: Steps<'s, Home = U>, U: Steps<'s>> Rehome<'s, T, U> for AsSteps {
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        let value = match value.owned() {
            Ok(owned) => return Ok(owned),
            Err(value) => value,
        };
        // What is written the same may show another value: one with `#[serde(skip)]` in it.
        if let Some(here) = value.home(arena)
            && same_steps(&value, &here).is_ok()
        {
            return Ok(here);
        }
        let written = encode(&left_of(&value))?;
        let here = T::over(codec::decode(&written)?, arena);
        faithful::compare(&written, &encode(&left_of(&here))?)?;
        same_steps(&value, &here)?;
        Ok(here)
    }
}

/// Whether the items that are left show what they did.
fn same_steps<'s, T: Steps<'s>, U: Steps<'s>>(value: &T, again: &U) -> Result<(), Failure> {
    same_shown(
        &value.shown(),
        &again.shown(),
        &left_of(value),
        &left_of(again),
    )
}

/// Texts, each kept once, and the list of them.
fn texts<'s, 't>(texts: impl IntoIterator<Item = &'t str>, arena: &'s Arena<'s>) -> &'s [&'s str] {
    let texts = texts.into_iter().map(|one| arena.text(one));
    arena.keep_texts(texts.collect())
}

impl<'s, T: TextSteps<'s, Home = T>> Persist<'s, T> for AsTextSteps {
    fn save(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.store(&value.left(), |_| Ok(()));
    }

    fn load(activation: &mut Activation, arena: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        let left: Vec<String> = activation.read_owned()?;
        let left = texts(left.iter().map(String::as_str), arena);
        Ok(Some(T::over(left)))
    }
}

impl<'s, T: TextSteps<'s, Home = U>, U> Rehome<'s, T, U> for AsTextSteps {
    fn rehome(value: T, arena: &'s Arena<'s>) -> Result<U, Failure> {
        Ok(T::over(texts(value.left(), arena)))
    }
}

impl<'s, T: Written> Persist<'s, T> for AsWritten {
    fn save(value: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.write(|out| value.write(out), |written| value.check(written));
    }

    fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.read(T::read).map(Some)
    }
}

/// Nothing but a nil is written and read.
macro_rules! without_value {
    ($($form:ident: $again:literal, $given:literal;)*) => {
        $(impl<'s, T> Persist<'s, T> for $form {
            const REMATERIALIZED: bool = $again;
            const GIVEN: bool = $given;

            fn save(_: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
                suspension.skip();
            }

            fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
                activation.pass::<()>().map(|()| None)
            }
        })*
    };
}

without_value! {
    Rematerialized: true, false;
    Refused: false, false;
    Unsaved: false, false;
    AsGiven: false, true;
}

impl<'s, T> Persist<'s, T> for AsParts {
    const IN_PARTS: bool = true;

    fn save(_: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.missing();
    }

    fn load(_: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        Err(Stop::Stale("it is stored in parts".to_owned()))
    }
}

impl<'s, T: Debug> Persist<'s, T> for RematerializedShown {
    const REMATERIALIZED: bool = true;
    const COMPARED: bool = true;

    fn same(before: &T, after: &T) -> bool {
        shown_unordered(before) == shown_unordered(after)
    }

    fn save(_: &T, suspension: &mut Suspension, _: &'s Arena<'s>) {
        suspension.skip();
    }

    fn load(activation: &mut Activation, _: &'s Arena<'s>) -> Result<Option<T>, Stop> {
        activation.pass::<()>().map(|()| None)
    }
}

/// What a value shows, less its order: that of a hash map is another one each time.
pub(crate) fn shown_unordered(value: &impl Debug) -> Vec<u8> {
    let mut bytes = shown(value).into_bytes();
    bytes.sort_unstable();
    bytes
}

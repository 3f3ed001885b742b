//! Types of references: what they point to is written, and read into the arena.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::arena::Arena;
use crate::{
    codec::{self, Failure},
    with,
};

/// References to values that own what they are.
#[derive(Debug)]
pub struct ToOwners;

/// References to texts that are references themselves.
#[derive(Debug)]
pub struct ToTexts;

/// References to values with texts in them that are there for good.
#[derive(Debug)]
pub struct ToStatics;

/// No references: a value of the author's own beside some, a key or a value of a map, a part of a tuple.
#[derive(Debug)]
pub struct Own;

/// Kinds with a reference in them.
pub trait Refers {}

impl Refers for ToOwners {}
impl Refers for ToTexts {}
impl Refers for ToStatics {}
impl<A, B> Refers for (A, B) {}
impl<A, B, C> Refers for (A, B, C) {}

/// Kinds in which everything is a reference or plain.
pub trait Uniform {}

impl Uniform for ToOwners {}
impl Uniform for ToTexts {}
impl Uniform for ToStatics {}

/// A type of references, and of plain values beside them. `K` is what the references are to: rustc
/// could not tell the two apart, and no type has both.
pub trait Borrowed<'s, K>: Serialize + Sized {
    /// The same type, borrowing from the arena.
    type Home;
    /// The same without references.
    type Owned: Serialize + Deserialize<'static> + Send + Sync + 'static;
    /// Whether there are texts in it that are there for good.
    const STATICS: bool = false;
    /// Whether there may be a `Cow` in it: serde does not write which variant one is.
    const COWS: bool = false;

    /// The value, borrowing from the arena.
    ///
    /// # Errors
    /// What it refers to cannot be written and read.
    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure>;

    /// Whether what it refers to is in the arena.
    fn is_home(&self, _: &'s Arena<'s>) -> bool {
        false
    }

    /// The value that was read.
    fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home;

    /// Which of the `Cow`s in it own what they are, in the order in which they are borrowed.
    fn owning(&self, _: &mut Vec<bool>) {}
}

impl<'s, T: Serialize + DeserializeOwned + Send + Sync + 'static> Borrowed<'s, Own> for T {
    type Home = T;
    type Owned = T;

    fn rehome(self, _: &'s Arena<'s>) -> Result<T, Failure> {
        Ok(self)
    }

    fn borrow(owned: T, _: &'s Arena<'s>) -> T {
        owned
    }
}

/// What was written of one, with texts that are there for good where there may be some.
pub(super) fn decode<'s, K, T: Borrowed<'s, K>, W: Deserialize<'static>>(
    written: &mut &[u8],
) -> Result<W, Failure> {
    read(written, T::STATICS)
}

fn read<W: Deserialize<'static>>(written: &mut &[u8], statics: bool) -> Result<W, Failure> {
    match statics {
        true => codec::decode_interned(written, with::literal::intern),
        false => codec::decode_copied(written),
    }
}

pub(super) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    codec::encode(value, &mut out).map(|()| out)
}

/// What was written, read into the arena; it must be written the same again.
fn copy<'s, S, T>(value: &S, arena: &'s Arena<'s>, statics: bool) -> Result<&'s T, Failure>
where
    S: Serialize + ?Sized,
    T: Serialize + Deserialize<'static> + Send + Sync + 'static,
{
    let mut written = Vec::new();
    codec::encode_shared(value, &mut written)?;
    arena.intern(written, |written| {
        super::kinds::not_shared::<T>()?;
        let copy: T = read(&mut &*written, statics)?;
        super::faithful::compare(written, &encode(&copy)?)?;
        Ok(copy)
    })
}

/// Texts, values and slices, by how their owners are read.
macro_rules! references {
    ($($kind:ty: $read:path, $statics:literal;)*) => {
        $(
            impl<'s> Borrowed<'s, $kind> for &str {
                type Home = &'s str;
                type Owned = String;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s str, Failure> {
                    Ok(arena.text(self))
                }

                fn borrow(owned: String, arena: &'s Arena<'s>) -> &'s str {
                    arena.keep(owned)
                }
            }

            impl<'s, T: Serialize + $read + Send + Sync + 'static> Borrowed<'s, $kind> for &T {
                type Home = &'s T;
                type Owned = T;
                const STATICS: bool = $statics;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s T, Failure> {
                    match arena.find(self) {
                        Some(here) => Ok(here),
                        None => copy(self, arena, $statics),
                    }
                }

                fn is_home(&self, arena: &'s Arena<'s>) -> bool {
                    arena.find(*self).is_some()
                }

                fn borrow(owned: T, arena: &'s Arena<'s>) -> &'s T {
                    arena.keep(owned)
                }
            }

            impl<'s, T: Serialize + $read + Send + Sync + 'static> Borrowed<'s, $kind> for &[T] {
                type Home = &'s [T];
                type Owned = Vec<T>;
                const STATICS: bool = $statics;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s [T], Failure> {
                    copy::<[T], Vec<T>>(self, arena, $statics).map(Vec::as_slice)
                }

                fn borrow(owned: Vec<T>, arena: &'s Arena<'s>) -> &'s [T] {
                    arena.keep(owned)
                }
            }
        )*
    };
}

references! {
    ToOwners: DeserializeOwned, false;
    ToStatics: Deserialize<'static>, true;
}

/// Texts of the system, each with its owner.
macro_rules! of_the_system {
    ($($ty:ty: $owner:ty;)*) => {
        $(
            impl<'s> Borrowed<'s, ToOwners> for &$ty {
                type Home = &'s $ty;
                type Owned = $owner;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s $ty, Failure> {
                    copy::<$ty, $owner>(self, arena, false).map(|owner| &**owner)
                }

                fn borrow(owned: $owner, arena: &'s Arena<'s>) -> &'s $ty {
                    arena.keep(owned)
                }
            }
        )*
    };
}

of_the_system! {
    OsStr: OsString;
    Path: PathBuf;
}

impl<'s, T> Borrowed<'s, ToOwners> for Cow<'_, T>
where
    T: ToOwned + Serialize + ?Sized + 's,
    T::Owned: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    type Home = Cow<'s, T>;
    type Owned = T::Owned;
    const COWS: bool = true;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Cow<'s, T>, Failure> {
        Ok(match self {
            Cow::Owned(owned) => Cow::Owned(owned),
            Cow::Borrowed(borrowed) => {
                let here: &'s T::Owned = copy(borrowed, arena, false)?;
                Cow::Borrowed(std::borrow::Borrow::borrow(here))
            }
        })
    }

    fn borrow(owned: T::Owned, arena: &'s Arena<'s>) -> Cow<'s, T> {
        if arena.next_owns() {
            return Cow::Owned(owned);
        }
        let here: &'s T::Owned = arena.keep(owned);
        Cow::Borrowed(std::borrow::Borrow::borrow(here))
    }

    fn owning(&self, all: &mut Vec<bool>) {
        all.push(matches!(self, Cow::Owned(_)));
    }
}

impl<'s> Borrowed<'s, ToTexts> for &&str {
    type Home = &'s &'s str;
    type Owned = String;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        Ok(arena.keep_text(arena.text(self)))
    }

    fn borrow(owned: String, arena: &'s Arena<'s>) -> Self::Home {
        arena.keep_text(arena.keep(owned))
    }
}

impl<'s> Borrowed<'s, ToTexts> for &[&str] {
    type Home = &'s [&'s str];
    type Owned = Vec<String>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let texts = self.iter().map(|one| arena.text(one)).collect();
        Ok(arena.keep_texts(texts))
    }

    fn borrow(owned: Vec<String>, arena: &'s Arena<'s>) -> Self::Home {
        let texts = owned.into_iter().map(|text| arena.keep(text).as_str());
        arena.keep_texts(texts.collect())
    }
}

impl<'s> Borrowed<'s, ToTexts> for &Vec<&str> {
    type Home = &'s Vec<&'s str>;
    type Owned = Vec<String>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let texts = self.iter().map(|one| arena.text(one)).collect();
        Ok(arena.keep_texts(texts))
    }

    fn borrow(owned: Vec<String>, arena: &'s Arena<'s>) -> Self::Home {
        let texts = owned.into_iter().map(|text| arena.keep(text).as_str());
        arena.keep_texts(texts.collect())
    }
}

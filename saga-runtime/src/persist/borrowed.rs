//! Types of references: what they point to is written, and read into the arena.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    ffi::{OsStr, OsString},
    hash::{BuildHasher, Hash},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

use super::arena::Arena;
use crate::{
    codec::{self, Failure},
    persist::iterate::{ByKey, Kept, Remaining},
};

/// References to values that own what they are.
#[derive(Debug)]
pub struct ToOwners;

/// References to texts that are references themselves.
#[derive(Debug)]
pub struct ToTexts;

/// No references: a value of the author's own beside some, a key or a value of a map, a part of a tuple.
#[derive(Debug)]
pub struct Own;

/// Kinds with a reference in them.
pub trait Refers {}

impl Refers for ToOwners {}
impl Refers for ToTexts {}
impl<A, B> Refers for (A, B) {}
impl<A, B, C> Refers for (A, B, C) {}

/// Kinds in which everything is a reference or plain.
pub trait Uniform {}

impl Uniform for ToOwners {}
impl Uniform for ToTexts {}

/// A type of references, and of plain values beside them. `K` is what the references are to: rustc
/// could not tell the two apart, and no type has both.
pub trait Borrowed<'s, K>: Serialize + Sized {
    /// The same type, borrowing from the arena.
    type Home;
    /// The same without references.
    type Owned: Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Whether there may be a `Cow` in it: serde does not write which variant one is.
    const COWS: bool = false;

    /// The value, borrowing from the arena.
    ///
    /// # Errors
    /// What it refers to cannot be written and read.
    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure>;

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

fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    codec::encode(value, &mut out).map(|()| out)
}

/// What was written, read into the arena; it must be written the same again.
fn copy<'s, S: Serialize + ?Sized, T: Serialize + DeserializeOwned + Send + Sync + 'static>(
    value: &S,
    arena: &'s Arena<'s>,
) -> Result<&'s T, Failure> {
    arena.intern(encode(value)?, |written| {
        super::kinds::not_shared::<T>()?;
        let copy: T = codec::decode(written)?;
        super::faithful::compare(written, &encode(&copy)?)?;
        Ok(copy)
    })
}

pub(super) fn text<'s>(text: &str, arena: &'s Arena<'s>) -> &'s str {
    let make = |_: &[u8]| Ok::<_, std::convert::Infallible>(text.to_owned());
    match arena.intern::<String, _>(text.as_bytes().to_vec(), make) {
        Ok(text) => text,
        Err(never) => match never {},
    }
}

impl<'s> Borrowed<'s, ToOwners> for &str {
    type Home = &'s str;
    type Owned = String;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s str, Failure> {
        Ok(text(self, arena))
    }

    fn borrow(owned: String, arena: &'s Arena<'s>) -> &'s str {
        arena.keep(owned)
    }
}

/// Texts of the system, each with its owner.
macro_rules! of_the_system {
    ($($ty:ty: $owner:ty;)*) => {
        $(
            impl<'s> Borrowed<'s, ToOwners> for &$ty {
                type Home = &'s $ty;
                type Owned = $owner;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s $ty, Failure> {
                    copy::<$ty, $owner>(self, arena).map(|owner| &**owner)
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

impl<'s, T: Serialize + DeserializeOwned + Send + Sync + 'static> Borrowed<'s, ToOwners> for &T {
    type Home = &'s T;
    type Owned = T;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s T, Failure> {
        match arena.find(self) {
            Some(here) => Ok(here),
            None => copy(self, arena),
        }
    }

    fn borrow(owned: T, arena: &'s Arena<'s>) -> &'s T {
        arena.keep(owned)
    }
}

impl<'s, T: Serialize + DeserializeOwned + Send + Sync + 'static> Borrowed<'s, ToOwners>
    for &[T]
{
    type Home = &'s [T];
    type Owned = Vec<T>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<&'s [T], Failure> {
        copy::<[T], Vec<T>>(self, arena).map(Vec::as_slice)
    }

    fn borrow(owned: Vec<T>, arena: &'s Arena<'s>) -> &'s [T] {
        arena.keep(owned)
    }
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
                let here: &'s T::Owned = copy(borrowed, arena)?;
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
        Ok(arena.keep_text(text(self, arena)))
    }

    fn borrow(owned: String, arena: &'s Arena<'s>) -> Self::Home {
        arena.keep_text(arena.keep(owned))
    }
}

impl<'s> Borrowed<'s, ToTexts> for &[&str] {
    type Home = &'s [&'s str];
    type Owned = Vec<String>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let texts = self.iter().map(|one| text(one, arena)).collect();
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
        let texts = self.iter().map(|one| text(one, arena)).collect();
        Ok(arena.keep_texts(texts))
    }

    fn borrow(owned: Vec<String>, arena: &'s Arena<'s>) -> Self::Home {
        let texts = owned.into_iter().map(|text| arena.keep(text).as_str());
        arena.keep_texts(texts.collect())
    }
}

/// Collections: item by item.
macro_rules! lists {
    ($($ty:ident [$($bound:path),*];)*) => {
        $(impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for $ty<T>
        where
            Self: Serialize,
            $(T::Home: $bound, T::Owned: $bound,)*
        {
            type Home = $ty<T::Home>;
            type Owned = $ty<T::Owned>;
            const COWS: bool = T::COWS;

            fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                self.into_iter().map(|item| item.rehome(arena)).collect()
            }

            fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                owned.into_iter().map(|item| T::borrow(item, arena)).collect()
            }

            fn owning(&self, all: &mut Vec<bool>) {
                self.iter().for_each(|item| item.owning(all));
            }
        })*
    };
}

lists! {
    Vec [];
    VecDeque [];
    BTreeSet [Ord];
}

impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for Option<T> {
    type Home = Option<T::Home>;
    type Owned = Option<T::Owned>;
    const COWS: bool = T::COWS;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.map(|value| value.rehome(arena)).transpose()
    }

    fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        owned.map(|value| T::borrow(value, arena))
    }

    fn owning(&self, all: &mut Vec<bool>) {
        self.iter().for_each(|value| value.owning(all));
    }
}

impl<'s, K: Refers, T: Borrowed<'s, K>, E: Borrowed<'s, K>> Borrowed<'s, K> for Result<T, E> {
    type Home = Result<T::Home, E::Home>;
    type Owned = Result<T::Owned, E::Owned>;
    const COWS: bool = T::COWS || E::COWS;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        Ok(match self {
            Ok(value) => Ok(value.rehome(arena)?),
            Err(error) => Err(error.rehome(arena)?),
        })
    }

    fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        match owned {
            Ok(value) => Ok(T::borrow(value, arena)),
            Err(error) => Err(E::borrow(error, arena)),
        }
    }

    fn owning(&self, all: &mut Vec<bool>) {
        match self {
            Ok(value) => value.owning(all),
            Err(error) => error.owning(all),
        }
    }
}

/// What a loop keeps of its items.
macro_rules! kept {
    ($($name:ident)*) => {
        $(
            impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for $name<T> {
                type Home = $name<T::Home>;
                type Owned = $name<T::Owned>;
                const COWS: bool = T::COWS;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                    self.0.rehome(arena).map($name)
                }

                fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                    $name(<Vec<T>>::borrow(owned.0, arena))
                }

                fn owning(&self, all: &mut Vec<bool>) {
                    self.0.owning(all);
                }
            }
        )*
    };
}

kept!(Remaining Kept ByKey);

impl<'s, K: Refers, T: Borrowed<'s, K>, S> Borrowed<'s, K> for HashSet<T, S>
where
    T: Eq + Hash,
    T::Home: Eq + Hash,
    T::Owned: Eq + Hash,
    S: BuildHasher + Default + Send + Sync + 'static,
{
    type Home = HashSet<T::Home, S>;
    type Owned = HashSet<T::Owned, S>;
    const COWS: bool = T::COWS;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.into_iter().map(|item| item.rehome(arena)).collect()
    }

    fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        let mut items: Vec<_> = owned.into_iter().collect();
        if T::COWS {
            items.sort_by_cached_key(written);
        }
        let items = items.into_iter();
        items.map(|item| T::borrow(item, arena)).collect()
    }

    fn owning(&self, all: &mut Vec<bool>) {
        let mut items: Vec<_> = self.iter().collect();
        items.sort_by_cached_key(written);
        items.iter().for_each(|item| item.owning(all));
    }
}

/// What the items of a hash table are sorted by: its own order is another one in each process.
fn written(key: &impl Serialize) -> Vec<u8> {
    encode(key).unwrap_or_default()
}

/// Maps: of one kind, or of two.
macro_rules! maps {
    ($([$($kind:tt)*] $whole:ty: $key:ty, $value:ty;)*) => {
        $(
            impl<'s, A, B, S, $($kind)*> Borrowed<'s, $whole> for HashMap<A, B, S>
            where
                A: Borrowed<'s, $key, Home: Eq + Hash, Owned: Eq + Hash> + Eq + Hash,
                B: Borrowed<'s, $value>,
                S: BuildHasher + Default + Send + Sync + 'static,
            {
                type Home = HashMap<A::Home, B::Home, S>;
                type Owned = HashMap<A::Owned, B::Owned, S>;
                const COWS: bool = A::COWS || B::COWS;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                    let entries = self.into_iter();
                    entries
                        .map(|(key, value)| Ok((key.rehome(arena)?, value.rehome(arena)?)))
                        .collect()
                }

                fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                    let mut entries: Vec<_> = owned.into_iter().collect();
                    if A::COWS || B::COWS {
                        entries.sort_by_cached_key(|(key, _)| written(key));
                    }
                    let entries = entries.into_iter();
                    entries
                        .map(|(key, value)| (A::borrow(key, arena), B::borrow(value, arena)))
                        .collect()
                }

                fn owning(&self, all: &mut Vec<bool>) {
                    let mut entries: Vec<_> = self.iter().collect();
                    entries.sort_by_cached_key(|(key, _)| written(key));
                    for (key, value) in entries {
                        key.owning(all);
                        value.owning(all);
                    }
                }
            }

            impl<'s, A, B, $($kind)*> Borrowed<'s, $whole> for BTreeMap<A, B>
            where
                A: Borrowed<'s, $key, Home: Ord, Owned: Ord> + Ord,
                B: Borrowed<'s, $value>,
            {
                type Home = BTreeMap<A::Home, B::Home>;
                type Owned = BTreeMap<A::Owned, B::Owned>;
                const COWS: bool = A::COWS || B::COWS;

                fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                    let entries = self.into_iter();
                    entries
                        .map(|(key, value)| Ok((key.rehome(arena)?, value.rehome(arena)?)))
                        .collect()
                }

                fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                    let entries = owned.into_iter();
                    entries
                        .map(|(key, value)| (A::borrow(key, arena), B::borrow(value, arena)))
                        .collect()
                }

                fn owning(&self, all: &mut Vec<bool>) {
                    for (key, value) in self {
                        key.owning(all);
                        value.owning(all);
                    }
                }
            }
        )*
    };
}

maps! {
    [K: Uniform] K: K, K;
    [K, L] (K, L): K, L;
}

/// Tuples: of one kind, or of one for each part.
macro_rules! tuples {
    ($(($($name:ident: $part:ident)*))*) => {
        $(
            tuples!(@one [K: Uniform] K: $($name: K)*);
            tuples!(@one [$($part),*] ($($part,)*): $($name: $part)*);
        )*
    };
    (@one [$($kind:tt)*] $whole:ty: $($name:ident: $part:ident)*) => {
        #[allow(non_snake_case, reason = "named after their types")]
        impl<'s, $($kind)*, $($name: Borrowed<'s, $part>),*> Borrowed<'s, $whole> for ($($name,)*) {
            type Home = ($($name::Home,)*);
            type Owned = ($($name::Owned,)*);
            const COWS: bool = false $(|| $name::COWS)*;

            fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                let ($($name,)*) = self;
                Ok(($($name.rehome(arena)?,)*))
            }

            fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                let ($($name,)*) = owned;
                ($($name::borrow($name, arena),)*)
            }

            fn owning(&self, all: &mut Vec<bool>) {
                let ($($name,)*) = self;
                $($name.owning(all);)*
            }
        }
    };
}

tuples! {
    (A: K1) (A: K1 B: K2) (A: K1 B: K2 C: K3) (A: K1 B: K2 C: K3 D: K4) (A: K1 B: K2 C: K3 D: K4 E: K5)
    (A: K1 B: K2 C: K3 D: K4 E: K5 F: K6)
}

/// Arrays as far as serde has them one by one; longer ones are rare.
macro_rules! arrays {
    ($($length:literal)*) => {
        $(impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for [T; $length] {
            type Home = [T::Home; $length];
            type Owned = [T::Owned; $length];
            const COWS: bool = T::COWS;

            fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                let items: Vec<_> = self
                    .into_iter()
                    .map(|item| item.rehome(arena))
                    .collect::<Result<_, _>>()?;
                items.try_into().map_err(|_| "an array has another length".to_owned())
            }

            fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                owned.map(|item| T::borrow(item, arena))
            }

            fn owning(&self, all: &mut Vec<bool>) {
                self.iter().for_each(|item| item.owning(all));
            }
        })*
    };
}

arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 }

/// Plain values beside references.
macro_rules! plain {
    ($($ty:ty)*) => {
        $(impl<'s, K: Refers> Borrowed<'s, K> for $ty {
            type Home = Self;
            type Owned = Self;

            fn rehome(self, _: &'s Arena<'s>) -> Result<Self, Failure> {
                Ok(self)
            }

            fn borrow(owned: Self, _: &'s Arena<'s>) -> Self {
                owned
            }
        })*
    };
}

plain! {
    () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String
    std::time::Duration std::time::SystemTime serde_json::Value serde_json::Map<String, serde_json::Value>
}

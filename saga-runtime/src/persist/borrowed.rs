//! Types of references: what they point to is written, and read into the arena.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    hash::{BuildHasher, Hash},
};

use serde::{Serialize, de::DeserializeOwned};

use super::arena::Arena;
use crate::{
    codec::{self, Failure},
    persist::iterate::{Kept, Remaining},
};

/// References to values that own what they are.
#[derive(Debug)]
pub struct ToOwners;

/// References to texts that are references themselves.
#[derive(Debug)]
pub struct ToTexts;

/// References beside values of the author's own: keys of maps, parts of tuples.
#[derive(Debug)]
pub struct ToOwnersBeside;

/// Kinds in which everything is a reference or plain.
pub trait Uniform {}

impl Uniform for ToOwners {}
impl Uniform for ToTexts {}

/// A value of the author's own beside references.
pub trait Beside: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Beside for T {}

impl<'s, A: Beside + Ord, B: Borrowed<'s, ToOwners>> Borrowed<'s, ToOwnersBeside>
    for BTreeMap<A, B>
{
    type Home = BTreeMap<A, B::Home>;
    type Owned = BTreeMap<A, B::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let entries = self.into_iter();
        entries
            .map(|(key, value)| Ok((key, value.rehome(arena)?)))
            .collect()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        let entries = owned.iter();
        entries
            .map(|(key, value)| (key.clone(), B::borrow(value, arena)))
            .collect()
    }
}

impl<'s, A, B, S> Borrowed<'s, ToOwnersBeside> for HashMap<A, B, S>
where
    A: Beside + Eq + Hash,
    B: Borrowed<'s, ToOwners>,
    S: BuildHasher + Default + Send + Sync + 'static,
{
    type Home = HashMap<A, B::Home, S>;
    type Owned = HashMap<A, B::Owned, S>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let entries = self.into_iter();
        entries
            .map(|(key, value)| Ok((key, value.rehome(arena)?)))
            .collect()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        let entries = owned.iter();
        entries
            .map(|(key, value)| (key.clone(), B::borrow(value, arena)))
            .collect()
    }
}

impl<'s, A: Beside, B: Borrowed<'s, ToOwners>> Borrowed<'s, ToOwnersBeside> for (A, B) {
    type Home = (A, B::Home);
    type Owned = (A, B::Owned);

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        Ok((self.0, self.1.rehome(arena)?))
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        (owned.0.clone(), B::borrow(&owned.1, arena))
    }
}

/// A type of references, and of plain values beside them. `K` is what the references are to: rustc
/// could not tell the two apart, and no type has both.
pub trait Borrowed<'s, K>: Serialize + Sized {
    /// The same type, borrowing from the arena.
    type Home;
    /// The same without references.
    type Owned: DeserializeOwned + Send + Sync + 'static;

    /// The value, borrowing from the arena.
    ///
    /// # Errors
    /// What it refers to cannot be written and read.
    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure>;

    /// The value that was read.
    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home;
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
        let copy: T = codec::decode(written)?;
        super::faithful::compare(written, &encode(&copy)?)?;
        Ok(copy)
    })
}

fn text<'s>(text: &str, arena: &'s Arena<'s>) -> &'s str {
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

    fn borrow(owned: &'s String, _: &'s Arena<'s>) -> &'s str {
        owned
    }
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

    fn borrow(owned: &'s T, _: &'s Arena<'s>) -> &'s T {
        owned
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

    fn borrow(owned: &'s Vec<T>, _: &'s Arena<'s>) -> &'s [T] {
        owned
    }
}

impl<'s, T> Borrowed<'s, ToOwners> for Cow<'_, T>
where
    T: ToOwned + Serialize + ?Sized + 's,
    T::Owned: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    type Home = Cow<'s, T>;
    type Owned = T::Owned;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Cow<'s, T>, Failure> {
        Ok(match self {
            Cow::Owned(owned) => Cow::Owned(owned),
            Cow::Borrowed(borrowed) => {
                let here: &'s T::Owned = copy(borrowed, arena)?;
                Cow::Borrowed(std::borrow::Borrow::borrow(here))
            }
        })
    }

    fn borrow(owned: &'s T::Owned, _: &'s Arena<'s>) -> Cow<'s, T> {
        Cow::Borrowed(std::borrow::Borrow::borrow(owned))
    }
}

impl<'s> Borrowed<'s, ToTexts> for &&str {
    type Home = &'s &'s str;
    type Owned = String;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        Ok(arena.keep_text(text(self, arena)))
    }

    fn borrow(owned: &'s String, arena: &'s Arena<'s>) -> Self::Home {
        arena.keep_text(owned)
    }
}

impl<'s> Borrowed<'s, ToTexts> for &[&str] {
    type Home = &'s [&'s str];
    type Owned = Vec<String>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let texts = self.iter().map(|one| text(one, arena)).collect();
        Ok(arena.keep_texts(texts))
    }

    fn borrow(owned: &'s Vec<String>, arena: &'s Arena<'s>) -> Self::Home {
        arena.keep_texts(owned.iter().map(String::as_str).collect())
    }
}

impl<'s> Borrowed<'s, ToTexts> for &Vec<&str> {
    type Home = &'s Vec<&'s str>;
    type Owned = Vec<String>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let texts = self.iter().map(|one| text(one, arena)).collect();
        Ok(arena.keep_texts(texts))
    }

    fn borrow(owned: &'s Vec<String>, arena: &'s Arena<'s>) -> Self::Home {
        arena.keep_texts(owned.iter().map(String::as_str).collect())
    }
}

/// Collections: item by item.
macro_rules! lists {
    ($($ty:ident [$($bound:path),*];)*) => {
        $(impl<'s, K, T: Borrowed<'s, K>> Borrowed<'s, K> for $ty<T>
        where
            Self: Serialize,
            $(T::Home: $bound, T::Owned: $bound,)*
        {
            type Home = $ty<T::Home>;
            type Owned = $ty<T::Owned>;

            fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                self.into_iter().map(|item| item.rehome(arena)).collect()
            }

            fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                owned.iter().map(|item| T::borrow(item, arena)).collect()
            }
        })*
    };
}

lists! {
    Vec [];
    VecDeque [];
    BTreeSet [Ord];
}

impl<'s, K, T: Borrowed<'s, K>> Borrowed<'s, K> for Option<T> {
    type Home = Option<T::Home>;
    type Owned = Option<T::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.map(|value| value.rehome(arena)).transpose()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        owned.as_ref().map(|value| T::borrow(value, arena))
    }
}

impl<'s, K, T: Borrowed<'s, K>, E: Borrowed<'s, K>> Borrowed<'s, K> for Result<T, E> {
    type Home = Result<T::Home, E::Home>;
    type Owned = Result<T::Owned, E::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        Ok(match self {
            Ok(value) => Ok(value.rehome(arena)?),
            Err(error) => Err(error.rehome(arena)?),
        })
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        match owned {
            Ok(value) => Ok(T::borrow(value, arena)),
            Err(error) => Err(E::borrow(error, arena)),
        }
    }
}

impl<'s, K, T: Borrowed<'s, K>> Borrowed<'s, K> for Remaining<T> {
    type Home = Remaining<T::Home>;
    type Owned = Remaining<T::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.0.rehome(arena).map(Remaining)
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        Remaining(<Vec<T>>::borrow(&owned.0, arena))
    }
}

impl<'s, K, T: Borrowed<'s, K>> Borrowed<'s, K> for Kept<T> {
    type Home = Kept<T::Home>;
    type Owned = Kept<T::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.0.rehome(arena).map(Kept)
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        Kept(<Vec<T>>::borrow(&owned.0, arena))
    }
}

impl<'s, K, T: Borrowed<'s, K>, S> Borrowed<'s, K> for HashSet<T, S>
where
    T: Eq + Hash,
    T::Home: Eq + Hash,
    T::Owned: Eq + Hash,
    S: BuildHasher + Default + Send + Sync + 'static,
{
    type Home = HashSet<T::Home, S>;
    type Owned = HashSet<T::Owned, S>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.into_iter().map(|item| item.rehome(arena)).collect()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        owned.iter().map(|item| T::borrow(item, arena)).collect()
    }
}

impl<'s, K: Uniform, A: Borrowed<'s, K>, B: Borrowed<'s, K>, S> Borrowed<'s, K> for HashMap<A, B, S>
where
    A: Eq + Hash,
    A::Home: Eq + Hash,
    A::Owned: Eq + Hash,
    S: BuildHasher + Default + Send + Sync + 'static,
{
    type Home = HashMap<A::Home, B::Home, S>;
    type Owned = HashMap<A::Owned, B::Owned, S>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let entries = self.into_iter();
        entries
            .map(|(key, value)| Ok((key.rehome(arena)?, value.rehome(arena)?)))
            .collect()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        let entries = owned.iter();
        entries
            .map(|(key, value)| (A::borrow(key, arena), B::borrow(value, arena)))
            .collect()
    }
}

impl<'s, K: Uniform, A: Borrowed<'s, K>, B: Borrowed<'s, K>> Borrowed<'s, K> for BTreeMap<A, B>
where
    A: Ord,
    A::Home: Ord,
    A::Owned: Ord,
{
    type Home = BTreeMap<A::Home, B::Home>;
    type Owned = BTreeMap<A::Owned, B::Owned>;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        let entries = self.into_iter();
        entries
            .map(|(key, value)| Ok((key.rehome(arena)?, value.rehome(arena)?)))
            .collect()
    }

    fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        let entries = owned.iter();
        entries
            .map(|(key, value)| (A::borrow(key, arena), B::borrow(value, arena)))
            .collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => {
        $(
            #[allow(non_snake_case, reason = "named after their types")]
            impl<'s, K: Uniform, $($name: Borrowed<'s, K>),*> Borrowed<'s, K> for ($($name,)*) {
                type Home = ($($name::Home,)*);
                type Owned = ($($name::Owned,)*);

                fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                    let ($($name,)*) = self;
                    Ok(($($name.rehome(arena)?,)*))
                }

                fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                    let ($($name,)*) = owned;
                    ($($name::borrow($name, arena),)*)
                }
            }
        )*
    };
}

tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) }

/// Arrays as far as serde has them one by one; longer ones are rare.
macro_rules! arrays {
    ($($length:literal)*) => {
        $(impl<'s, K, T: Borrowed<'s, K>> Borrowed<'s, K> for [T; $length] {
            type Home = [T::Home; $length];
            type Owned = [T::Owned; $length];

            fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
                let items: Vec<_> = self
                    .into_iter()
                    .map(|item| item.rehome(arena))
                    .collect::<Result<_, _>>()?;
                items.try_into().map_err(|_| "an array has another length".to_owned())
            }

            fn borrow(owned: &'s Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
                owned.each_ref().map(|item| T::borrow(item, arena))
            }
        })*
    };
}

arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 }

/// Plain values beside references.
macro_rules! plain {
    ($($ty:ty)*) => {
        $(impl<'s, K> Borrowed<'s, K> for $ty {
            type Home = Self;
            type Owned = Self;

            fn rehome(self, _: &'s Arena<'s>) -> Result<Self, Failure> {
                Ok(self)
            }

            fn borrow(owned: &'s Self, _: &'s Arena<'s>) -> Self {
                owned.clone()
            }
        })*
    };
}

plain! {
    () bool char u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 String
    std::time::Duration std::time::SystemTime serde_json::Value serde_json::Map<String, serde_json::Value>
}

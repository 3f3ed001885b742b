//! Collections, tuples and options of references.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, VecDeque},
    hash::{BuildHasher, Hash},
};

use serde::Serialize;

use super::{
    arena::Arena,
    borrowed::{Borrowed, Refers, Uniform, encode},
    iterate::{ByKey, Kept, Remaining},
};
use crate::codec::Failure;

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
            const STATICS: bool = T::STATICS;

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
    // What is a heap already stays as it is.
    BinaryHeap [Ord];
}

impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for Reverse<T> {
    type Home = Reverse<T::Home>;
    type Owned = Reverse<T::Owned>;
    const COWS: bool = T::COWS;
    const STATICS: bool = T::STATICS;

    fn rehome(self, arena: &'s Arena<'s>) -> Result<Self::Home, Failure> {
        self.0.rehome(arena).map(Reverse)
    }

    fn borrow(owned: Self::Owned, arena: &'s Arena<'s>) -> Self::Home {
        Reverse(T::borrow(owned.0, arena))
    }

    fn owning(&self, all: &mut Vec<bool>) {
        self.0.owning(all);
    }
}

impl<'s, K: Refers, T: Borrowed<'s, K>> Borrowed<'s, K> for Option<T> {
    type Home = Option<T::Home>;
    type Owned = Option<T::Owned>;
    const COWS: bool = T::COWS;
    const STATICS: bool = T::STATICS;

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
    const STATICS: bool = T::STATICS || E::STATICS;

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
            const STATICS: bool = T::STATICS;

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
    const STATICS: bool = T::STATICS;

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
                const STATICS: bool = A::STATICS || B::STATICS;

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
                const STATICS: bool = A::STATICS || B::STATICS;

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
            const STATICS: bool = false $(|| $name::STATICS)*;

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
            const STATICS: bool = T::STATICS;

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

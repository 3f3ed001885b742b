//! indexmap's collections: as std's do, they give the same items in the same order whenever they are gone over.

use indexmap::{IndexMap, IndexSet, map, set};

use super::{
    again::LookedUpAgain,
    in_scope::Guard,
    iterate::{Owned, Stable, StdIndexed, StdItems},
    kinds::{Lossy, Shared, kind},
    of_std::LeadsToCollection,
    parts::OwnedPart,
};

kind! {
    StdItems:
    [K, V, S] IndexMap<K, V, S>; [T, S] IndexSet<T, S>;
}

kind! {
    StdIndexed:
    [K, V, S] IndexMap<K, V, S>; [T, S] IndexSet<T, S>;
}

kind! {
    LookedUpAgain:
    [K, V, S] IndexMap<K, V, S>; [T, S] IndexSet<T, S>;
}

kind! {
    Stable:
    ['a, K, V] map::Iter<'a, K, V>; ['a, K, V] map::IterMut<'a, K, V>;
    ['a, K, V] map::Keys<'a, K, V>; ['a, K, V] map::Values<'a, K, V>; ['a, K, V] map::ValuesMut<'a, K, V>;
    [K, V] map::IntoIter<K, V>; [K, V] map::IntoKeys<K, V>; [K, V] map::IntoValues<K, V>;
    ['a, T] set::Iter<'a, T>; [T] set::IntoIter<T>;
}

kind! {
    Owned:
    [K, V, S] IndexMap<K, V, S>; [T, S] IndexSet<T, S>;
    ['a, K, V, S] &'a IndexMap<K, V, S>; ['a, T, S] &'a IndexSet<T, S>;
    ['a, K, V] map::Iter<'a, K, V>; ['a, K, V] map::Keys<'a, K, V>; ['a, K, V] map::Values<'a, K, V>;
    [K, V] map::IntoIter<K, V>; [K, V] map::IntoKeys<K, V>; [K, V] map::IntoValues<K, V>;
    ['a, T] set::Iter<'a, T>; [T] set::IntoIter<T>;
}

kind! {
    Shared:
    [K, V: Shared, S] IndexMap<K, V, S>;
}

kind! {
    Lossy:
    [K, V: Lossy, S] IndexMap<K, V, S>;
}

kind! {
    Guard:
    [K, V: Guard, S] IndexMap<K, V, S>;
}

kind! {
    OwnedPart:
    [K: OwnedPart, V: OwnedPart, S] IndexMap<K, V, S>; [T: OwnedPart, S] IndexSet<T, S>;
}

impl<K, V, S> LeadsToCollection for IndexMap<K, V, S> {
    type Collection = Self;
    type Next = Self;
}

impl<T, S> LeadsToCollection for IndexSet<T, S> {
    type Collection = Self;
    type Next = Self;
}

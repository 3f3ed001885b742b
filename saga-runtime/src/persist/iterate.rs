//! Loops that ask: how a `for` keeps its place.

use std::collections::{
    BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque, binary_heap, btree_map,
    btree_set, hash_map, hash_set, linked_list, vec_deque,
};
use std::marker::PhantomData;
use std::ops::{Range, RangeFrom, RangeInclusive};
use std::{array, iter, option, result, slice, str, string, vec};

use serde::{Deserialize, Serialize};

use crate::persist::{
    Plain,
    in_scope::Witness,
    kinds::{InRow, kind},
};

/// Iterators that give the same items in the same order whenever they are made again from the same
/// value, and have no effects of their own.
#[diagnostic::on_unimplemented(
    message = "a `for` over `{Self}` asks in its body, and its place cannot be found again",
    label = "this iterator has no stable order, or runs code of its own",
    note = "collect the items first, each its own owner: `let items: Vec<_> = ….cloned().collect(); for item in items {{ … }}`"
)]
pub trait Stable: Iterator {}

macro_rules! stable {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(impl<$($generics)*> Stable for $ty where Self: Iterator {})*
    };
}

stable! {
    ['a, T] slice::Iter<'a, T>;
    ['a, T] slice::IterMut<'a, T>;
    ['a, T] slice::Chunks<'a, T>;
    ['a, T] slice::ChunksExact<'a, T>;
    ['a, T] slice::Windows<'a, T>;
    ['a, T] slice::RChunks<'a, T>;
    ['a, T] slice::ChunksMut<'a, T>;
    ['a, T] slice::ChunksExactMut<'a, T>;
    [T] vec::IntoIter<T>;
    [T, const N: usize] array::IntoIter<T, N>;
    [T] option::IntoIter<T>;
    ['a, T] option::Iter<'a, T>;
    ['a, T] option::IterMut<'a, T>;
    [T] result::IntoIter<T>;
    ['a, T] result::Iter<'a, T>;
    ['a, T] result::IterMut<'a, T>;
    ['a, T] vec_deque::Iter<'a, T>;
    ['a, T] vec_deque::IterMut<'a, T>;
    [T] vec_deque::IntoIter<T>;
    ['a, T] linked_list::Iter<'a, T>;
    ['a, T] linked_list::IterMut<'a, T>;
    [T] linked_list::IntoIter<T>;
    ['a, K, V] btree_map::Iter<'a, K, V>;
    ['a, K, V] btree_map::IterMut<'a, K, V>;
    [K, V] btree_map::IntoIter<K, V>;
    ['a, K, V] btree_map::Keys<'a, K, V>;
    ['a, K, V] btree_map::Values<'a, K, V>;
    ['a, K, V] btree_map::ValuesMut<'a, K, V>;
    [K, V] btree_map::IntoKeys<K, V>;
    [K, V] btree_map::IntoValues<K, V>;
    ['a, K, V] btree_map::Range<'a, K, V>;
    ['a, K, V] btree_map::RangeMut<'a, K, V>;
    ['a, T] btree_set::Iter<'a, T>;
    ['a, T] btree_set::Range<'a, T>;
    [T] btree_set::IntoIter<T>;
    ['a] str::Chars<'a>;
    ['a] str::CharIndices<'a>;
    ['a] str::Bytes<'a>;
    ['a] str::Lines<'a>;
    ['a] str::SplitWhitespace<'a>;
    ['a] str::SplitAsciiWhitespace<'a>;
    ['a] str::Split<'a, char>;
    ['a, 'b] str::Split<'a, &'b str>;
    ['a] str::RSplit<'a, char>;
    ['a, 'b] str::RSplit<'a, &'b str>;
    ['a] str::SplitN<'a, char>;
    ['a, 'b] str::SplitN<'a, &'b str>;
    ['a, const N: usize] str::Split<'a, [char; N]>;
    ['a, 'b] str::Split<'a, &'b [char]>;
    ['a, const N: usize] str::RSplit<'a, [char; N]>;
    ['a, const N: usize] str::SplitN<'a, [char; N]>;
    ['a] str::SplitInclusive<'a, char>;
    ['a, 'b] str::SplitInclusive<'a, &'b str>;
    ['a] str::SplitTerminator<'a, char>;
    ['a, 'b] str::SplitTerminator<'a, &'b str>;
    ['a] str::Matches<'a, char>;
    ['a, 'b] str::Matches<'a, &'b str>;
    ['a] str::MatchIndices<'a, char>;
    ['a, 'b] str::MatchIndices<'a, &'b str>;
    ['a] serde_json::map::Iter<'a>;
    ['a] serde_json::map::IterMut<'a>;
    ['a] serde_json::map::ValuesMut<'a>;
    ['a] serde_json::map::Keys<'a>;
    ['a] serde_json::map::Values<'a>;
    [] serde_json::map::IntoIter;
    [T] Range<T>;
    [T] RangeInclusive<T>;
    [T] RangeFrom<T>;
    [I: Stable] iter::Enumerate<I>;
    [I: Stable] iter::Rev<I>;
    [I: Stable] iter::Skip<I>;
    [I: Stable] iter::Take<I>;
    [I: Stable] iter::StepBy<I>;
    [I: Stable] iter::Copied<I>;
    [A: Stable, B: Stable] iter::Zip<A, B>;
    [A: Stable, B: Stable] iter::Chain<A, B>;
    [I: Stable + Clone] iter::Cycle<I>;
    [I: Stable + Iterator<Item: StdItems + IntoIterator<IntoIter: Stable>>] iter::Flatten<I>;
}

/// A `Clone` of one's own may do something, so that each item is cloned once, where it is taken.
impl<'a, I: Stable + Iterator<Item = &'a T>, T: Plain + Clone + 'a> Stable for iter::Cloned<I> {}
impl<'a, I: Owned + Iterator<Item = &'a T>, T: Plain + Clone + 'a> Owned for iter::Cloned<I> {}

/// Collections and texts of std: to iterate over them once more has no effect, and gives the same.
#[diagnostic::on_unimplemented(
    message = "a `for` over something of a `{Self}` asks in its body, and its place cannot be found again",
    label = "this is not one of std's collections, so that to iterate once more may do something else",
    note = "evaluate it once, before the loop: `let items: Vec<_> = ….collect();`, and loop over that"
)]
pub trait StdItems {}

impl<T> StdItems for Vec<T> {}
impl<T> StdItems for [T] {}
impl<T, const N: usize> StdItems for [T; N] {}
impl StdItems for str {}
impl StdItems for String {}
impl<T> StdItems for Option<T> {}
impl<T, E> StdItems for Result<T, E> {}
impl<T> StdItems for VecDeque<T> {}
impl<T> StdItems for LinkedList<T> {}
impl<T> StdItems for BTreeSet<T> {}
impl<K, V> StdItems for BTreeMap<K, V> {}
impl<T, S> StdItems for HashSet<T, S> {}
impl<K, V, S> StdItems for HashMap<K, V, S> {}
impl<T> StdItems for Range<T> {}
impl<T> StdItems for RangeInclusive<T> {}
impl StdItems for serde_json::Map<String, serde_json::Value> {}
impl<T: StdItems + ?Sized> StdItems for &T {}
impl<T: StdItems + ?Sized> StdItems for &mut T {}
impl<T: StdItems + ?Sized> StdItems for Box<T> {}
impl<T: StdItems + ?Sized> StdItems for std::sync::Arc<T> {}
impl<T: StdItems + ToOwned + ?Sized> StdItems for std::borrow::Cow<'_, T> {}
// It is made where the loop begins, and is the same from then on.
impl<T: StdItems, F: FnOnce() -> T> StdItems for std::sync::LazyLock<T, F> {}

/// Lets only std's collections through.
pub fn std_items<T: StdItems + ?Sized>(items: &T) -> &T {
    items
}

/// The same, to change what is in them.
pub trait StdItemsMut {
    /// The collection.
    #[doc(hidden)]
    fn __saga_items_mut(&mut self) -> &mut Self
    where
        Self: StdItems;
}

impl<T: ?Sized> StdItemsMut for T {
    fn __saga_items_mut(&mut self) -> &mut Self
    where
        Self: StdItems,
    {
        self
    }
}

/// Collections of std: an item of them is the same place whenever it is looked up.
#[diagnostic::on_unimplemented(
    message = "an item of a `{Self}` is borrowed across an ask, and would be looked up again after it",
    label = "this is not one of std's collections, so that its index may do something else",
    note = "borrow it after the ask, or take a copy: `let item = list[n].clone();`"
)]
pub trait StdIndexed {}

impl<T> StdIndexed for Vec<T> {}
impl<T> StdIndexed for [T] {}
impl<T, const N: usize> StdIndexed for [T; N] {}
impl StdIndexed for str {}
impl StdIndexed for String {}
impl<T> StdIndexed for VecDeque<T> {}
impl<T> StdIndexed for Option<T> {}
impl<T, E> StdIndexed for Result<T, E> {}
impl<K, V> StdIndexed for BTreeMap<K, V> {}
impl<K, V, S> StdIndexed for HashMap<K, V, S> {}
impl StdIndexed for serde_json::Value {}
impl StdIndexed for serde_json::Map<String, serde_json::Value> {}
impl<T: StdIndexed + ?Sized> StdIndexed for &T {}
impl<T: StdIndexed + ?Sized> StdIndexed for &mut T {}
impl<T: StdIndexed + ?Sized> StdIndexed for Box<T> {}
impl<T: StdIndexed + ?Sized> StdIndexed for std::sync::Arc<T> {}
impl<T: StdIndexed, F: FnOnce() -> T> StdIndexed for std::sync::LazyLock<T, F> {}

/// Lets only std's collections through.
pub fn std_indexed<T: StdIndexed + ?Sized>(items: &T) -> &T {
    items
}

/// The same, to change an item.
pub trait StdIndexedMut {
    /// The collection.
    #[doc(hidden)]
    fn __saga_indexed_mut(&mut self) -> &mut Self
    where
        Self: StdIndexed;
}

impl<T: ?Sized> StdIndexedMut for T {
    fn __saga_indexed_mut(&mut self) -> &mut Self
    where
        Self: StdIndexed,
    {
        self
    }
}

/// Pointers of std, and `Option`s of them: what is behind one is the same place whenever it is looked up.
#[diagnostic::on_unimplemented(
    message = "what is behind a `{Self}` is borrowed across an ask, and would be looked up again after it",
    label = "this is not one of std's pointers, so that to dereference it may do something else",
    note = "borrow it after the ask"
)]
pub trait StdBehind {}

impl<T: ?Sized> StdBehind for &mut T {}
impl<T: ?Sized> StdBehind for Box<T> {}
impl<T> StdBehind for Vec<T> {}
impl StdBehind for String {}
impl<T: StdBehind> StdBehind for Option<T> {}
impl<T: StdBehind, E> StdBehind for Result<T, E> {}

/// Lets only std's pointers through.
pub fn std_behind<T: StdBehind + ?Sized>(pointer: &T) -> &T {
    pointer
}

/// The same, to change what is behind it.
pub trait StdBehindMut {
    /// The pointer.
    #[doc(hidden)]
    fn __saga_behind_mut(&mut self) -> &mut Self
    where
        Self: StdBehind;
}

impl<T: ?Sized> StdBehindMut for T {
    fn __saga_behind_mut(&mut self) -> &mut Self
    where
        Self: StdBehind,
    {
        self
    }
}

/// The same of what a loop goes over itself.
pub fn std_collection<T: StdItems>(items: T) -> T {
    items
}

/// A collection that gives the same items in the same order whenever it is gone over.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Live;

impl Live {
    /// The item at `place`.
    pub fn nth<I: IntoIterator<IntoIter: Stable>>(
        &self,
        items: I,
        place: usize,
    ) -> Option<I::Item> {
        items.into_iter().nth(place)
    }
}

/// What a loop goes over, in an order that may be another one elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept<T>(pub(crate) Vec<T>);

/// Items that a loop can keep a copy of while it is at one.
#[diagnostic::on_unimplemented(
    message = "a `for` asks in its body, and its items, of type `{Self}`, cannot be found again",
    label = "this is not one of std's collections, and there is no copy of its items"
)]
pub trait KeptItem: Clone {}

impl<T: Clone> KeptItem for T {}

impl<T> Kept<T> {
    /// The item at `place`.
    pub fn nth<I: IntoIterator<Item = T>>(&self, _: I, place: usize) -> Option<T>
    where
        T: KeptItem,
    {
        self.0.get(place).cloned()
    }
}

/// The keys of a map whose values a loop changes, in an order that may be another one elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ByKey<K>(pub(crate) Vec<K>);

impl<K: Eq> ByKey<K> {
    /// The entry whose turn is at `place`.
    pub fn nth<'a, V: 'a>(
        &self,
        items: impl IntoIterator<IntoIter = hash_map::IterMut<'a, K, V>, Item = (&'a K, &'a mut V)>,
        place: usize,
    ) -> Option<(&'a K, &'a mut V)>
    where
        K: 'a,
    {
        let key = self.0.get(place)?;
        items.into_iter().find(|(known, _)| *known == key)
    }
}

/// Found first: it is gone over again for each step.
pub trait SourceLive<I> {
    /// Nothing has to be kept.
    fn saga_source(&self, items: I) -> Live;
}

impl<I: IntoIterator<IntoIter: Stable>> SourceLive<I> for &&Witness<I> {
    fn saga_source(&self, _: I) -> Live {
        Live
    }
}

/// Found next: what the loop changes is looked up.
pub trait SourceByKey<I, K> {
    /// All keys.
    fn saga_source(&self, items: I) -> ByKey<K>;
}

impl<'a, I, K, V> SourceByKey<I, K> for &Witness<I>
where
    I: IntoIterator<IntoIter = hash_map::IterMut<'a, K, V>, Item = (&'a K, &'a mut V)>,
    K: Clone + 'a,
    V: 'a,
{
    fn saga_source(&self, items: I) -> ByKey<K> {
        ByKey(items.into_iter().map(|(key, _)| key.clone()).collect())
    }
}

/// Found for everything else.
pub trait SourceKept<I: IntoIterator> {
    /// All items; they are std's, so that nobody sees when they are taken.
    fn saga_source(&self, items: I) -> Kept<I::Item>
    where
        I::IntoIter: Owned;
}

impl<I: IntoIterator> SourceKept<I> for Witness<I> {
    fn saga_source(&self, items: I) -> Kept<I::Item>
    where
        I::IntoIter: Owned,
    {
        Kept(items.into_iter().collect())
    }
}

/// Collections that a loop owns: what is left of them is stored.
#[diagnostic::on_unimplemented(
    message = "a `for` over `{Self}` asks in its body, and what is left of it cannot be stored",
    label = "not an owned collection of std's or a range, and not found again in a variable",
    note = "where the items are looked at, collect them first, each its own owner: `let items: Vec<_> = ….cloned().collect(); for item in items {{ … }}`",
    note = "where they are changed, go over their places: `for n in 0..list.len() {{ … list[n] = …; }}`, or bind the collection first: `let list = &mut self.list; for item in list.iter_mut() {{ … }}`"
)]
pub trait Owned: IntoIterator {}

macro_rules! owned {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(impl<$($generics)*> Owned for $ty where Self: IntoIterator {})*
    };
}

/// Iterators whose clones do nothing that anybody would see: all of a loop's items are made before its first turn.
pub trait ClonesPlain: Clone {}

kind! {
    ClonesPlain:
    ['a, T] slice::Iter<'a, T>; ['a] str::Chars<'a>; ['a, T] btree_set::Iter<'a, T>; ['a, T] vec_deque::Iter<'a, T>;
    ['a, K, V] btree_map::Iter<'a, K, V>; ['a, K, V] btree_map::Keys<'a, K, V>; ['a, K, V] btree_map::Values<'a, K, V>;
    [T: InRow + Clone] Range<T>; [T: InRow + Clone] vec::IntoIter<T>; [T: InRow + Clone, const N: usize] array::IntoIter<T, N>;
    ['a, T: Copy + 'a, I: ClonesPlain + Iterator<Item = &'a T>] iter::Copied<I>; [I: ClonesPlain] iter::Enumerate<I>;
    [I: ClonesPlain] iter::Rev<I>; [I: ClonesPlain] iter::Skip<I>; [I: ClonesPlain] iter::Take<I>; [I: ClonesPlain] iter::StepBy<I>;
}

owned! {
    [T] Vec<T>;
    [T] Box<[T]>;
    [T, const N: usize] [T; N];
    [T] Option<T>;
    [T, E] Result<T, E>;
    [T] VecDeque<T>;
    [T] LinkedList<T>;
    [T] BinaryHeap<T>;
    [K, V] BTreeMap<K, V>;
    [T] BTreeSet<T>;
    [K, V, S] HashMap<K, V, S>;
    [T, S] HashSet<T, S>;
    [T] vec::IntoIter<T>;
    [T] vec_deque::IntoIter<T>;
    [K, V] btree_map::IntoIter<K, V>;
    [K, V] btree_map::IntoKeys<K, V>;
    [K, V] btree_map::IntoValues<K, V>;
    [T] btree_set::IntoIter<T>;
    [T, const N: usize] array::IntoIter<T, N>;
    [T] option::IntoIter<T>;
    [K, V] std::collections::hash_map::IntoIter<K, V>;
    [T] std::collections::hash_set::IntoIter<T>;
    [] serde_json::Map<String, serde_json::Value>;
    ['a, T] slice::Iter<'a, T>;
    ['a, T] slice::Chunks<'a, T>;
    ['a, T] slice::ChunksExact<'a, T>;
    ['a, T] slice::Windows<'a, T>;
    ['a, T] slice::RChunks<'a, T>;
    ['a, T] slice::RChunksExact<'a, T>;
    ['a, T] option::Iter<'a, T>;
    ['a, T] option::IterMut<'a, T>;
    [T] result::IntoIter<T>;
    ['a, T] result::Iter<'a, T>;
    ['a, T] result::IterMut<'a, T>;
    ['a, T] vec_deque::Iter<'a, T>;
    [T] linked_list::IntoIter<T>;
    ['a, T] linked_list::Iter<'a, T>;
    ['a, K, V] btree_map::Iter<'a, K, V>;
    ['a, K, V] btree_map::Keys<'a, K, V>;
    ['a, K, V] btree_map::Values<'a, K, V>;
    ['a, K, V] btree_map::Range<'a, K, V>;
    ['a, T] btree_set::Iter<'a, T>;
    ['a, T] btree_set::Range<'a, T>;
    ['a, T] btree_set::Intersection<'a, T>;
    ['a, T] btree_set::Union<'a, T>;
    ['a, T] btree_set::Difference<'a, T>;
    ['a, T] btree_set::SymmetricDifference<'a, T>;
    ['a, T, S] hash_set::Intersection<'a, T, S>;
    ['a, T, S] hash_set::Union<'a, T, S>;
    ['a, T, S] hash_set::Difference<'a, T, S>;
    ['a, T, S] hash_set::SymmetricDifference<'a, T, S>;
    [T: Plain + Clone] iter::RepeatN<T>;
    ['a, K, V] hash_map::Iter<'a, K, V>;
    ['a, K, V] hash_map::Keys<'a, K, V>;
    ['a, K, V] hash_map::Values<'a, K, V>;
    ['a, K, V] hash_map::Drain<'a, K, V>;
    [K, V] hash_map::IntoKeys<K, V>;
    [K, V] hash_map::IntoValues<K, V>;
    ['a, T] hash_set::Iter<'a, T>;
    ['a, T] hash_set::Drain<'a, T>;
    ['a, T] vec::Drain<'a, T>;
    ['a, T] vec_deque::Drain<'a, T>;
    ['a, T] binary_heap::Drain<'a, T>;
    [T] binary_heap::IntoIter<T>;
    ['a] string::Drain<'a>;
    ['a] str::Chars<'a>;
    ['a] str::CharIndices<'a>;
    ['a] str::Bytes<'a>;
    ['a] str::Lines<'a>;
    ['a] str::SplitWhitespace<'a>;
    ['a] str::SplitAsciiWhitespace<'a>;
    ['a] str::Split<'a, char>;
    ['a, 'b] str::Split<'a, &'b str>;
    ['a] str::RSplit<'a, char>;
    ['a, 'b] str::RSplit<'a, &'b str>;
    ['a] str::SplitN<'a, char>;
    ['a, 'b] str::SplitN<'a, &'b str>;
    ['a, const N: usize] str::Split<'a, [char; N]>;
    ['a, 'b] str::Split<'a, &'b [char]>;
    ['a, const N: usize] str::RSplit<'a, [char; N]>;
    ['a, const N: usize] str::SplitN<'a, [char; N]>;
    ['a] serde_json::map::Iter<'a>;
    ['a] serde_json::map::Keys<'a>;
    ['a] serde_json::map::Values<'a>;
    [] serde_json::map::IntoIter;
    [T] iter::Once<T>;
    [T] iter::Empty<T>;
    [I: Owned + Iterator<Item: StdItems + IntoIterator<IntoIter: Owned>>] iter::Flatten<I>;
    [I: Owned + Iterator] iter::Peekable<I>;
    [I: Owned + Iterator] iter::Fuse<I>;
    [T: InRow + Clone] iter::Take<iter::Repeat<T>>;
    [I: Owned + Iterator] iter::Copied<I>;
    ['a, T] &'a Vec<T>;
    ['a, T] &'a [T];
    ['a, T, const N: usize] &'a [T; N];
    ['a, T] &'a Option<T>;
    ['a, T] &'a VecDeque<T>;
    ['a, T] &'a BTreeSet<T>;
    ['a, K, V] &'a BTreeMap<K, V>;
    ['a, T, S] &'a HashSet<T, S>;
    ['a, K, V, S] &'a HashMap<K, V, S>;
    ['a, T] &'a LinkedList<T>;
    ['a, T] &'a BinaryHeap<T>;
    ['a] &'a serde_json::Map<String, serde_json::Value>;
    [T] Range<T>;
    [T] RangeInclusive<T>;
    [I: Owned + Iterator] iter::Enumerate<I>;
    [I: Owned + Iterator] iter::Rev<I>;
    [I: Owned + Iterator] iter::Skip<I>;
    [I: Owned + Iterator] iter::Take<I>;
    [I: Owned + Iterator] iter::StepBy<I>;
    [A: Owned + Iterator, B: Owned + Iterator] iter::Zip<A, B>;
    // Without an end, beside what has one.
    [T, B: Owned + Iterator] iter::Zip<RangeFrom<T>, B>;
    [A: Owned + Iterator, T] iter::Zip<A, RangeFrom<T>>;
    [A: Owned + Iterator, I: Owned + Iterator + ClonesPlain] iter::Zip<A, iter::Cycle<I>>;
    [A: Owned + Iterator, B: Owned + Iterator] iter::Chain<A, B>;
}

/// What is left of a loop, last item first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Remaining<T>(pub(crate) Vec<T>);

impl<T> Remaining<T> {
    /// The next item.
    #[allow(
        clippy::should_implement_trait,
        reason = "generated code calls it without the trait"
    )]
    pub fn next(&mut self) -> Option<T> {
        self.0.pop()
    }
}

/// Found first: collections that a loop owns.
pub trait DrainOwned<I: IntoIterator> {
    /// All of `items`.
    fn saga_drain(&self, items: I) -> Remaining<I::Item>;
}

impl<I: Owned> DrainOwned<I> for &Witness<I> {
    fn saga_drain(&self, items: I) -> Remaining<I::Item> {
        let mut items: Vec<I::Item> = items.into_iter().collect();
        items.reverse();
        Remaining(items)
    }
}

/// What no loop goes over: it can be stored, so that a refused loop is refused once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Refused<T>(#[serde(skip)] PhantomData<T>);

impl<T> Refused<T> {
    /// Nothing.
    #[allow(
        clippy::should_implement_trait,
        reason = "generated code calls it without the trait"
    )]
    pub fn next(&mut self) -> Option<T> {
        None
    }
}

/// Found for everything else.
pub trait DrainOther<I: IntoIterator> {
    /// Does not compile.
    fn saga_drain(&self, items: I) -> Refused<I::Item>
    where
        I: Owned;
}

impl<I: IntoIterator> DrainOther<I> for Witness<I> {
    fn saga_drain(&self, _: I) -> Refused<I::Item>
    where
        I: Owned,
    {
        Refused(PhantomData)
    }
}

/// What `by_ref` of an iterator gives.
#[diagnostic::on_unimplemented(
    message = "a `for` over what `by_ref` gives, a `{Self}`, asks in its body",
    label = "this `by_ref` is not that of `Iterator`",
    note = "give what it gives a name, and loop over that"
)]
pub trait ByRef {
    /// An item.
    type Item;

    /// The next item.
    fn next_of(self) -> Option<Self::Item>;
}

impl<I: Iterator + ?Sized> ByRef for &mut I {
    type Item = I::Item;

    fn next_of(self) -> Option<I::Item> {
        self.next()
    }
}

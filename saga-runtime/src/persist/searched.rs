//! Searches among items that are to be changed, by std's methods of these names: what is found is found there again.

use std::cmp::Ordering;

use super::iterate::Stable;

/// Where it is, and the item.
type Found<I> = (Option<usize>, Option<<I as IntoIterator>::Item>);

/// The first.
pub fn next<I: IntoIterator>(items: I) -> Found<I> {
    items.into_iter().enumerate().next().unzip()
}

/// The one at a place.
pub fn nth<I: IntoIterator>(items: I, place: usize) -> Found<I> {
    items.into_iter().enumerate().nth(place).unzip()
}

/// The last.
pub fn last<I: IntoIterator>(items: I) -> Found<I> {
    items.into_iter().enumerate().last().unzip()
}

/// The first that holds.
pub fn find<I: IntoIterator>(items: I, mut is: impl FnMut(&I::Item) -> bool) -> Found<I> {
    let mut items = items.into_iter().enumerate();
    items.find(|(_, item)| is(item)).unzip()
}

/// The last of the greatest keys.
pub fn max_by_key<I: IntoIterator, K: Ord>(
    items: I,
    mut key: impl FnMut(&I::Item) -> K,
) -> Found<I> {
    let items = items.into_iter().enumerate();
    items.max_by_key(|(_, item)| key(item)).unzip()
}

/// The first of the least keys.
pub fn min_by_key<I: IntoIterator, K: Ord>(
    items: I,
    mut key: impl FnMut(&I::Item) -> K,
) -> Found<I> {
    let items = items.into_iter().enumerate();
    items.min_by_key(|(_, item)| key(item)).unzip()
}

/// The last of the greatest.
pub fn max_by<I: IntoIterator>(
    items: I,
    mut compare: impl FnMut(&I::Item, &I::Item) -> Ordering,
) -> Found<I> {
    let items = items.into_iter().enumerate();
    items.max_by(|(_, a), (_, b)| compare(a, b)).unzip()
}

/// The first of the least.
pub fn min_by<I: IntoIterator>(
    items: I,
    mut compare: impl FnMut(&I::Item, &I::Item) -> Ordering,
) -> Found<I> {
    let items = items.into_iter().enumerate();
    items.min_by(|(_, a), (_, b)| compare(a, b)).unzip()
}

/// The item that was found there.
pub fn there<I: IntoIterator<IntoIter: Stable>>(items: I, at: Option<usize>) -> Option<I::Item> {
    items.into_iter().nth(at?)
}

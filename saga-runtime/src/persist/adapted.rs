//! Proofs that the adapters in the head of a loop are std's: a collection may have methods of such names, which do it all at
//! once, and so may an iterator of the author's.

use std::iter::{
    Cloned, Copied, Enumerate, Filter, FilterMap, FlatMap, Flatten, Inspect, Map, MapWhile, Rev,
    Scan, Skip, SkipWhile, Take, TakeWhile,
};

macro_rules! adapters {
    ($($name:ident: [$($more:ident),*] $ty:ty;)*) => {
        /// The names of std's adapters, as types.
        #[allow(non_camel_case_types, missing_docs, reason = "a type for each, under its name")]
        pub mod adapters {
            $(#[derive(Debug)] pub struct $name;)*
            #[derive(Debug)]
            pub struct flatten;
            #[derive(Debug)]
            pub struct flat_map;
        }

        $(#[diagnostic::do_not_recommend]
        impl<I: AdaptedByStd<N>, N, $($more),*> AdaptedByStd<(adapters::$name, N)> for $ty {})*
    };
}

/// What std's adapters of these names make, the outermost first.
#[diagnostic::on_unimplemented(
    message = "the head of this loop gives a `{Self}`, which is not what std's iterators of these methods' names are",
    label = "a method of this name, and not std's of an iterator",
    note = "why: the body asks, and so `map`, `filter` and their kin in the head of the loop run item by item, as those of std's iterators do; those of arrays and of other types do it all at once",
    note = "instead: `let items = ..;` before the loop, and `for item in items`"
)]
pub trait AdaptedByStd<Adapters> {}

#[diagnostic::do_not_recommend]
impl<I> AdaptedByStd<()> for I {}

adapters! {
    cloned: [] Cloned<I>;
    copied: [] Copied<I>;
    enumerate: [] Enumerate<I>;
    filter: [P] Filter<I, P>;
    filter_map: [F] FilterMap<I, F>;
    inspect: [F] Inspect<I, F>;
    map: [F] Map<I, F>;
    map_while: [P] MapWhile<I, P>;
    rev: [] Rev<I>;
    scan: [S, F] Scan<I, S, F>;
    skip: [] Skip<I>;
    skip_while: [P] SkipWhile<I, P>;
    take: [] Take<I>;
    take_while: [P] TakeWhile<I, P>;
}

#[diagnostic::do_not_recommend]
impl<I: AdaptedByStd<N> + Iterator<Item: IntoIterator>, N> AdaptedByStd<(adapters::flatten, N)>
    for Flatten<I>
{
}

#[diagnostic::do_not_recommend]
impl<I: AdaptedByStd<N>, N, U: IntoIterator, F> AdaptedByStd<(adapters::flat_map, N)>
    for FlatMap<I, U, F>
{
}

// Of no more than one item there is no order.
macro_rules! of_one {
    ($($name:ident)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<T, N> AdaptedByStd<(adapters::$name, N)> for Option<T> {}
            #[diagnostic::do_not_recommend]
            impl<T, E, N> AdaptedByStd<(adapters::$name, N)> for Result<T, E> {}
        )*
    };
}

// A `Result` has no `filter`.
of_one! { cloned copied filter flatten inspect map }

/// Lets only what std's adapters make through.
pub fn adapted_by_std<Adapters, T: AdaptedByStd<Adapters> + ?Sized>(_: &T) {}

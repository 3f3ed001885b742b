//! Proofs that what is called again is std's: a trait of the author's may have a method of the same name for a collection
//! of std's, and method calls find it first where it is closer to the collection.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque},
    marker::PhantomData,
    ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive},
    rc::Rc,
    sync::Arc,
};

use serde_json::{Map, Value};

/// The collection that a chain of pointers of std's leads to.
pub trait LeadsToCollection {
    /// That.
    type Collection: ?Sized;
    /// The next one of the chain.
    type Next: ?Sized;
}

macro_rules! collections {
    ($([$($generics:tt)*] $ty:ty;)*) => {
        $(impl<$($generics)*> LeadsToCollection for $ty {
            type Collection = Self;
            type Next = Self;
        })*
    };
}

collections! {
    [T] Vec<T>; [T] [T]; [T, const N: usize] [T; N]; [T] VecDeque<T>; [T] LinkedList<T>; [T] BinaryHeap<T>;
    [T] Option<T>; [T, E] Result<T, E>; [] str; [] String; [] Value; [] Map<String, Value>;
    [T] BTreeSet<T>; [K, V] BTreeMap<K, V>; [T, S] HashSet<T, S>; [K, V, S] HashMap<K, V, S>;
}

macro_rules! pointers {
    ($([$($generics:tt)*] $ty:ty => $to:ty;)*) => {
        $(impl<$($generics)*> LeadsToCollection for $ty
        where
            $to: LeadsToCollection,
        {
            type Collection = <$to as LeadsToCollection>::Collection;
            type Next = $to;
        })*
    };
}

pointers! {
    [T: ?Sized] &T => T; [T: ?Sized] &mut T => T; [T: ?Sized] Box<T> => T; [T: ?Sized] Rc<T> => T; [T: ?Sized] Arc<T> => T;
    ['a, T: ToOwned + ?Sized] Cow<'a, T> => T;
}

/// What a method is called on.
#[derive(Debug)]
pub struct Receiver<R: ?Sized>(PhantomData<fn(&R)>);

impl<R: ?Sized> Receiver<R> {
    /// That of a value.
    pub fn of(_: &R) -> Self {
        Self(PhantomData)
    }
}

/// The collection that it leads to, and the way there. It is asked for where nothing runs.
pub trait OfCollection {
    #[doc(hidden)]
    type Itself: ?Sized;
    #[doc(hidden)]
    type Next: ?Sized;
    #[doc(hidden)]
    type Of: ?Sized;
    #[doc(hidden)]
    fn saga_itself<'r>(&self) -> &'r mut Self::Itself {
        never()
    }
    #[doc(hidden)]
    fn saga_next<'r>(&self) -> &'r mut Self::Next {
        never()
    }
    #[doc(hidden)]
    fn saga_collection<'r>(&self) -> &'r mut Self::Of {
        never()
    }
}

impl<R: LeadsToCollection + ?Sized> OfCollection for Receiver<R> {
    type Itself = R;
    type Next = R::Next;
    type Of = R::Collection;
}

/// Anything else: that it is none of std's is said elsewhere.
pub trait OfOther {
    #[doc(hidden)]
    type Of: ?Sized;
    #[doc(hidden)]
    fn saga_itself<'r>(&self) -> &'r mut Self::Of {
        never()
    }
    #[doc(hidden)]
    fn saga_next<'r>(&self) -> &'r mut Self::Of {
        never()
    }
    #[doc(hidden)]
    fn saga_collection<'r>(&self) -> &'r mut Self::Of {
        never()
    }
}

impl<R: ?Sized> OfOther for &Receiver<R> {
    type Of = R;
}

#[allow(clippy::panic, reason = "it is only type-checked")]
fn never<T>() -> T {
    panic!("this is only type-checked")
}

macro_rules! methods {
    ($($method:ident($($argument:ident),*))*) => {
        /// One of each name of std's: beside another one of a trait it is one too many, which rustc says. It is as close to
        /// every collection as a method of a trait can be; std's own come before both.
        #[allow(
            unused_variables,
            missing_docs,
            clippy::wrong_self_convention,
            reason = "they have the names of std's, and none is called"
        )]
        pub trait OnlyMethodsOfStdAreCalledAgain: Sized {
            $(#[doc(hidden)]
            fn $method<$($argument),*>(self, $($argument: $argument),*) {})*
        }
    };
}

#[allow(
    non_camel_case_types,
    reason = "a type for each argument, under its name"
)]
mod methods {
    methods! {
        get_mut(a) first_mut() last_mut() front_mut() back_mut() as_mut() as_mut_slice() split_at_mut(a) split_first_mut()
        split_last_mut() as_deref_mut() iter() iter_mut() chars() char_indices() bytes() lines() split_whitespace()
        split_ascii_whitespace() split(a) rsplit(a) splitn(a, b) keys() values() values_mut() windows(a) chunks(a)
        chunks_exact(a) rchunks(a) chunks_mut(a) chunks_exact_mut(a) split_inclusive(a) split_terminator(a) matches(a)
        match_indices(a) as_array_mut() as_object_mut() pointer_mut(a)
    }

    impl<T> OnlyMethodsOfStdAreCalledAgain for T {}
}

pub use methods::OnlyMethodsOfStdAreCalledAgain;

/// What std's collections have an item by.
#[diagnostic::on_unimplemented(
    message = "an item is borrowed across an ask, and would be looked up again by a `{Self}` after it",
    label = "std has no items by this, so that the index may do something else then",
    note = "borrow it after the ask, or take a copy: `let item = list[n].clone();`"
)]
pub trait StdKey {}

impl StdKey for usize {}
impl StdKey for String {}
impl StdKey for RangeFull {}
impl<Q: ?Sized> StdKey for &Q {}
impl StdKey for Range<usize> {}
impl StdKey for RangeFrom<usize> {}
impl StdKey for RangeTo<usize> {}
impl StdKey for RangeInclusive<usize> {}
impl StdKey for RangeToInclusive<usize> {}

/// Lets only what std has items by through.
pub fn std_key<K: StdKey>(key: K) -> K {
    key
}

/// The same of a key that is not given away.
pub fn std_by<K: StdKey>(key: &K) -> &K {
    key
}

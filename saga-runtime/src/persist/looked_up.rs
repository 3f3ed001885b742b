//! Values that are looked up again where their type cannot be stored: in std's collections alone.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    marker::PhantomData,
    sync::Arc,
};

use super::{
    Slot,
    forms::{
        AsGiven, AsPlain, AsReferences, AsRequestHandle, AsSaid, AsSerde, AsSerdeLent, AsStatic,
        AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved,
    },
    kinds::kind,
};

/// In which form a value crosses that may be looked up again.
#[derive(Debug)]
pub struct Again<F>(PhantomData<fn(F) -> F>);

impl<F> Again<F> {
    /// That of a slot.
    pub fn of<T>(_: &Slot<T, F>) -> Self {
        Self(PhantomData)
    }
}

/// Where something may be looked up in the place of what was found there.
pub trait LooksUp<R: ?Sized> {}

impl<R: LookedUpAgain + ?Sized> LooksUp<R> for Rematerialized {}
impl<R: LookedUpAgain + ?Sized> LooksUp<R> for RematerializedShown {}

/// Forms that are read from a frame: nothing is looked up.
macro_rules! read {
    ($($form:ty),*) => {
        $(impl<R: ?Sized> LooksUp<R> for $form {})*
    };
}

read!(
    AsSerde,
    AsSerdeLent,
    AsStatic,
    AsStored,
    AsUntouched,
    AsPlain,
    AsSteps,
    AsTextSteps,
    AsWritten,
    AsRequestHandle,
    AsGiven,
    AsSaid,
    Refused,
    Unsaved
);

impl<K, R: ?Sized> LooksUp<R> for AsReferences<K> {}

/// Collections and pointers of std: what is looked up in them is the same whenever it is.
#[diagnostic::on_unimplemented(
    message = "what a `{Self}` gave is held across an ask, cannot be stored, and would be looked up again after it",
    label = "this is not one of std's collections, so that it may give something else then",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "look it up after the ask, or take a copy of what is needed: `let name = found.name.clone();`",
    note = "above its `let`: `#[saga(remake)]` looks it up again, with the effects of that"
)]
pub trait LookedUpAgain {}

kind! {
    LookedUpAgain:
    [T] Vec<T>; [T] [T]; [T, const N: usize] [T; N]; [T] VecDeque<T>; [T] Option<T>; [T, E] Result<T, E>;
    [K, V] BTreeMap<K, V>; [K, V, S] HashMap<K, V, S>; [T] BTreeSet<T>; [T, S] HashSet<T, S>;
    [T: LookedUpAgain + ?Sized] &T; [T: LookedUpAgain + ?Sized] &mut T; [T: LookedUpAgain + ?Sized] Box<T>;
    [T: LookedUpAgain + ?Sized] Arc<T>;
}

/// Lets only std's collections through, where the form has something looked up again.
pub fn looked_up<'v, F: LooksUp<R>, R: ?Sized>(_: &Again<F>, items: &'v R) -> &'v R {
    items
}

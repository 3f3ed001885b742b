//! Proofs for values that are evaluated again where their type cannot be stored: each step of it is std's, and does nothing.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
    marker::PhantomData,
    rc::Rc,
    sync::{Arc, LazyLock},
};

use super::{
    Slot,
    forms::{
        AsGiven, AsParts, AsPlain, AsReferences, AsSaid, AsSerde, AsSerdeLent, AsSerdeShown,
        AsStatic, AsSteps, AsStored, AsTextSteps, AsUntouched, AsWritten, Refused, Rematerialized,
        RematerializedShown, Unsaved,
    },
    handles::AsRequestHandle,
    kinds::kind,
    lent_parts::AsLentParts,
    shown::{AsSerdeLentShown, AsShownReferences},
};
use crate::__private::Present;

/// In which form a value crosses that may be evaluated again.
#[derive(Debug)]
pub struct Again<F>(PhantomData<fn(F) -> F>);

impl<F> Again<F> {
    /// That of a slot.
    pub fn of<T>(_: &Slot<T, F>) -> Self {
        Self(PhantomData)
    }
}

/// Where a step may be done again that has this proof.
pub trait Proves<P> {}

impl<P: Proof> Proves<P> for Rematerialized {}
impl<P: Proof> Proves<P> for RematerializedShown {}

/// That a step gives the same whenever it is done, and does nothing else.
pub trait Proof {}

/// A lookup in a collection.
#[derive(Debug)]
pub struct Collection<R: ?Sized>(PhantomData<R>);
/// What `as_ref` is called on.
#[derive(Debug)]
pub struct Referred<R: ?Sized>(PhantomData<R>);
/// What `ok`, `unwrap` and the like are called on.
#[derive(Debug)]
pub struct Optional<R: ?Sized>(PhantomData<R>);
/// What is dereferenced.
#[derive(Debug)]
pub struct Behind<R: ?Sized>(PhantomData<R>);
/// What a `clone` has given, and of what `Clone` would.
#[derive(Debug)]
pub struct CloneOf<V, R: ?Sized>(PhantomData<V>, PhantomData<R>);

impl<R: LookedUpAgain + ?Sized> Proof for Collection<R> {}
impl<R: ReferredAgain + ?Sized> Proof for Referred<R> {}
impl<R: TakenApartAgain + ?Sized> Proof for Optional<R> {}
impl<R: DereferencedAgain + ?Sized> Proof for Behind<R> {}
impl<V: ClonedAgain<R>, R: ?Sized> Proof for CloneOf<V, R> {}

/// Forms by which a value is neither evaluated again nor taken apart: for those there is nothing to prove.
macro_rules! whole_forms {
    ($trait:ident) => {
        whole_forms! {
            $trait: AsSerde AsSerdeLent AsSerdeLentShown AsSerdeShown AsStatic AsStored AsUntouched AsPlain AsSteps AsTextSteps AsWritten AsRequestHandle
            AsGiven AsSaid Refused Unsaved
        }

        impl<K, P> $trait<P> for AsReferences<K> {}
        impl<K, P> $trait<P> for AsShownReferences<K> {}
    };
    ($trait:ident: $($form:ident)*) => {
        $(impl<P> $trait<P> for $form {})*
    };
}
pub(super) use whole_forms;

whole_forms! { Proves }
impl<P> Proves<P> for AsParts {}
impl<P> Proves<P> for AsLentParts {}

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
    [] str; [] String;
    [T: LookedUpAgain + ?Sized] &T; [T: LookedUpAgain + ?Sized] &mut T; [T: LookedUpAgain + ?Sized] Box<T>;
    [T: LookedUpAgain + ?Sized] Arc<T>;
}

/// What has an `as_ref` of std's, which gives the same whatever is in it.
#[diagnostic::on_unimplemented(
    message = "what the `as_ref` of a `{Self}` gave is held across an ask, cannot be stored, and would be taken again after it",
    label = "this is neither one of std's pointers nor an `Option`, so that it may give something else then",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "take it after the ask, or a copy of what is needed: `let name = found.name.clone();`",
    note = "above its `let`: `#[saga(remake)]` takes it again, with the effects of that"
)]
pub trait ReferredAgain {}

kind! {
    ReferredAgain:
    [T] Vec<T>; [T] [T]; [T, const N: usize] [T; N]; [T] Option<T>; [T, E] Result<T, E>;
    [] str; [] String;
    [T: ReferredAgain + ?Sized] &T; [T: ReferredAgain + ?Sized] &mut T;
    [T: ?Sized] Box<T>; [T: ?Sized] Arc<T>; [T: ?Sized] Rc<T>;
}

/// Lets only an `as_ref` of std's through, where the form has it called again.
pub fn referred<'v, F: Proves<Referred<R>>, R: ?Sized>(_: &Again<F>, of: &'v R) -> &'v R {
    of
}

/// Lets only std's collections through, where the form has something looked up again.
pub fn looked_up<'v, F: Proves<Collection<R>>, R: ?Sized>(_: &Again<F>, items: &'v R) -> &'v R {
    items
}

/// What a value is taken out of: of std's, that does nothing else.
#[diagnostic::on_unimplemented(
    message = "what a method of `{Self}` gave is held across an ask, and cannot be stored in a continuation",
    label = "this is no `Option` and no `Result`: the method is not called again",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "call it after the ask, or take a copy of what is needed",
    note = "above its `let`: `#[saga(remake)]` calls it again, with the effects of that"
)]
pub trait TakenApartAgain {}

/// Pointers of std.
#[diagnostic::on_unimplemented(
    message = "what is behind a `{Self}` is held across an ask, and cannot be stored in a continuation",
    label = "this is not one of std's pointers: it is not dereferenced again",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "dereference it after the ask, or take a copy of what is needed"
)]
pub trait DereferencedAgain {}

/// What is a clone of such a value by `Clone` itself.
#[diagnostic::on_unimplemented(
    message = "what a `clone` of `{R}` gave is held across an ask, and cannot be stored in a continuation",
    label = "this is not `Clone`'s, which gives a value of the same type: it is not called again",
    note = "for data of your own, derive `serde::Serialize` and `serde::Deserialize`: then it is stored",
    note = "call it after the ask, or take a copy of what is needed",
    note = "above its `let`: `#[saga(remake)]` calls it again, with the effects of that"
)]
pub trait ClonedAgain<R: ?Sized> {}

kind! { TakenApartAgain: [T] Option<T>; [T, E] Result<T, E>; }
kind! {
    DereferencedAgain:
    [T: ?Sized] &T; [T: ?Sized] &mut T; [T: ?Sized] Box<T>; [T: ?Sized] Arc<T>; [T: ?Sized] Rc<T>; [T] Vec<T>; [] String;
    [T, F] LazyLock<T, F>;
}

impl<V: Clone> ClonedAgain<V> for V {}

/// Lets only `Option` and `Result` through, where the form has something taken out of it again.
pub fn optional<F: Proves<Optional<R>>, R: ?Sized>(_: &Again<F>, _: &R) {}

/// Lets only std's pointers through, where the form has one dereferenced again.
pub fn behind<'v, F: Proves<Behind<R>>, R: ?Sized>(_: &Again<F>, pointer: &'v R) -> &'v R {
    pointer
}

/// What `Clone` clones where a method of that name is called.
pub trait ClonedBy: Clone {
    /// Its type.
    #[doc(hidden)]
    fn __saga_cloned(&self) -> PhantomData<Self> {
        PhantomData
    }
}

impl<T: Clone> ClonedBy for T {}

/// What a `clone` has given, and what `Clone` would give.
#[derive(Debug)]
pub struct Cloned<V, R>(V, PhantomData<R>);

impl<V, R> Cloned<V, R> {
    /// By a method of that name.
    pub fn new(clone: V, by_clone: PhantomData<R>) -> Self {
        Self(clone, by_clone)
    }

    /// Lets only clones by `Clone` through, where the form has something cloned again. Both types are known by now, so that
    /// rustc does not take the one for the other.
    pub fn proven<F: Proves<CloneOf<V, R>>>(self, _: &Again<F>) -> V {
        self.0
    }
}

/// A function called `clone`.
#[derive(Debug)]
pub struct ByClone<'v, A, F, R: ?Sized, V>(F, PhantomData<(A, &'v R, V)>);

/// The same of a function that is called by its path.
pub fn by_clone<'v, A, F, R, V>(_: &Again<A>, clone: F) -> ByClone<'v, A, F, R, V>
where
    F: FnOnce(&'v R) -> V,
    R: ?Sized,
{
    ByClone(clone, PhantomData)
}

impl<'v, A, F, R: ?Sized, V> ByClone<'v, A, F, R, V> {
    /// What it gives.
    pub fn of(self, of: &'v R) -> V
    where
        A: Proves<CloneOf<V, R>>,
        F: FnOnce(&'v R) -> V,
    {
        (self.0)(of)
    }
}

/// What may be an `Option` or a `Result`.
#[derive(Debug)]
pub struct Maybe<A, R>(R, PhantomData<A>);

impl<A, R> Maybe<A, R> {
    /// Whatever it is.
    pub fn of(_: &Again<A>, of: R) -> Self {
        Self(of, PhantomData)
    }
}

/// Takes a value out of an `Option` or a `Result`.
pub trait PresentByProof {
    /// The value.
    type Value;
    /// The value, where there is one.
    fn saga_present(self) -> Option<Self::Value>;
}

impl<A, R: Present> PresentByProof for Maybe<A, R> {
    type Value = R::Value;

    fn saga_present(self) -> Option<R::Value> {
        self.0.present()
    }
}

/// Of anything else, where the form has nothing taken out of it again.
pub trait PresentAsIs: Sized {
    /// The form.
    type Form;
    /// What the value is taken out of.
    type Of;
    /// Nothing; it is not called.
    fn saga_present<V>(self) -> Option<V>
    where
        Self::Form: Proves<Optional<Self::Of>>,
    {
        None
    }
}

impl<A, R> PresentAsIs for &Maybe<A, R> {
    type Form = A;
    type Of = R;
}

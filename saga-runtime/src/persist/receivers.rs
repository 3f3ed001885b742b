//! Variables that may be changed, on which a method is called that may take them: whether it does is chosen by type.
//!
//! A method of the caller's own with the same name, which takes everything, is found where the type has none that takes it.

use std::marker::PhantomData;

use crate::persist::in_scope::Witness;

/// Found first: what is `Copy` is never gone.
pub trait ReceiverCopied<T> {
    /// Nothing that a method could take.
    fn saga_owned(&self) -> Unowned;
}

impl<T: Copy> ReceiverCopied<T> for &Witness<T> {
    fn saga_owned(&self) -> Unowned {
        Unowned
    }
}

/// Found for everything else.
pub trait ReceiverOwned<T> {
    /// What a method could take.
    fn saga_owned(&self) -> Owned<T>;
}

impl<T> ReceiverOwned<T> for Witness<T> {
    fn saga_owned(&self) -> Owned<T> {
        Owned(PhantomData)
    }
}

/// A value that a method may take.
#[derive(Debug)]
pub struct Owned<T>(PhantomData<fn(T)>);

impl<T> Owned<T> {
    /// What the method gives that is called; it is not called here.
    pub fn saga_called<R>(self, _: impl FnOnce(T) -> R) -> ByMethod<R> {
        ByMethod(PhantomData)
    }
}

/// A value without methods.
#[derive(Debug)]
pub struct Unowned;

impl Unowned {
    /// The same of one that no method takes.
    pub fn saga_called<R>(self, _: impl FnOnce(Self) -> R) -> ByMethod<R> {
        ByMethod(PhantomData)
    }
}

/// What a method gives.
#[derive(Debug)]
pub struct ByMethod<R>(PhantomData<fn() -> R>);

/// Given by the method that takes everything.
#[derive(Debug)]
pub struct NotTaken;

impl ByMethod<NotTaken> {
    /// The variable is lent.
    pub fn saga_receiver(&self) -> Lends {
        Lends
    }
}

/// Found where the type has a method that takes it.
pub trait ByTaking {
    /// The variable is given away.
    fn saga_receiver(&self) -> Takes;
}

impl<R> ByTaking for ByMethod<R> {
    fn saga_receiver(&self) -> Takes {
        Takes
    }
}

/// Lends a variable to a method.
#[derive(Debug, Clone, Copy)]
pub struct Lends;

impl Lends {
    /// The variable itself.
    pub fn of_kept<'k, T, G>(self, kept: &'k mut T, _: impl FnOnce(&'k T) -> G) -> &'k mut T {
        kept
    }

    /// The variable, which stays in `held`.
    pub fn handed<T>(self, value: T, held: &mut Option<T>, _: impl FnOnce(T) -> T) -> &mut T {
        held.insert(value)
    }
}

/// Gives a variable away to a method; the box is what it can be moved out of.
#[derive(Debug, Clone, Copy)]
pub struct Takes;

impl Takes {
    /// A copy of it.
    pub fn of_kept<'k, T, G>(self, kept: &'k mut T, copy: impl FnOnce(&'k T) -> G) -> Box<G> {
        Box::new(copy(kept))
    }

    /// The variable, of which `hand` keeps what is needed when the call is made again.
    pub fn handed<T>(self, value: T, _: &mut Option<T>, hand: impl FnOnce(T) -> T) -> Box<T> {
        Box::new(hand(value))
    }
}

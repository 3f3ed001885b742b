//! Locks and permits that are in scope at an ask.
//!
//! Plain Rust holds them while the client answers; a continuation cannot, and releasing them early
//! would be something else than the author wrote. So they are refused, by type: the more specific of
//! two methods of one name is found first.

use std::{cell, sync};

/// A variable that is left behind at an ask.
#[derive(Debug)]
pub struct Left<'v, T: ?Sized>(pub &'v T);

/// Types that hold something until they are dropped.
pub trait Guard {}

impl<T: ?Sized> Guard for sync::MutexGuard<'_, T> {}
impl<T: ?Sized> Guard for sync::RwLockReadGuard<'_, T> {}
impl<T: ?Sized> Guard for sync::RwLockWriteGuard<'_, T> {}
impl<T: ?Sized> Guard for cell::Ref<'_, T> {}
impl<T: ?Sized> Guard for cell::RefMut<'_, T> {}
impl<T: ?Sized> Guard for tokio::sync::MutexGuard<'_, T> {}
impl<T: ?Sized> Guard for tokio::sync::OwnedMutexGuard<T> {}
impl<T: ?Sized> Guard for tokio::sync::RwLockReadGuard<'_, T> {}
impl<T: ?Sized> Guard for tokio::sync::RwLockWriteGuard<'_, T> {}
impl Guard for tokio::sync::SemaphorePermit<'_> {}
impl Guard for tokio::sync::OwnedSemaphorePermit {}
impl<T: Guard> Guard for Option<T> {}
impl<T: Guard, E> Guard for Result<T, E> {}

/// Never implemented for a guard.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is held across an ask",
    label = "this guard is in scope at the ask",
    note = "nothing can be held while the client answers, and another process may continue",
    note = "release it first: `drop(guard);` before the ask, or a block around its use"
)]
pub trait HeldAcrossAnAsk {}

/// Found first for guards.
pub trait LeftGuard {
    /// The guard's type.
    type Held: ?Sized;
    /// Does not compile.
    fn at_ask(&self)
    where
        Self::Held: HeldAcrossAnAsk;
}

impl<T: Guard + ?Sized> LeftGuard for Left<'_, T> {
    type Held = T;

    fn at_ask(&self)
    where
        T: HeldAcrossAnAsk,
    {
    }
}

/// Found for everything else.
pub trait LeftOther {
    /// Nothing to say.
    fn at_ask(&self) {}
}

impl<T: ?Sized> LeftOther for &Left<'_, T> {}

//! What is in scope at an ask and not live after it.
//!
//! Plain Rust holds it while the client answers; a continuation cannot. A lock or a permit that is
//! released early would be something else than the author wrote, so it is refused; a value with a
//! `Drop` of its own is warned of. By type: of methods of one name, the one that is found after fewer
//! dereferences wins.

use std::{cell, collections, marker::PhantomData, rc, sync};

use tokio_util::sync::CancellationToken;

/// Has the type of a variable, and nothing of its value.
#[derive(Debug)]
pub struct Witness<T>(PhantomData<fn(T) -> T>);

impl<T> Witness<T> {
    /// Of a type that is not known yet.
    #[allow(clippy::new_without_default, reason = "for generated code")]
    pub fn new() -> Self {
        Self(PhantomData)
    }

    /// Of a value's type.
    pub fn of(_: &T) -> Self {
        Self(PhantomData)
    }

    /// Of the type of a slot's variable.
    pub fn of_slot<F>(_: &super::Slot<T, F>) -> Self {
        Self(PhantomData)
    }

    /// Takes the variable's type.
    pub fn is(&self, _: &T) {}

    /// Gives it to another; stands in code that is never reached.
    #[allow(clippy::unreachable, reason = "stands in code that is never reached")]
    pub fn value(&self) -> T {
        unreachable!("a witness has no value")
    }
}

/// Never implemented for a type with a `Drop` of its own.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is made for a call that asks, or before an ask in the same expression, and has a `Drop` of its own",
    label = "this is made where the call goes on, and dropped each time",
    note = "make it in the function that is called, or after the ask"
)]
pub trait MadeAgain {}

/// Found first: what is dropped each time that it is made.
pub trait MadeWithDrop {
    /// What is made.
    type Made;
    /// Does not compile.
    fn saga_literal(&self)
    where
        Self::Made: MadeAgain,
    {
    }
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> MadeWithDrop for &Witness<T> {
    type Made = T;
}

/// Everything else.
pub trait MadeOfParts {
    /// Nothing.
    fn saga_literal(&self) {}
}

impl<T> MadeOfParts for Witness<T> {}

/// Never implemented for what is copied where it is read.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is read before an ask in the same expression, and a method that is called between the two may change it",
    label = "read here, and used after the ask",
    note = "`let value = …;` with what is read, before the expression"
)]
pub trait ReadBefore {}

/// Found first: what is copied where a method takes it by value.
pub trait ReadCopied {
    /// What is read.
    type Read;
    /// Does not compile.
    fn saga_read(&self)
    where
        Self::Read: ReadBefore;
}

impl<T: Copy> ReadCopied for &Witness<T> {
    type Read = T;

    fn saga_read(&self)
    where
        T: ReadBefore,
    {
    }
}

/// The same behind a `&mut`.
pub trait ReadBehind {
    /// What is read.
    type Read;
    /// Does not compile.
    fn saga_read(&self)
    where
        Self::Read: ReadBefore;
}

impl<T: Copy> ReadBehind for &Witness<&mut T> {
    type Read = T;

    fn saga_read(&self)
    where
        T: ReadBefore,
    {
    }
}

/// Found for everything else: while it is borrowed nothing changes it.
pub trait ReadInPlace {
    /// Nothing.
    fn saga_read(&self);
}

impl<T> ReadInPlace for Witness<T> {
    fn saga_read(&self) {}
}

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
impl<T: ?Sized> Guard for tokio::sync::MappedMutexGuard<'_, T> {}
impl<T: ?Sized, U: ?Sized> Guard for tokio::sync::OwnedMappedMutexGuard<T, U> {}
impl<T: ?Sized, U: ?Sized> Guard for tokio::sync::OwnedRwLockReadGuard<T, U> {}
impl<T: ?Sized> Guard for tokio::sync::OwnedRwLockWriteGuard<T> {}
impl<T: ?Sized> Guard for tokio::sync::RwLockMappedWriteGuard<'_, T> {}
impl Guard for tokio::sync::SemaphorePermit<'_> {}
impl Guard for tokio::sync::OwnedSemaphorePermit {}
impl<T: Guard> Guard for Option<T> {}
impl<T: Guard, E> Guard for Result<T, E> {}
impl<T: Guard + ?Sized> Guard for Box<T> {}
impl<T: Guard + ?Sized> Guard for sync::Arc<T> {}
impl<T: Guard + ?Sized> Guard for rc::Rc<T> {}
impl<T: Guard> Guard for Vec<T> {}
impl<T: Guard> Guard for collections::VecDeque<T> {}
impl<T: Guard, const N: usize> Guard for [T; N] {}
impl<K, T: Guard> Guard for collections::BTreeMap<K, T> {}
impl<K, T: Guard, S> Guard for collections::HashMap<K, T, S> {}
impl<T: Guard, U> Guard for (T, U) {}
impl<T: Guard, U, V> Guard for (T, U, V) {}

/// The same in another place of a tuple: rustc takes one `impl` for each.
pub trait GuardPart {}

impl<T, U: Guard> GuardPart for (T, U) {}
impl<T, U: Guard, V> GuardPart for (T, U, V) {}

/// The same.
pub trait GuardRest {}

impl<T, U, V: Guard> GuardRest for (T, U, V) {}

/// Never implemented for a guard.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is held across an ask",
    label = "this guard is in scope at the ask",
    note = "nothing can be held while the client answers, and another process may continue",
    note = "release it first: `drop(guard);` before the ask, or a block around its use"
)]
pub trait HeldAcrossAnAsk {}

/// Never implemented for a guard.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is held across an ask: by the head of a loop, a `match` or an `if let`, or by an operand",
    label = "this guard is taken in the middle of a statement that asks",
    note = "plain Rust releases it at the end of the statement or the loop, and nothing can be held while the client answers",
    note = "instead: `let value = …;` with it before the statement, which releases it there"
)]
pub trait HeldByAStatement {}

macro_rules! left_guard {
    ($(#[$doc:meta])* $name:ident: $kind:ident, [$($reference:tt)*]; $($method:ident where [$($bound:tt)*];)*) => {
        $(#[$doc])*
        pub trait $name {
            /// The guard's type.
            type Held: ?Sized;
            $(
                /// Does not compile.
                fn $method(&self)
                where
                    $($bound)*
                {
                }
            )*
        }

        impl<T: $kind> $name for $($reference)* Witness<T> {
            type Held = T;
        }
    };
}

left_guard! {
    /// Found first for guards.
    LeftGuard: Guard, [&&&&&];
    saga_at_ask where [Self::Held: HeldAcrossAnAsk];
    saga_in_statement where [Self::Held: HeldByAStatement];
}
left_guard! {
    /// The same in the middle of a tuple.
    LeftGuardPart: GuardPart, [&&&&];
    saga_at_ask where [Self::Held: HeldAcrossAnAsk];
    saga_in_statement where [Self::Held: HeldByAStatement];
}
left_guard! {
    /// The same at its end.
    LeftGuardRest: GuardRest, [&&&];
    saga_at_ask where [Self::Held: HeldAcrossAnAsk];
    saga_in_statement where [Self::Held: HeldByAStatement];
}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "what a `{Self}` refers to is looked at here, and it may refer to something else before that is used for the last time",
    label = "a method or a macro may give it another value",
    note = "behind an ask a closure is made again, and so is a call that asks: they would look at that",
    note = "another name for what is looked at: `let node = current;` before it, and `node` in it"
)]
pub trait RefersToTheSame {}

/// Of a reference.
pub trait LeadsElsewhere {
    #[doc(hidden)]
    type Reference;
    #[doc(hidden)]
    fn saga_leads(&self)
    where
        Self::Reference: RefersToTheSame,
    {
    }
}

impl<'a, T: ?Sized> LeadsElsewhere for Witness<&'a T> {
    type Reference = &'a T;
}

impl<'a, T: ?Sized> LeadsElsewhere for Witness<&'a mut T> {
    type Reference = &'a mut T;
}

/// Of anything else.
pub trait LeadsNowhereElse {
    #[doc(hidden)]
    fn saga_leads(&self) {}
}

impl<T> LeadsNowhereElse for &Witness<T> {}

/// What is indexed, and what its index may give another value.
#[derive(Debug)]
pub struct Indexed<R: ?Sized, B: ?Sized>(PhantomData<fn(&R, &B)>);

impl<R: ?Sized, B: ?Sized> Indexed<R, B> {
    /// Of their types.
    pub fn of(_: &R, _: &B) -> Self {
        Self(PhantomData)
    }
}

/// Never implemented.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` is indexed by what asks, and may be another one behind the index",
    label = "this is looked at before its index, and would be behind it",
    note = "another name for it before the index changes it: `let here = current;`, and `here[..]`"
)]
pub trait LookedAtBehindItsIndex {}

/// An array or a slice, which is looked at behind its index.
pub trait IndexedArray {
    #[doc(hidden)]
    fn saga_indexed(&self) {}
}

impl<R: ?Sized, T> IndexedArray for &Indexed<R, [T]> {}
impl<R: ?Sized, T, const N: usize> IndexedArray for &Indexed<R, [T; N]> {}
impl<R: ?Sized, T> IndexedArray for &Indexed<R, &[T]> {}
impl<R: ?Sized, T, const N: usize> IndexedArray for &Indexed<R, &[T; N]> {}
impl<R: ?Sized, T> IndexedArray for &Indexed<R, &mut [T]> {}
impl<R: ?Sized, T, const N: usize> IndexedArray for &Indexed<R, &mut [T; N]> {}

/// By way of a reference.
pub trait IndexedByReference {
    #[doc(hidden)]
    type Base: ?Sized;
    #[doc(hidden)]
    fn saga_indexed(&self)
    where
        Self::Base: LookedAtBehindItsIndex,
    {
    }
}

impl<R: ?Sized, B: ?Sized> IndexedByReference for &&Indexed<&R, B> {
    type Base = B;
}

/// Of anything else: the borrow checker looks to it.
pub trait IndexedOther {
    #[doc(hidden)]
    fn saga_indexed(&self) {}
}

impl<R: ?Sized, B: ?Sized> IndexedOther for Indexed<R, B> {}

/// Types of std and tokio whose `Drop` only frees memory, or a count.
pub trait Memory {}

impl<T> Memory for Vec<T> {}
impl<T: ?Sized> Memory for Box<T> {}
impl<T: ?Sized> Memory for rc::Rc<T> {}
impl<T: ?Sized> Memory for rc::Weak<T> {}
impl<T: ?Sized> Memory for sync::Arc<T> {}
impl<T: ?Sized> Memory for sync::Weak<T> {}
impl<T> Memory for collections::VecDeque<T> {}
impl<T> Memory for collections::LinkedList<T> {}
impl<K, V> Memory for collections::BTreeMap<K, V> {}
impl<T> Memory for std::vec::IntoIter<T> {}
impl<T> Memory for tokio::task::JoinHandle<T> {}
impl Memory for CancellationToken {}

/// Found next: nothing to say.
pub trait LeftMemory {
    /// Nothing.
    fn saga_at_ask(&self) {}
    /// Nothing.
    fn saga_in_statement(&self) {}
}

impl<T: Memory> LeftMemory for &&Witness<T> {}

/// Types of std and tokio that others see the end of, though it is a part of them that has the `Drop`.
pub trait Resource {}

/// ```text
/// resources! { [] std::net::TcpListener; [T] tokio::sync::mpsc::Sender<T>; }
/// ```
macro_rules! resources {
    ($([$($generic:ident)?] $ty:ty;)*) => {
        $(impl$(<$generic>)? Resource for $ty {})*
    };
}

resources! {
    [] std::net::TcpListener;
    [] std::net::TcpStream;
    [] std::net::UdpSocket;
    [T] tokio::sync::mpsc::Sender<T>;
    [T] tokio::sync::mpsc::Receiver<T>;
    [T] tokio::sync::mpsc::UnboundedSender<T>;
    [T] tokio::sync::mpsc::UnboundedReceiver<T>;
}

/// Found next: the same of such a type.
pub trait LeftResource {
    /// Warns.
    #[deprecated(
        note = "a socket or an end of a channel is in scope at this ask and not used after it: it is closed at the ask, and not at the end of its scope as without `#[saga]`. Write `drop(…)` where it may go, or use it in a block before the ask"
    )]
    fn saga_at_ask(&self) {}
    /// Warns.
    #[deprecated(
        note = "a socket or an end of a channel is made in the head of a loop, a `match` or an `if let` that asks, or before an ask in one statement: it is closed before that, and not at the end of the statement as without `#[saga]`. Write `let value = …;` with it before the statement"
    )]
    fn saga_in_statement(&self) {}
}

impl<T: Resource> LeftResource for &&Witness<T> {}

/// Found next: a `Drop` with an effect.
pub trait LeftDrop {
    /// Warns.
    #[deprecated(
        note = "a value with a `Drop` of its own is in scope at this ask and not used after it: it is dropped at the ask, and not at the end of its scope as without `#[saga]`. Where nothing needs it any more, write `drop(…)` before the ask; where something does (a temporary folder, by its path), make it after the ask"
    )]
    fn saga_at_ask(&self) {}
    /// Warns.
    #[deprecated(
        note = "a value with a `Drop` of its own is made in the head of a loop, a `match` or an `if let` that asks, or before an ask in one statement: it is dropped before that, and not at the end of the statement as without `#[saga]`. Write `let value = …;` with it before the statement"
    )]
    fn saga_in_statement(&self) {}
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> LeftDrop for &Witness<T> {}

/// Found for everything else.
pub trait LeftOther {
    /// Nothing to say.
    fn saga_at_ask(&self) {}
    /// Nothing to say.
    fn saga_in_statement(&self) {}
}

impl<T> LeftOther for Witness<T> {}

/// Types of what is named like a lock, that are none: found first.
pub trait NamedAsData {
    /// Nothing.
    fn saga_named(&self) {}
}

impl<T: serde::Serialize> NamedAsData for &&&Witness<T> {}
impl<T: Copy> NamedAsData for &&Witness<T> {}

/// Found next: it is said already.
pub trait NamedWithDrop {
    /// Nothing.
    fn saga_named(&self) {}
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> NamedWithDrop for &Witness<T> {}

/// Everything else: whether it has a lock in it, no type says.
pub trait NamedAsLock {
    /// Warns.
    #[deprecated(
        note = "this is named like a lock, is in scope at this ask and not used after it: it is dropped at the ask, and not at the end of its scope as without `#[saga]`. Nothing can be locked while the client answers: write `drop(…)` before the ask, or take it after that. Where it is data, give it another name, or derive `serde::Serialize` for it"
    )]
    fn saga_named(&self) {}
}

impl<T> NamedAsLock for Witness<T> {}

/// Never implemented for the client's handle.
#[diagnostic::on_unimplemented(
    message = "the client's handle is given to an awaited function, and is not seen as the handle there: if the function asks, this one could not go on from it",
    label = "a `{Self}`",
    note = "`#[saga(asks(name))]` above this function where that one asks and has `#[saga]`; `#[saga(plain(name))]` where it never asks"
)]
pub trait GivenToPlain {}

/// Never implemented for the client's handle.
#[diagnostic::on_unimplemented(
    message = "`self` is the client's handle here, and `#[saga]` does not see that",
    label = "awaited of a `{Self}`",
    note = "instead: `let peer: &Peer<RoleServer> = self;` (of a `Cx`, `let cx: &Cx = self;`), and the call of that variable",
    note = "`#[saga(plain(name))]` above this function where the called one never asks"
)]
pub trait AskedOfSelf {}

/// Never implemented for the client's handle.
#[diagnostic::on_unimplemented(
    message = "an ask of the client's handle is said to be a method of your own: `asks(..)` has its name",
    label = "this is a `{Self}`",
    note = "instead: the handle in a variable whose type is seen, `let peer: &Peer<RoleServer> = ..;`, and the ask on that; or another name for the method of your own"
)]
pub trait OwnAsk {}

/// Found first for handles.
pub trait GivenHandle {
    /// The handle's type.
    type Given;
    /// Does not compile.
    fn saga_given(&self)
    where
        Self::Given: GivenToPlain;
    /// Does not compile.
    fn saga_of_self(&self)
    where
        Self::Given: AskedOfSelf;
    /// Does not compile.
    fn saga_own_ask(&self)
    where
        Self::Given: OwnAsk;
}

impl<T: crate::persist::Handle> GivenHandle for &Witness<T> {
    type Given = T;

    fn saga_given(&self)
    where
        T: GivenToPlain,
    {
    }

    fn saga_of_self(&self)
    where
        T: AskedOfSelf,
    {
    }

    fn saga_own_ask(&self)
    where
        T: OwnAsk,
    {
    }
}

/// Found for everything else.
pub trait GivenOther {
    /// Nothing to say.
    fn saga_given(&self) {}
    /// Nothing to say.
    fn saga_of_self(&self) {}
    /// Nothing to say.
    fn saga_own_ask(&self) {}
}

impl<T> GivenOther for Witness<T> {}

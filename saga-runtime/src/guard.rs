//! What is in scope at an ask and not live after it.
//!
//! Plain Rust holds it while the client answers; a continuation cannot. A lock or a permit that is
//! released early would be something else than the author wrote, so it is refused; a value with a
//! `Drop` of its own is warned of. By type: of methods of one name, the one that is found after fewer
//! dereferences wins.

use std::{cell, collections, marker::PhantomData, rc, sync};

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

    /// Takes the variable's type.
    pub fn is(&self, _: &T) {}
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

impl<T: Guard> LeftGuard for &&&Witness<T> {
    type Held = T;

    fn at_ask(&self)
    where
        T: HeldAcrossAnAsk,
    {
    }
}

/// Types of std whose `Drop` only frees memory, or a count.
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

/// Found next: nothing to say.
pub trait LeftMemory {
    /// Nothing.
    fn at_ask(&self) {}
}

impl<T: Memory> LeftMemory for &&Witness<T> {}

/// Found next: a `Drop` with an effect.
pub trait LeftDrop {
    /// Warns.
    #[deprecated(
        note = "a value with a `Drop` of its own is in scope at this ask and not used after it: it is dropped at the ask, and not at the end of its scope as without `#[saga]`. Write `drop(…)` where it may go, or use it after the ask so that it is kept"
    )]
    fn at_ask(&self) {}
}

#[allow(
    drop_bounds,
    reason = "the types that implement it themselves are meant"
)]
impl<T: Drop> LeftDrop for &Witness<T> {}

/// Found for everything else.
pub trait LeftOther {
    /// Nothing to say.
    fn at_ask(&self) {}
}

impl<T> LeftOther for Witness<T> {}

/// Never implemented for a borrowed text.
#[diagnostic::on_unimplemented(
    message = "a value of type `{Self}` is held across an ask and cannot be stored in a continuation",
    label = "this variable is live after the ask",
    note = "what the text in it was borrowed from is not known well enough to borrow it again",
    note = "hold the text itself (`String`, `.to_owned()`); a single literal can be said to be one: `let x: &'static str = …`"
)]
pub trait HeldText {}

/// Types with borrowed text in them, which no token can give back.
pub trait BorrowedText {}

impl BorrowedText for &str {}
impl<T: BorrowedText> BorrowedText for Option<T> {}
impl<T: BorrowedText> BorrowedText for Vec<T> {}
impl<T: BorrowedText> BorrowedText for collections::VecDeque<T> {}
impl<T: BorrowedText> BorrowedText for collections::BTreeSet<T> {}
impl<T: BorrowedText, S> BorrowedText for collections::HashSet<T, S> {}
impl<K: BorrowedText, V> BorrowedText for collections::BTreeMap<K, V> {}
impl<K: BorrowedText, V, S> BorrowedText for collections::HashMap<K, V, S> {}
impl<T: BorrowedText, B> BorrowedText for (T, B) {}
impl<T: BorrowedText, B, C> BorrowedText for (T, B, C) {}

/// The same in the second place of pairs and maps.
pub trait BorrowedSecond {}

impl<A, T: BorrowedText> BorrowedSecond for (A, T) {}
impl<A, T: BorrowedText, C> BorrowedSecond for (A, T, C) {}
impl<K, V: BorrowedText> BorrowedSecond for collections::BTreeMap<K, V> {}
impl<K, V: BorrowedText, S> BorrowedSecond for collections::HashMap<K, V, S> {}
impl<T: BorrowedSecond> BorrowedSecond for Option<T> {}
impl<T: BorrowedSecond> BorrowedSecond for Vec<T> {}

macro_rules! stored_text {
    ($name:ident, $borrowed:ident, [$($reference:tt)*]) => {
        /// Found first for borrowed texts.
        pub trait $name {
            /// The type with the text in it.
            type Text;
            /// Does not compile.
            fn at_rest(&self)
            where
                Self::Text: HeldText;
        }

        impl<T: $borrowed> $name for $($reference)* Witness<T> {
            type Text = T;

            fn at_rest(&self)
            where
                T: HeldText,
            {
            }
        }
    };
}

stored_text!(StoredText, BorrowedText, [&&]);
stored_text!(StoredSecond, BorrowedSecond, [&]);

/// Found for everything else: `Stored` has its say.
pub trait StoredOther {
    /// Nothing to say.
    fn at_rest(&self) {}
}

impl<T> StoredOther for Witness<T> {}

//! Kinds of types, as far as they decide how a value crosses a suspension.

use std::{
    cell, collections, iter, rc, slice,
    sync::{self, Arc, atomic},
    time, vec,
};

use rmcp::{Peer, RoleServer, service::RequestContext};

use super::{arena::Arena, in_scope::Witness};
use crate::{
    activation::{Activation, Stop},
    cx::Cx,
};

macro_rules! kind {
    ($kind:ident: $([$($generics:tt)*] $ty:ty;)*) => {
        $(impl<$($generics)*> $kind for $ty {})*
    };
}
pub(super) use kind;

/// Numbers, texts and collections of them: serde is known to give back what it took.
pub trait Plain {}

kind! {
    Plain:
    [] (); [] bool; [] char; [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] i8; [] i16; [] i32; [] i64; [] i128; [] isize; [] f32; [] f64; [] String;
    [] time::Duration; [] time::SystemTime; [] Arc<str>;
    [T: Plain] Option<T>; [T: Plain] Vec<T>; [T: Plain] Box<T>; [T: Plain, E: Plain] Result<T, E>;
    [T: Plain] collections::VecDeque<T>; [T: Plain] collections::BTreeSet<T>;
    [K: Plain, V: Plain] collections::BTreeMap<K, V>;
    [K: Plain, V: Plain, S] collections::HashMap<K, V, S>; [T: Plain, S] collections::HashSet<T, S>;
    [T: Plain] std::ops::Range<T>;
    [A: Plain] (A,); [A: Plain, B: Plain] (A, B); [A: Plain, B: Plain, C: Plain] (A, B, C);
    [A: Plain, B: Plain, C: Plain, D: Plain] (A, B, C, D);
    [T: Plain] crate::persist::iterate::Remaining<T>; [T: Plain] crate::persist::iterate::Kept<T>;
    [K: Plain] crate::persist::iterate::ByKey<K>;
    [] crate::persist::iterate::Live;
    [K] crate::activation::Answered<K>;
}

/// References to such values: those who read what was written of one read the same.
pub trait LentPlain {}

kind! {
    LentPlain:
    [] &str; [T: Plain] &T; [T: Plain] &[T]; [T: LentPlain] Option<T>; [T: LentPlain] Vec<T>; [T: LentPlain] Box<T>;
    [T: LentPlain] collections::VecDeque<T>; [T: LentPlain] collections::BTreeSet<T>;
    [T: LentPlain, const N: usize] [T; N]; [A: LentPlain, B: LentPlain] (A, B);
}

/// References to rows of texts and plain values. The texts are there for good, as in a table: serde would read others of each frame.
pub trait LentRows {}

kind! {
    LentRows:
    [T: Row] &T; [T: Row] &[T]; [T: Row, const N: usize] &[T; N]; [T: LentRows] Option<T>; [T: LentRows] Vec<T>;
    [T: LentRows] crate::persist::iterate::Remaining<T>; [T: LentRows] crate::persist::iterate::Kept<T>;
}

/// A row of a table.
pub trait Row {}

kind! {
    Row:
    [A: InRow, B: InRow] (A, B); [A: InRow, B: InRow, C: InRow] (A, B, C);
    [A: InRow, B: InRow, C: InRow, D: InRow] (A, B, C, D);
}

/// A text or a plain value.
pub trait InRow {}

kind! {
    InRow:
    [] &str; [] Option<&str>; [T: Plain] T;
}

/// State that several share, or that changes behind a shared reference: a copy would be another one.
pub trait Shared {}

kind! {
    Shared:
    [T: ?Sized] Arc<T>; [T: ?Sized] sync::Weak<T>; [T: ?Sized] rc::Rc<T>; [T: ?Sized] rc::Weak<T>;
    [T: ?Sized] sync::Mutex<T>; [T: ?Sized] sync::RwLock<T>; [T] sync::OnceLock<T>;
    [T, F] sync::LazyLock<T, F>;
    [T: ?Sized] cell::Cell<T>; [T: ?Sized] cell::RefCell<T>; [T] cell::OnceCell<T>;
    [T, F] cell::LazyCell<T, F>;
    [] atomic::AtomicBool; [] atomic::AtomicU8; [] atomic::AtomicU16; [] atomic::AtomicU32;
    [] atomic::AtomicU64; [] atomic::AtomicUsize; [] atomic::AtomicI8; [] atomic::AtomicI16;
    [] atomic::AtomicI32; [] atomic::AtomicI64; [] atomic::AtomicIsize;
    [T: ?Sized] tokio::sync::Mutex<T>; [T: ?Sized] tokio::sync::RwLock<T>;
    [T] tokio::sync::OnceCell<T>; [] tokio::sync::Semaphore; [] tokio::sync::Notify;
    [T: Shared + ?Sized] &T; [T: Shared + ?Sized] &mut T; [T: Shared + ?Sized] Box<T>;
    [T: Shared] Option<T>; [T: Shared, E] Result<T, E>; [T: Shared] Vec<T>; [T: Shared] [T];
    [T: Shared, const N: usize] [T; N]; [T: Shared] collections::VecDeque<T>;
    [T: Shared] vec::IntoIter<T>; ['a, T: Shared] slice::Iter<'a, T>; [I: Iterator + Shared] iter::Peekable<I>;
    [I: Shared] iter::Skip<I>; [I: Shared] iter::Take<I>; [I: Shared] iter::Rev<I>; [I: Shared] iter::Cloned<I>; [I: Shared] iter::Copied<I>;
    [K, V: Shared] collections::BTreeMap<K, V>; [K, V: Shared, S] collections::HashMap<K, V, S>;
}

/// Types whose serde leaves something out.
pub trait Lossy {}

kind! {
    Lossy:
    [T] std::ops::RangeInclusive<T>; [T: Lossy] Option<T>; [T: Lossy] Vec<T>; [T: Lossy] vec::IntoIter<T>;
    [T: Lossy] Box<T>; [T: Lossy, const N: usize] [T; N]; [T: Lossy] collections::VecDeque<T>;
    [K, V: Lossy] collections::BTreeMap<K, V>; [K, V: Lossy, S] collections::HashMap<K, V, S>;
    [T: Lossy] (T,); [A: Lossy, B] (A, B); [A: Lossy, B, C] (A, B, C); [T: Lossy, E] Result<T, E>;
    ['a, T: Lossy] slice::Iter<'a, T>; [I: Iterator + Lossy] iter::Peekable<I>; [I: Lossy] iter::Skip<I>;
    [I: Lossy] iter::Take<I>; [I: Lossy] iter::Rev<I>; [I: Lossy] iter::Cloned<I>; [I: Lossy] iter::Copied<I>;
}

/// The same in another place of a tuple: rustc takes one `impl` for each.
pub trait SharedPart {}

kind! {
    SharedPart:
    [A: Shared, B] (A, B); [A: Shared, B, C] (A, B, C);
}

/// The same.
pub trait SharedRest {}

kind! {
    SharedRest:
    [A, B: Shared] (A, B); [A, B: Shared, C] (A, B, C);
}

/// What is left of a loop's items.
pub trait RestOf {
    /// The type of one.
    type Item;
}

impl<T> RestOf for crate::persist::iterate::Remaining<T> {
    type Item = T;
}

impl<T> RestOf for crate::persist::iterate::Kept<T> {
    type Item = T;
}

impl<K> RestOf for crate::persist::iterate::ByKey<K> {
    type Item = K;
}

/// Names of std's and tokio's shared state in the name of a type.
const SHARED: &[&str] = &[
    "::Mutex<",
    "::RwLock<",
    "::RefCell<",
    "::Cell<",
    "::OnceCell<",
    "::OnceLock<",
    "atomic::Atomic",
];

/// What the levels of the choice cannot see of a type, its name shows: shared state inside of other types
/// that are generic, where a function is generic itself.
pub(super) fn not_shared<T>() -> Result<(), crate::codec::Failure> {
    let name = std::any::type_name::<T>();
    let generic = name.ends_with('>') || name.ends_with(')') || name.starts_with('&');
    if generic && SHARED.iter().any(|shared| has_of(name, shared)) {
        return Err(format!(
            "`{name}` is shared, or changes behind a shared reference, and what comes back after the ask would be a copy of its own"
        ));
    }
    Ok(())
}

/// Whether such a type is in a type's name, from one of the crates that are meant: an author's `Cell` is none of them.
fn has_of(name: &str, shared: &str) -> bool {
    const CRATES: &[&str] = &[
        "arc_swap",
        "async_lock",
        "core",
        "futures_util",
        "lock_api",
        "once_cell",
        "std",
        "tokio",
    ];
    name.match_indices(shared).any(|(at, _)| {
        let before = name.get(..at).unwrap_or_default();
        let is_path = |one: char| one.is_alphanumeric() || one == '_' || one == ':';
        let path = before.rsplit(|one: char| !is_path(one)).next();
        let first = path.and_then(|path| path.split("::").next());
        first.is_some_and(|first| CRATES.contains(&first))
    })
}

/// The client's handle of a request, in the forms in which a parameter may have it.
pub trait RequestPart {
    /// The peer.
    fn peer(&self) -> Option<Peer<RoleServer>>;
    /// All of the request, where it has that.
    fn context(&self) -> Option<RequestContext<RoleServer>> {
        None
    }
}

impl RequestPart for Peer<RoleServer> {
    fn peer(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl RequestPart for RequestContext<RoleServer> {
    fn peer(&self) -> Option<Peer<RoleServer>> {
        Some(self.peer.clone())
    }

    fn context(&self) -> Option<Self> {
        Some(self.clone())
    }
}

impl RequestPart for Cx {
    fn peer(&self) -> Option<Peer<RoleServer>> {
        Some(Self::peer(self).clone())
    }

    fn context(&self) -> Option<RequestContext<RoleServer>> {
        Some(self.request().clone())
    }
}

macro_rules! request_parts {
    ($([$($generics:tt)*] $ty:ty, $value:ident => $inner:expr;)*) => {
        $(impl<$($generics)*> RequestPart for $ty {
            fn peer(&self) -> Option<Peer<RoleServer>> {
                let $value = self;
                $inner.and_then(|inner| inner.peer())
            }

            fn context(&self) -> Option<RequestContext<RoleServer>> {
                let $value = self;
                $inner.and_then(|inner| inner.context())
            }
        })*
    };
}

request_parts! {
    [T: RequestPart + ?Sized] &T, value => Some(&**value);
    [T: RequestPart + ?Sized] Arc<T>, value => Some(&**value);
    [T: RequestPart] Option<T>, value => value.as_ref();
}

/// An argument whose type, behind an alias, may be the client's handle.
#[derive(Debug)]
pub struct GivenPart<'a, T: ?Sized>(pub &'a T);

/// Found first: the handle.
pub trait GivenRequest {
    /// Notes the request's handle.
    fn saga_request(&self, activation: &mut Activation);
}

impl<T: RequestPart> GivenRequest for &GivenPart<'_, T> {
    fn saga_request(&self, activation: &mut Activation) {
        activation.request(self.0);
    }
}

/// Found for everything else.
pub trait GivenNoRequest {
    /// Nothing to note.
    fn saga_request(&self, _: &mut Activation) {}
}

impl<T: ?Sized> GivenNoRequest for GivenPart<'_, T> {}

/// Types of the client's handle.
pub trait Handle {}

kind! {
    Handle:
    [] Peer<RoleServer>; [] RequestContext<RoleServer>; [] Cx;
    [T: Handle] &T; [T: Handle] Arc<T>; [T: Handle] Option<T>;
}

/// Those that borrow it from nobody.
pub trait OwnedHandle: Handle {}

kind! {
    OwnedHandle:
    [] Peer<RoleServer>; [] RequestContext<RoleServer>; [] Cx;
    [T: OwnedHandle] Arc<T>; [T: OwnedHandle] Option<T>;
}

/// Found first: the handle that a struct borrows.
pub trait LentHandle<T> {
    /// One that lives as long as the activation.
    fn saga_lent_handle<'s>(&self, handle: &T, arena: &'s Arena<'s>) -> &'s T;
}

impl<T: OwnedHandle + Clone + Send + Sync + 'static> LentHandle<T> for &Witness<T> {
    fn saga_lent_handle<'s>(&self, handle: &T, arena: &'s Arena<'s>) -> &'s T {
        arena.keep(handle.clone())
    }
}

/// Found for everything else.
pub trait LentAsItIs<T> {
    /// It is borrowed where it is.
    fn saga_lent_handle<'h>(&self, handle: &'h T, _: &Arena<'_>) -> &'h T {
        handle
    }
}

impl<T> LentAsItIs<T> for Witness<T> {}

/// The client's handle in any form in which a variable may have it.
pub trait HandleForm {
    /// Whether there is one: an `Option` may be empty.
    fn is_there(&self) -> bool {
        true
    }

    /// Leaves it in the arena, for what is put together without a request.
    fn leave(&self, arena: &Arena<'_>);
}

/// What the handle is known by in an arena, and what is lent of it: that may be a handle in an `Arc`.
const HANDLE: &[u8] = b"handle";
const LENT_HANDLE: &[u8] = b"lent handle";

macro_rules! handle_forms {
    ($($handle:ty)*) => {
        $(impl HandleForm for $handle {
            fn leave(&self, arena: &Arena<'_>) {
                let left: Result<&Self, Stop> = arena.intern(HANDLE.to_vec(), |_| Ok(self.clone()));
                debug_assert!(left.is_ok(), "a clone does not fail");
            }
        })*
    };
}

handle_forms! { Peer<RoleServer> RequestContext<RoleServer> Cx }

impl<T: HandleForm> HandleForm for &T {
    fn leave(&self, arena: &Arena<'_>) {
        T::leave(self, arena);
    }
}

impl<T: HandleForm> HandleForm for Arc<T> {
    fn leave(&self, arena: &Arena<'_>) {
        T::leave(self, arena);
    }
}

impl<T: HandleForm> HandleForm for Option<T> {
    fn is_there(&self) -> bool {
        self.as_ref().is_some_and(T::is_there)
    }

    fn leave(&self, arena: &Arena<'_>) {
        if let Some(handle) = self {
            handle.leave(arena);
        }
    }
}

/// The handle that was left in the arena, or that `of_request` gives.
fn left<T: Clone + Send + Sync + 'static>(
    arena: &Arena<'_>,
    of_request: impl FnOnce() -> Option<T>,
) -> Result<T, Stop> {
    let handle = arena.intern(HANDLE.to_vec(), |_| of_request().ok_or_else(no_request));
    handle.cloned()
}

/// The same where it comes with the request.
pub trait RequestHandle<'s>: HandleForm + Sized {
    /// The empty one.
    ///
    /// # Errors
    /// [`Stop::Stale`] for a form that cannot be empty.
    fn none() -> Result<Self, Stop> {
        Err(no_request())
    }

    /// That of the present request.
    ///
    /// # Errors
    /// [`Stop::Stale`] where the request has none.
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop>;
}

impl<'s> RequestHandle<'s> for Peer<RoleServer> {
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        left(arena, || activation.request_peer())
    }
}

impl<'s> RequestHandle<'s> for RequestContext<RoleServer> {
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        left(arena, || activation.request_context())
    }
}

impl<'s> RequestHandle<'s> for Cx {
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        left(arena, || activation.request_context().map(Self::from))
    }
}

impl<'s, T: RequestHandle<'s> + Send + Sync + 'static> RequestHandle<'s> for &'s T {
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        let handle = T::of_request(activation, arena)?;
        // There is one for each request, however often a value with it is put together.
        arena.intern(LENT_HANDLE.to_vec(), |_| Ok(handle))
    }
}

impl<'s, T: RequestHandle<'s>> RequestHandle<'s> for Arc<T> {
    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        T::of_request(activation, arena).map(Self::new)
    }
}

impl<'s, T: RequestHandle<'s>> RequestHandle<'s> for Option<T> {
    fn none() -> Result<Self, Stop> {
        Ok(None)
    }

    fn of_request(activation: &Activation, arena: &'s Arena<'s>) -> Result<Self, Stop> {
        T::of_request(activation, arena).map(Some)
    }
}

fn no_request() -> Stop {
    Stop::Stale("the request's handle is not there".to_owned())
}

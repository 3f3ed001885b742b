//! Single use: who has consumed which leg of a call.

mod memory;

use std::{fmt, future::Future, pin::Pin, time::SystemTime};

use crate::identity::CallId;

pub use memory::MemoryGuard;

/// One leg of one call: what runs from the answer to one round of questions up to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Leg {
    /// The call.
    pub call: CallId,
    /// How many suspensions it has passed; 0 is the beginning of a call that the client has named.
    pub number: u32,
    /// When the last token of this leg expires: what is kept of it is not needed after that.
    pub until: SystemTime,
    /// The time by this server's clock.
    pub now: SystemTime,
}

impl Leg {
    /// A leg, to try a guard of one's own with.
    pub fn new(call: CallId, number: u32, until: SystemTime, now: SystemTime) -> Self {
        Self {
            call,
            number,
            until,
            now,
        }
    }
}

/// Who presents a leg's token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Consumed {
    /// Nobody did before: the leg is this presentation's.
    First,
    /// Somebody did, and the outcome is not known yet, or no longer.
    Again,
    /// Somebody did, and this was kept as its outcome.
    Kept(Vec<u8>),
}

/// What a [`Guard`] answers with: a future that can be boxed.
pub type Guarding<'a, T> = Pin<Box<dyn Future<Output = Result<T, GuardError>> + Send + 'a>>;

/// A guard could not say: its store is down, or full. Nothing of the leg runs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GuardError(String);

impl GuardError {
    /// An error with this text, for the server's log.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Lets each leg of a call run once: a token is consumed by the first presentation that carries an answer.
///
/// Without a guard a token can be presented as often as it is valid, and each time the call goes on from
/// there. A guard is shared by all replicas, like the keys; [`MemoryGuard`] is for one process, and the stores of
/// `saga-tasks` are guards, each for the replicas that share it.
///
/// A guard turns "at least once" into "at most once": a leg whose replica dies after
/// [`consume`](Guard::consume) and before its answer is sent is lost, and the client gets `used`.
/// Give it to [`Settings::with_guard`](crate::Settings::with_guard).
pub trait Guard: Send + Sync {
    /// Takes the leg. Of any number of calls for one leg, on any replica, one gives
    /// [`Consumed::First`].
    ///
    /// # Errors
    /// Where that cannot be promised: the request is refused, and nothing runs.
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed>;

    /// Whether [`keep`](Guard::keep) does anything.
    fn keeps(&self) -> bool {
        false
    }

    /// Gives a leg back of which nothing ran: its token is of code that this replica does not have. Where that does nothing,
    /// the token is used.
    ///
    /// # Errors
    /// Are logged.
    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        let _ = leg;
        Box::pin(async { Ok(()) })
    }

    /// Keeps the outcome of a leg that was consumed, sealed, so that a client that lost it gets it again.
    ///
    /// # Errors
    /// Are logged: the client has its answer all the same.
    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        let _ = (leg, outcome);
        Box::pin(async { Ok(()) })
    }
}

impl<G: Guard + ?Sized> Guard for std::sync::Arc<G> {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        (**self).consume(leg)
    }

    fn keeps(&self) -> bool {
        (**self).keeps()
    }

    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        (**self).keep(leg, outcome)
    }

    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        (**self).release(leg)
    }
}

/// Which tools a guard is for.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) guard: std::sync::Arc<dyn Guard>,
    /// Only for those that say `#[saga(once)]`.
    pub(crate) marked_only: bool,
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded")
            .field("marked_only", &self.marked_only)
            .finish_non_exhaustive()
    }
}

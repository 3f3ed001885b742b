//! Who a call is: its id, how far it is, when it began; and the names of its effects.

use std::{
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use aws_lc_rs::{
    digest::{Context, SHA256},
    rand,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// Length of a call's id in bytes.
const ID_LEN: usize = 16;
/// Length of an idempotency key in bytes, before base64.
const KEY_LEN: usize = 18;

/// The identity of a call: 128 bits that every request of it shares, on whichever replica.
///
/// ```
/// use saga_runtime::CallId;
///
/// let id = CallId::from_bytes([7; 16]);
/// assert_eq!(id.to_string(), "BwcHBwcHBwcHBwcHBwcHBw");
/// assert_eq!(id.as_bytes(), &[7; 16]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CallId(#[serde(with = "serde_bytes")] [u8; ID_LEN]);

impl CallId {
    /// An id of one's own.
    pub fn from_bytes(bytes: [u8; ID_LEN]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; ID_LEN] {
        &self.0
    }

    /// A new one; `None` where the system has no randomness to give.
    pub(crate) fn random() -> Option<Self> {
        let mut bytes = [0; ID_LEN];
        rand::fill(&mut bytes).ok()?;
        Some(Self(bytes))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a continuation carries of its call's identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) id: CallId,
    /// How many suspensions the call has passed: 1 at its first questions.
    pub(crate) leg: u32,
    /// When the call suspended first, in seconds since 1970.
    pub(crate) begun: u32,
    /// How many asks of the root's branch have their outcome.
    pub(crate) passed: u32,
}

/// The id of the call that a round belongs to; drawn only where something asks for it.
#[derive(Debug, Default)]
pub(crate) struct Caller(OnceLock<Option<CallId>>);

impl Caller {
    pub(crate) fn known(id: CallId) -> Self {
        Self(OnceLock::from(Some(id)))
    }

    pub(crate) fn id(&self) -> Option<CallId> {
        *self.0.get_or_init(CallId::random)
    }
}

/// A part of a call that runs in order: the whole of it, or one arm of a join.
///
/// An effect is named by the place where it happens, not by the request that makes it happen: by the
/// branch, and by how many asks of that branch have their outcome. It does not depend on how the answers
/// of other branches come in.
#[derive(Debug)]
pub(crate) struct Branch {
    /// For each join on the way here: the asks passed before it, and the arm.
    path: Vec<(u32, u32)>,
    passed: AtomicU32,
}

/// A place of a call, whatever the order in which the answers of other branches come in.
#[cfg(feature = "testing")]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    path: Vec<(u32, u32)>,
    passed: u32,
    /// How often another question was put in the place of the first one.
    again: usize,
}

#[cfg(feature = "testing")]
impl Place {
    /// Whether something runs beside it.
    pub(crate) fn is_in_arm(&self) -> bool {
        !self.path.is_empty()
    }

    /// That of the question which is put there after so many others.
    pub(crate) fn after(mut self, others: usize) -> Self {
        self.again = others;
        self
    }

    /// Whether another one is that of the same ask.
    pub(crate) fn is_of_ask(&self, other: &Self) -> bool {
        (&self.path, self.passed) == (&other.path, other.passed)
    }
}

impl Branch {
    pub(crate) fn root(passed: u32) -> Self {
        Self {
            path: Vec::new(),
            passed: AtomicU32::new(passed),
        }
    }

    /// An arm of the join that comes next in this branch.
    pub(crate) fn arm(&self, index: u32, passed: u32) -> Self {
        let mut path = self.path.clone();
        path.push((self.passed(), index));
        Self {
            path,
            passed: AtomicU32::new(passed),
        }
    }

    /// Whether nothing runs beside it.
    pub(crate) fn is_root(&self) -> bool {
        self.path.is_empty()
    }

    pub(crate) fn passed(&self) -> u32 {
        self.passed.load(Ordering::Relaxed)
    }

    /// An ask of this branch has its outcome, or a join is over.
    pub(crate) fn pass(&self) {
        self.passed.fetch_add(1, Ordering::Relaxed);
    }

    /// Where the call is: what is asked next in this branch is asked there in every run.
    #[cfg(feature = "testing")]
    pub(crate) fn place(&self) -> Place {
        Place {
            path: self.path.clone(),
            passed: self.passed(),
            again: 0,
        }
    }

    /// The name of the effect `effect` at this place of the call.
    pub(crate) fn key(&self, id: CallId, effect: &str) -> String {
        let mut context = Context::new(&SHA256);
        context.update(b"saga effect\0");
        context.update(&id.0);
        for (passed, arm) in &self.path {
            context.update(&passed.to_le_bytes());
            context.update(&arm.to_le_bytes());
        }
        context.update(&u32::MAX.to_le_bytes());
        context.update(&self.passed().to_le_bytes());
        context.update(effect.as_bytes());
        let hash = context.finish();
        let key = hash.as_ref().get(..KEY_LEN).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(key)
    }
}

/// The id of the call that a client names itself, with a request key.
pub(crate) fn requested(binding: &[u8], request_key: &str) -> CallId {
    let mut context = Context::new(&SHA256);
    context.update(b"saga request key\0");
    context.update(binding);
    context.update(request_key.as_bytes());
    let hash = context.finish();
    let mut id = [0; ID_LEN];
    for (byte, hashed) in id.iter_mut().zip(hash.as_ref()) {
        *byte = *hashed;
    }
    CallId(id)
}

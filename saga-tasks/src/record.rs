//! A task as a store keeps it.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use saga_runtime::CallId;

use crate::store::StoreError;

/// Ids that are drawn at random, and read again as they were written.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// A new one: 128 random bits, in base64url.
            ///
            /// # Errors
            /// Where the system has no randomness to give.
            pub fn random() -> Result<Self, StoreError> {
                random().map(Self)
            }

            /// The one of this text.
            pub fn named(id: impl Into<String>) -> Self {
                Self(id.into())
            }

            /// Its text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        })*
    };
}

ids! {
    /// Names a task to its client.
    TaskId;
    /// A process that runs legs.
    WorkerId;
}

/// How long an id is that was drawn: 128 bits in base64url.
const DRAWN: usize = 22;

impl TaskId {
    /// The one that a client names, where it may be one of ours: not every store takes every text for a key.
    pub(crate) fn sent(id: &str) -> Option<Self> {
        let is_drawn = id.len() == DRAWN
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        is_drawn.then(|| Self::named(id))
    }
}

fn random() -> Result<String, StoreError> {
    let mut bytes = [0; 16];
    rand::fill(&mut bytes).map_err(|_| StoreError::new("the system has no randomness to give"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// On whose behalf a task is: a hash of the principal's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Owner(String);

impl Owner {
    /// The owner that a principal is; nobody is one of its own.
    pub fn of(principal: Option<&str>) -> Self {
        let named = match principal {
            None => b"nobody".to_vec(),
            Some(name) => [b"principal:", name.as_bytes()].concat(),
        };
        Self(URL_SAFE_NO_PAD.encode(digest(&SHA256, &named)))
    }

    /// One as it was written.
    pub fn written(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The code that a task needs to go on: of the functions on its stack, as they were when it suspended; at its beginning, the
/// tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CodeId(pub u64);

impl CodeId {
    /// The code that a call of this tool begins with.
    pub fn of_tool(tool: &str) -> Self {
        let step =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        Self(tool.bytes().fold(0x84_22_23_25_cb_f2_9c_e4, step))
    }
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It can be run.
    Ready,
    /// A worker runs it.
    Leased,
    /// It waits for its client.
    Waiting,
    /// It sleeps.
    Sleeping,
    /// Its tool has a result.
    Completed,
    /// It has an error of the protocol.
    Failed,
    /// Its client no longer wanted it.
    Cancelled,
}

impl State {
    /// All of them, each with its name in a store.
    pub const NAMES: [(Self, &'static str); 7] = [
        (Self::Ready, "ready"),
        (Self::Leased, "leased"),
        (Self::Waiting, "waiting"),
        (Self::Sleeping, "sleeping"),
        (Self::Completed, "completed"),
        (Self::Failed, "failed"),
        (Self::Cancelled, "cancelled"),
    ];

    /// Whether nothing comes after it.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Its name in a store.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(state, _)| *state == self);
        named.map_or("ready", |(_, name)| name)
    }

    /// The state of a name.
    ///
    /// # Errors
    /// Where no state has it.
    pub fn named(name: &str) -> Result<Self, StoreError> {
        let named = Self::NAMES.iter().find(|(_, known)| *known == name);
        named
            .map(|(state, _)| *state)
            .ok_or_else(|| StoreError::new(format!("`{name}` is no state of a task")))
    }
}

/// A task, as a store keeps it. Times are the store's, in whole milliseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskRecord {
    /// Its id.
    pub id: TaskId,
    /// The call's: of two records with the same one the second is not created.
    pub call: CallId,
    /// Raised by every write but [`note`](crate::TaskStore::note) and [`renew`](crate::TaskStore::renew).
    pub version: u64,
    /// On whose behalf it is.
    pub owner: Owner,
    /// The tool.
    pub tool: String,
    /// The code that it needs.
    pub code: CodeId,
    /// Where it stands.
    pub state: State,
    /// From when on a worker is to look at it; never, where it is final.
    pub due: Option<SystemTime>,
    /// How often it was claimed: who holds an older one has lost it.
    pub fence: u64,
    /// Who runs it.
    pub worker: Option<WorkerId>,
    /// Until when it is that worker's.
    pub lease_until: Option<SystemTime>,
    /// How often the leg that is next was begun.
    pub attempts: u32,
    /// Whether its client no longer wants it.
    pub cancel: bool,
    /// When it was created.
    pub created: SystemTime,
    /// When its state was written last.
    pub updated: SystemTime,
    /// When it need not be kept any longer.
    pub expires: Option<SystemTime>,
    /// What its client is told of it.
    pub status_message: Option<String>,
    /// All else, sealed: it opens for this id and owner alone.
    pub sealed: Vec<u8>,
}

impl TaskRecord {
    /// Whether it has ended, and the time for which it is kept is over.
    pub(crate) fn is_over(&self, now: SystemTime) -> bool {
        self.state.is_final() && self.expires.is_some_and(|expires| expires <= now)
    }

    /// A record of a task that was created now, and can be run.
    pub fn new(id: TaskId, call: CallId, owner: Owner, tool: String, now: SystemTime) -> Self {
        let now = whole(now);
        Self {
            id,
            call,
            version: 1,
            owner,
            tool,
            code: CodeId::default(),
            state: State::Ready,
            due: Some(now),
            fence: 0,
            worker: None,
            lease_until: None,
            attempts: 0,
            cancel: false,
            created: now,
            updated: now,
            expires: None,
            status_message: None,
            sealed: Vec::new(),
        }
    }

    /// No worker has it any longer.
    pub(crate) fn release(&mut self) {
        self.worker = None;
        self.lease_until = None;
    }

    /// Nothing comes after this.
    pub(crate) fn close(&mut self, state: State) {
        self.release();
        self.state = state;
        self.due = None;
    }

    /// Is kept until then at least.
    pub(crate) fn keep_until(&mut self, time: SystemTime) {
        self.expires = self.expires.map(|expires| expires.max(time));
    }
}

/// How long after its end a task is kept at least.
pub(crate) const KEPT: Duration = Duration::from_secs(60);

/// A number as SQL has it, with a sign.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn signed(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

/// The number that was written.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn unsigned(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}

/// Milliseconds since 1970, as a store writes a time.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time that was written.
pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A time as a calendar has it; of a row that is damaged, the nearest one.
pub(crate) fn date(at: SystemTime) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(millis(at)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// A time in whole milliseconds.
pub(crate) fn whole(at: SystemTime) -> SystemTime {
    time(millis(at))
}

//! A task as Restate keeps it, and what each write makes of it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use saga_runtime::CallId;
use saga_tasks::{CodeId, Owner, State, StoreError, TaskId, TaskRecord, WorkerId};
use serde::{Deserialize, Serialize};

/// A record, as JSON; times in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) id: String,
    /// In hexadecimal digits.
    pub(crate) call: String,
    pub(crate) version: u64,
    pub(crate) owner: String,
    pub(crate) tool: String,
    pub(crate) code: u64,
    pub(crate) state: String,
    pub(crate) due: Option<i64>,
    pub(crate) fence: u64,
    pub(crate) worker: Option<String>,
    pub(crate) lease_until: Option<i64>,
    pub(crate) attempts: u32,
    pub(crate) cancel: bool,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) expires: Option<i64>,
    pub(crate) status_message: Option<String>,
    /// `=` and the text that it is, or `~` and base64; apart from the rest in the object's state, since most steps do
    /// not touch it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sealed: Option<String>,
}

/// Milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time that was written.
pub(crate) fn time(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A length of time in milliseconds.
pub(crate) fn span(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

pub(crate) fn hex(call: &CallId) -> String {
    call.as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn call_of(hex: &str) -> Option<CallId> {
    let mut bytes = [0; 16];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    (hex.len() == 32).then_some(CallId::from_bytes(bytes))
}

fn sealed(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("={text}"),
        Err(_) => format!("~{}", STANDARD_NO_PAD.encode(bytes)),
    }
}

fn opened(text: &str) -> Option<Vec<u8>> {
    match text.split_at_checked(1)? {
        ("=", text) => Some(text.as_bytes().to_vec()),
        ("~", coded) => STANDARD_NO_PAD.decode(coded).ok(),
        _ => None,
    }
}

impl From<&TaskRecord> for Row {
    fn from(record: &TaskRecord) -> Self {
        Self {
            id: record.id.to_string(),
            call: hex(&record.call),
            version: record.version,
            owner: record.owner.as_str().to_owned(),
            tool: record.tool.clone(),
            code: record.code.0,
            state: record.state.name().to_owned(),
            due: record.due.map(millis),
            fence: record.fence,
            worker: record.worker.as_ref().map(ToString::to_string),
            lease_until: record.lease_until.map(millis),
            attempts: record.attempts,
            cancel: record.cancel,
            created: millis(record.created),
            updated: millis(record.updated),
            expires: record.expires.map(millis),
            status_message: record.status_message.clone(),
            sealed: Some(sealed(&record.sealed)),
        }
    }
}

impl TryFrom<Row> for TaskRecord {
    type Error = StoreError;

    /// The record. Where only what is sealed is damaged, nothing is sealed: its task fails, and no other.
    fn try_from(row: Row) -> Result<Self, StoreError> {
        let call = call_of(&row.call)
            .ok_or_else(|| StoreError::new(format!("Restate: `{}` is no call", row.call)))?;
        let (id, owner) = (TaskId::named(row.id), Owner::written(row.owner));
        let mut record = Self::new(id, call, owner, row.tool, time(row.created));
        record.version = row.version;
        record.code = CodeId(row.code);
        record.state = State::named(&row.state)?;
        record.due = row.due.map(time);
        record.fence = row.fence;
        record.worker = row.worker.map(WorkerId::named);
        record.lease_until = row.lease_until.map(time);
        record.attempts = row.attempts;
        record.cancel = row.cancel;
        record.updated = time(row.updated);
        record.expires = row.expires.map(time);
        record.status_message = row.status_message;
        record.sealed = row.sealed.as_deref().and_then(opened).unwrap_or_default();
        Ok(record)
    }
}

/// Who claims a task, and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Claims {
    pub(crate) worker: String,
    pub(crate) lease: i64,
    /// Code that this worker does not have…
    pub(crate) unknown: Vec<u64>,
    /// …and when tasks of it are its nevertheless.
    pub(crate) stale_after: i64,
    pub(crate) now: i64,
}

impl Claims {
    /// Whether a task of this code, written then, is left to others.
    pub(crate) fn leave(&self, code: u64, updated: i64) -> bool {
        self.unknown.contains(&code) && self.now.saturating_sub(updated) < self.stale_after
    }
}

impl Row {
    fn is(&self, state: State) -> bool {
        self.state == state.name()
    }

    pub(crate) fn is_final(&self) -> bool {
        State::named(&self.state).is_ok_and(State::is_final)
    }

    /// Whether it need not be kept any longer.
    pub(crate) fn is_over(&self, now: i64) -> bool {
        self.is_final() && self.expires.is_some_and(|expires| expires <= now)
    }

    pub(crate) fn is_due(&self, now: i64) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// When something is to be done about it.
    pub(crate) fn wakes(&self) -> Option<i64> {
        match self.is_final() {
            true => self.expires,
            false => self.due,
        }
    }

    fn is_held(&self, fence: u64) -> bool {
        self.is(State::Leased) && self.fence == fence
    }

    /// What a write makes of it, unless somebody else's was before it.
    pub(crate) fn swap(&self, mut next: Self, version: u64, fence: Option<u64>) -> Option<Self> {
        let held = fence.is_none_or(|fence| self.is_held(fence));
        if self.version != version || !held {
            return None;
        }
        next.version = version.saturating_add(1);
        if next.is(State::Leased) {
            next.lease_until = next.lease_until.max(self.lease_until);
            next.due = next.lease_until;
        }
        Some(next)
    }

    /// Gives it to who claims it.
    pub(crate) fn claim(&mut self, claims: &Claims, now: i64) {
        State::Leased.name().clone_into(&mut self.state);
        self.fence = self.fence.saturating_add(1);
        self.attempts = self.attempts.saturating_add(1);
        self.version = self.version.saturating_add(1);
        self.worker = Some(claims.worker.clone());
        self.lease_until = Some(now.saturating_add(claims.lease));
        self.due = self.lease_until;
    }

    /// Extends a lease that is held: whether it is.
    pub(crate) fn renew(&mut self, fence: u64, until: i64) -> bool {
        let held = self.is_held(fence);
        if held {
            // Never shorter, whatever the holder's clock says.
            self.lease_until = self.lease_until.max(Some(until));
            self.due = self.lease_until;
        }
        held
    }

    /// Writes what a client is told: whether it may.
    pub(crate) fn note(&mut self, fence: u64, message: String, now: i64) -> bool {
        let held = self.is_held(fence);
        if held {
            self.status_message = Some(message);
            self.updated = now;
        }
        held
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may end here")]

    use super::*;

    fn record() -> TaskRecord {
        let call = CallId::from_bytes([0xa7; 16]);
        let owner = Owner::of(Some("alice"));
        TaskRecord::new(TaskId::named("t"), call, owner, "tool".to_owned(), time(5))
    }

    #[test]
    fn what_is_written_is_read() {
        for sealed in [&b"text"[..], &[0, 255, 7], b"", b"~x"] {
            let mut record = record();
            record.sealed = sealed.to_vec();
            let json = serde_json::to_string(&Row::from(&record)).unwrap();
            let row: Row = serde_json::from_str(&json).unwrap();
            assert_eq!(TaskRecord::try_from(row).unwrap(), record);
        }
    }

    #[test]
    fn what_is_damaged_is_no_other_record() {
        let row = Row::from(&record());
        let damaged = |change: &dyn Fn(&mut Row)| {
            let mut row = row.clone();
            change(&mut row);
            TaskRecord::try_from(row)
        };
        assert!(damaged(&|row| row.call = "é".repeat(16)).is_err());
        assert!(damaged(&|row| row.state = "lost".to_owned()).is_err());
        for text in ["", "é", "~%", "?x"] {
            let read = damaged(&|row| row.sealed = Some(text.to_owned()));
            assert_eq!(read.unwrap().sealed, b"");
        }
    }

    #[test]
    fn a_clock_that_is_behind_shortens_no_lease() {
        let mut row = Row::from(&record());
        let claims = Claims {
            worker: "w".to_owned(),
            lease: 100,
            unknown: Vec::new(),
            stale_after: i64::MAX,
            now: 10,
        };
        row.claim(&claims, 10);
        assert!(row.renew(1, 50) && !row.renew(2, 900));
        assert_eq!((row.due, row.lease_until), (Some(110), Some(110)));
    }
}

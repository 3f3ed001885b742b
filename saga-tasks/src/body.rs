//! What of a task is sealed: the call, where it stands, its questions and answers, its end.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use rmcp::{
    ErrorData,
    model::{CallToolResult, InputRequest},
};
use saga_runtime::{Continuation, Error, Reason, Settings, background::BackgroundCall};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    leg::history::History,
    record::{TaskRecord, millis},
};

/// What a task is bound to.
const PURPOSE: &[u8] = b"a saga task";

/// Longer than any key lives: a row ends by its own time.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);

/// The sealed part of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Body {
    pub(crate) call: BackgroundCall,
    /// Where it stands; nothing at its beginning.
    #[serde(with = "serde_bytes")]
    pub(crate) continuation: Option<Vec<u8>>,
    /// The questions that have no answer yet, by key.
    pub(crate) open: BTreeMap<String, InputRequest>,
    /// When each open question was shown first, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) asked: BTreeMap<String, i64>,
    /// Answers that no leg has begun with, each with the question that it is to.
    pub(crate) answers: BTreeMap<String, Given>,
    /// Questions of a leg that had not suspended when they were shown: an attempt of its own may not put them again.
    #[serde(default)]
    pub(crate) shown: BTreeMap<String, Shown>,
    /// That it waits for a worker that has its code.
    #[serde(default)]
    pub(crate) stale: Option<Stale>,
    /// How it ended.
    pub(crate) end: Option<End>,
    /// How long it is kept after its end and the last contact, in milliseconds.
    #[serde(default)]
    pub(crate) keep: Option<u64>,
    /// The legs that it had.
    #[serde(default)]
    pub(crate) history: History,
}

/// A task whose code a worker did not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stale {
    /// Since when, in milliseconds since 1970.
    pub(crate) since: i64,
    /// The lease of the last one who did not have it.
    pub(crate) fence: u64,
}

/// An answer, and what was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Given {
    pub(crate) question: InputRequest,
    pub(crate) answer: Value,
}

/// A question that was shown early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    pub(crate) question: InputRequest,
    /// When its time is over, in milliseconds since 1970.
    pub(crate) over: Option<i64>,
}

/// Whether a client sees the same.
pub(crate) fn is_same(one: &InputRequest, other: &InputRequest) -> bool {
    serde_json::to_value(one).ok() == serde_json::to_value(other).ok()
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum End {
    #[serde(rename = "r")]
    Result(Box<CallToolResult>),
    #[serde(rename = "e")]
    Error(ErrorData),
}

/// Why a body cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// Of a key that this process does not have, or has no more: others may.
    #[error("{0}")]
    Key(Error),
    /// It is damaged, or another's.
    #[error("{0}")]
    Corrupt(String),
    /// It is larger than a row may be.
    #[error("the task needs {0} bytes, more than the limit of {1}")]
    TooLarge(usize, usize),
}

impl Body {
    pub(crate) fn of(call: BackgroundCall) -> Self {
        Self {
            call,
            continuation: None,
            open: BTreeMap::new(),
            asked: BTreeMap::new(),
            answers: BTreeMap::new(),
            shown: BTreeMap::new(),
            stale: None,
            end: None,
            keep: None,
            history: History::default(),
        }
    }

    /// Nothing comes after this end.
    pub(crate) fn close(&mut self, end: Option<End>) {
        self.continuation = None;
        self.open.clear();
        self.asked.clear();
        self.answers.clear();
        self.shown.clear();
        self.end = end;
    }

    /// Notes which questions are open as of now; gives the keys of those that were not before.
    pub(crate) fn note_asked(&mut self, now: SystemTime) -> Vec<String> {
        self.asked.retain(|key, _| self.open.contains_key(key));
        let new = self
            .open
            .keys()
            .filter(|key| !self.asked.contains_key(*key));
        let new: Vec<_> = new.cloned().collect();
        self.asked
            .extend(new.iter().map(|key| (key.clone(), millis(now))));
        new
    }

    /// The leg by which observers know of what is asked: of the last that suspended, or of the one that runs.
    pub(crate) fn leg(&self, runs: bool) -> u32 {
        let stands = self.continuation().ok().flatten();
        stands.map_or(0, |stands| stands.leg()) + u32::from(runs)
    }

    /// Where the call stands.
    pub(crate) fn continuation(&self) -> Result<Option<Continuation>, BodyError> {
        let decoded = self.continuation.as_deref().map(Continuation::decode);
        decoded
            .transpose()
            .map_err(|error| BodyError::Corrupt(error.to_string()))
    }

    /// Opens what is sealed in a record.
    pub(crate) fn open(settings: &Settings, record: &TaskRecord) -> Result<Self, BodyError> {
        let corrupt = |detail: String| BodyError::Corrupt(detail);
        let sealed = std::str::from_utf8(&record.sealed);
        let sealed = sealed.map_err(|error| corrupt(error.to_string()))?;
        let opened = settings.open_of_any_age(&purpose(record), sealed);
        let opened = opened.map_err(|error| match error.reason() {
            Some(Reason::Malformed | Reason::Mismatch) => corrupt(error.to_string()),
            _ => BodyError::Key(error),
        })?;
        rmp_serde::from_slice(&opened).map_err(|error| corrupt(error.to_string()))
    }

    /// Whether a record is sealed by the key that seals now.
    pub(crate) fn is_of_newest_key(
        settings: &Settings,
        record: &TaskRecord,
    ) -> Result<bool, BodyError> {
        let sealed = std::str::from_utf8(&record.sealed);
        let newest = sealed.map(|sealed| settings.is_of_newest_key(sealed));
        newest.unwrap_or(Ok(false)).map_err(BodyError::Key)
    }

    /// Seals it for a record.
    pub(crate) fn seal(
        &self,
        settings: &Settings,
        record: &TaskRecord,
        limit: usize,
    ) -> Result<Vec<u8>, BodyError> {
        let sealed = self.sealed(settings, record)?;
        if sealed.len() <= limit {
            return Ok(sealed);
        }
        // What it has done counts for more than when.
        let lean = Self {
            history: History::default(),
            ..self.clone()
        };
        let sealed = lean.sealed(settings, record)?;
        match sealed.len() > limit {
            true => Err(BodyError::TooLarge(sealed.len(), limit)),
            false => Ok(sealed),
        }
    }

    fn sealed(&self, settings: &Settings, record: &TaskRecord) -> Result<Vec<u8>, BodyError> {
        let body = rmp_serde::to_vec_named(self);
        let body = body.map_err(|error| BodyError::Corrupt(error.to_string()))?;
        let sealed = settings.seal_for(&purpose(record), &body, FOREVER);
        Ok(sealed.map_err(BodyError::Key)?.into_bytes())
    }
}

/// Whether a row is damaged, or sealed by another key of the same id: the two cannot be told apart.
pub(crate) fn is_tampered(error: &Error) -> bool {
    error.reason() == Some(Reason::Tampered)
}

fn purpose(record: &TaskRecord) -> [&[u8]; 4] {
    [
        PURPOSE,
        record.id.as_str().as_bytes(),
        record.owner.as_str().as_bytes(),
        record.tool.as_bytes(),
    ]
}

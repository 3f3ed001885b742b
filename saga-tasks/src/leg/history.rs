//! Which legs a task had: written with what is written of a leg anyway, so it costs no write of its own.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::record::{State, TaskRecord, WorkerId, millis};

/// How many legs are remembered.
const REMEMBERED: usize = 50;

/// The legs of a task, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct History(Vec<Past>);

/// A leg that was begun.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Past {
    /// When it began, in milliseconds since 1970, and by which worker: unknown of a worker that wrote nothing.
    #[serde(rename = "b")]
    pub(crate) began: Option<(i64, String)>,
    /// Which attempt of this leg it was.
    #[serde(rename = "a")]
    pub(crate) attempt: u32,
    /// When it ended and how; nothing where nobody has written that.
    #[serde(rename = "e")]
    pub(crate) end: Option<(i64, Ended)>,
}

/// How a leg ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ended {
    #[serde(rename = "w")]
    Waiting,
    #[serde(rename = "s")]
    Sleeping,
    /// The next leg began at once, or could have.
    #[serde(rename = "g")]
    WentOn,
    #[serde(rename = "c")]
    Completed,
    #[serde(rename = "f")]
    Failed,
    #[serde(rename = "x")]
    Cancelled,
    /// Its worker does not have the code.
    #[serde(rename = "l")]
    Left,
    /// Its worker gave no sign of life, and this is when another began.
    #[serde(rename = "t")]
    TakenOver,
}

impl History {
    #[cfg(feature = "console")]
    pub(crate) fn legs(&self) -> &[Past] {
        &self.0
    }

    /// The attempt to run a leg that this record's lease is for; once, however often it is said.
    pub(crate) fn begin(&mut self, record: &TaskRecord, at: SystemTime) {
        let (now, attempt) = (millis(at), record.attempts);
        let worker = record.worker.as_ref().map_or("", WorkerId::as_str);
        let is_open = |past: &&mut Past| past.end.is_none();
        let mut known = 0;
        if let Some(last) = self.0.last_mut().filter(is_open) {
            let same = last.began.as_ref().is_some_and(|(_, by)| by == worker);
            if same && last.attempt == attempt {
                return;
            }
            known = last.attempt;
            last.end = Some((now, Ended::TakenOver));
        }
        // Attempts whose workers came to no write.
        let lost = known.saturating_add(1)..attempt;
        self.0
            .extend(lost.rev().take(REMEMBERED).rev().map(|attempt| Past {
                began: None,
                attempt,
                end: Some((now, Ended::TakenOver)),
            }));
        self.0.push(Past {
            began: Some((now, worker.to_owned())),
            attempt,
            end: None,
        });
        let old = self.0.len().saturating_sub(REMEMBERED);
        self.0.drain(..old);
    }

    /// What a write makes of the leg that runs: `moved` says whether the task stands at another point after it.
    pub(crate) fn follow(&mut self, record: &TaskRecord, moved: bool, at: SystemTime) {
        let ended = match record.state {
            State::Completed => Ended::Completed,
            State::Failed => Ended::Failed,
            State::Cancelled => Ended::Cancelled,
            State::Waiting => Ended::Waiting,
            State::Sleeping => Ended::Sleeping,
            State::Ready if !moved => Ended::Left,
            State::Ready => Ended::WentOn,
            State::Leased if moved => Ended::WentOn,
            // It still runs.
            State::Leased => return,
        };
        if let Some(last) = self.0.last_mut() {
            last.end = Some((millis(at), ended));
        }
        if record.state == State::Leased {
            self.begin(record, at);
        }
    }
}

//! Writing a task that is run: as long as it is ours, and whatever the store does.

use std::{
    sync::atomic::Ordering,
    time::{Duration, SystemTime},
};

use saga_runtime::{Event, background::Begun};
use tokio::time::{Instant, sleep};

use super::{Gone, LegRun, SHORT, corrupt};
use crate::{
    body::{Body, BodyError, End},
    record::{KEPT, State, TaskId, TaskRecord},
    store::{Created, Expect, StoreError, Swap},
    wire::{created, internal},
};

/// Pauses between two attempts to write, where the store is down.
const BACKOFF: [Duration; 4] = [
    Duration::from_millis(50),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

impl LegRun {
    /// Changes the record, as it is now, and writes it: as long as it is ours. What does not fit in a row is written as failed,
    /// and the task is not ours any more.
    pub(super) async fn write(
        &mut self,
        mut change: impl FnMut(&mut TaskRecord, &mut Body),
    ) -> Result<(), Gone> {
        let limit = self.tasks.config.max_bytes;
        let mut backoff = BACKOFF.iter().chain(std::iter::repeat(&BACKOFF[3]));
        let mut failing: Option<Instant> = None;
        loop {
            let (mut record, mut body) = (self.record.clone(), self.body.clone());
            record.updated = self.time();
            body.history.begin(&record, self.now);
            change(&mut record, &mut body);
            if record.state == State::Leased {
                // Its first row may be written long after its lease began.
                record.lease_until = Some(self.time() + self.tasks.config.lease);
                record.due = record.lease_until;
            }
            let asked = body.note_asked(record.updated);
            let fits = self.seal(&mut record, &mut body, limit)?;
            let expect = Expect {
                version: self.record.version,
                fence: Some(self.record.fence),
            };
            let written = match &self.first {
                None => self.tasks.store.swap(&record, expect).await,
                Some(_) => match self.tasks.store.create(&record).await {
                    // The answer to an attempt before may have been lost.
                    Ok(Created::Exists(id)) if id != record.id => {
                        self.tell_other(id).await;
                        return Err(Gone);
                    }
                    Ok(_) => Ok(Swap::Done(record.version)),
                    Err(error) => Err(error),
                },
            };
            let error = match written {
                Ok(Swap::Done(version)) => {
                    record.version = version;
                    self.record = record;
                    self.written(body, &asked);
                    return if fits { Ok(()) } else { Err(Gone) };
                }
                Ok(Swap::Lost) => match self.read_again(&record, expect).await? {
                    Read::Written => {
                        self.written(body, &asked);
                        return if fits { Ok(()) } else { Err(Gone) };
                    }
                    Read::Changed => continue,
                    Read::Failed(error) => error,
                },
                Err(error) => error,
            };
            tracing::warn!(task = %record.id, %error, "a task was not written");
            let since = *failing.get_or_insert_with(Instant::now);
            if since.elapsed() > self.tasks.config.lease {
                return Err(Gone);
            }
            let pause = backoff.next().copied().unwrap_or(SHORT);
            tokio::select! {
                () = self.signal.lost.cancelled() => return Err(Gone),
                () = sleep(pause) => {}
            }
        }
    }

    /// What is in the store now: whoever looks there can see what is asked.
    fn written(&mut self, body: Body, asked: &[String]) {
        let runs = body.continuation == self.body.continuation;
        self.body = body;
        self.tell_first();
        self.tasks.tell_written(&self.record.id);
        if !asked.is_empty() && !self.record.state.is_final() {
            let call = &self.body.call;
            let event = Event::Asked {
                keys: asked,
                token_bytes: 0,
            };
            let leg = self.body.leg(runs);
            call.tell(&self.settings, call.principal.as_deref(), leg, event);
        }
    }

    /// Seals a body for its record; `false` where it does not fit, and the record is that of a failed task.
    fn seal(&self, record: &mut TaskRecord, body: &mut Body, limit: usize) -> Result<bool, Gone> {
        let moved = body.continuation != self.body.continuation;
        let before = body.history.clone();
        body.history.follow(record, moved, self.time());
        let error = match body.seal(&self.settings, record, limit) {
            Ok(sealed) => {
                record.sealed = sealed;
                return Ok(true);
            }
            Err(error) => error,
        };
        too_large(record, body, &error, self.time());
        body.history = before;
        body.history.follow(record, moved, self.time());
        match body.seal(&self.settings, record, usize::MAX) {
            Ok(sealed) => {
                record.sealed = sealed;
                Ok(false)
            }
            Err(error) => {
                tracing::error!(task = %record.id, %error, "a task cannot be sealed");
                Err(Gone)
            }
        }
    }

    /// The same call is a task already.
    async fn tell_other(&mut self, id: TaskId) {
        let Some(first) = self.first.take() else {
            return;
        };
        let begun = match self.tasks.store.get(&id).await {
            Ok(Some(record)) => Ok(Begun::Task(Box::new(created(
                &record,
                &Body::of(self.body.call.clone()),
                self.tasks.config.poll,
            )))),
            _ => Err(internal("the task cannot be reached now", "store")),
        };
        let _ = first.told.send(begun);
    }

    /// The call is a task from here on.
    fn tell_first(&mut self) {
        self.signal.stored.store(true, Ordering::Relaxed);
        if let Some(first) = self.first.take() {
            let task = created(&self.record, &self.body, self.tasks.config.poll);
            let _ = first.told.send(Ok(Begun::Task(Box::new(task))));
        }
    }

    /// A client has written it meanwhile, or it is another worker's; or the write was made, and its answer was lost.
    async fn read_again(&mut self, wanted: &TaskRecord, expect: Expect) -> Result<Read, Gone> {
        let record = match self.tasks.store.get(&self.record.id).await {
            Ok(record) => record.ok_or(Gone)?,
            Err(error) => return Ok(Read::Failed(error)),
        };
        if record.version == expect.version + 1 && record.sealed == wanted.sealed {
            self.record = record;
            return Ok(Read::Written);
        }
        if record.state != State::Leased || record.fence != self.record.fence {
            return Err(Gone);
        }
        self.body = Body::open(&self.settings, &record).map_err(|error| {
            tracing::error!(task = %record.id, %error, "a task that is run cannot be read");
            Gone
        })?;
        self.record = record;
        Ok(Read::Changed)
    }
}

/// What was found where a write was lost.
enum Read {
    /// It was made.
    Written,
    /// Another one was made before it.
    Changed,
    Failed(StoreError),
}

/// A task that does not fit in its row is failed.
fn too_large(record: &mut TaskRecord, body: &mut Body, error: &BodyError, now: SystemTime) {
    let error = match error {
        BodyError::TooLarge(..) => internal(error.to_string(), "too_large"),
        other => corrupt(other),
    };
    record.close(State::Failed);
    record.status_message = Some(error.message.to_string());
    keep(record, body, KEPT, now);
    body.close(Some(End::Error(error)));
}

/// How long a task that has ended is kept: an async call for its clients, and not for its age.
pub(super) fn keep(record: &mut TaskRecord, body: &Body, window: Duration, now: SystemTime) {
    match body.keep {
        Some(millis) => record.expires = Some(now + Duration::from_millis(millis)),
        None => record.keep_until(now + window.max(KEPT)),
    }
}

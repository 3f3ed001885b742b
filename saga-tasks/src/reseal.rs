//! After a rotation: rows of older keys are sealed by the newest one.

use crate::{
    body::{Body, BodyError, is_tampered},
    record::{State, TaskRecord},
    store::{Expect, Page, StoreError, Swap},
    tasks::{Inner, Tasks},
};

/// How many rows are looked at at a time.
const PAGE: usize = 200;

/// What [`Tasks::reseal`] has found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resealed {
    /// Rows that were sealed again.
    pub resealed: u64,
    /// Rows that were of the newest key already.
    pub newest: u64,
    /// Rows that are run, or were written by somebody else meanwhile: a leg seals by its process's newest key when it
    /// ends.
    pub busy: u64,
    /// Rows of a key that this process does not have.
    pub unreadable: u64,
    /// Rows that are damaged, or sealed by another key of an id that this process has: no key here opens them, so that none is kept for
    /// them.
    pub damaged: u64,
}

impl Resealed {
    /// Whether no row needs an older key any more.
    pub fn is_done(self) -> bool {
        self.busy == 0 && self.unreadable == 0
    }
}

impl Tasks {
    /// Seals the rows of older keys by the newest one, before those are dropped: a task that waits for a week outlives a rotation.
    /// Goes over all rows; once every process has the new key first in its list.
    ///
    /// ```no_run
    /// # async fn example(tasks: saga_tasks::Tasks) -> Result<(), saga_tasks::StoreError> {
    /// while !tasks.reseal().await?.is_done() {
    ///     tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the store fails or cannot list its tasks, or there are no keys. What was sealed again stays so.
    pub async fn reseal(&self) -> Result<Resealed, StoreError> {
        let mut found = Resealed::default();
        let mut last: Option<TaskRecord> = None;
        loop {
            let page = Page::new(PAGE);
            let page = match &last {
                Some(last) => page.after(last.created, &last.id),
                None => page,
            };
            let listed = self.0.store.list(page).await?;
            for listed in &listed {
                // It may be gone: its time was over.
                if let Some(record) = self.0.store.get(&listed.id).await? {
                    *self.0.reseal(record).await?.count(&mut found) += 1;
                }
            }
            match listed.into_iter().last() {
                Some(record) => last = Some(record),
                None => return Ok(found),
            }
        }
    }
}

/// What became of one row.
enum Row {
    Resealed,
    Newest,
    Busy,
    Unreadable,
    Damaged,
}

impl Row {
    fn count(self, found: &mut Resealed) -> &mut u64 {
        match self {
            Self::Resealed => &mut found.resealed,
            Self::Newest => &mut found.newest,
            Self::Busy => &mut found.busy,
            Self::Unreadable => &mut found.unreadable,
            Self::Damaged => &mut found.damaged,
        }
    }
}

impl Inner {
    async fn reseal(&self, mut record: TaskRecord) -> Result<Row, StoreError> {
        let settings = self
            .sealing()
            .map_err(|error| StoreError::new(error.message))?;
        let keys = |error: BodyError| StoreError::new(error.to_string());
        if Body::is_of_newest_key(&settings, &record).map_err(keys)? {
            return Ok(Row::Newest);
        }
        if record.state == State::Leased {
            return Ok(Row::Busy);
        }
        let body = match Body::open(&settings, &record) {
            Ok(body) => body,
            Err(BodyError::Key(error)) if !is_tampered(&error) => return Ok(Row::Unreadable),
            Err(_) => return Ok(Row::Damaged),
        };
        let expect = Expect {
            version: record.version,
            fence: None,
        };
        // It is no larger than it was.
        record.sealed = body.seal(&settings, &record, usize::MAX).map_err(keys)?;
        Ok(match self.store.swap(&record, expect).await? {
            Swap::Done(_) => Row::Resealed,
            Swap::Lost => Row::Busy,
        })
    }
}

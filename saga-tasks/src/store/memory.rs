//! A store in this process, for tests.

use std::{
    cmp::Reverse,
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use saga_runtime::CallId;

use super::{Claim, Claimed, Created, Expect, Page, Renewal, StoreError, Swap, TaskStore};
use crate::record::{Owner, State, TaskId, TaskRecord, whole};

type Clock = dyn Fn() -> SystemTime + Send + Sync;

/// Tasks in the memory of this process: they end with it.
#[derive(Clone)]
pub struct MemoryStore {
    tasks: Arc<Mutex<HashMap<TaskId, TaskRecord>>>,
    clock: Arc<Clock>,
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty one.
    pub fn new() -> Self {
        Self::with_clock(SystemTime::now)
    }

    /// One with a clock of its own.
    pub fn with_clock(clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self {
            tasks: Arc::default(),
            clock: Arc::new(clock),
        }
    }

    fn tasks(&self) -> MutexGuard<'_, HashMap<TaskId, TaskRecord>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn time(&self) -> SystemTime {
        whole((self.clock)())
    }
}

/// Whether a lease is the one that is named.
fn is_held(record: &TaskRecord, fence: u64) -> bool {
    record.state == State::Leased && record.fence == fence
}

#[async_trait]
impl TaskStore for MemoryStore {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        Ok(self.time())
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let mut tasks = self.tasks();
        let same = tasks.values().find(|known| known.call == record.call);
        if let Some(known) = same {
            return Ok(Created::Exists(known.id.clone()));
        }
        tasks.insert(record.id.clone(), record.clone());
        Ok(Created::New)
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        Ok(self.tasks().get(id).cloned())
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        let tasks = self.tasks();
        let known = tasks.values().find(|known| known.call == *call);
        Ok(known.map(|known| known.id.clone()))
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        let mut tasks = self.tasks();
        let Some(record) = tasks.get_mut(&next.id) else {
            return Ok(Swap::Lost);
        };
        let held = expect.fence.is_none_or(|fence| is_held(record, fence));
        if record.version != expect.version || !held {
            return Ok(Swap::Lost);
        }
        let version = expect.version + 1;
        let mut next = TaskRecord {
            version,
            ..next.clone()
        };
        if next.state == State::Leased {
            next.lease_until = next.lease_until.max(record.lease_until);
            next.due = next.lease_until;
        }
        *record = next;
        Ok(Swap::Done(version))
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        let now = self.time();
        let mut tasks = self.tasks();
        let is_known = |record: &TaskRecord| {
            let unwritten = now.duration_since(record.updated).unwrap_or_default();
            !claim.unknown.contains(&record.code) || unwritten >= claim.stale_after
        };
        let mut due: Vec<_> = tasks
            .values_mut()
            .filter(|record| record.due.is_some_and(|due| due <= now) && is_known(record))
            .collect();
        due.sort_by_key(|record| record.due);
        let until = now + claim.lease;
        let records = due.into_iter().take(claim.limit).map(|record| {
            record.state = State::Leased;
            record.fence += 1;
            record.attempts += 1;
            record.version += 1;
            record.worker = Some(claim.worker.clone());
            record.lease_until = Some(until);
            record.due = Some(until);
            record.clone()
        });
        let records = records.collect();
        Ok(Claimed { now, records })
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        let until = self.time() + lease;
        let mut tasks = self.tasks();
        let renewals = held.iter().map(|(id, fence)| {
            let record = tasks.get_mut(id).filter(|record| is_held(record, *fence));
            let cancel = record.as_ref().is_some_and(|record| record.cancel);
            let held = record.is_some();
            if let Some(record) = record {
                record.lease_until = Some(until);
                record.due = Some(until);
            }
            let id = id.clone();
            Renewal { id, held, cancel }
        });
        Ok(renewals.collect())
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        let now = self.time();
        let mut tasks = self.tasks();
        if let Some(record) = tasks.get_mut(id).filter(|record| is_held(record, fence)) {
            record.status_message = Some(message.to_owned());
            record.updated = now;
        }
        Ok(())
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        Ok(self.tasks().values().filter_map(|record| record.due).min())
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        let tasks = self.tasks();
        let open = |record: &&TaskRecord| record.owner == *owner && !record.state.is_final();
        Ok(tasks.values().filter(open).count() as u64)
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        let tasks = self.tasks();
        let mut listed: Vec<_> = tasks
            .values()
            .filter(|record| page.state.is_none_or(|state| record.state == state))
            .filter(|record| {
                page.after
                    .is_none_or(|after| (record.created, &record.id) < after)
            })
            .collect();
        listed.sort_by_key(|record| Reverse((record.created, &record.id)));
        let listed = listed.into_iter().take(page.limit);
        let listed = listed.map(|record| TaskRecord {
            sealed: Vec::new(),
            ..record.clone()
        });
        Ok(listed.collect())
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        let now = self.time();
        let mut tasks = self.tasks();
        let over = |record: &&TaskRecord| record.is_over(now);
        let over: Vec<_> = tasks
            .values()
            .filter(over)
            .map(|record| record.id.clone())
            .collect();
        let swept = over
            .iter()
            .take(limit)
            .filter(|id| tasks.remove(id).is_some());
        Ok(swept.count() as u64)
    }
}

//! A store whose answers are waited for no longer than so.

use std::{
    future::Future,
    sync::Arc,
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use saga_runtime::CallId;
use tokio::time::timeout;

use super::{Claim, Claimed, Created, Expect, Page, Renewal, StoreError, Swap, TaskStore};
use crate::record::{Owner, TaskId, TaskRecord};

/// Limits what is asked for a request, or at the end of a leg: whoever waits hears that the store fails. A step that was not waited for
/// may have been taken all the same, as where an answer is lost.
pub(crate) struct Limited {
    store: Arc<dyn TaskStore>,
    limit: Duration,
}

impl Limited {
    pub(crate) fn new(store: Arc<dyn TaskStore>, limit: Duration) -> Self {
        Self { store, limit }
    }

    async fn within<T>(
        &self,
        step: &str,
        asked: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        timeout(self.limit, asked).await.unwrap_or_else(|_| {
            let limit = self.limit;
            Err(StoreError::new(format!(
                "the store has not answered `{step}` within {limit:?}"
            )))
        })
    }
}

#[async_trait]
impl TaskStore for Limited {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        self.within("now", self.store.now()).await
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        self.within("create", self.store.create(record)).await
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        self.within("get", self.store.get(id)).await
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        self.within("find", self.store.find(call)).await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        self.within("swap", self.store.swap(next, expect)).await
    }

    // A worker waits for its turn, and who gave up would have leases that it does not know of.
    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        self.store.claim(claim).await
    }

    // By its own limit, the lease.
    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        self.store.renew(held, lease).await
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        self.within("note", self.store.note(id, fence, message))
            .await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        self.within("next_due", self.store.next_due()).await
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        self.within("open", self.store.open(owner)).await
    }

    async fn list(&self, page: Page<'_>) -> Result<Vec<TaskRecord>, StoreError> {
        self.within("list", self.store.list(page)).await
    }

    // It takes as long as there is much to remove.
    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        self.store.sweep(limit).await
    }

    async fn changed(&self) {
        self.store.changed().await;
    }
}

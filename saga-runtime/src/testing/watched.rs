//! Questions over the live wire: they have no keys there, and a test wants to answer them by key.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use rmcp::model::InputRequest;

use super::bench::Bench;
use crate::{engine::scope::Scope, wire::live::Watching};

/// One ask.
pub(crate) struct Watched<'r> {
    scope: &'r Scope,
    bench: &'r Bench,
    base: String,
    /// The key under which it was put last.
    key: Mutex<Option<String>>,
    since: SystemTime,
}

impl<'r> Watched<'r> {
    pub(crate) fn new(scope: &'r Scope, bench: &'r Bench, base: String) -> Self {
        let (key, since) = (Mutex::default(), bench.now());
        Self {
            scope,
            bench,
            base,
            key,
            since,
        }
    }
}

impl Watching for Watched<'_> {
    fn puts(&self, request: &InputRequest) {
        let mut key = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.scope.run.state();
        let next = match &*key {
            // The question before it had an answer that would not do.
            Some(before) => state.next_key(before),
            None => state.unique_key(&self.base),
        };
        drop(state);
        self.scope.puts(&next);
        self.bench.puts_live(&next, request);
        *key = Some(next);
    }

    fn is_late(&self, timeout: Duration) -> bool {
        let waited = self.bench.now().duration_since(self.since);
        waited.unwrap_or_default() >= timeout
    }
}

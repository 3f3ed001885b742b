//! Whether the server can still be reached. rmcp's client tries to get a broken stream back for ever; but a server that was
//! restarted knows nothing of the session, and a call that waits in it would never end.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use rmcp::transport::common::client_side_sse::SseRetryPolicy;

use crate::watch::Watch;

/// How long a broken stream is tried to get back.
const BROKEN: Duration = Duration::from_secs(10);
/// How long there is between two tries.
const PAUSE: Duration = Duration::from_millis(250);

/// Tries for a while, and then says that the server is lost.
#[derive(Debug)]
pub(crate) struct Persistence {
    watch: Watch,
    limit: Duration,
    since: Mutex<Instant>,
}

impl Persistence {
    pub(crate) fn new(watch: Watch) -> Self {
        let limit = watch.limit().min(BROKEN);
        let since = Mutex::new(Instant::now());
        Self {
            watch,
            limit,
            since,
        }
    }
}

impl SseRetryPolicy for Persistence {
    fn retry(&self, tries: usize) -> Option<Duration> {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if tries == 0 {
            *since = Instant::now();
        }
        if since.elapsed() < self.limit {
            return Some(PAUSE);
        }
        self.watch.lose(
            "the connection broke, and the server does not know its session any more, or is not there: \
             what waited in it is lost. A call by --wire mrtr or saga goes on in a server that was restarted",
        );
        None
    }
}

//! Waiting for a call to stand otherwise than it did.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::background::Changed;

/// A call that is written often is not looked at more often than so.
const APART: Duration = Duration::from_millis(20);
/// The first pause, and the longest, where this process does not write the call: each look is a read of the store, and a call may
/// take days.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// The pauses of one who waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pauses(Duration);

impl Pauses {
    pub(super) fn new() -> Self {
        Self(FIRST)
    }

    /// Passes when the call may stand otherwise, and at this time at the latest. `changed` was asked for before the call was looked
    /// at, so that no change is missed.
    pub(super) async fn pass(&mut self, changed: Changed<'_>, until: Option<Instant>) {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let pause = left.map_or(self.0, |left| left.min(self.0));
        tokio::select! {
            _ = async { tokio::join!(changed, sleep(APART)) } => self.0 = FIRST,
            () = sleep(pause) => self.0 = (self.0 * 2).min(LONGEST),
        }
    }
}

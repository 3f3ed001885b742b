//! A clock that a test moves.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// 2030-01-01, in seconds since 1970.
const START: u64 = 1_893_456_000;

/// The time by which tokens expire, questions run out of time and sleeps end. It stands still until it is moved.
///
/// ```
/// use std::time::Duration;
/// use saga_runtime::testing::Clock;
///
/// let clock = Clock::default();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(90));
/// assert_eq!(clock.now(), before + Duration::from_secs(90));
/// ```
#[derive(Debug, Clone)]
pub struct Clock(Arc<Mutex<SystemTime>>);

impl Default for Clock {
    fn default() -> Self {
        let start = UNIX_EPOCH + Duration::from_secs(START);
        Self(Arc::new(Mutex::new(start)))
    }
}

impl Clock {
    /// The time.
    pub fn now(&self) -> SystemTime {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Later than any system can say is late enough.
        *now = now.checked_add(by).unwrap_or(*now);
    }

    /// Moves it on to this time, unless it is later already.
    pub fn reach(&self, time: SystemTime) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = time.max(*now);
    }
}

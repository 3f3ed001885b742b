//! Times as they are written down.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A duration in whole milliseconds; longer than 500 million years is cut off there.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970.
pub(crate) fn millis_of(time: SystemTime) -> u64 {
    millis(time.duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// Seconds since 1970, good until 2106.
pub(crate) fn seconds_of(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
}

/// The time at so many milliseconds since 1970.
pub(crate) fn time_of(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis)
}

//! The stores as guards: each leg of a call is consumed once by all replicas that share the store, whether it is a task or not.
//! Outcomes are kept, sealed, so that a client that has lost one gets it again.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

use std::time::Duration;

use saga_runtime::{Consumed, GuardError, Leg};

use crate::{record::millis, store::StoreError};

/// How long a leg is remembered after its tokens have expired: replicas may differ by so much in their time.
const SLACK: Duration = Duration::from_secs(600);

/// A larger outcome is not kept.
const LARGEST: usize = 1024 * 1024;

/// How many legs whose time is over are forgotten with each that is consumed.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const FORGOTTEN: i64 = 16;

impl From<StoreError> for GuardError {
    fn from(error: StoreError) -> Self {
        Self::new(error.to_string())
    }
}

/// Until when a leg is remembered.
fn until(leg: &Leg) -> i64 {
    let slack = i64::try_from(SLACK.as_millis()).unwrap_or(0);
    millis(leg.until).saturating_add(slack)
}

/// What was found of a leg that somebody has consumed before.
fn consumed(outcome: Option<Vec<u8>>) -> Consumed {
    outcome.map_or(Consumed::Again, Consumed::Kept)
}

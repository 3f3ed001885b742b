//! A guard for one process.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use super::{Consumed, Guard, GuardError, Guarding, Leg};
use crate::identity::CallId;

/// A [`Guard`] in memory: for one process, and lost with it, after which the tokens that it had consumed can
/// be presented again. It holds at most so many legs, and none longer than its tokens live.
///
/// ```
/// use saga_runtime::{Keyring, MemoryGuard, Settings};
///
/// let guard = MemoryGuard::new(100_000).keeping(16 * 1024 * 1024);
/// let settings = Settings::new(Keyring::random()?).with_guard(guard);
/// # Ok::<(), saga_runtime::KeyError>(())
/// ```
pub struct MemoryGuard {
    legs: usize,
    bytes: usize,
    taken: Mutex<Taken>,
}

type Id = (CallId, u32);

/// How long a leg is held after its tokens have expired.
const SLACK: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Taken {
    legs: HashMap<Id, Entry>,
    by_end: BTreeSet<(SystemTime, Id)>,
    /// Of all outcomes.
    bytes: usize,
}

#[derive(Default)]
struct Entry {
    outcome: Option<Vec<u8>>,
}

impl fmt::Debug for MemoryGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryGuard")
            .field("legs", &self.legs)
            .field("bytes", &self.bytes)
            .field("held", &self.held())
            .finish_non_exhaustive()
    }
}

impl MemoryGuard {
    /// A guard of at most `legs` legs at a time. When it is full of legs whose tokens are still good, answers
    /// are refused until one has expired: it never forgets one early.
    pub fn new(legs: usize) -> Self {
        Self {
            legs,
            bytes: 0,
            taken: Mutex::default(),
        }
    }

    /// Keeps the outcomes of legs, too, up to so many bytes in all; what does not fit is not kept.
    #[must_use]
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// How many legs it holds.
    pub fn held(&self) -> usize {
        self.taken().legs.len()
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, leg: &Leg, now: SystemTime) -> Result<Consumed, GuardError> {
        let mut taken = self.taken();
        taken.forget_until(now);
        let id = (leg.call, leg.number);
        if let Some(entry) = taken.legs.get(&id) {
            return Ok(match &entry.outcome {
                Some(outcome) => Consumed::Kept(outcome.clone()),
                None => Consumed::Again,
            });
        }
        if taken.legs.len() >= self.legs {
            return Err(GuardError::new(format!(
                "the guard holds {} legs, as many as it may",
                self.legs
            )));
        }
        taken.legs.insert(id, Entry::default());
        taken.by_end.insert((leg.until, id));
        Ok(Consumed::First)
    }

    fn put(&self, leg: &Leg, outcome: Vec<u8>) {
        let mut taken = self.taken();
        let bytes = taken.bytes + outcome.len();
        if bytes > self.bytes {
            return;
        }
        if let Some(entry) = taken.legs.get_mut(&(leg.call, leg.number))
            && entry.outcome.is_none()
        {
            entry.outcome = Some(outcome);
            taken.bytes = bytes;
        }
    }
}

impl Taken {
    fn forget_until(&mut self, now: SystemTime) {
        while let Some(&(until, id)) = self.by_end.first() {
            // Tokens tolerate clocks that differ, and so does this.
            if until + SLACK > now {
                return;
            }
            self.forget(until, id);
        }
    }

    fn forget(&mut self, until: SystemTime, id: Id) {
        self.by_end.remove(&(until, id));
        let outcome = self.legs.remove(&id).and_then(|entry| entry.outcome);
        self.bytes -= outcome.map_or(0, |outcome| outcome.len());
    }
}

impl Guard for MemoryGuard {
    fn consume<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, Consumed> {
        Box::pin(async move { self.take(leg, leg.now) })
    }

    fn keeps(&self) -> bool {
        self.bytes > 0
    }

    fn release<'a>(&'a self, leg: &'a Leg) -> Guarding<'a, ()> {
        Box::pin(async move {
            let (mut taken, id) = (self.taken(), (leg.call, leg.number));
            // One that has an outcome has run.
            if taken
                .legs
                .get(&id)
                .is_some_and(|entry| entry.outcome.is_none())
            {
                taken.forget(leg.until, id);
            }
            Ok(())
        })
    }

    fn keep<'a>(&'a self, leg: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        Box::pin(async move {
            self.put(leg, outcome);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn leg(call: u8, number: u32, until: u64) -> Leg {
        Leg {
            call: CallId::from_bytes([call; 16]),
            number,
            until: UNIX_EPOCH + Duration::from_secs(until),
            now: UNIX_EPOCH,
        }
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn a_leg_is_taken_once() {
        let guard = MemoryGuard::new(10);
        assert_eq!(guard.take(&leg(1, 1, 100), at(1)), Ok(Consumed::First));
        assert_eq!(guard.take(&leg(1, 1, 100), at(2)), Ok(Consumed::Again));
        assert_eq!(guard.take(&leg(1, 2, 100), at(2)), Ok(Consumed::First));
        assert_eq!(guard.take(&leg(2, 1, 100), at(2)), Ok(Consumed::First));
    }

    #[test]
    fn what_has_expired_is_forgotten_and_nothing_before() {
        let guard = MemoryGuard::new(2);
        assert_eq!(guard.take(&leg(1, 1, 100), at(1)), Ok(Consumed::First));
        assert_eq!(guard.take(&leg(2, 1, 50), at(1)), Ok(Consumed::First));
        assert!(guard.take(&leg(3, 1, 100), at(109)).is_err());
        assert_eq!(guard.take(&leg(3, 1, 100), at(110)), Ok(Consumed::First));
        assert_eq!(guard.take(&leg(1, 1, 100), at(110)), Ok(Consumed::Again));
        assert_eq!(guard.held(), 2);
    }

    #[test]
    fn outcomes_are_kept_as_far_as_they_fit() {
        let guard = MemoryGuard::new(10).keeping(10);
        for call in 1..=3 {
            let leg = leg(call, 1, 100 + u64::from(call));
            assert_eq!(guard.take(&leg, at(1)), Ok(Consumed::First));
        }
        guard.put(&leg(1, 1, 100), vec![1; 8]);
        guard.put(&leg(2, 1, 100), vec![2; 8]);
        // The first stands.
        guard.put(&leg(1, 1, 100), vec![3; 1]);
        assert_eq!(
            guard.take(&leg(1, 1, 100), at(2)),
            Ok(Consumed::Kept(vec![1; 8]))
        );
        assert_eq!(guard.take(&leg(2, 1, 100), at(2)), Ok(Consumed::Again));
        assert_eq!(guard.take(&leg(2, 1, 100), at(161)), Ok(Consumed::Again));
        guard.put(&leg(2, 1, 100), vec![2; 10]);
        assert_eq!(
            guard.take(&leg(2, 1, 100), at(161)),
            Ok(Consumed::Kept(vec![2; 10]))
        );
    }
}

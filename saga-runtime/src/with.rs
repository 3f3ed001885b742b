//! Ways to store what has no serde form of its own, for `#[saga(with = …)]` on a `let`.
//!
//! Each is a module with `serialize` and `deserialize`, as serde's own `with` takes them; any such
//! module will do.
//!
//! ```ignore
//! #[saga(with = saga_runtime::with::instant)]
//! let started = Instant::now();
//! let answer = peer.elicit::<Target>("where to?").await?;
//! let waited = started.elapsed(); // with the time that the user took
//! ```

/// A [`std::time::Instant`], past or to come: stored as the time of the clock on the wall, so that the
/// time in between counts, also in another process.
pub mod instant {
    use std::{
        sync::{Mutex, PoisonError},
        time::{Duration, Instant, SystemTime},
    };

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// By how much the two clocks may be apart from what they were: more, and one of them was set.
    const APART: Duration = Duration::from_millis(20);

    /// The same moment by both clocks. It is the same pair for as long as they go together, so that what is between two
    /// instants is the same to the nanosecond when both come back.
    fn both_clocks() -> (Instant, SystemTime) {
        static PAIR: Mutex<Option<(Instant, SystemTime)>> = Mutex::new(None);

        let now = (Instant::now(), SystemTime::now());
        let mut pair = PAIR.lock().unwrap_or_else(PoisonError::into_inner);
        let together = pair.filter(|(instant, clock)| {
            let expected = clock.checked_add(now.0.saturating_duration_since(*instant));
            expected.is_some_and(|expected| {
                let apart = expected.duration_since(now.1);
                apart.unwrap_or_else(|behind| behind.duration()) < APART
            })
        });
        *pair.insert(together.unwrap_or(now))
    }

    /// Writes the instant as a system time.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(instant: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        let (now, clock) = both_clocks();
        let time = match instant.checked_duration_since(now) {
            Some(ahead) => clock.checked_add(ahead),
            None => clock.checked_sub(now.saturating_duration_since(*instant)),
        };
        time.unwrap_or(clock).serialize(serializer)
    }

    /// Reads it back, relative to now.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        let time = SystemTime::deserialize(deserializer)?;
        let (now, clock) = both_clocks();
        let instant = match time.duration_since(clock) {
            Ok(ahead) => now.checked_add(ahead),
            Err(past) => now.checked_sub(past.duration()),
        };
        // A machine that has been up for less than that has no such instant.
        Ok(instant.unwrap_or(now))
    }
}

/// A [`tokio::time::Instant`], in the form of [`instant`]: deadlines for `timeout_at` and `sleep_until`.
pub mod tokio_instant {
    use serde::{Deserializer, Serializer};
    use tokio::time::Instant;

    /// Writes the instant as a system time.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(instant: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        super::instant::serialize(&instant.into_std(), serializer)
    }

    /// Reads it back, relative to now.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        super::instant::deserialize(deserializer).map(Instant::from_std)
    }
}

/// An [`Arc`](std::sync::Arc): its content is stored, and comes back in an `Arc` of its own.
pub mod arc {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the content.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<T: Serialize + ?Sized, S: Serializer>(
        shared: &Arc<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        T::serialize(shared, serializer)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}

/// A `&'static str`: its text is stored, and comes back as one string for each text that was ever
/// restored. `#[saga]` uses it by itself for what is chosen among literals; a variable whose type is
/// written out (`let label: &'static str = level.label();`) is kept so too.
pub mod literal {
    use std::{
        collections::HashSet,
        sync::{LazyLock, PoisonError, RwLock},
    };

    use serde::{Deserialize, Deserializer, Serializer};

    static KNOWN: LazyLock<RwLock<HashSet<&'static [u8]>>> = LazyLock::new(RwLock::default);

    /// Writes the text.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(text: &&'static str, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    /// Reads it back. The first time that a text comes back its memory stays taken, as a literal's does.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static str, D::Error> {
        let text = String::deserialize(deserializer)?;
        std::str::from_utf8(intern(text.as_bytes())).map_err(serde::de::Error::custom)
    }

    /// One copy for each content.
    pub(crate) fn intern(bytes: &[u8]) -> &'static [u8] {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(bytes) {
            return known;
        }
        drop(known);
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(bytes) {
            return known;
        }
        let bytes: &'static [u8] = bytes.to_vec().leak();
        known.insert(bytes);
        bytes
    }
}

//! What a run did, apart from its result.

use std::sync::Mutex;

/// More effects than a case has.
const MOST: usize = 10_000;

/// Side effects in order. Outlives the rounds of a call, as a database would.
///
/// # Panics
/// Where there are more than any case has: it does not end.
#[derive(Debug, Default)]
pub struct Trace(Mutex<Vec<String>>);

impl Trace {
    /// An effect, with a value to go on with.
    pub fn effect<T: std::fmt::Debug>(&self, value: T) -> T {
        self.note(&format!("{value:?}"));
        value
    }

    /// An effect with a name.
    pub fn note(&self, name: &str) {
        let mut events = self.0.lock().unwrap();
        assert!(events.len() < MOST, "it does not end");
        events.push(name.to_owned());
    }

    /// An ordinary await with an effect.
    pub async fn fetch<T: std::fmt::Debug>(&self, value: T) -> T {
        tokio::task::yield_now().await;
        self.effect(value)
    }

    /// What happened so far.
    pub fn events(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// The error of the cases: any error, by its text.
#[derive(Debug)]
pub struct Failure(pub String);

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

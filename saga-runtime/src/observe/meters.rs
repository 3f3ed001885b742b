//! Counters and histograms of calls.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock, PoisonError, RwLock},
};

use metrics::{Key, Label, Level, Metadata, with_recorder};

use super::{Event, Teller};

static METADATA: Metadata<'static> =
    Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// Keys of what nearly every request is counted by: the tellers that are kept make them once.
#[derive(Default)]
pub(super) struct Meters {
    suspensions: OnceLock<Key>,
    token_bytes: OnceLock<Key>,
    resumptions: OnceLock<Key>,
    answer_seconds: OnceLock<Key>,
    duration: OnceLock<Key>,
    /// Whether they are told apart by the call's name.
    named: OnceLock<bool>,
}

impl Teller {
    pub(super) fn count(&self, event: &Event<'_>) {
        let meters = &self.meters;
        match event {
            Event::Asked { token_bytes, .. } => {
                increment(self.key(&meters.suspensions, "saga_suspensions_total"));
                if *token_bytes > 0 {
                    #[allow(clippy::cast_precision_loss, reason = "a token is small")]
                    let bytes = *token_bytes as f64;
                    record(self.key(&meters.token_bytes, "saga_token_bytes"), bytes);
                }
            }
            Event::Answered { waited, .. } => {
                increment(self.key(&meters.resumptions, "saga_resumptions_total"));
                let key = self.key(&meters.answer_seconds, "saga_answer_seconds");
                record(key, waited.as_secs_f64());
            }
            Event::Refused { error } | Event::Failed { error } => {
                let kind = match event {
                    Event::Refused { .. } => "saga_refusals_total",
                    _ => "saga_failures_total",
                };
                let reason = Label::from_static_parts("reason", error.as_str());
                increment(&Key::from_parts(kind, self.labels(Some(reason))));
            }
            Event::Completed { is_error } => {
                let is_error = if *is_error { "true" } else { "false" };
                let error = Label::from_static_parts("error", is_error);
                let labels = self.labels(Some(error));
                increment(&Key::from_parts("saga_completions_total", labels));
            }
        }
    }

    /// How long a request took, and the error that it ended with.
    pub(super) fn took(&self, seconds: f64, error: Option<&str>) {
        let key = || {
            let method = Label::from_static_parts("mcp.method.name", self.method);
            let error = Label::new("error.type", known(error.unwrap_or_default()));
            Key::from_parts("mcp.server.operation.duration", vec![method, error])
        };
        match error {
            None => record(self.meters.duration.get_or_init(key), seconds),
            Some(_) => record(&key(), seconds),
        }
    }

    fn key<'k>(&self, known: &'k OnceLock<Key>, name: &'static str) -> &'k Key {
        known.get_or_init(|| Key::from_parts(name, self.labels(None)))
    }

    /// What all metrics of a call are told apart by.
    fn labels(&self, more: Option<Label>) -> Vec<Label> {
        let mut labels = Vec::with_capacity(3 + usize::from(more.is_some()));
        labels.push(Label::from_static_parts("method", self.method));
        let named = || self.is_named() && is_among_the_first(&self.name);
        labels.push(match *self.meters.named.get_or_init(named) {
            true => Label::new("name", Arc::clone(&self.name)),
            false => Label::from_static_parts("name", ""),
        });
        labels.push(Label::from_static_parts("wire", self.wire.as_str()));
        labels.extend(more);
        labels
    }
}

/// How many names are told apart, and how long they are at most.
const NAMES: usize = 1024;
const LONGEST: usize = 128;

/// A handler of one's own may be called by any name, and each would be kept for good.
fn is_among_the_first(name: &Arc<str>) -> bool {
    static KNOWN: RwLock<BTreeSet<Arc<str>>> = RwLock::new(BTreeSet::new());
    let is_known = || {
        let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        known.contains(name)
    };
    is_known() || {
        let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let fits = name.len() <= LONGEST && known.len() < NAMES;
        if fits {
            known.insert(Arc::clone(name));
        }
        fits || known.contains(name)
    }
}

fn increment(key: &Key) {
    with_recorder(|recorder| recorder.register_counter(key, &METADATA).increment(1));
}

fn record(key: &Key, value: f64) {
    with_recorder(|recorder| recorder.register_histogram(key, &METADATA).record(value));
}

/// A reason, or one of the codes that JSON-RPC keeps for itself: what a client can choose has no end, and each would be kept for
/// good.
fn known(error: &str) -> String {
    const RESERVED: std::ops::RangeInclusive<i64> = -32768..=-32000;
    let code: Option<i64> = error.parse().ok();
    match code.is_some_and(|code| !RESERVED.contains(&code)) {
        true => "other".to_owned(),
        false => error.to_owned(),
    }
}

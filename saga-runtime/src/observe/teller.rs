//! Tells observers, traces and metrics.

use std::{fmt, sync::Arc};

#[cfg(feature = "metrics")]
use metrics::Label;

use super::{Event, Observer, Record, WireName};
use crate::{
    error::{Error, Reason},
    identity::CallId,
};

/// What all records of a request have in common.
pub(crate) struct Teller {
    pub(crate) method: &'static str,
    pub(crate) name: Arc<str>,
    pub(crate) wire: WireName,
    pub(crate) principal: Option<String>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
}

impl fmt::Debug for Teller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Teller")
            .field("method", &self.method)
            .field("name", &self.name)
            .field("wire", &self.wire)
            .finish_non_exhaustive()
    }
}

impl Teller {
    /// Whether anybody reads the keys of what is told.
    pub(crate) fn reads_keys(&self) -> bool {
        self.observer.is_some() || tracing::enabled!(tracing::Level::DEBUG)
    }

    pub(crate) fn tell(&self, call: Option<CallId>, leg: u32, event: Event<'_>) {
        self.trace(call, leg, &event);
        #[cfg(feature = "metrics")]
        self.count(&event);
        if let Some(observer) = &self.observer {
            observer.observe(&Record {
                method: self.method,
                name: &self.name,
                wire: self.wire,
                principal: self.principal.as_deref(),
                call,
                leg,
                event,
            });
        }
    }

    fn trace(&self, call: Option<CallId>, leg: u32, event: &Event<'_>) {
        let method = self.method;
        match event {
            Event::Asked { keys, token_bytes } => {
                tracing::debug!(leg, keys = keys.join(" "), token_bytes, "asked");
            }
            Event::Answered { keys, waited } => {
                let seconds = waited.as_secs();
                tracing::debug!(leg, keys = keys.join(" "), seconds, "answered");
            }
            Event::Refused { error } => {
                let reason = error.as_str();
                let error = discreet(error);
                tracing::warn!(leg, reason, error, "refused");
            }
            Event::Failed { error } => {
                let reason = error.as_str();
                let error = discreet(error);
                tracing::error!(leg, reason, error, "failed");
                let id = call.map_or_else(String::new, |id| format!(" {id}"));
                unheard(&format!("saga: {method}{id}: {error}"));
            }
            Event::Completed { is_error } => tracing::debug!(leg, is_error, "completed"),
        }
    }

    /// What all metrics of a call are told apart by.
    #[cfg(feature = "metrics")]
    fn labels(&self, more: Option<Label>) -> Vec<Label> {
        let mut labels = Vec::with_capacity(3 + usize::from(more.is_some()));
        labels.push(Label::from_static_parts("method", self.method));
        labels.push(match self.method {
            // A resource's URI is an argument, and there is no end of them.
            "resources/read" => Label::from_static_parts("name", ""),
            _ => Label::new("name", Arc::clone(&self.name)),
        });
        labels.push(Label::from_static_parts("wire", self.wire.as_str()));
        labels.extend(more);
        labels
    }

    #[cfg(feature = "metrics")]
    fn count(&self, event: &Event<'_>) {
        use metrics::{counter, histogram};

        match event {
            Event::Asked { token_bytes, .. } => {
                counter!("saga_suspensions_total", self.labels(None)).increment(1);
                if *token_bytes > 0 {
                    #[allow(clippy::cast_precision_loss, reason = "a token is small")]
                    histogram!("saga_token_bytes", self.labels(None)).record(*token_bytes as f64);
                }
            }
            Event::Answered { waited, .. } => {
                counter!("saga_resumptions_total", self.labels(None)).increment(1);
                histogram!("saga_answer_seconds", self.labels(None)).record(waited.as_secs_f64());
            }
            Event::Refused { error } | Event::Failed { error } => {
                let kind = match event {
                    Event::Refused { .. } => "saga_refusals_total",
                    _ => "saga_failures_total",
                };
                let reason = Label::from_static_parts("reason", error.as_str());
                counter!(kind, self.labels(Some(reason))).increment(1);
            }
            Event::Completed { is_error } => {
                let is_error = if *is_error { "true" } else { "false" };
                let error = Label::from_static_parts("error", is_error);
                counter!("saga_completions_total", self.labels(Some(error))).increment(1);
            }
        }
    }
}

/// The text of an error, without what a serializer of the author's says of a value.
fn discreet(error: &Error) -> String {
    match error {
        _ if cfg!(debug_assertions) => error.to_string(),
        Error::Store { variable, .. } => {
            format!("`{variable}` cannot be stored in the continuation")
        }
        Error::Token {
            reason: Reason::Stale,
            ..
        } => "what the token continues has changed since".to_owned(),
        other => other.to_string(),
    }
}

/// Says on standard error what nobody would hear otherwise.
pub(crate) fn unheard(text: &str) {
    if !tracing::dispatcher::has_been_set() {
        use std::io::Write as _;
        // Nobody is there who could be told that this fails.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

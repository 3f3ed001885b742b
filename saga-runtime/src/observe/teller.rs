//! Tells observers, traces and metrics.

use std::{fmt, sync::Arc};

use super::{Event, Observer, Record, WireName};
use crate::{
    error::{Error, Reason},
    identity::CallId,
};

/// What all records of a request have in common.
pub(crate) struct Teller {
    pub(crate) method: &'static str,
    pub(crate) name: String,
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
                let keys = keys.join(" ");
                tracing::debug!(leg, keys, token_bytes, "asked");
            }
            Event::Answered { keys, waited } => {
                let keys = keys.join(" ");
                tracing::debug!(leg, keys, seconds = waited.as_secs(), "answered");
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

    #[cfg(feature = "metrics")]
    fn count(&self, event: &Event<'_>) {
        use metrics::{counter, histogram};

        // A resource's URI is an argument, and there is no end of them.
        let name = match self.method {
            "resources/read" => String::new(),
            _ => self.name.clone(),
        };
        let labels = [
            ("method", self.method.to_owned()),
            ("name", name),
            ("wire", self.wire.as_str().to_owned()),
        ];
        match event {
            Event::Asked { token_bytes, .. } => {
                counter!("saga_suspensions_total", &labels).increment(1);
                if *token_bytes > 0 {
                    #[allow(clippy::cast_precision_loss, reason = "a token is small")]
                    histogram!("saga_token_bytes", &labels).record(*token_bytes as f64);
                }
            }
            Event::Answered { waited, .. } => {
                counter!("saga_resumptions_total", &labels).increment(1);
                histogram!("saga_answer_seconds", &labels).record(waited.as_secs_f64());
            }
            Event::Refused { error } | Event::Failed { error } => {
                let kind = match event {
                    Event::Refused { .. } => "saga_refusals_total",
                    _ => "saga_failures_total",
                };
                let [method, name, wire] = labels;
                let labels = [method, name, wire, ("reason", error.as_str().to_owned())];
                counter!(kind, &labels).increment(1);
            }
            Event::Completed { is_error } => {
                let [method, name, wire] = labels;
                let labels = [method, name, wire, ("error", is_error.to_string())];
                counter!("saga_completions_total", &labels).increment(1);
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

//! Tells observers, traces and metrics.

use std::{cell::RefCell, collections::HashMap, fmt, sync::Arc};

#[cfg(feature = "metrics")]
use super::meters::Meters;
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
    #[cfg(feature = "metrics")]
    pub(super) meters: Meters,
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

/// So many tellers are kept in each thread, of names up to so many bytes: servers have fewer tools, names of tools are shorter
/// (SEP-986), and what clients name has no end.
const KEPT: usize = 256;
const LONGEST: usize = 128;

thread_local! {
    /// Those of requests that nobody is told of by name, by what they call.
    static TELLERS: RefCell<HashMap<Box<str>, Vec<Arc<Teller>>>> = RefCell::default();
}

impl Teller {
    /// That of a request.
    pub(crate) fn of(
        method: &'static str,
        name: &str,
        wire: WireName,
        principal: Option<String>,
        observer: Option<Arc<dyn Observer>>,
    ) -> Arc<Self> {
        let new = |principal, observer| {
            Arc::new(Self {
                method,
                name: Arc::from(name),
                wire,
                principal,
                observer,
                #[cfg(feature = "metrics")]
                meters: Meters::default(),
            })
        };
        if principal.is_some() || observer.is_some() || !is_named(method) {
            return new(principal, observer);
        }
        let kept = TELLERS.try_with(|tellers| {
            let mut tellers = tellers.try_borrow_mut().ok()?;
            let is = |teller: &&Arc<Self>| teller.method == method && teller.wire == wire;
            if let Some(known) = tellers.get(name).and_then(|all| all.iter().find(is)) {
                return Some(Arc::clone(known));
            }
            let teller = new(None, None);
            if tellers.len() < KEPT && name.len() <= LONGEST {
                tellers
                    .entry(name.into())
                    .or_default()
                    .push(Arc::clone(&teller));
            }
            Some(teller)
        });
        kept.ok().flatten().unwrap_or_else(|| new(None, None))
    }

    /// Whether what is called has a name of the author's.
    #[cfg(feature = "metrics")]
    pub(super) fn is_named(&self) -> bool {
        is_named(self.method)
    }

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
}

/// A resource's URI is an argument, and there is no end of them.
fn is_named(method: &str) -> bool {
    method != "resources/read"
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

//! What an operator sees of a call: an audit log, traces, metrics. None of it has a variable, an argument, an
//! answer, a token or a key in it.

#[cfg(feature = "metrics")]
mod meters;
mod round;
mod teller;

use std::{fmt, time::Duration};

use crate::{error::Error, identity::CallId};

pub(crate) use round::Span;
pub(crate) use teller::{Teller, unheard};

/// Is told what happens to calls: for an audit log.
///
/// It is called in the middle of the request, so move slow work elsewhere, behind a channel.
///
/// ```
/// use saga_runtime::{Event, Keyring, Observer, Record, Settings};
///
/// struct Audit;
///
/// impl Observer for Audit {
///     fn observe(&self, record: &Record<'_>) {
///         if let Event::Answered { keys, .. } = record.event {
///             println!("{:?} answered {keys:?} of {}", record.principal, record.name);
///         }
///     }
/// }
///
/// let settings = Settings::new(Keyring::random()?).with_observer(Audit);
/// # Ok::<(), saga_runtime::KeyError>(())
/// ```
pub trait Observer: Send + Sync {
    /// Something has happened.
    fn observe(&self, record: &Record<'_>);
}

/// Something that happened to a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The method: `tools/call`, `prompts/get` or `resources/read`, on every wire.
    pub method: &'a str,
    /// The tool's or prompt's name, or the resource's URI.
    pub name: &'a str,
    /// How it came.
    pub wire: WireName,
    /// Who made the request, as [`Settings::with_principal`](crate::Settings::with_principal) names them; of a task's leg, whose call it is.
    pub principal: Option<&'a str>,
    /// The call; unknown where its token was refused.
    pub call: Option<CallId>,
    /// How many suspensions the call has passed; of a question that a task shows while its leg still runs, with the one that is to come.
    pub leg: u32,
    /// What happened.
    pub event: Event<'a>,
}

/// A protocol binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireName {
    /// Multi Round-Trip Requests.
    Mrtr,
    /// The saga methods.
    Saga,
    /// Live requests.
    Live,
}

impl WireName {
    /// Its name in logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mrtr => "mrtr",
            Self::Saga => "saga",
            Self::Live => "live",
        }
    }
}

impl fmt::Display for WireName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What can happen to a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// It asks, and waits. A task tells of each question once, when its client can see it, and of no pause.
    Asked {
        /// The keys of its questions.
        keys: &'a [String],
        /// Size of the token in bytes; 0 on the live wire and of a task, which have none.
        token_bytes: usize,
    },
    /// Answers came to questions that were open, and in time; whether they do is for the tool to say.
    Answered {
        /// The keys of the questions.
        keys: &'a [String],
        /// How long the questions were open; of a task, the longest of them.
        waited: Duration,
    },
    /// What the client presented was refused; nothing ran, or what ran is over.
    Refused {
        /// Why.
        error: &'a Error,
    },
    /// The call cannot go on, and the client is not at fault.
    Failed {
        /// Why.
        error: &'a Error,
    },
    /// It has its result.
    Completed {
        /// Whether that is an error.
        is_error: bool,
    },
}

impl Event<'_> {
    /// Its name in logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Asked { .. } => "asked",
            Self::Answered { .. } => "answered",
            Self::Refused { .. } => "refused",
            Self::Failed { .. } => "failed",
            Self::Completed { .. } => "completed",
        }
    }
}

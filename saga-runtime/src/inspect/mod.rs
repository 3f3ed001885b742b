//! What is in a token, for tools that have the server's keys.
//!
//! A token opens only with what it is bound to ([`Bound`]): the keys alone do not do, for an operator no more than for a client.
//!
//! ```
//! use saga_runtime::{Keyring, inspect};
//!
//! let keys = Keyring::new("2026-11", [7; 32])?;
//! let bound = inspect::Bound { name: "deploy".into(), ..Default::default() };
//! let refused = inspect::open(&keys, "no token", &bound).unwrap_err();
//! assert_eq!(refused.reason(), Some(saga_runtime::Reason::Malformed));
//! # Ok::<(), saga_runtime::KeyError>(())
//! ```

mod value;

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::{Map, Value};

use crate::{
    ask::client::Need,
    clock::time_of,
    engine::continuation::{self, ArmState, Carried, Continuation, Frame, Pending, Waiting},
    error::{Error, Reason},
    identity::CallId,
    token::{self, Binding, keyring::Keyring},
    wire::{call, resume, saga},
};

/// What a token is bound to. Of the saga methods' tokens, which have the call in them, only principal and audience count.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// `tools/call`, `prompts/get` or `resources/read`.
    pub method: String,
    /// The tool, the prompt, or the resource's URI.
    pub name: String,
    /// Of the call.
    pub arguments: Map<String, Value>,
    /// As `Settings::with_principal` names it.
    pub principal: Option<String>,
    /// As `Settings::with_audience` names it; without that, the server's name behind a `SagaServer`, and none elsewhere.
    pub audience: Option<String>,
}

impl Default for Bound {
    fn default() -> Self {
        Self {
            method: "tools/call".to_owned(),
            name: String::new(),
            arguments: Map::new(),
            principal: None,
            audience: None,
        }
    }
}

/// Which kind of token it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `requestState` of Multi Round-Trip Requests.
    RequestState,
    /// `sagaToken` of the saga methods.
    SagaToken,
    /// `resumeToken` of a tool that gives parts of its result.
    ResumeToken,
}

impl Kind {
    /// Its name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RequestState => "requestState",
            Self::SagaToken => "sagaToken",
            Self::ResumeToken => "resumeToken",
        }
    }
}

/// What was in a token.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Inspected {
    /// Which kind it is.
    pub kind: Kind,
    /// The id of the key that sealed it.
    pub key: String,
    /// Its length as sent, in bytes.
    pub bytes: usize,
    /// When it was sealed, in whole seconds.
    pub issued: SystemTime,
    /// When it expires.
    pub expires: SystemTime,
    /// The call that it continues.
    pub call: CallId,
    /// How many suspensions the call has passed.
    pub leg: u32,
    /// When the call suspended first, in whole seconds.
    pub begun: SystemTime,
    /// The call, where it is in the token.
    pub carried: Option<(String, Map<String, Value>)>,
    /// The functions on its stack: a caller before what it calls, the arms of a join one behind the other.
    pub frames: Vec<Standing>,
    /// What it waits for.
    pub questions: Vec<Question>,
}

/// A function on the stack.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// How many functions called it.
    pub depth: usize,
    /// The fingerprint of its suspension point.
    pub point: u64,
    /// The bytes of its values.
    pub bytes: usize,
    /// Its values, in the order of the point's frame.
    pub values: Vec<Stored>,
    /// Of a join, the bytes of the values of arms that are done.
    pub done: Vec<usize>,
}

/// A value in a frame.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stored {
    /// Its length.
    pub bytes: usize,
    /// As JSON, as far as it can be: bytes are hex digits.
    pub value: Value,
}

/// Something that a call waits for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The name under which the client answers.
    pub key: String,
    /// What is asked: `form`, `url`, `sampling`, `roots`, or `pause`, which asks nobody.
    pub need: &'static str,
    /// The bytes of what it was put with.
    pub bytes: usize,
    /// When its time is over.
    pub deadline: Option<SystemTime>,
    /// Whether its answer is in the token.
    pub answered: bool,
}

/// Opens a token, however old it is.
///
/// # Errors
/// [`Error::Token`] with the reason: [`Reason::Mismatch`] where it is bound to something else, as far as that can be told.
pub fn open(keys: &Keyring, token: &str, bound: &Bound) -> Result<Inspected, Error> {
    let mut refused = None;
    for (kind, binding) in bindings(bound) {
        match token::open_of_any_age(keys, &binding, token) {
            Ok(opened) => return inspected(keys, token, kind, &opened),
            Err(error) => {
                // A hint that fits by chance authenticates nothing.
                let is_mismatch =
                    matches!(error.reason(), Some(Reason::Mismatch | Reason::Tampered));
                if !is_mismatch {
                    return Err(error);
                }
                let is_worse = error.reason() == Some(Reason::Tampered);
                if refused.is_none() || is_worse {
                    refused = Some(error);
                }
            }
        }
    }
    Err(refused.unwrap_or_else(|| Error::token(Reason::Mismatch, "it is bound to nothing")))
}

fn bindings(bound: &Bound) -> Vec<(Kind, Binding)> {
    let (principal, audience) = (bound.principal.as_deref(), bound.audience.as_deref());
    let mut bindings = vec![(Kind::SagaToken, saga::binding(principal, audience))];
    // Its own token is none of the arguments of a tool that resumes.
    let mut others = bound.arguments.clone();
    let mut all = vec![&bound.arguments];
    if others.remove(resume::TOKEN).is_some() {
        all.push(&others);
    }
    for arguments in all {
        let called = (bound.method.as_str(), bound.name.as_str());
        let request = call::binding(called, principal, audience, arguments);
        bindings.push((Kind::ResumeToken, resume::binding(&request)));
        bindings.push((Kind::RequestState, request));
    }
    bindings
}

fn inspected(
    keys: &Keyring,
    token: &str,
    kind: Kind,
    opened: &token::Opened,
) -> Result<Inspected, Error> {
    let (carried, continuation) = match kind {
        Kind::SagaToken => {
            let Carried {
                tool,
                arguments,
                continuation,
            } = continuation::decode(&opened.body)?;
            (Some((tool, arguments)), continuation)
        }
        _ => (None, continuation::decode::<Continuation>(&opened.body)?),
    };
    let mut frames = Vec::new();
    stack(&continuation.frame, 0, &mut frames);
    let id = token::key_of(token).and_then(|hash| keys.id_of(hash));
    Ok(Inspected {
        kind,
        key: id.unwrap_or_default().to_owned(),
        bytes: token.len(),
        issued: seconds(opened.times.issued),
        expires: opened.times.until(),
        call: continuation.identity.id,
        leg: continuation.identity.leg,
        begun: seconds(continuation.identity.begun),
        carried,
        frames,
        questions: continuation.pending.iter().map(question).collect(),
    })
}

fn seconds(since_1970: u32) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::from(since_1970))
}

fn stack(frame: &Frame, depth: usize, frames: &mut Vec<Standing>) {
    let done = match &frame.on {
        Waiting::Join(arms) => arms
            .iter()
            .filter_map(|arm| match arm {
                ArmState::Done(value) => Some(value.len()),
                ArmState::Waits(..) => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    frames.push(Standing {
        depth,
        point: frame.point,
        bytes: frame.values.len(),
        values: value::all(&frame.values),
        done,
    });
    match &frame.on {
        Waiting::Ask(_) => {}
        Waiting::Call(callee) => stack(callee, depth + 1, frames),
        Waiting::Join(arms) => {
            for arm in arms {
                if let ArmState::Waits(_, frame) = arm {
                    stack(frame, depth + 1, frames);
                }
            }
        }
    }
}

fn question(pending: &Pending) -> Question {
    Question {
        key: pending.key.clone(),
        need: match pending.need {
            Need::Form => "form",
            Need::Url => "url",
            Need::Sampling => "sampling",
            Need::SamplingWithTools => "sampling with tools",
            Need::Roots => "roots",
            Need::Pause => "pause",
        },
        bytes: pending.memo.len(),
        deadline: pending.deadline.map(|(at, _)| time_of(at)),
        answered: pending.answer.is_some(),
    }
}

impl Inspected {
    /// The fingerprints of the points on its stack.
    pub fn points(&self) -> BTreeSet<u64> {
        self.frames.iter().map(|frame| frame.point).collect()
    }
}

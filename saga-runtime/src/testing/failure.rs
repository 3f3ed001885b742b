//! What a test is told.

use std::{fmt, panic::Location};

use serde_json::Value;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The test does not fit the call: a question without an answer, an answer without a question, a call that is
    /// over.
    Script,
    /// Two runs of one script do not agree.
    Differs,
    /// What was sent or returned is not of its schema, or a schema is not one that MCP allows.
    Schema,
    /// The server gave no answer, or none of the protocol.
    Server,
}

/// Why a test fails. Its `Debug` is made to be read: a test that returns it as an error shows what differed, and where the
/// test said so.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure {
    kind: FailureKind,
    text: String,
    at: Option<&'static Location<'static>>,
}

impl Failure {
    #[doc(hidden)]
    pub fn new(kind: FailureKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            at: None,
        }
    }

    pub(super) fn script(text: impl Into<String>) -> Self {
        Self::new(FailureKind::Script, text)
    }

    pub(super) fn server(text: impl Into<String>) -> Self {
        Self::new(FailureKind::Server, text)
    }

    /// Says which line of the test it is about, where none is known yet.
    #[doc(hidden)]
    #[must_use]
    pub fn at(mut self, at: &'static Location<'static>) -> Self {
        self.at.get_or_insert(at);
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        self.kind
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match self.at {
            Some(at) => write!(f, "\n  --> {}:{}:{}", at.file(), at.line(), at.column()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

/// The first place at which two values differ: its path, and what each has there.
#[doc(hidden)]
pub fn difference(left: &Value, right: &Value) -> Option<(String, String, String)> {
    let absent = Value::Null;
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = left.keys().chain(right.keys());
            keys.into_iter().find_map(|key| {
                let (left, right) = (left.get(key), right.get(key));
                let (left, right) = (left.unwrap_or(&absent), right.unwrap_or(&absent));
                below(&format!(".{key}"), difference(left, right))
            })
        }
        (Value::Array(left), Value::Array(right)) => {
            (0..left.len().max(right.len())).find_map(|place| {
                let (left, right) = (left.get(place), right.get(place));
                let (left, right) = (left.unwrap_or(&absent), right.unwrap_or(&absent));
                below(&format!("[{place}]"), difference(left, right))
            })
        }
        _ if left == right => None,
        _ => Some((String::new(), left.to_string(), right.to_string())),
    }
}

fn below(
    step: &str,
    difference: Option<(String, String, String)>,
) -> Option<(String, String, String)> {
    difference.map(|(path, left, right)| (format!("{step}{path}"), left, right))
}

//! What can go wrong with a continuation, and how a client is told.

use rmcp::ErrorData;
use serde_json::json;

use crate::{guard::GuardError, token::keyring::KeyError};

/// Why a token was refused, as the server knows it. The client is told less: see
/// [`for_client`](Reason::for_client).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The token does not authenticate: some bit of it was altered, or it was sealed with another key of
    /// the same id.
    Tampered,
    /// The token was sealed with a key that this server does not hold.
    UnknownKey,
    /// The token belongs to another service, tool, principal or set of arguments.
    Mismatch,
    /// The token is past its expiry, or its call is older than a call may be.
    Expired,
    /// The token was issued later than now, by more than clocks differ.
    Future,
    /// The function has changed since the token was sealed, or the version of Saga.
    Stale,
    /// The token was used: its question has its answer.
    Used,
    /// The token is larger than the configured limit.
    TooLarge,
    /// The text is not a token of this library, or its content cannot be decoded.
    Malformed,
}

impl Reason {
    /// The name, for logs and metrics.
    ///
    /// ```
    /// assert_eq!(saga_runtime::Reason::UnknownKey.as_str(), "unknown_key");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tampered => "tampered",
            Self::UnknownKey => "unknown_key",
            Self::Mismatch => "mismatch",
            Self::Expired => "expired",
            Self::Future => "future",
            Self::Stale => "stale",
            Self::Used => "used",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
        }
    }

    /// What the client is told, as `data.reason` of a JSON-RPC `-32602` error: what a forger could learn
    /// from is all `invalid`.
    ///
    /// ```
    /// use saga_runtime::Reason;
    ///
    /// assert_eq!(Reason::UnknownKey.for_client(), "invalid");
    /// assert_eq!(Reason::Expired.for_client(), "expired");
    /// ```
    pub fn for_client(self) -> &'static str {
        match self {
            Self::Tampered | Self::UnknownKey | Self::Mismatch | Self::Future | Self::Malformed => {
                "invalid"
            }
            Self::Expired => "expired",
            Self::Stale => "stale",
            Self::Used => "used",
            Self::TooLarge => "too_large",
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::Expired => "the continuation token has expired: call the tool again",
            Self::Stale => {
                "what the continuation token continues has changed since: call the tool again"
            }
            Self::Used => "this continuation token was used: its question has its answer",
            Self::TooLarge => "the continuation token is too large",
            _ => "the continuation token is refused",
        }
    }
}

/// A continuation could not be sealed, opened or run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client presented a token that is refused; no line of the tool ran.
    #[error("the continuation token is refused ({}): {detail}", reason.as_str())]
    Token {
        /// The machine-readable reason.
        reason: Reason,
        /// What exactly was found.
        detail: String,
    },
    /// The client's answers are not of the form that the wire asks for.
    #[error("the answers are malformed: {0}")]
    Answers(String),
    /// The live variables do not fit in a token.
    #[error("the continuation needs a token of {bytes} bytes, more than the limit of {limit}; largest variables: {}", list(.largest))]
    TooLarge {
        /// Size of the token in bytes, base64 included.
        bytes: usize,
        /// The configured limit in bytes.
        limit: usize,
        /// The largest stored variables, each with its encoded size in bytes.
        largest: Vec<(String, usize)>,
    },
    /// The state does not fit in a token for what the client answered.
    #[error(
        "with the client's answers the continuation needs a token of {bytes} bytes, more than the limit of {limit}"
    )]
    AnswersTooLarge {
        /// Size of the token in bytes, base64 included.
        bytes: usize,
        /// The configured limit in bytes.
        limit: usize,
    },
    /// A live variable could not be encoded.
    #[error("`{variable}` cannot be stored in the continuation: {detail}")]
    Store {
        /// The variable's name in the source.
        variable: String,
        /// What the serializer said.
        detail: String,
    },
    /// Whether a leg was consumed before cannot be said; nothing of it runs.
    #[error("whether the answer was used before cannot be said: {0}")]
    Guard(#[from] GuardError),
    /// A tool that says `#[saga(once)]` is served without a guard.
    #[error("`#[saga(once)]` needs a guard: `Settings::with_guard`")]
    Unguarded,
    /// The keys of the process are not of the right form.
    #[error("{0}")]
    Keys(#[from] KeyError),
    /// The tool panicked.
    #[error("the tool panicked{}", place(*.at))]
    Panicked {
        /// The function, and the suspension point that it had passed last; nothing at its beginning.
        at: Option<(&'static str, u32)>,
    },
    /// The task was cancelled where its tool waited for nobody; nothing behind that ran.
    #[error("cancelled")]
    Cancelled,
    /// The client is gone, and the tool was stopped.
    #[error("the client is gone: the tool was stopped")]
    Disconnected,
    /// An ask was reached through a call that the saga could not follow.
    #[error(
        "`{function}` asks the client from a call that its caller cannot suspend; give every function between the two `#[saga]`, pass it the client's handle and `.await` the call directly, or say in the caller: `#[saga(asks({function}))]`"
    )]
    Untracked {
        /// The function that asked.
        function: &'static str,
    },
    /// Two asks of one round have the same key, by the author's choice.
    #[error("the key `{key}` was chosen twice in one round, in `{first}` and in `{second}`")]
    TwoOfOneKey {
        /// The key.
        key: String,
        /// The function that chose it first.
        first: &'static str,
        /// The function that chose it again.
        second: &'static str,
    },
}

impl Error {
    pub(crate) fn token(reason: Reason, detail: impl Into<String>) -> Self {
        Self::Token {
            reason,
            detail: detail.into(),
        }
    }

    /// A call has no id.
    pub(crate) fn no_randomness() -> Self {
        Self::Store {
            variable: "the call's id".to_owned(),
            detail: "the system's random number generator failed".to_owned(),
        }
    }

    /// The refusal's reason, where the client's token is at fault.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Token { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// A name of the kind, for logs and metrics.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Token { reason, .. } => reason.as_str(),
            Self::Answers(_) => "answers",
            Self::TooLarge { .. } | Self::AnswersTooLarge { .. } => "too_large",
            Self::Store { .. } => "store",
            Self::Guard(_) => "guard",
            Self::Unguarded => "unguarded",
            Self::Keys(_) => "keys",
            Self::Panicked { .. } => "panic",
            Self::Cancelled => "cancelled",
            Self::Disconnected => "disconnected",
            Self::Untracked { .. } => "untracked",
            Self::TwoOfOneKey { .. } => "key",
        }
    }

    /// Whether the client is at fault, and not the server.
    pub fn is_of_client(&self) -> bool {
        matches!(
            self,
            Self::Token { .. } | Self::Answers(_) | Self::AnswersTooLarge { .. }
        )
    }
}

/// The error for parameters that are not of their method's form.
pub(crate) fn malformed(message: impl Into<std::borrow::Cow<'static, str>>) -> ErrorData {
    ErrorData::invalid_params(message, Some(json!({ "reason": "malformed" })))
}

/// An error of the server or its author that a client may meet: by its `reason` it can be told from the others.
pub(crate) fn internal(
    message: impl Into<std::borrow::Cow<'static, str>>,
    reason: &'static str,
) -> ErrorData {
    ErrorData::internal_error(message, Some(json!({ "reason": reason })))
}

fn place(at: Option<(&'static str, u32)>) -> String {
    at.map_or_else(
        || " before its first suspension point".to_owned(),
        |(function, point)| format!(" in `{function}`, behind suspension point {point}"),
    )
}

fn list(largest: &[(String, usize)]) -> String {
    let mut text = String::new();
    for (name, bytes) in largest {
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&format!("`{name}` ({bytes} bytes)"));
    }
    text
}

/// What the client is told: the kind, and of its own input what it needs to mend it. Functions, variables and
/// sizes stay with the server, which reports them where it refuses.
impl From<Error> for ErrorData {
    fn from(error: Error) -> Self {
        let reason = match &error {
            Error::Token { reason, .. } => reason.for_client(),
            other => other.as_str(),
        };
        let message = match &error {
            Error::Token { reason, .. } => reason.message().to_owned(),
            Error::Answers(_) => error.to_string(),
            Error::AnswersTooLarge { .. } => "the answers are too large to go on with".to_owned(),
            Error::TooLarge { .. } => {
                "the call cannot wait for an answer: its state is too large".to_owned()
            }
            Error::Guard(_) => "the answer cannot be taken now: try again".to_owned(),
            Error::Unguarded | Error::Keys(_) => {
                "the server is not set up for this: its log says why".to_owned()
            }
            Error::Panicked { .. } => "the tool failed".to_owned(),
            Error::Disconnected | Error::Cancelled => "the request was cancelled".to_owned(),
            // The author's own mistakes are for the author, who has built it in debug.
            Error::Untracked { .. } | Error::TwoOfOneKey { .. } if cfg!(debug_assertions) => {
                error.to_string()
            }
            Error::Store { .. } | Error::Untracked { .. } | Error::TwoOfOneKey { .. } => {
                "the call cannot wait for an answer: the tool is at fault, the server's log says why"
                    .to_owned()
            }
        };
        let data = Some(json!({ "reason": reason }));
        if error.is_of_client() {
            ErrorData::invalid_params(message, data)
        } else {
            ErrorData::internal_error(message, data)
        }
    }
}

//! What can go wrong with a continuation, and how a client is told.

use rmcp::ErrorData;
use serde_json::json;

/// Why a token was refused. Sent to the client as `data.reason` of a JSON-RPC `-32602` error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The token does not authenticate: some bit of it was altered.
    Tampered,
    /// The token was sealed with a key that this server does not hold.
    UnknownKey,
    /// The token belongs to another tool, principal or set of arguments.
    Mismatch,
    /// The token is past its expiry.
    Expired,
    /// The function has changed since the token was sealed.
    Stale,
    /// The token is larger than the configured limit.
    TooLarge,
    /// The text is not a token of this library, or its content cannot be decoded.
    Malformed,
}

impl Reason {
    /// The machine-readable name, as it appears in `data.reason`.
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
            Self::Stale => "stale",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
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
    /// A live variable could not be encoded.
    #[error("`{variable}` cannot be stored in the continuation: {detail}")]
    Store {
        /// The variable's name in the source.
        variable: String,
        /// What the serializer said.
        detail: String,
    },
    /// An ask was reached through a call that the saga could not follow.
    #[error(
        "`{function}` asks the client from a call that its caller cannot suspend; pass it the client's handle and `.await` the call directly in a `#[saga]` function, or say there: `#[saga(asks({function}))]`"
    )]
    Untracked {
        /// The function that asked.
        function: &'static str,
    },
}

impl Error {
    pub(crate) fn token(reason: Reason, detail: impl Into<String>) -> Self {
        Self::Token {
            reason,
            detail: detail.into(),
        }
    }

    /// The refusal's reason, where the client's token is at fault.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Token { reason, .. } => Some(*reason),
            _ => None,
        }
    }
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

impl From<Error> for ErrorData {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Token { reason, .. } => {
                ErrorData::invalid_params(message, Some(json!({ "reason": reason.as_str() })))
            }
            Error::Answers(_) => {
                ErrorData::invalid_params(message, Some(json!({ "reason": "answers" })))
            }
            Error::TooLarge { largest, .. } => ErrorData::internal_error(
                message,
                Some(json!({
                    "reason": "too_large",
                    "variables": largest.iter().map(|(name, _)| name).collect::<Vec<_>>(),
                })),
            ),
            Error::Store { variable, .. } => ErrorData::internal_error(
                message,
                Some(json!({ "reason": "store", "variables": [variable] })),
            ),
            Error::Untracked { .. } => {
                ErrorData::internal_error(message, Some(json!({ "reason": "untracked" })))
            }
        }
    }
}

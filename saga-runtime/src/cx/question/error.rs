//! Why a question has no answer.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{ClientCapabilities, ContentBlock, ErrorCode, IntoContents},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ask::answer::Answer;

/// Why a question that was asked through [`Cx`](crate::Cx) has no answer.
///
/// A tool that returns `Result<T, AskError>` answers with a result that is marked as an error and says
/// this to the model; in a tool that returns `Result<T, ErrorData>`, `?` makes it a JSON-RPC error.
/// A helper may return it too: it can be kept while other questions wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The user said no.
    #[error("the user declined")]
    Declined,
    /// The user closed the form without an answer.
    #[error("the user dismissed the question")]
    Dismissed,
    /// The client cannot be asked this; nothing was sent.
    #[error("the client cannot be asked this: it does not declare `{}`", name(.0))]
    Unsupported(Box<ClientCapabilities>),
    /// The answers did not fit the form, as often as it was asked.
    #[error("the answer does not fit: {0}")]
    Invalid(String),
    /// The answer did not come in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The client answered with a JSON-RPC error, or the question cannot be put: it is malformed, or
    /// asked where nothing can wait for its answer.
    #[error("the question was refused: {}", .0.message)]
    Refused(Box<ErrorData>),
    /// The connection ended, or what came was no answer to this question.
    #[error("no answer: {0}")]
    Lost(String),
}

/// The capabilities that an error says are missing.
fn missing(error: &ErrorData) -> Option<ClientCapabilities> {
    if error.code != ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY {
        return None;
    }
    let required = error.data.as_ref()?.get("requiredCapabilities")?;
    ClientCapabilities::deserialize(required).ok()
}

/// The capability that a question needs, as the protocol has it.
#[allow(deprecated, reason = "sampling and roots are deprecated by SEP-2577")]
fn name(required: &ClientCapabilities) -> &'static str {
    let url = required.elicitation.as_ref().map(|e| e.url.is_some());
    let tools = required.sampling.as_ref().map(|s| s.tools.is_some());
    match (url, tools) {
        (Some(true), _) => "elicitation.url",
        (Some(false), _) => "elicitation",
        (_, Some(true)) => "sampling.tools",
        (_, Some(false)) => "sampling",
        _ => "roots",
    }
}

impl AskError {
    /// The error for an outcome that is no result.
    pub(super) fn of(answer: &Answer, required: ClientCapabilities) -> Self {
        match answer {
            Answer::Unsupported => Self::Unsupported(Box::new(required)),
            Answer::Timeout(millis) => Self::TimedOut(Duration::from_millis(*millis)),
            Answer::Error {
                code,
                message,
                data,
            } => {
                let error = ErrorData::new(ErrorCode(*code), message.clone(), data.clone());
                missing(&error).map_or_else(
                    || Self::Refused(Box::new(error)),
                    |required| Self::Unsupported(Box::new(required)),
                )
            }
            Answer::Cancelled(reason) => {
                Self::Lost(reason.clone().unwrap_or_else(|| "cancelled".to_owned()))
            }
            Answer::Closed | Answer::Passed | Answer::Abandoned => {
                Self::Lost("the connection ended".to_owned())
            }
            Answer::Unexpected | Answer::Result(_) => {
                Self::Lost("it was the answer to another question".to_owned())
            }
        }
    }

    /// The name of the kind, as `data.reason` of the JSON-RPC error has it.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Declined => "declined",
            Self::Dismissed => "dismissed",
            Self::Unsupported(_) => "unsupported",
            Self::Invalid(_) => "invalid",
            Self::TimedOut(_) => "timed_out",
            Self::Refused(_) => "refused",
            Self::Lost(_) => "lost",
        }
    }
}

impl From<AskError> for ErrorData {
    /// A missing capability is `-32021` with the capabilities that are required, what the client
    /// refused is its own error, everything else is `-32600` with `data.reason`.
    fn from(error: AskError) -> Self {
        let data = json!({ "reason": error.reason() });
        match error {
            AskError::Unsupported(required) => Self::missing_required_client_capability(*required),
            AskError::Refused(refusal) => *refusal,
            other => Self::invalid_request(other.to_string(), Some(data)),
        }
    }
}

impl IntoContents for AskError {
    fn into_contents(self) -> Vec<ContentBlock> {
        vec![ContentBlock::text(self.to_string())]
    }
}

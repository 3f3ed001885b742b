//! Why a question has no answer.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{ClientCapabilities, ContentBlock, IntoContents},
};
use serde_json::json;

use crate::answer::Answer;

/// Why a question that was asked through [`Cx`](crate::Cx) has no answer.
///
/// A tool that returns `Result<T, AskError>` answers with a result that is marked as an error and says
/// this to the model; in a tool that returns `Result<T, ErrorData>`, `?` makes it a JSON-RPC error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The user said no.
    #[error("the user declined")]
    Declined,
    /// The user closed the form without an answer.
    #[error("the user dismissed the question")]
    Dismissed,
    /// The client cannot be asked this; nothing was sent.
    #[error("the client does not have the capability for this question")]
    Unsupported(Box<ClientCapabilities>),
    /// The answers did not fit the form, as often as it was asked.
    #[error("the answer does not fit: {0}")]
    Invalid(String),
    /// The answer did not come in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// The client answered with a JSON-RPC error.
    #[error("the client refused: {}", .0.message)]
    Refused(Box<ErrorData>),
    /// The connection ended, or what came was no answer to this question.
    #[error("no answer: {0}")]
    Lost(String),
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
            } => Self::Refused(Box::new(ErrorData::new(
                rmcp::model::ErrorCode(*code),
                message.clone(),
                data.clone(),
            ))),
            Answer::Cancelled(reason) => {
                Self::Lost(reason.clone().unwrap_or_else(|| "cancelled".to_owned()))
            }
            Answer::Closed | Answer::Abandoned => Self::Lost("the connection ended".to_owned()),
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

//! The outcome of one ask, as it is kept in a continuation.

use std::time::Duration;

use rmcp::{ErrorData, ServiceError, model::ErrorCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::millis;

/// What came back for an ask. Kept instead of the typed value, so that an answer's type needs only
/// `Deserialize`: wherever the value is live after a later ask it is parsed again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// The client's result object (`ElicitResult`, `CreateMessageResult`, `ListRootsResult`).
    Result(Value),
    /// The client answered with a JSON-RPC error.
    Error {
        /// JSON-RPC error code.
        code: i32,
        /// The client's message.
        message: String,
        /// Additional data, if any.
        data: Option<Value>,
    },
    /// The client does not have the capability; nothing was asked.
    Unsupported,
    /// The answer came after the ask's timeout, in milliseconds.
    Timeout(u64),
    /// The request was cancelled on the live wire.
    Cancelled(Option<String>),
    /// The live transport closed before an answer came.
    Closed,
    /// The live peer answered with a result of another kind.
    Unexpected,
    /// Nobody was asked: a pause is over.
    Passed,
    /// The tool did not wait for the answer: the other branch of its `select!` was ready.
    Abandoned,
}

impl Answer {
    pub(crate) fn error(error: &ErrorData) -> Self {
        Self::Error {
            code: error.code.0,
            message: error.message.to_string(),
            data: error.data.clone(),
        }
    }

    /// The record of a failure on the live wire.
    pub(crate) fn failure(error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::error(error),
            ServiceError::Timeout { timeout } => Self::Timeout(millis(*timeout)),
            ServiceError::Cancelled { reason } => Self::Cancelled(reason.clone()),
            ServiceError::UnexpectedResponse => Self::Unexpected,
            _ => Self::Closed,
        }
    }

    /// The result object, or rmcp's error for anything else.
    pub(crate) fn result(&self) -> Result<&Value, ServiceError> {
        Err(match self {
            Self::Result(value) => return Ok(value),
            Self::Error {
                code,
                message,
                data,
            } => {
                let code = ErrorCode(*code);
                ServiceError::McpError(ErrorData::new(code, message.clone(), data.clone()))
            }
            Self::Unsupported => ServiceError::McpError(ErrorData::invalid_request(
                "the client does not support this request",
                None,
            )),
            Self::Timeout(timeout) => ServiceError::Timeout {
                timeout: Duration::from_millis(*timeout),
            },
            Self::Cancelled(reason) => ServiceError::Cancelled {
                reason: reason.clone(),
            },
            Self::Closed | Self::Abandoned | Self::Passed => ServiceError::TransportClosed,
            Self::Unexpected => ServiceError::UnexpectedResponse,
        })
    }
}

//! What clients answer, and what a tool says where they do not.

use rmcp::{
    ErrorData,
    model::{
        CallToolResult, ClientCapabilities, ContentBlock, CreateMessageRequestParams,
        CreateMessageResult, ElicitationCapability, ListRootsResult, SamplingMessage,
        SamplingMessageContentBlock,
    },
    service::{ElicitationError, ServiceError},
};
use schemars::JsonSchema;
use serde::Deserialize;

// No doc comments on what is elicited: they would be in the form that the user sees.

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Name {
    pub(crate) name: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Color {
    pub(crate) color: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Confirmation {
    pub(crate) ok: bool,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Value {
    pub(crate) value: String,
}

rmcp::elicit_safe!(Name, Color, Confirmation, Value);

/// What the user gave; nothing where the user would not.
pub(crate) fn given<T>(
    answer: Result<Option<T>, ElicitationError>,
) -> Result<Option<T>, ErrorData> {
    match answer {
        Ok(given) => Ok(given),
        Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => Ok(None),
        Err(ElicitationError::CapabilityNotSupported) => {
            let mut required = ClientCapabilities::default();
            required.elicitation = Some(ElicitationCapability::default());
            Err(ErrorData::missing_required_client_capability(required))
        }
        Err(ElicitationError::Service(error)) => Err(unanswered(error)),
        Err(error) => Err(internal(error)),
    }
}

/// The error of a question that has no answer, as the client gave it.
pub(crate) fn unanswered(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        error => internal(error),
    }
}

/// A question to the client's model.
pub(crate) fn question(text: impl Into<String>) -> CreateMessageRequestParams {
    CreateMessageRequestParams::new(vec![SamplingMessage::user_text(text)], 100)
}

/// What the model said.
pub(crate) fn said(reply: &CreateMessageResult) -> &str {
    let first = reply.message.content.first();
    first
        .and_then(SamplingMessageContentBlock::as_text)
        .map_or("", |content| content.text.as_str())
}

/// The client's roots, as a list.
pub(crate) fn uris(roots: &ListRootsResult) -> String {
    let uris: Vec<_> = roots.roots.iter().map(|root| root.uri.as_str()).collect();
    uris.join(", ")
}

/// A tool's answer in words.
pub(crate) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The answer of a tool that the user did not give what it needs.
pub(crate) fn without(what: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("Ended without {what}"))])
}

pub(crate) fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

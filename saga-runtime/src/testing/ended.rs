//! What a call gave.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::question::sorted;

/// JSON-RPC's codes for a resource that is not there: before 2026-07-28, and since.
const RESOURCE_NOT_FOUND: i64 = -32002;
const INVALID_PARAMS: i64 = -32602;

/// How a call ended: the result of the tool, the messages of the prompt or the contents of the resource; or a JSON-RPC
/// error.
#[derive(Clone, PartialEq)]
pub struct Ended {
    is_error: bool,
    value: Value,
}

impl Ended {
    #[doc(hidden)]
    pub fn new(response: Result<Value, Value>) -> Self {
        let (is_error, mut value) = match response {
            Ok(result) => (false, result),
            Err(error) => (true, error),
        };
        if let Value::Object(members) = &mut value {
            // Of the wire, and not of the tool.
            members.remove("resultType");
            if members.get("isError") == Some(&Value::Bool(false)) {
                members.remove("isError");
            }
        }
        Self { is_error, value }
    }

    /// The text of the result: of its first content, message or resource; of a JSON-RPC error, its message.
    pub fn text(&self) -> &str {
        let first = |member| self.value.get(member)?.as_array()?.first();
        let parts = [
            first("content").and_then(|content| content.get("text")),
            first("messages").and_then(|message| message.get("content")?.get("text")),
            first("contents").and_then(|resource| resource.get("text")),
            self.value.get("message"),
        ];
        let texts = parts.into_iter().flatten();
        texts.filter_map(Value::as_str).next().unwrap_or_default()
    }

    /// The structured content of a tool's result.
    pub fn structured(&self) -> Option<&Value> {
        self.value.get("structuredContent")
    }

    /// Whether it is an error: of the tool, which has `isError`, or of the request.
    pub fn is_error(&self) -> bool {
        self.is_error || self.value.get("isError") == Some(&Value::Bool(true))
    }

    /// Whether it is a JSON-RPC error.
    pub fn is_request_error(&self) -> bool {
        self.is_error
    }

    /// Why the token was refused, where it was: `expired`, `mismatch`, `stale`, `used`, ….
    pub fn refusal(&self) -> Option<&str> {
        if !self.is_error {
            return None;
        }
        self.value.get("data")?.get("reason")?.as_str()
    }

    /// All of it.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What is compared.
    #[doc(hidden)]
    pub fn essence(&self) -> Value {
        let mut essence = Map::new();
        let name = if self.is_error { "error" } else { "result" };
        let mut value = sorted(&self.value);
        if let Value::Object(members) = &mut value {
            // Clients before 2026-07-28 are not told.
            members.remove("cacheScope");
            members.remove("ttlMs");
            // rmcp says it to them by the code of their time.
            if self.is_error && members.get("code") == Some(&json!(RESOURCE_NOT_FOUND)) {
                members.insert("code".to_owned(), json!(INVALID_PARAMS));
            }
        }
        essence.insert(name.to_owned(), value);
        Value::Object(essence)
    }
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.is_error { "Error" } else { "Result" };
        f.debug_tuple(name).field(&sorted(&self.value)).finish()
    }
}

impl Serialize for Ended {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.essence().serialize(serializer)
    }
}

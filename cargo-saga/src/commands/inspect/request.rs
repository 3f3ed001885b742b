//! The request that a token came with.

use saga_runtime::inspect::Bound;
use serde_json::{Map, Value};

use crate::error::Error;

pub(super) struct Request {
    pub(super) bound: Bound,
    pub(super) token: Option<String>,
}

/// Reads a JSON-RPC request, or its `params` with a `method` beside them.
pub(super) fn read(text: &str) -> Result<Request, Error> {
    let refused = |why: String| {
        Error::Refused {
        what: format!("that is no request: {why}"),
        instead: "one as the client sent it: `{\"method\": \"tools/call\", \"params\": {\"name\": .., \"arguments\": .., \"requestState\": ..}}`".to_owned(),
    }
    };
    let request: Value =
        serde_json::from_str(text).map_err(|error| refused(format!("it is not JSON: {error}")))?;
    let text_at = |pointer: &str| {
        let text = request.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    let method = text_at("/method").ok_or_else(|| refused("it has no `method`".to_owned()))?;
    let (bound_method, name) = match method.as_str() {
        "tools/call" | "prompts/get" => (method.as_str(), "/params/name"),
        "resources/read" => (method.as_str(), "/params/uri"),
        // Their tokens have the call in them.
        "tools/callSaga" | "tools/resumeSaga" => ("tools/call", "/params/name"),
        other => return Err(refused(format!("`{other}` has no tokens"))),
    };
    let arguments = request
        .pointer("/params/arguments")
        .and_then(Value::as_object);
    let tokens = [
        "/params/requestState",
        "/params/sagaToken",
        "/params/arguments/resumeToken",
        "/params/_meta/resumeToken",
    ];
    Ok(Request {
        bound: Bound {
            method: bound_method.to_owned(),
            name: text_at(name).unwrap_or_default(),
            arguments: arguments.cloned().unwrap_or_else(Map::new),
            ..Bound::default()
        },
        token: tokens.iter().find_map(|pointer| text_at(pointer)),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_call_and_the_token_are_found() {
        let text = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
            {"name": "lend", "arguments": {"title": "x"}, "requestState": "abc"}}"#;
        let request = read(text).expect("it reads");
        assert_eq!(request.token.as_deref(), Some("abc"));
        assert_eq!(request.bound.name, "lend");
        assert_eq!(request.bound.arguments.len(), 1);
        let text = r#"{"method": "resources/read", "params": {"uri": "a:b", "_meta": {"resumeToken": "r"}}}"#;
        let request = read(text).expect("it reads");
        assert_eq!(
            (request.bound.name.as_str(), request.token.as_deref()),
            ("a:b", Some("r"))
        );
    }

    #[test]
    fn what_is_no_request_is_told() {
        for text in ["", "[]", "{}", r#"{"method": 1}"#, r#"{"method": "ping"}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

//! JSON-RPC requests, and the questions in their results.

use serde_json::{Map, Value, json};

use crate::Result;

pub(crate) const ACCEPTED: &str = "application/json, text/event-stream";
const STATELESS: &str = "2026-07-28";

/// A message for the server with the HTTP headers that its protocol asks for.
pub(crate) struct Request {
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

impl Request {
    /// A request of 2026-07-28: it needs no session, since it says itself who sends it.
    pub(crate) fn stateless(number: usize, method: &str, mut params: Map<String, Value>) -> Self {
        let mut headers = vec![
            ("MCP-Protocol-Version", STATELESS.to_owned()),
            ("Mcp-Method", method.to_owned()),
        ];
        // Also where the request goes on with a call, which is in its token.
        headers.push(("Mcp-Name", examples::deployment::TOOL.to_owned()));
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": client_info(),
            "io.modelcontextprotocol/clientCapabilities": client_capabilities(),
        });
        params.insert("_meta".to_owned(), meta);
        Self {
            headers,
            body: call(number, method, params),
        }
    }
}

/// The bare JSON-RPC request.
pub(crate) fn call(number: usize, method: &str, params: impl Into<Value>) -> Value {
    let params: Value = params.into();
    let id = format!("client-req-{number}");
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn client_info() -> Value {
    json!({ "name": "deploy-example", "version": env!("CARGO_PKG_VERSION") })
}

pub(crate) fn client_capabilities() -> Value {
    json!({ "elicitation": {}, "sampling": {} })
}

/// Name and arguments of the tool call, as in the proposal.
pub(crate) fn tool_call() -> Map<String, Value> {
    let mut params = Map::new();
    params.insert("name".to_owned(), json!(examples::deployment::TOOL));
    params.insert("arguments".to_owned(), json!({ "initial_arg": "value" }));
    params
}

/// A question of the server.
pub(crate) struct Ask {
    pub(crate) key: String,
    pub(crate) kind: Kind,
    pub(crate) params: Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Elicitation,
    Sampling,
}

impl Kind {
    pub(crate) fn asked(self) -> &'static str {
        match self {
            Self::Elicitation => "the user",
            Self::Sampling => "the model",
        }
    }
}

impl Ask {
    /// The question in an object with `params`, whose kind the protocol calls `kind`.
    pub(crate) fn new(key: &str, kind: &Value, holder: &Value) -> Result<Self> {
        let kind = match kind.as_str() {
            Some("elicitation/create" | "elicitation") => Kind::Elicitation,
            Some("sampling/createMessage" | "sampling") => Kind::Sampling,
            _ => return Err(format!("this client does not know the question {kind}").into()),
        };
        Ok(Self {
            key: key.to_owned(),
            kind,
            params: holder.get("params").cloned().unwrap_or_default(),
        })
    }
}

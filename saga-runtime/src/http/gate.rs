//! What the headers of a request say: whether it is one beyond doubt.

use std::sync::{PoisonError, RwLock};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header, request::Parts};
use http_body_util::Empty;
use rmcp::{
    ServerHandler,
    model::{ClientRequest, JsonObject, ProtocolVersion},
    transport::streamable_http_server::{SessionManager, StreamableHttpService},
};
use serde_json::Value;

use super::{
    Answer,
    message::{Call, Method, name_of},
};
use crate::server::headers::{MCP_NAME, VERSION, decoded};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const ANNOTATION: &str = "x-mcp-header";
/// How many spellings of host and origin are remembered.
const SPELLINGS: usize = 64;

/// The method that a request names in its header, where the other headers are as a client of 2026-07-28 sends them.
pub(super) fn method(headers: &HeaderMap) -> Option<Method> {
    let version = only(headers, VERSION)?;
    let newest = ProtocolVersion::V_2026_07_28;
    if version.as_bytes() != newest.as_str().as_bytes() || !accepts(headers) || !has_json(headers) {
        return None;
    }
    let named = only(headers, "mcp-method")?.as_bytes();
    let mut all = Method::ALL.into_iter();
    all.find(|method| method.name().as_bytes() == named)
}

/// The value of a header that is there once.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

/// Whether both forms of an answer are accepted, without parameters.
fn accepts(headers: &HeaderMap) -> bool {
    let (mut json, mut events) = (false, false);
    for value in headers.get_all(header::ACCEPT) {
        let Ok(value) = value.to_str() else {
            return false;
        };
        if value.contains(['"', ';']) {
            return false;
        }
        for kind in value.split(',').map(str::trim) {
            json |= kind.eq_ignore_ascii_case(JSON);
            events |= kind.eq_ignore_ascii_case(EVENTS);
        }
    }
    json && events
}

fn has_json(headers: &HeaderMap) -> bool {
    let kind = only(headers, header::CONTENT_TYPE.as_str());
    let kind = kind.and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case(JSON))
}

/// Whether `Mcp-Name` is what the request is for.
pub(super) fn names(headers: &HeaderMap, call: &Call) -> bool {
    let Some(name) = name_of(&call.request) else {
        return true;
    };
    let named = only(headers, MCP_NAME).and_then(|named| named.to_str().ok());
    named.is_some_and(|named| match named.starts_with("=?base64?") {
        true => decoded(named).as_deref() == Some(name),
        false => named == name,
    })
}

/// Whether the `Mcp-Param-*` headers that the tool's schema asks for are there, and what the arguments are.
pub(super) fn parameters_agree(
    headers: &HeaderMap,
    call: &Call,
    handler: &impl ServerHandler,
) -> bool {
    let ClientRequest::CallToolRequest(request) = &call.request else {
        return true;
    };
    let Some(tool) = handler.get_tool(&request.params.name) else {
        return true;
    };
    agree(
        headers,
        &tool.input_schema,
        request.params.arguments.as_ref(),
    )
}

fn agree(headers: &HeaderMap, schema: &JsonObject, arguments: Option<&JsonObject>) -> bool {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return true;
    };
    properties.iter().all(|(name, schema)| {
        let Value::Object(schema) = schema else {
            return true;
        };
        let argument = arguments.and_then(|arguments| arguments.get(name));
        let agrees = match schema.get(ANNOTATION) {
            Some(Value::String(annotated)) if !annotated.is_empty() => {
                has_argument(headers, annotated, argument)
            }
            _ => true,
        };
        let below = argument.and_then(Value::as_object);
        agrees && agree(headers, schema, below)
    })
}

fn has_argument(headers: &HeaderMap, annotated: &str, argument: Option<&Value>) -> bool {
    let name = HeaderName::try_from(format!("mcp-param-{annotated}"));
    let Ok(name) = name else {
        return false;
    };
    let value = match argument {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
        _ => return !headers.contains_key(name),
    };
    let named = only(headers, name.as_str()).and_then(|named| named.to_str().ok());
    named.and_then(decoded) == Some(value)
}

/// What host and origin of a request lead to.
pub(super) enum Verdict {
    Allowed,
    /// They are said more than once, or not at all.
    Doubtful,
    Refused(Answer),
}

/// How long a host's or an origin's name is at most.
const LONGEST: usize = 512;

/// Hosts and origins that rmcp allows, as it has said of each spelling.
#[derive(Default)]
pub(super) struct Gate {
    allowed: RwLock<Vec<Spelling>>,
}

#[derive(Clone, PartialEq)]
struct Spelling {
    host: HeaderValue,
    origin: Option<HeaderValue>,
}

impl Spelling {
    /// One of its own, where it is no longer than a name is: what was read lends all of the request's head.
    fn to_keep(&self) -> Option<Self> {
        let kept = |value: &HeaderValue| {
            let bytes = value.as_bytes();
            (bytes.len() <= LONGEST).then(|| HeaderValue::from_bytes(bytes).ok())?
        };
        let origin = match &self.origin {
            Some(origin) => Some(kept(origin)?),
            None => None,
        };
        let host = kept(&self.host)?;
        Some(Self { host, origin })
    }
}

impl Gate {
    /// Whether rmcp has allowed them before.
    pub(super) fn knows(&self, head: &Parts) -> bool {
        said(head).is_some_and(|(host, origin)| {
            let allowed = self.allowed.read().unwrap_or_else(PoisonError::into_inner);
            let mut allowed = allowed.iter();
            allowed.any(|known| known.host == *host && known.origin.as_ref() == origin)
        })
    }

    /// Has rmcp judge them.
    pub(super) async fn judge<H: ServerHandler, M: SessionManager>(
        &self,
        head: &Parts,
        rmcp: &StreamableHttpService<H, M>,
    ) -> Verdict {
        let Some((host, origin)) = said(head) else {
            return Verdict::Doubtful;
        };
        let spelling = Spelling {
            host: host.clone(),
            origin: origin.cloned(),
        };
        let answer = rmcp.handle(question(&spelling)).await;
        if answer.status() != StatusCode::METHOD_NOT_ALLOWED {
            return Verdict::Refused(answer);
        }
        let Some(spelling) = spelling.to_keep() else {
            return Verdict::Allowed;
        };
        let mut allowed = self.allowed.write().unwrap_or_else(PoisonError::into_inner);
        if allowed.len() < SPELLINGS && !allowed.contains(&spelling) {
            allowed.push(spelling);
        }
        Verdict::Allowed
    }
}

/// Host and origin, as they are said: the one once, the other at most.
fn said(head: &Parts) -> Option<(&HeaderValue, Option<&HeaderValue>)> {
    let host = only(&head.headers, header::HOST.as_str())?;
    let mut origins = head.headers.get_all(header::ORIGIN).iter();
    let origin = origins.next();
    origins.next().is_none().then_some((host, origin))
}

/// A request that rmcp refuses for its method alone, once host and origin are allowed.
fn question(spelling: &Spelling) -> Request<Empty<Bytes>> {
    let mut request = Request::new(Empty::new());
    *request.method_mut() = http::Method::PUT;
    let headers = request.headers_mut();
    headers.insert(header::HOST, spelling.host.clone());
    if let Some(origin) = &spelling.origin {
        headers.insert(header::ORIGIN, origin.clone());
    }
    request
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::sync::Arc;

    use rmcp::transport::streamable_http_server::{
        StreamableHttpServerConfig, session::local::LocalSessionManager,
    };
    use serde_json::json;

    use super::*;

    struct Nothing;

    impl ServerHandler for Nothing {}

    #[tokio::test]
    async fn spellings_are_remembered_once_and_up_to_a_number() {
        let sessions = Arc::new(LocalSessionManager::default());
        let config = StreamableHttpServerConfig::default();
        let rmcp = StreamableHttpService::new(|| Ok(Nothing), sessions, config);
        let gate = Gate::default();
        let judge = async |host: String| {
            let request = Request::post("/").header(header::HOST, host).body(());
            let (head, ()) = request.unwrap().into_parts();
            let verdict = gate.judge(&head, &rmcp).await;
            (verdict, gate.allowed.read().unwrap().len())
        };
        for _ in 0..2 {
            let judged = judge("localhost".to_owned()).await;
            assert!(matches!(judged, (Verdict::Allowed, 1)));
        }
        let refused = judge("evil.example".to_owned()).await;
        assert!(matches!(refused, (Verdict::Refused(_), 1)));
        for port in 2..100 {
            let judged = judge(format!("localhost:{port}")).await;
            assert!(matches!(judged, (Verdict::Allowed, known) if known == SPELLINGS.min(port)));
        }
    }

    #[test]
    fn a_header_is_asked_for_by_a_name_alone() {
        let schema = json!({ "properties": {
            "region": { "x-mcp-header": "Region" },
            "empty": { "x-mcp-header": "" },
            "plain": {},
        } });
        let agrees = |named: Option<&'static str>, region: Value| {
            let mut headers = HeaderMap::new();
            if let Some(named) = named {
                headers.insert("mcp-param-region", HeaderValue::from_static(named));
            }
            let arguments = json!({ "region": region, "empty": "x", "plain": "y" });
            agree(&headers, schema.as_object().unwrap(), arguments.as_object())
        };
        assert!(agrees(Some("eu"), json!("eu")));
        assert!(!agrees(Some("us"), json!("eu")));
        assert!(!agrees(None, json!("eu")));
        assert!(agrees(None, Value::Null));
        assert!(!agrees(Some("eu"), Value::Null));
    }
}

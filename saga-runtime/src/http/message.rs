//! Requests as they are meant to be. What is not exactly so is no error here: rmcp reads it again, and judges.

use std::{borrow::Cow, fmt, marker::PhantomData};

use http::HeaderMap;
use rmcp::model::{
    CallToolRequestParams, CancelTaskParams, ClientRequest, CustomRequest, GetPromptRequestParams,
    GetTaskParams, InputResponses, JsonObject, ProtocolVersion, ReadResourceRequestParams, Request,
    RequestId, RequestMetaObject, UpdateTaskParams,
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::Value;

use crate::{server::headers::MCP_NAME, wire::saga};

/// A method that is served here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    CallTool,
    GetPrompt,
    ReadResource,
    GetTask,
    UpdateTask,
    CancelTask,
    CallSaga,
    ResumeSaga,
}

impl Method {
    pub(super) const ALL: [Self; 8] = [
        Self::CallTool,
        Self::GetPrompt,
        Self::ReadResource,
        Self::GetTask,
        Self::UpdateTask,
        Self::CancelTask,
        Self::CallSaga,
        Self::ResumeSaga,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CallTool => "tools/call",
            Self::GetPrompt => "prompts/get",
            Self::ReadResource => "resources/read",
            Self::GetTask => "tasks/get",
            Self::UpdateTask => "tasks/update",
            Self::CancelTask => "tasks/cancel",
            Self::CallSaga => saga::CALL,
            Self::ResumeSaga => saga::RESUME,
        }
    }
}

/// A request that is as it is meant to be: in a box, as it goes through several hands.
pub(super) struct Call {
    pub(super) id: RequestId,
    pub(super) method: Method,
    pub(super) meta: RequestMetaObject,
    pub(super) request: ClientRequest,
}

/// What `Mcp-Name` has to be, where rmcp checks it.
pub(super) fn name_of(request: &ClientRequest) -> Option<&str> {
    Some(match request {
        ClientRequest::CallToolRequest(request) => &request.params.name,
        ClientRequest::GetPromptRequest(request) => &request.params.name,
        ClientRequest::ReadResourceRequest(request) => &request.params.uri,
        ClientRequest::GetTaskRequest(request) => &request.params.task_id,
        ClientRequest::UpdateTaskRequest(request) => &request.params.task_id,
        ClientRequest::CancelTaskRequest(request) => &request.params.task_id,
        _ => return None,
    })
}

/// What handlers of a method are told from each other by. Resources and tasks are without number.
pub(super) fn handler_of<'a>(
    method: Method,
    request: &'a ClientRequest,
    headers: &'a HeaderMap,
) -> &'a str {
    let name = match method {
        Method::CallTool | Method::GetPrompt => name_of(request),
        // Its handler refuses any other name.
        Method::CallSaga | Method::ResumeSaga => {
            headers.get(MCP_NAME).and_then(|name| name.to_str().ok())
        }
        _ => None,
    };
    name.unwrap_or_default()
}

/// Reads a request of this method.
pub(super) fn read(method: Method, text: &[u8]) -> Option<Box<Call>> {
    let text = std::str::from_utf8(text).ok()?;
    match method {
        Method::CallTool | Method::GetPrompt => read_as::<Named>(method, text),
        Method::ReadResource => read_as::<Located>(method, text),
        Method::GetTask | Method::CancelTask => read_as::<Task>(method, text),
        Method::UpdateTask => read_as::<Answered>(method, text),
        Method::CallSaga | Method::ResumeSaga => read_as::<Custom>(method, text),
    }
}

fn read_as<P: Params>(method: Method, text: &str) -> Option<Box<Call>> {
    // Serde would take the members by their places, too.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let message: Message<'_, Members<P>> = serde_json::from_str(text).ok()?;
    if message.jsonrpc != "2.0" || message.method != method.name() {
        return None;
    }
    let (meta, request) = message.params.0.split(method)?;
    let meta = RequestMetaObject::from(meta);
    let newest = ProtocolVersion::V_2026_07_28;
    let complete = meta.protocol_version().as_ref() == Some(&newest)
        && meta.missing_required_keys(&newest).is_empty();
    complete.then(|| {
        Box::new(Call {
            id: message.id,
            method,
            meta,
            request,
        })
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a, P> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: RequestId,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: P,
}

/// Parameters by their names alone.
struct Members<P>(P);

impl<'de, P: Deserialize<'de>> Deserialize<'de> for Members<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByName<P>(PhantomData<P>);
        impl<'de, P: Deserialize<'de>> Visitor<'de> for ByName<P> {
            type Value = Members<P>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Members<P>, A::Error> {
                P::deserialize(MapAccessDeserializer::new(members)).map(Members)
            }
        }
        deserializer.deserialize_map(ByName(PhantomData))
    }
}

/// Parameters without a member that rmcp's types do not have: it may mean something elsewhere.
trait Params: DeserializeOwned {
    fn split(self, method: Method) -> Option<(JsonObject, ClientRequest)>;
}

/// Of a tool, or of a prompt.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Named {
    #[serde(rename = "_meta")]
    meta: JsonObject,
    name: String,
    arguments: Option<JsonObject>,
    #[serde(default, deserialize_with = "there")]
    input_responses: Option<InputResponses>,
    #[serde(default, deserialize_with = "there")]
    request_state: Option<String>,
}

impl Params for Named {
    fn split(self, method: Method) -> Option<(JsonObject, ClientRequest)> {
        let request = match method {
            Method::CallTool => {
                let mut params = CallToolRequestParams::new(self.name);
                params.arguments = self.arguments;
                params.input_responses = self.input_responses;
                params.request_state = self.request_state;
                Request::new(params).into()
            }
            Method::GetPrompt => {
                let mut params = GetPromptRequestParams::new(self.name);
                params.arguments = self.arguments;
                params.input_responses = self.input_responses;
                params.request_state = self.request_state;
                Request::new(params).into()
            }
            _ => return None,
        };
        Some((self.meta, request))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Located {
    #[serde(rename = "_meta")]
    meta: JsonObject,
    uri: String,
    #[serde(default, deserialize_with = "there")]
    input_responses: Option<InputResponses>,
    #[serde(default, deserialize_with = "there")]
    request_state: Option<String>,
}

impl Params for Located {
    fn split(self, _: Method) -> Option<(JsonObject, ClientRequest)> {
        let mut params = ReadResourceRequestParams::new(self.uri);
        params.input_responses = self.input_responses;
        params.request_state = self.request_state;
        Some((self.meta, Request::new(params).into()))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Task {
    #[serde(rename = "_meta")]
    meta: JsonObject,
    task_id: String,
}

impl Params for Task {
    fn split(self, method: Method) -> Option<(JsonObject, ClientRequest)> {
        let request = match method {
            Method::GetTask => {
                ClientRequest::GetTaskRequest(Request::new(GetTaskParams::new(self.task_id)))
            }
            Method::CancelTask => {
                ClientRequest::CancelTaskRequest(Request::new(CancelTaskParams::new(self.task_id)))
            }
            _ => return None,
        };
        Some((self.meta, request))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answered {
    #[serde(rename = "_meta")]
    meta: JsonObject,
    task_id: String,
    input_responses: InputResponses,
}

impl Params for Answered {
    fn split(self, _: Method) -> Option<(JsonObject, ClientRequest)> {
        let params = UpdateTaskParams::new(self.task_id, self.input_responses);
        Some((self.meta, Request::new(params).into()))
    }
}

/// Parameters of which rmcp knows no more than `_meta`.
struct Custom {
    meta: JsonObject,
    others: JsonObject,
}

impl Params for Custom {
    fn split(self, method: Method) -> Option<(JsonObject, ClientRequest)> {
        let request = CustomRequest::new(method.name(), Some(Value::Object(self.others)));
        Some((self.meta, ClientRequest::CustomRequest(request)))
    }
}

impl<'de> Deserialize<'de> for Custom {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Splitting)
    }
}

struct Splitting;

impl<'de> Visitor<'de> for Splitting {
    type Value = Custom;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters with `_meta`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Custom, A::Error> {
        let mut meta = None;
        let mut others = JsonObject::new();
        while let Some(name) = members.next_key::<String>()? {
            if name == "_meta" {
                let twice = meta.replace(members.next_value()?).is_some();
                if twice {
                    return Err(A::Error::duplicate_field("_meta"));
                }
                continue;
            }
            let value = members.next_value()?;
            // A state that is null is spoiled before rmcp reads it.
            if name == "requestState" && value == Value::Null {
                return Err(A::Error::custom("a state that is null"));
            }
            others.insert(name, value);
        }
        let meta = meta.ok_or_else(|| A::Error::missing_field("_meta"))?;
        Ok(Custom { meta, others })
    }
}

/// A member that is left out, or is not null.
fn there<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::json;

    use super::*;

    fn text(method: Method, mut params: Value) -> Vec<u8> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "alice", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message =
            json!({ "jsonrpc": "2.0", "id": 7, "method": method.name(), "params": params });
        message.to_string().into_bytes()
    }

    /// What is not read is served all the same, by rmcp, and nobody sees why it takes so long.
    #[test]
    fn a_request_of_each_method_is_read() {
        for method in Method::ALL {
            let (params, name) = match method {
                Method::CallTool | Method::GetPrompt => (json!({ "name": "n" }), Some("n")),
                Method::ReadResource => (json!({ "uri": "u" }), Some("u")),
                Method::GetTask | Method::CancelTask => (json!({ "taskId": "t" }), Some("t")),
                Method::UpdateTask => (json!({ "taskId": "t", "inputResponses": {} }), Some("t")),
                Method::CallSaga | Method::ResumeSaga => (json!({ "name": "n", "a": 1 }), None),
            };
            let call = read(method, &text(method, params)).unwrap();
            assert_eq!(call.method.name(), method.name());
            assert_eq!(name_of(&call.request), name);
            if let ClientRequest::CustomRequest(request) = call.request {
                assert_eq!(request.method, method.name());
                assert_eq!(request.params, Some(json!({ "name": "n", "a": 1 })));
            }
        }
    }

    #[test]
    fn what_goes_on_is_read_and_a_state_that_is_null_is_not() {
        let state = |method, state| {
            let params = json!({ "name": "n", "inputResponses": {}, "requestState": state });
            read(method, &text(method, params)).map(|call| call.request)
        };
        let Some(ClientRequest::CallToolRequest(request)) = state(Method::CallTool, json!("s"))
        else {
            unreachable!("it is read as what it is");
        };
        assert_eq!(request.params.request_state.as_deref(), Some("s"));
        assert_eq!(request.params.input_responses, Some(InputResponses::new()));
        assert!(state(Method::ResumeSaga, json!("s")).is_some());
        for method in [Method::CallTool, Method::ResumeSaga] {
            assert!(state(method, Value::Null).is_none());
        }
    }

    #[test]
    fn handlers_are_told_apart_by_their_names() {
        let mut headers = HeaderMap::new();
        headers.insert(MCP_NAME, http::HeaderValue::from_static("named"));
        let of = |method, params| {
            let call = read(method, &text(method, params)).unwrap();
            handler_of(method, &call.request, &headers).to_owned()
        };
        assert_eq!(of(Method::CallTool, json!({ "name": "n" })), "n");
        assert_eq!(of(Method::GetPrompt, json!({ "name": "n" })), "n");
        assert_eq!(of(Method::CallSaga, json!({ "name": "n" })), "named");
        assert_eq!(of(Method::ResumeSaga, json!({ "sagaToken": "x" })), "named");
        // There is no end of them.
        assert_eq!(of(Method::ReadResource, json!({ "uri": "u" })), "");
    }

    #[test]
    fn a_request_of_another_method_is_not() {
        let params = json!({ "name": "n" });
        let text = text(Method::GetPrompt, params);
        assert!(read(Method::CallTool, &text).is_none());
        assert!(read(Method::CallSaga, &text).is_none());
    }
}

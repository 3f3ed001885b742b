//! The saga methods `tools/callSaga` and `tools/resumeSaga`: the call is not repeated, so it rides in
//! the token with its arguments.

use std::{collections::BTreeMap, future::Future, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, InputRequest, InputRequiredResult, JsonObject,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{
    ask::answer::Answer,
    engine::{
        answers::Answers,
        continuation::{self, Carried, Continuation},
        scope::Suspending,
    },
    error::{Error, Reason, internal, malformed},
    observe::{Event, Teller, WireName},
    token::{Binding, Domain, settings::Settings},
    wire::{
        Response, Served,
        call::{self, Call},
        round::{self, Envelope},
    },
};

/// `tools/callSaga`.
pub(crate) const CALL: &str = "tools/callSaga";
/// `tools/resumeSaga`.
pub(crate) const RESUME: &str = "tools/resumeSaga";

/// Marks a request that came by this wire, for the tool that serves it.
#[derive(Debug, Clone)]
pub(crate) struct Resumption {
    answers: Answers,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResumeParams {
    saga_token: String,
    completed_steps: Vec<StepResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepResult {
    step_id: String,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<StepError>,
}

#[derive(Deserialize)]
struct StepError {
    code: i32,
    message: String,
    #[serde(default)]
    data: Option<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuspendedResult {
    state: &'static str,
    saga_token: String,
    steps: Vec<Value>,
}

/// Serves `tools/callSaga`: an ordinary call of the wrapped handler's tool, marked for this wire.
pub(crate) async fn start<H: ServerHandler>(
    handler: &H,
    params: Option<Value>,
    context: RequestContext<RoleServer>,
    named: impl FnOnce(&str, &RequestContext<RoleServer>) -> Result<(), ErrorData>,
) -> Result<Value, ErrorData> {
    let params: CallParams = parse(params)?;
    named(&params.name, &context)?;
    let mut request = CallToolRequestParams::new(params.name);
    request.arguments = params.arguments;
    dispatch(handler, request, Answers::new(), context).await
}

/// Serves `tools/resumeSaga`: the call in the token, with its state. `named` has to agree with the tool that is
/// called.
pub(crate) async fn resume<H: ServerHandler>(
    handler: &H,
    settings: &Settings,
    params: Option<Value>,
    context: RequestContext<RoleServer>,
    named: impl FnOnce(&str, &RequestContext<RoleServer>) -> Result<(), ErrorData>,
) -> Result<Value, ErrorData> {
    let token = params.as_ref().and_then(|params| params.get("sagaToken"));
    if token.is_none_or(|token| !token.is_string()) {
        return Err(malformed("`sagaToken` is no text"));
    }
    let params: ResumeParams = parse(params)?;
    let answers = answers(params.completed_steps)?;
    let principal = settings.principal(&context);
    let carried = carried(settings, principal.as_deref(), &params.saga_token, &context);
    let carried = carried.inspect_err(|error| {
        let observer = settings.config().observer.clone();
        let teller = Teller::of(RESUME, "", WireName::Saga, principal, observer);
        teller.tell(None, 0, Event::Refused { error });
    })?;
    named(&carried.tool, &context)?;
    let mut request = CallToolRequestParams::new(carried.tool);
    request.arguments = Some(carried.arguments);
    request.request_state = Some(params.saga_token);
    dispatch(handler, request, answers, context).await
}

/// The call in a token.
fn carried(
    settings: &Settings,
    principal: Option<&str>,
    token: &str,
    context: &RequestContext<RoleServer>,
) -> Result<Carried, Error> {
    let envelope = CarriedCall {
        principal: call::part(principal),
        audience: call::part(settings.audience(context).as_deref()),
        tool: String::new(),
        arguments: Arc::default(),
    };
    let opened = round::open(settings, &envelope, token, settings.now())?;
    continuation::decode(&opened.body).map_err(round::unreadable)
}

async fn dispatch<H: ServerHandler>(
    handler: &H,
    request: CallToolRequestParams,
    answers: Answers,
    mut context: RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    context.extensions.insert(Resumption { answers });
    match handler.call_tool(request, context).await? {
        CallToolResponse::Complete(mut result) => {
            // The proposal's result has neither: `resultType` came with 2026-07-28, and a result is
            // no error where nothing says so.
            result.result_type = None;
            result.is_error = result.is_error.filter(|is_error| *is_error);
            to_value(result)
        }
        CallToolResponse::InputRequired(result) => to_value(suspended(result)?),
        _ => Err(internal("this tool answers with a task", "unsupported")),
    }
}

/// Runs one round of a tool that was called by this wire.
pub(crate) async fn serve<F, T>(call: &mut Call, resumption: Resumption, function: F) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let envelope = CarriedCall {
        principal: call::part(call.teller.principal.as_deref()),
        audience: call::part(call.audience.as_deref()),
        tool: call.teller.name.to_string(),
        arguments: Arc::clone(&call.arguments),
    };
    round::run(call, &envelope, resumption.answers, function).await
}

fn bound_to(principal: &[u8], audience: &[u8]) -> Binding {
    let parts: &[&[u8]] = &[CALL.as_bytes(), principal, audience];
    Binding::new(Domain::Continuation, parts)
}

/// What the tokens of these methods are bound to.
#[cfg(feature = "inspect")]
pub(crate) fn binding(principal: Option<&str>, audience: Option<&str>) -> Binding {
    bound_to(&call::part(principal), &call::part(audience))
}

/// The token carries the call.
struct CarriedCall {
    principal: Vec<u8>,
    audience: Vec<u8>,
    tool: String,
    arguments: Arc<JsonObject>,
}

impl Envelope for CarriedCall {
    fn binding(&self) -> Binding {
        bound_to(&self.principal, &self.audience)
    }

    /// `steps: []` has no meaning in the proposal.
    fn suspends(&self, _: &Call) -> Box<Suspending> {
        Box::new(|_| false)
    }

    fn wrap(&self, continuation: Continuation) -> Result<Vec<u8>, Error> {
        continuation::encode(&Carried {
            tool: self.tool.clone(),
            arguments: (*self.arguments).clone(),
            continuation,
        })
    }

    fn unwrap(&self, body: &[u8]) -> Result<Continuation, Error> {
        let carried: Carried = continuation::decode(body)?;
        if carried.tool != self.tool || carried.arguments != *self.arguments {
            return Err(Error::token(Reason::Mismatch, "it is another call's"));
        }
        Ok(carried.continuation)
    }
}

fn answers(steps: Vec<StepResult>) -> Result<Answers, Error> {
    let mut answers = BTreeMap::new();
    for step in steps {
        let answer = match (step.result, step.error) {
            (Some(result), None) => Answer::Result(result),
            (None, Some(error)) => Answer::Error {
                code: error.code,
                message: error.message,
                data: error.data,
            },
            _ => {
                let detail = format!("step `{}` needs `result` or `error`", step.step_id);
                return Err(Error::Answers(detail));
            }
        };
        if answers.insert(step.step_id.clone(), answer).is_some() {
            let detail = format!("step `{}` is there twice", step.step_id);
            return Err(Error::Answers(detail));
        }
    }
    Ok(answers.into())
}

fn suspended(result: InputRequiredResult) -> Result<SuspendedResult, ErrorData> {
    let asks = result.input_requests.unwrap_or_default().into_iter();
    let steps = asks
        .map(|(key, request)| step(key, request))
        .collect::<Result<_, _>>()?;
    let saga_token = result
        .request_state
        .ok_or_else(|| internal("a tool without continuations asks for input", "unsupported"))?;
    Ok(SuspendedResult {
        state: "suspended",
        saga_token,
        steps,
    })
}

fn step(id: String, request: InputRequest) -> Result<Value, ErrorData> {
    let (kind, mut params) = match request {
        InputRequest::Elicitation(request) => ("elicitation", to_value(request.params)?),
        InputRequest::CreateMessage(request) => ("sampling", to_value(request.params)?),
        // Not in the proposal, which has two kinds; named in its manner.
        InputRequest::ListRoots(_) => ("roots", json!({})),
        _ => return Err(internal("an unknown kind of ask", "unsupported")),
    };
    if let Some(params) = params.as_object_mut()
        && params.get("mode").is_some_and(|mode| mode == "form")
    {
        plain_form(params);
    }
    Ok(json!({ "type": kind, "stepId": id, "params": params }))
}

/// The proposal's form: it has no modes, and a schema is `type`, `properties` and `required`.
fn plain_form(params: &mut Map<String, Value>) {
    params.remove("mode");
    if let Some(schema) = params
        .get_mut("requestedSchema")
        .and_then(Value::as_object_mut)
    {
        schema.remove("$schema");
        schema.remove("title");
    }
}

fn parse<T: for<'de> Deserialize<'de>>(params: Option<Value>) -> Result<T, ErrorData> {
    serde_json::from_value(params.unwrap_or_default())
        .map_err(|error| Error::Answers(error.to_string()).into())
}

fn to_value<T: Serialize>(value: T) -> Result<Value, ErrorData> {
    serde_json::to_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

//! The kinds of ask: what each sends to the client and what it makes of the answer.

#![allow(
    deprecated,
    reason = "sampling and roots are deprecated by SEP-2577, and asked for all the same"
)]

pub(crate) mod answer;
pub(crate) mod client;
pub(crate) mod forms;
pub(crate) mod limit;
pub(crate) mod pause;
pub(crate) mod rest;

use std::{
    collections::HashMap,
    marker::PhantomData,
    sync::{LazyLock, PoisonError, RwLock},
    time::Duration,
};

use rmcp::{
    ErrorData, ServiceError,
    model::{
        ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
        ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability,
        ElicitationSchema, InputRequest, ListRootsRequest, ListRootsResult, RootsCapabilities,
        SamplingCapability,
    },
    service::{ElicitationError, ElicitationSafe},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::ask::{
    answer::Answer,
    client::{Client, Need},
    pause::Pause,
};

/// What becomes of a result.
#[derive(Debug)]
pub enum Judged<M> {
    /// It is the answer, as it is recorded.
    Settled(Value),
    /// It does not say what is needed: this is asked in its place.
    Again(M),
}

/// One kind of request to the client that a tool awaits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a question that `#[saga]` can put",
    label = "not a question",
    note = "a question is awaited as it is: an adapter around it would wait in one process for an answer that comes to another",
    note = "instead: `cx.elicit(..).await`, without the adapter"
)]
pub trait Ask: Sized + Send {
    /// What the author's `.await` gives: exactly rmcp's type.
    type Output;
    /// The part of the request that is known only at run time. It rides in the token so that an
    /// unanswered question can be put again without running the tool.
    type Memo: Serialize + DeserializeOwned + Clone + Send;

    /// Whether [`judge`](Self::judge) does more than to take what it is given.
    const CHECKS: bool = false;

    /// Whether a cancellation is an outcome of it; what does not hear of one is its end.
    const HEARS_CANCELLATION: bool = true;

    /// What it waits for, where it asks nobody.
    fn pause(&self) -> Option<Pause> {
        None
    }

    /// Takes the run-time part of this ask. What is left knows its kind, its key and its timeout.
    fn memo(&mut self) -> Self::Memo;
    /// The key that the author chose.
    fn key(&self) -> Option<&str> {
        None
    }
    /// How long an answer is waited for; without limit where `None`.
    fn timeout(&self) -> Option<Duration>;
    /// An outcome that rmcp gives before anything is sent: a missing capability, a malformed request.
    fn refusal(&self, client: &Client) -> Option<Answer>;
    /// What the client must declare to be asked this, and by which the kind of a result is told.
    fn need(&self) -> Need;
    /// The outcome for a client that does not declare it: inside of an `InputRequiredResult` it may not be
    /// asked, also where rmcp itself would ask regardless. Judged by the capabilities of each request, when the ask is
    /// put and when it is to be answered.
    fn undeclared(need: Need, client: &Client) -> Answer;
    /// The request as the client sees it.
    fn request(memo: Self::Memo, client: &Client) -> Result<InputRequest, ErrorData>;
    /// What becomes of a result of the asked kind: it is the answer, or something is to be asked in its place.
    fn judge(memo: Self::Memo, result: Value) -> Judged<Self::Memo> {
        let _ = memo;
        Judged::Settled(result)
    }
    /// The author's value.
    fn output(answer: &Answer) -> Self::Output;
}

/// An `ElicitResult`, without building one.
pub(crate) fn is_elicit_result(result: &Value) -> bool {
    let action = result.get("action").and_then(Value::as_str);
    let meta = result
        .get("_meta")
        .is_none_or(|meta| meta.is_object() || meta.is_null());
    meta && matches!(action, Some("accept" | "decline" | "cancel"))
}

pub(crate) fn parses<T: DeserializeOwned>(result: &Value) -> bool {
    T::deserialize(result).is_ok()
}

/// An answer whose shape was accepted parses; one from elsewhere that does not is `Unexpected`.
fn parse<T: DeserializeOwned>(answer: &Answer) -> Result<T, ServiceError> {
    T::deserialize(answer.result()?).map_err(|_| ServiceError::UnexpectedResponse)
}

fn missing(required: ClientCapabilities) -> Answer {
    Answer::error(&ErrorData::missing_required_client_capability(required))
}

/// `Peer::elicit` and `Peer::elicit_with_timeout`.
#[derive(Debug)]
pub struct Elicit<T> {
    message: String,
    timeout: Option<Duration>,
    answer: PhantomData<fn() -> T>,
}

impl<T> Elicit<T> {
    /// Asks the user to fill in a form for `T`.
    pub fn new(message: impl Into<String>) -> Self {
        Self::with_timeout(message, None)
    }

    /// The same, giving up after `timeout`.
    pub fn with_timeout(message: impl Into<String>, timeout: Option<Duration>) -> Self {
        Self {
            message: message.into(),
            timeout,
            answer: PhantomData,
        }
    }
}

/// Schemas by the function that generates them: generating one costs more than a whole round, and a
/// type that is not `'static` has no other identity.
static SCHEMAS: LazyLock<RwLock<HashMap<usize, ElicitationSchema>>> =
    LazyLock::new(RwLock::default);

impl<T: ElicitationSafe> Elicit<T> {
    fn schema() -> Result<ElicitationSchema, ErrorData> {
        let generate: fn() -> Result<ElicitationSchema, ErrorData> = Self::generate;
        let key = generate as usize;
        let known = SCHEMAS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        if let Some(schema) = known {
            return Ok(schema);
        }
        let schema = generate()?;
        let mut schemas = SCHEMAS.write().unwrap_or_else(PoisonError::into_inner);
        schemas.insert(key, schema.clone());
        Ok(schema)
    }

    /// Why there is no such form.
    pub(crate) fn problem() -> Option<String> {
        let answer = Self::has_schema()?;
        let schema = in_place::<T>();
        let name = std::any::type_name::<T>();
        let fields = forms::not_allowed(&schema);
        match (fields.is_empty(), answer) {
            (false, _) => Some(format!(
                "{} of `{name}`: a field of a form is a text, a number, a yes or no, or a choice; what is in it belongs in fields of `{name}`",
                fields.join(", ")
            )),
            (true, Answer::Error { message, .. }) => Some(message),
            (true, _) => None,
        }
    }

    fn has_schema() -> Option<Answer> {
        let generate: fn() -> Result<ElicitationSchema, ErrorData> = Self::generate;
        let key = generate as usize;
        let known = SCHEMAS
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains_key(&key);
        if known {
            None
        } else {
            Self::schema().err().map(|error| Answer::error(&error))
        }
    }

    fn generate() -> Result<ElicitationSchema, ErrorData> {
        let schema = ElicitationSchema::from_type::<T>();
        // rmcp's own has a choice that is a type of its own behind a `$ref`, which no form may have.
        let schema = schema.or_else(|error| inlined::<T>().ok_or(error));
        schema.map_err(|error| {
            let name = std::any::type_name::<T>();
            ErrorData::invalid_params(format!("Invalid schema for type {name}: {error}"), None)
        })
    }
}

/// The schema of `T` with the types of its fields in place; `None` where that is no form either.
fn inlined<T: schemars::JsonSchema>() -> Option<ElicitationSchema> {
    match in_place::<T>() {
        Value::Object(schema) if schema.contains_key("properties") => {
            ElicitationSchema::from_json_schema(schema).ok()
        }
        _ => None,
    }
}

/// The same, whatever it is.
fn in_place<T: schemars::JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.transforms = vec![Box::new(schemars::transform::AddNullable::default())];
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    fields
        .into_iter()
        .flat_map(|fields| fields.values_mut())
        .for_each(unwrap_nullable);
    schema.to_value()
}

/// A choice that may be left out is said by `required`; a form has no `null`.
///
/// ```text
/// { "anyOf": [{ "enum": [..] }, { "type": "null" }], "description": d }   →   { "enum": [..], "description": d }
/// { "enum": ["a", "b", null] }                                            →   { "enum": ["a", "b"] }
/// ```
fn unwrap_nullable(field: &mut Value) {
    let Some(object) = field.as_object_mut() else {
        return;
    };
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let Some(Value::Array(options)) = object.get("anyOf") else {
        return;
    };
    let is_null = |option: &Value| option.get("type").and_then(Value::as_str) == Some("null");
    let mut some = options.iter().filter(|option| !is_null(option));
    let (Some(Value::Object(only)), None) = (some.next().cloned(), some.next()) else {
        return;
    };
    object.remove("anyOf");
    object.remove("nullable");
    for (key, value) in only {
        object.entry(key).or_insert(value);
    }
}

impl<T: ElicitationSafe + DeserializeOwned> Ask for Elicit<T> {
    type Output = Result<Option<T>, ElicitationError>;
    type Memo = String;

    fn memo(&mut self) -> String {
        std::mem::take(&mut self.message)
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        if !client.can_elicit() {
            return Some(Answer::Unsupported);
        }
        Self::has_schema()
    }

    fn need(&self) -> Need {
        Need::Form
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        Answer::Unsupported
    }

    fn request(message: String, _: &Client) -> Result<InputRequest, ErrorData> {
        Ok(InputRequest::Elicitation(ElicitRequest::new(
            ElicitRequestParams::FormElicitationParams {
                meta: None,
                message,
                requested_schema: Self::schema()?,
            },
        )))
    }

    fn output(answer: &Answer) -> Self::Output {
        if *answer == Answer::Unsupported {
            return Err(ElicitationError::CapabilityNotSupported);
        }
        let result = answer.result()?;
        let content = result.get("content").filter(|content| !content.is_null());
        match (result.get("action").and_then(Value::as_str), content) {
            (Some("decline"), _) => Err(ElicitationError::UserDeclined),
            (Some("cancel"), _) => Err(ElicitationError::UserCancelled),
            (_, None) => Err(ElicitationError::NoContent),
            (_, Some(content)) => T::deserialize(content).map(Some).map_err(|error| {
                let data = content.clone();
                ElicitationError::ParseError { error, data }
            }),
        }
    }
}

/// `Peer::elicit_url` and `Peer::elicit_url_with_timeout`.
#[derive(Debug)]
pub struct ElicitUrl {
    memo: UrlMemo,
    timeout: Option<Duration>,
}

/// What a URL elicitation sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UrlMemo(String, String, String);

impl ElicitUrl {
    /// Asks the user to visit `url`.
    pub fn new(message: impl Into<String>, url: impl Into<String>, id: impl Into<String>) -> Self {
        Self::with_timeout(message, url, id, None)
    }

    /// The same, giving up after `timeout`.
    pub fn with_timeout(
        message: impl Into<String>,
        url: impl Into<String>,
        id: impl Into<String>,
        timeout: Option<Duration>,
    ) -> Self {
        Self {
            memo: UrlMemo(message.into(), url.into(), id.into()),
            timeout,
        }
    }
}

impl Ask for ElicitUrl {
    type Output = Result<ElicitationAction, ElicitationError>;
    type Memo = UrlMemo;

    fn memo(&mut self) -> UrlMemo {
        self.memo.clone()
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        (!client.can_elicit_url()).then_some(Answer::Unsupported)
    }

    fn need(&self) -> Need {
        Need::Url
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        Answer::Unsupported
    }

    fn request(
        UrlMemo(message, url, elicitation_id): UrlMemo,
        _: &Client,
    ) -> Result<InputRequest, ErrorData> {
        Ok(InputRequest::Elicitation(ElicitRequest::new(
            ElicitRequestParams::UrlElicitationParams {
                meta: None,
                message,
                url,
                elicitation_id,
            },
        )))
    }

    fn output(answer: &Answer) -> Self::Output {
        if *answer == Answer::Unsupported {
            return Err(ElicitationError::CapabilityNotSupported);
        }
        Ok(parse::<ElicitResult>(answer)?.action)
    }
}

/// `Peer::create_elicitation` and `Peer::create_elicitation_with_timeout`.
#[derive(Debug)]
pub struct CreateElicitation {
    params: ElicitRequestParams,
    timeout: Option<Duration>,
}

impl CreateElicitation {
    /// Sends elicitation parameters that the author built.
    pub fn new(params: ElicitRequestParams) -> Self {
        Self::with_timeout(params, None)
    }

    /// The same, giving up after `timeout`.
    pub fn with_timeout(params: ElicitRequestParams, timeout: Option<Duration>) -> Self {
        Self { params, timeout }
    }
}

impl Ask for CreateElicitation {
    type Output = Result<ElicitResult, ServiceError>;
    type Memo = ElicitRequestParams;

    fn memo(&mut self) -> ElicitRequestParams {
        self.params.clone()
    }

    fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    fn refusal(&self, _: &Client) -> Option<Answer> {
        None
    }

    fn need(&self) -> Need {
        match self.params {
            ElicitRequestParams::UrlElicitationParams { .. } => Need::Url,
            _ => Need::Form,
        }
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        let mut required = ClientCapabilities::default();
        required.elicitation = Some(ElicitationCapability::default());
        missing(required)
    }

    fn request(params: ElicitRequestParams, _: &Client) -> Result<InputRequest, ErrorData> {
        Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
    }

    fn output(answer: &Answer) -> Self::Output {
        parse(answer)
    }
}

/// `Peer::create_message`.
#[derive(Debug)]
pub struct CreateMessage {
    params: CreateMessageRequestParams,
}

impl CreateMessage {
    /// Asks the client's model.
    pub fn new(params: CreateMessageRequestParams) -> Self {
        Self { params }
    }
}

impl Ask for CreateMessage {
    type Output = Result<CreateMessageResult, ServiceError>;
    type Memo = CreateMessageRequestParams;

    fn memo(&mut self) -> CreateMessageRequestParams {
        self.params.clone()
    }

    fn timeout(&self) -> Option<Duration> {
        None
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        if self.need() == Need::SamplingWithTools && !client.can_sample_with_tools() {
            return Some(no_sampling_tools());
        }
        let invalid = self.params.validate().err();
        invalid.map(|message| Answer::error(&ErrorData::invalid_params(message, None)))
    }

    fn need(&self) -> Need {
        Need::of_sampling(&self.params)
    }

    fn undeclared(need: Need, client: &Client) -> Answer {
        if need == Need::SamplingWithTools && client.can_sample() {
            return no_sampling_tools();
        }
        let mut required = ClientCapabilities::default();
        required.sampling = Some(SamplingCapability::default());
        missing(required)
    }

    fn request(params: CreateMessageRequestParams, _: &Client) -> Result<InputRequest, ErrorData> {
        Ok(InputRequest::CreateMessage(CreateMessageRequest::new(
            params,
        )))
    }

    fn output(answer: &Answer) -> Self::Output {
        parse(answer)
    }
}

/// rmcp's own refusal.
fn no_sampling_tools() -> Answer {
    let message =
        "tools or toolChoice provided but client does not support sampling tools capability";
    Answer::error(&ErrorData::invalid_params(message, None))
}

/// `Peer::list_roots`.
#[derive(Debug, Default)]
pub struct ListRoots;

impl ListRoots {
    /// Asks the client for its roots.
    pub fn new() -> Self {
        Self
    }
}

impl Ask for ListRoots {
    type Output = Result<ListRootsResult, ServiceError>;
    type Memo = ();

    fn memo(&mut self) {}

    fn timeout(&self) -> Option<Duration> {
        None
    }

    fn refusal(&self, _: &Client) -> Option<Answer> {
        None
    }

    fn need(&self) -> Need {
        Need::Roots
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        let mut required = ClientCapabilities::default();
        required.roots = Some(RootsCapabilities::default());
        missing(required)
    }

    fn request((): (), _: &Client) -> Result<InputRequest, ErrorData> {
        Ok(InputRequest::ListRoots(ListRootsRequest {
            method: Default::default(),
            extensions: Default::default(),
        }))
    }

    fn output(answer: &Answer) -> Self::Output {
        parse(answer)
    }
}

impl<T: ElicitationSafe + DeserializeOwned> pause::Question for Elicit<T> {}
pause::questions!(ElicitUrl, CreateElicitation, CreateMessage, ListRoots);

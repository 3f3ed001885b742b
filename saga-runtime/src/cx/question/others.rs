//! What else is asked: a URL to visit, the client's model, its roots.

#![allow(
    deprecated,
    reason = "sampling and roots are deprecated by SEP-2577, and asked for all the same"
)]

use std::{ops::Deref, time::Duration};

use rmcp::{
    ErrorData,
    model::{
        ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitationCapability,
        InputRequest, JsonObject, ListRootsResult, ModelHint, Root, RootsCapabilities,
        SamplingCapability, SamplingMessage, Tool, ToolChoice, UrlElicitationCapability,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AskError, Common, common};
use crate::{
    ask::{
        Ask, CreateMessage, ElicitUrl, ListRoots, UrlMemo,
        answer::Answer,
        client::{Client, Need},
    },
    cx::Cx,
    elicit::check::is_uri,
};

/// How many tokens a model may answer with, where the author says nothing.
const MAX_TOKENS: u32 = 1024;

/// A URL that the user is asked to visit; made by [`Cx::elicit_url`](crate::Cx::elicit_url).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct UrlQuestion {
    common: Common,
    message: String,
    url: String,
    id: Option<String>,
}

impl UrlQuestion {
    pub(crate) fn new(cx: Cx, message: String, url: String) -> Self {
        Self {
            common: Common::new(cx),
            message,
            url,
            id: None,
        }
    }

    /// Names the elicitation, for a notification that it is complete; without it the url is its name.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

common!(UrlQuestion);

impl Ask for UrlQuestion {
    type Output = Result<(), AskError>;
    type Memo = UrlMemo;

    fn memo(&mut self) -> UrlMemo {
        let id = self.id.clone().unwrap_or_else(|| self.url.clone());
        ElicitUrl::new(self.message.clone(), self.url.clone(), id).memo()
    }

    fn key(&self) -> Option<&str> {
        self.common.key.as_deref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.common.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        if !client.can_elicit_url() {
            return Some(Answer::Unsupported);
        }
        // What it says may be a secret of one user.
        (!is_uri(&self.url)).then(|| {
            let message = "what `elicit_url` was given is no valid URL";
            Answer::error(&ErrorData::invalid_params(message, None))
        })
    }

    fn need(&self) -> Need {
        Need::Url
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        Answer::Unsupported
    }

    fn request(memo: UrlMemo, client: &Client) -> Result<InputRequest, ErrorData> {
        ElicitUrl::request(memo, client)
    }

    fn output(answer: &Answer) -> Self::Output {
        let Answer::Result(result) = answer else {
            let mut required = ClientCapabilities::default();
            let elicitation =
                ElicitationCapability::default().with_url(UrlElicitationCapability::default());
            required.elicitation = Some(elicitation);
            return Err(AskError::of(answer, required));
        };
        match result.get("action").and_then(Value::as_str) {
            Some("decline") => Err(AskError::Declined),
            Some("cancel") => Err(AskError::Dismissed),
            _ => Ok(()),
        }
    }
}

/// A request to the client's model; made by [`Cx::sample`](crate::Cx::sample).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct SampleQuestion {
    common: Common,
    params: CreateMessageRequestParams,
}

impl SampleQuestion {
    pub(crate) fn new(cx: Cx, Messages(messages): Messages) -> Self {
        Self {
            common: Common::new(cx),
            params: CreateMessageRequestParams::new(messages, MAX_TOKENS),
        }
    }

    /// The system prompt.
    pub fn system(mut self, prompt: impl Into<String>) -> Self {
        self.params.system_prompt = Some(prompt.into());
        self
    }

    /// A model to prefer, by a part of its name; the first hint weighs most.
    pub fn hint(mut self, model: impl Into<String>) -> Self {
        let preferences = self.params.model_preferences.get_or_insert_default();
        preferences
            .hints
            .get_or_insert_default()
            .push(ModelHint::new(model));
        self
    }

    /// How many tokens the model may answer with: 1024 where nothing is said.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.params.max_tokens = tokens;
        self
    }

    /// From 0, always the likeliest word, to 1.
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.params.temperature = Some(temperature);
        self
    }

    /// Ends the answer where the model writes this.
    pub fn stop(mut self, sequence: impl Into<String>) -> Self {
        let sequences = self.params.stop_sequences.get_or_insert_default();
        sequences.push(sequence.into());
        self
    }

    /// Tools that the model may call: see [`Client::can_sample_with_tools`].
    pub fn tools(mut self, tools: impl IntoIterator<Item = Tool>) -> Self {
        let all = self.params.tools.get_or_insert_default();
        all.extend(tools);
        self
    }

    /// Whether the model has to call a tool.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.params.tool_choice = Some(choice);
        self
    }

    /// Changes what has no method of its own here.
    pub fn with(mut self, change: impl FnOnce(&mut CreateMessageRequestParams)) -> Self {
        change(&mut self.params);
        self
    }
}

common!(SampleQuestion);

impl Ask for SampleQuestion {
    type Output = Result<Reply, AskError>;
    type Memo = CreateMessageRequestParams;

    fn memo(&mut self) -> CreateMessageRequestParams {
        self.params.clone()
    }

    fn key(&self) -> Option<&str> {
        self.common.key.as_deref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.common.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        let need = self.need();
        if !client.declares(need) {
            return Some(Self::undeclared(need, client));
        }
        let invalid = self.params.validate().err();
        invalid.map(|message| Answer::error(&ErrorData::invalid_params(message, None)))
    }

    fn need(&self) -> Need {
        Need::of_sampling(&self.params)
    }

    fn undeclared(need: Need, _: &Client) -> Answer {
        if need != Need::SamplingWithTools {
            return Answer::Unsupported;
        }
        let mut required = ClientCapabilities::default();
        let mut sampling = SamplingCapability::default();
        sampling.tools = Some(JsonObject::default());
        required.sampling = Some(sampling);
        Answer::error(&ErrorData::missing_required_client_capability(required))
    }

    fn request(
        params: CreateMessageRequestParams,
        client: &Client,
    ) -> Result<InputRequest, ErrorData> {
        CreateMessage::request(params, client)
    }

    fn output(answer: &Answer) -> Self::Output {
        if let Answer::Result(result) = answer
            && let Ok(result) = CreateMessageResult::deserialize(result)
        {
            return Ok(Reply(result));
        }
        let mut required = ClientCapabilities::default();
        required.sampling = Some(SamplingCapability::default());
        Err(AskError::of(answer, required))
    }
}

/// What a model is asked: text, or messages.
#[derive(Debug, Clone)]
pub struct Messages(Vec<SamplingMessage>);

impl From<&str> for Messages {
    fn from(text: &str) -> Self {
        Self(vec![SamplingMessage::user_text(text)])
    }
}

impl From<String> for Messages {
    fn from(text: String) -> Self {
        Self(vec![SamplingMessage::user_text(text)])
    }
}

impl From<SamplingMessage> for Messages {
    fn from(message: SamplingMessage) -> Self {
        Self(vec![message])
    }
}

impl From<Vec<SamplingMessage>> for Messages {
    fn from(messages: Vec<SamplingMessage>) -> Self {
        Self(messages)
    }
}

/// What the model said: rmcp's result, and its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Reply(CreateMessageResult);

impl Reply {
    /// All text of the reply; empty where there is none.
    pub fn text(&self) -> String {
        let contents = self.0.message.content.iter();
        let texts = contents.filter_map(|content| content.as_text());
        texts.map(|text| text.text.as_str()).collect()
    }

    /// rmcp's result.
    pub fn into_inner(self) -> CreateMessageResult {
        self.0
    }
}

impl Deref for Reply {
    type Target = CreateMessageResult;

    fn deref(&self) -> &CreateMessageResult {
        &self.0
    }
}

/// A request for the client's roots; made by [`Cx::roots`](crate::Cx::roots).
#[derive(Debug)]
#[must_use = "a question is asked when it is awaited"]
pub struct RootsQuestion {
    common: Common,
}

impl RootsQuestion {
    pub(crate) fn new(cx: Cx) -> Self {
        Self {
            common: Common::new(cx),
        }
    }
}

common!(RootsQuestion);

impl Ask for RootsQuestion {
    type Output = Result<Vec<Root>, AskError>;
    type Memo = ();

    fn memo(&mut self) {}

    fn key(&self) -> Option<&str> {
        self.common.key.as_deref()
    }

    fn timeout(&self) -> Option<Duration> {
        self.common.timeout
    }

    fn refusal(&self, client: &Client) -> Option<Answer> {
        (!client.can_list_roots()).then_some(Answer::Unsupported)
    }

    fn need(&self) -> Need {
        Need::Roots
    }

    fn undeclared(_: Need, _: &Client) -> Answer {
        Answer::Unsupported
    }

    fn request((): (), client: &Client) -> Result<InputRequest, ErrorData> {
        ListRoots::request((), client)
    }

    fn output(answer: &Answer) -> Self::Output {
        if let Answer::Result(result) = answer
            && let Ok(result) = ListRootsResult::deserialize(result)
        {
            return Ok(result.roots);
        }
        let mut required = ClientCapabilities::default();
        required.roots = Some(RootsCapabilities::default());
        Err(AskError::of(answer, required))
    }
}

crate::ask::pause::questions!(UrlQuestion, SampleQuestion, RootsQuestion);

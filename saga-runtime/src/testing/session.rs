//! The requests of one run of a call.

use std::{
    future::{Future, IntoFuture},
    panic::Location,
    pin::Pin,
};

use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value, json};

use super::{
    Call, Ended, Failure, Kit, Question, Reply, Scripted,
    bench::Bench,
    schemas,
    wire::{Response, Wire},
};
use crate::wire::{call::REQUEST_KEY, resume};

/// JSON-RPC's codes for a method, and for a name, that the server does not have.
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// A call that has not begun: await it to go through it step by step, or say its answers first.
#[must_use = "nothing is called until it is awaited"]
pub struct Request<W> {
    pub(super) kit: Kit<W>,
    pub(super) method: &'static str,
    pub(super) params: Value,
    pub(super) at: &'static Location<'static>,
}

impl<W> std::fmt::Debug for Request<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

impl<W: Send + Sync + 'static> Request<W> {
    pub(super) fn new(
        kit: &Kit<W>,
        method: &'static str,
        params: Value,
        at: &'static Location<'static>,
    ) -> Self {
        Self {
            kit: kit.clone(),
            method,
            params,
            at,
        }
    }

    /// Answers the question under this key.
    pub fn answer(self, key: impl Into<String>, reply: impl Into<Reply>) -> Scripted<W> {
        Scripted::new(self).answer(key, reply)
    }

    /// Answers questions by what they ask. A function of the question: where the call is torn down somewhere else, it must give
    /// the same answer.
    pub fn answering<R: Into<Reply>>(
        self,
        answering: impl Fn(&Question) -> R + Send + Sync + 'static,
    ) -> Scripted<W> {
        Scripted::new(self).answering(answering)
    }

    /// Answers the first question with the first of these, the second with the second. For calls that ask one question at a
    /// time.
    pub fn answering_in_turn<R: Into<Reply>>(
        self,
        replies: impl IntoIterator<Item = R>,
    ) -> Scripted<W> {
        Scripted::new(self).answering_in_turn(replies)
    }

    /// Answers nothing, for a call that is not to ask.
    pub fn without_answers(self) -> Scripted<W> {
        Scripted::new(self)
    }

    pub(super) fn session(&self, kit: &Kit<W>, bench: Bench) -> Session<W> {
        Session::new(kit, bench, self.method, self.params.clone())
    }
}

impl<W: Send + Sync + 'static> IntoFuture for Request<W> {
    type Output = Result<Call<W>, Failure>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let at = self.at;
            Call::begin(self).await.map_err(|failure| failure.at(at))
        })
    }
}

/// One run of a call: each of its requests goes to a server of its own.
pub(super) struct Session<W> {
    pub(super) kit: Kit<W>,
    pub(super) bench: Bench,
    method: String,
    params: Value,
}

/// What a request gave.
pub(super) enum Round {
    /// Questions, by key, and the token.
    Asks(Vec<Question>, String),
    Over(Ended),
}

impl<W: Send + Sync + 'static> Session<W> {
    pub(super) fn new(kit: &Kit<W>, bench: Bench, method: &str, mut params: Value) -> Self {
        if let Some(params) = params.as_object_mut() {
            // Idempotency keys are made of it: so they are the same wherever the same script runs.
            let mut meta = Map::new();
            meta.insert(REQUEST_KEY.to_owned(), json!(kit.next_name()));
            params.insert("_meta".to_owned(), Value::Object(meta));
        }
        Self {
            kit: kit.clone(),
            bench,
            method: method.to_owned(),
            params,
        }
    }

    /// What is called, for messages.
    pub(super) fn name(&self) -> String {
        let name = self.params.get("name").or_else(|| self.params.get("uri"));
        let name = name.and_then(Value::as_str);
        format!("`{}`", name.unwrap_or(&self.method))
    }

    /// The parameters of a request of 2026-07-28: of the first, or of one that goes on.
    pub(super) fn params(&self, retry: Option<(&str, Value)>) -> Value {
        let mut params = self.params.clone();
        if let Some(meta) = params.get_mut("_meta").and_then(Value::as_object_mut) {
            let version = ProtocolVersion::V_2026_07_28.to_string();
            let facts = [
                ("protocolVersion", json!(version)),
                ("clientInfo", json!({ "name": "test", "version": "1" })),
                ("clientCapabilities", self.kit.capabilities.clone()),
            ];
            for (name, fact) in facts {
                meta.insert(format!("io.modelcontextprotocol/{name}"), fact);
            }
        }
        if let (Some((token, answers)), Some(params)) = (retry, params.as_object_mut()) {
            params.insert("requestState".to_owned(), json!(token));
            params.insert("inputResponses".to_owned(), answers);
        }
        params
    }

    /// Sends a request to a new server.
    pub(super) async fn send(&self, params: Value) -> Result<Response, Failure> {
        let mut wire = self.kit.connect(&self.bench);
        wire.request(&self.method, params).await
    }

    /// The same, and reads what came.
    pub(super) async fn round(&self, params: Value) -> Result<Round, Failure> {
        let response = self.send(params).await?;
        self.check(&response).await?;
        Ok(self.read(response))
    }

    /// Refuses a name that the server does not have, and a result that is not what the tool says of it.
    pub(super) async fn check(&self, response: &Response) -> Result<(), Failure> {
        // In a box: a list is a request of its own.
        if let Err(error) = response {
            return Box::pin(self.is_there(error)).await;
        }
        let (Ok(result), "tools/call") = (response, self.method.as_str()) else {
            return Ok(());
        };
        if result.get("content").is_none() {
            return Ok(());
        }
        if result
            .get("_meta")
            .is_some_and(|meta| meta.get(resume::NEXT).is_some())
        {
            let text = format!(
                "{} gives a part of its result, and the kit does not follow resume tokens",
                self.name()
            );
            return Err(Failure::script(text));
        }
        let outputs = Box::pin(self.kit.outputs()).await?;
        let name = self.params.get("name").and_then(Value::as_str);
        let name = name.unwrap_or_default();
        match outputs.get(name) {
            Some(schema) => schemas::check_result(name, schema, result),
            None => Ok(()),
        }
    }

    /// Refuses a tool or a prompt that the server neither knows nor lists: its error would pass for what the call ends with.
    async fn is_there(&self, error: &Value) -> Result<(), Failure> {
        let (noun, method, member) = match self.method.as_str() {
            "tools/call" => ("tool", "tools/list", "tools"),
            "prompts/get" => ("prompt", "prompts/list", "prompts"),
            _ => return Ok(()),
        };
        let code = error.get("code").and_then(Value::as_i64);
        let is_unknown = matches!(code, Some(METHOD_NOT_FOUND | INVALID_PARAMS));
        // A refused token is one of a call that has begun.
        let is_refusal = error.pointer("/data/reason").is_some();
        let name = self.params.get("name").and_then(Value::as_str);
        let Some(name) = name.filter(|_| is_unknown && !is_refusal) else {
            return Ok(());
        };
        let listed = self.kit.listed(method, member).await?;
        let mut names: Vec<_> = listed.iter().map(schemas::name_of).collect();
        if names.contains(&name) {
            return Ok(());
        }
        names.sort_unstable();
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let instead = match names.is_empty() {
            true => "it lists none".to_owned(),
            false => format!("call one of those that it lists: {}", names.join(", ")),
        };
        let text = format!("the server has no {noun} `{name}`: {instead}");
        Err(Failure::script(text))
    }

    fn read(&self, response: Response) -> Round {
        let asks = |result: &Value| {
            let kind = result.get("resultType").and_then(Value::as_str);
            (kind == Some("input_required")).then(|| {
                let requests = result.get("inputRequests").and_then(Value::as_object);
                let requests = requests.into_iter().flatten();
                let questions = requests.map(|(key, request)| self.bench.meets(key, request));
                let token = result.get("requestState").and_then(Value::as_str);
                (questions.collect(), token.unwrap_or_default().to_owned())
            })
        };
        match response {
            Ok(result) => match asks(&result) {
                Some((questions, token)) => Round::Asks(questions, token),
                None => Round::Over(Ended::new(Ok(result))),
            },
            Err(error) => Round::Over(Ended::new(Err(error))),
        }
    }

    /// A session of a client from before 2026-07-28, with the call under way; and its id.
    pub(super) async fn live(&self) -> Result<(Wire, u64), Failure> {
        let mut wire = self.kit.connect(&self.bench);
        wire.greet(&self.kit.capabilities).await?;
        let id = wire.put(&self.method, self.params.clone()).await?;
        Ok((wire, id))
    }

    /// Whether a client from before 2026-07-28 can call it.
    pub(super) fn can_be_live(&self) -> bool {
        let server = self.kit.server(&self.bench);
        let versions = rmcp::Service::supported_protocol_versions(&server);
        versions.contains(&ProtocolVersion::V_2025_11_25)
    }

    /// What the author compares of the world.
    pub(super) fn effects(&self) -> Option<String> {
        let effects = self.kit.effects.as_ref()?;
        Some(effects(&self.kit.world))
    }

    /// What its server knows of a failure, and does not tell its client.
    pub(super) fn reasons(&self) -> String {
        let heard = self.bench.heard();
        let reasons = heard
            .errors
            .iter()
            .map(|error| format!("\n  the server: {error}"));
        reasons.collect()
    }
}

impl<W> Session<W> {
    /// The same call in other hands.
    pub(super) fn again(&self) -> Self {
        Self {
            kit: self.kit.clone(),
            bench: self.bench.clone(),
            method: self.method.clone(),
            params: self.params.clone(),
        }
    }
}

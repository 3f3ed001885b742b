//! Async tool calls (the proposal "Asynchronous tool calls"): a call gets a token at once; whoever has the token joins it, waits for
//! its result, or cancels it. What keeps and runs it is a [`Host`](crate::background::Host), as for a
//! task.

pub(crate) mod joined;
mod waiting;

use std::{pin::pin, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResult, ContentBlock, GetTaskResult, InputRequest, InputRequests, InputResponses,
        JsonObject, MetaObject, TaskPayload,
    },
    service::RequestContext,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use self::waiting::Pauses;
use crate::{
    ask::client::{CAPABILITIES, Client, Need},
    background::{BackgroundCall, Begun, Hosted, NewTask},
    error::{Error, internal, malformed},
    token::settings::Settings,
    wire::{call, live},
};

/// The extension under which async calls are advertised; `Extended` puts it where the proposal has it, too.
pub(crate) const EXTENSION: &str = "io.github.saga-rs/async";

pub(crate) const CALL: &str = "tools/async/call";
pub(crate) const JOIN: &str = "tools/async/join";
pub(crate) const GET: &str = "tools/async/get";
pub(crate) const CANCEL: &str = "tools/async/cancel";

/// That there is no result yet: in the `_meta` of an answer as well, since typed clients know no other member.
pub(crate) const PENDING: &str = "io.github.saga-rs/isPending";
/// Where the token is in the `_meta` of a notice that a call was cancelled.
const TOKEN: &str = "io.github.saga-rs/asyncToken";
/// How long a result is kept, where the client says nothing.
const KEPT: Duration = Duration::from_secs(300);
/// A result is kept at least so long, so that who waits for it has it.
const AT_LEAST: Duration = Duration::from_secs(1);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<JsonObject>,
    #[serde(default)]
    keep_alive: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenParams {
    token: Value,
    #[serde(default)]
    keep_alive: Option<f64>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    input_responses: Option<InputResponses>,
}

impl TokenParams {
    /// Ours are texts; a number is nobody's.
    fn token(&self) -> Result<String, ErrorData> {
        match &self.token {
            Value::String(token) => Ok(token.clone()),
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(malformed("`token` is neither a text nor a number")),
        }
    }
}

/// A time in seconds, as a client gives one.
fn seconds(given: Option<f64>, what: &str) -> Result<Option<Duration>, ErrorData> {
    let Some(given) = given else { return Ok(None) };
    if given > 1e9 {
        // Further than anybody looks.
        return Ok(Some(Duration::from_secs(1_000_000_000)));
    }
    let time = Duration::try_from_secs_f64(given);
    time.map(Some)
        .map_err(|_| malformed(format!("`{what}` is no time in seconds")))
}

/// Serves one of the methods.
pub(crate) async fn serve(
    hosted: &Hosted,
    method: &str,
    params: Option<Value>,
    context: RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    let settings = Settings::of_request(&context).map_err(Error::Keys)?;
    let request = Request {
        hosted,
        principal: settings.principal(&context),
        context: &context,
    };
    if method == CALL {
        return request.begin(&settings, parse(params)?).await;
    }
    let params: TokenParams = parse(params)?;
    let token = params.token()?;
    match method {
        JOIN => request.join(&token, params).await,
        GET => request.get(&token, params).await,
        _ => {
            cancel(hosted, token, request.principal).await?;
            Ok(json!({}))
        }
    }
}

/// A request of one of the methods, and where the calls are.
struct Request<'a> {
    hosted: &'a Hosted,
    /// On whose behalf it is.
    principal: Option<String>,
    context: &'a RequestContext<RoleServer>,
}

impl Request<'_> {
    async fn begin(&self, settings: &Settings, params: CallParams) -> Result<Value, ErrorData> {
        let (host, context) = (&*self.hosted.host, self.context);
        let asked = seconds(params.keep_alive, "keepAlive")?;
        let keep = asked
            .unwrap_or(KEPT)
            .clamp(AT_LEAST, host.max_keep_alive().max(AT_LEAST));
        let arguments = params.arguments.unwrap_or_default();
        // The same call, named by its client, is the same on every wire.
        let audience = settings.audience(context);
        let binding = call::binding(
            ("tools/call", &params.name),
            self.principal.as_deref(),
            audience.as_deref(),
            &arguments,
        );
        let request_key = context.meta.0.get(call::REQUEST_KEY);
        let id = call::identified(&binding, request_key)?;
        let task = NewTask {
            call: BackgroundCall {
                id: id.ok_or_else(Error::no_randomness)?,
                tool: params.name,
                arguments,
                meta: meta(context),
                principal: self.principal.clone(),
                caller: host.caller(context),
            },
            begun: None,
            first: Duration::ZERO,
            keep: Some(keep),
        };
        let created = match host.create(task).await {
            Ok(Begun::Task(created)) => created,
            Ok(Begun::Ended(_)) => return Err(internal("it ended before", "ended")),
            // Nothing of it is kept: there is no token to ask for the reason with.
            Err(error) => return Ok(refused(&error)),
        };
        let token = created.task.task_id;
        let keep = match request_key {
            None => keep,
            // It may have been there: then it is kept for the longest time that anybody has asked for, as where somebody joins.
            Some(_) => match host
                .keep(token.clone(), self.principal.clone(), Some(keep))
                .await
            {
                Ok(kept) => kept,
                Err(error) => return Ok(refused(&error)),
            },
        };
        self.follow(&token);
        Ok(accepted(&token, keep))
    }

    async fn join(&self, token: &str, params: TokenParams) -> Result<Value, ErrorData> {
        let host = &self.hosted.host;
        let asked = seconds(params.keep_alive, "keepAlive")?;
        let asked = asked.map(|asked| asked.min(host.max_keep_alive()));
        match host
            .keep(token.to_owned(), self.principal.clone(), asked)
            .await
        {
            Ok(keep) => {
                self.follow(token);
                Ok(accepted(token, keep))
            }
            // The same for one that is not there and one that is another's.
            Err(error) if is_unknown(&error) => Ok(json!({ "accepted": false })),
            Err(error) => Err(error),
        }
    }

    /// Lets the client hear of the progress of a call.
    fn follow(&self, token: &str) {
        let joined = &self.hosted.joined;
        joined.join(self.hosted, token, self.principal.clone(), self.context);
    }

    /// How a call stands.
    async fn state(&self, token: &str) -> Result<GetTaskResult, ErrorData> {
        let host = &self.hosted.host;
        host.get(token.to_owned(), self.principal.clone()).await
    }

    /// Gives answers to a call.
    async fn update(&self, token: &str, responses: InputResponses) -> Result<(), ErrorData> {
        let host = &self.hosted.host;
        host.update(token.to_owned(), self.principal.clone(), responses)
            .await
    }

    async fn get(&self, token: &str, params: TokenParams) -> Result<Value, ErrorData> {
        let (host, context) = (&self.hosted.host, self.context);
        let wait = seconds(params.timeout, "timeout")?;
        // A far end is none.
        let until = wait.and_then(|wait| Instant::now().checked_add(wait));
        if let Err(error) = host
            .keep(token.to_owned(), self.principal.clone(), None)
            .await
        {
            return match is_unknown(&error) {
                true => of_result(&failed("there is no such call")),
                false => Err(error),
            };
        }
        if let Some(responses) = params.input_responses {
            self.update(token, responses).await?;
        }
        let client = Client::of(context);
        let mut unanswered = Vec::new();
        let mut pauses = Pauses::new();
        loop {
            let changed = host.changed(token);
            let task = match self.state(token).await {
                Ok(task) => task,
                Err(error) if is_unknown(&error) => {
                    return of_result(&failed("there is no such call"));
                }
                Err(error) => return Err(error),
            };
            match settled(task, &client)? {
                Settled::Answer(answer) => return Ok(answer),
                Settled::Asks(asks) => {
                    let able = asks.into_iter().find(|(key, request)| {
                        let need = Need::of(request);
                        !unanswered.contains(key) && need.is_some_and(|need| client.declares(need))
                    });
                    if let Some((key, request)) = able {
                        match self.put(token, &key, request, until).await? {
                            Put::Answered(answer) => {
                                let responses = InputResponses::from([(key, answer)]);
                                self.update(token, responses).await?;
                                continue;
                            }
                            Put::Refused => unanswered.push(key),
                            // Somebody else has answered, or it is over: what is there now counts.
                            Put::Over => continue,
                            Put::Late => {}
                        }
                    }
                }
                Settled::Works => {}
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                let meta = json!({ PENDING: true });
                return Ok(json!({ "content": [], "isPending": true, "_meta": meta }));
            }
            tokio::select! {
                () = context.ct.cancelled() => return Err(Error::Cancelled.into()),
                () = pauses.pass(changed, until) => {}
            }
        }
    }

    /// Puts a question to the client that waits, for as long as it is open.
    async fn put(
        &self,
        token: &str,
        key: &str,
        request: InputRequest,
        until: Option<Instant>,
    ) -> Result<Put, ErrorData> {
        let context = self.context;
        let mut put = pin!(live::send(&context.peer, request, None));
        let mut pauses = Pauses::new();
        loop {
            let changed = self.hosted.host.changed(token);
            tokio::select! {
                biased;
                answer = &mut put => return Ok(answer.map_or(Put::Refused, Put::Answered)),
                () = context.ct.cancelled() => return Err(Error::Cancelled.into()),
                () = pauses.pass(changed, until) => {}
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(Put::Late);
            }
            match self.state(token).await?.task.payload {
                TaskPayload::InputRequired { input_requests }
                    if input_requests.contains_key(key) => {}
                _ => return Ok(Put::Over),
            }
        }
    }
}

fn parse<T: for<'de> Deserialize<'de>>(params: Option<Value>) -> Result<T, ErrorData> {
    serde_json::from_value(params.unwrap_or_default()).map_err(|error| malformed(error.to_string()))
}

fn accepted(token: &str, keep: Duration) -> Value {
    json!({ "accepted": true, "token": token, "keepAlive": keep.as_secs() })
}

fn refused(error: &ErrorData) -> Value {
    json!({ "accepted": false, "_meta": { "io.github.saga-rs/reason": error.message } })
}

/// The answer to a call of a tool that is not there. Nothing of it is kept.
pub(crate) fn no_tool() -> Value {
    refused(&ErrorData::invalid_params("there is no such tool", None))
}

/// The request's `_meta` for the legs: for a client with a session, what it said when it connected.
fn meta(context: &RequestContext<RoleServer>) -> MetaObject {
    let mut meta = context.meta.0.clone();
    meta.remove("progressToken");
    let client = Client::of(context);
    let mut say = |name: &str, value: Option<Value>| {
        if let (Some(value), false) = (value, meta.contains_key(name)) {
            meta.insert(name.to_owned(), value);
        }
    };
    let capabilities = client.capabilities();
    say(
        CAPABILITIES,
        capabilities.and_then(|known| serde_json::to_value(known).ok()),
    );
    say(
        "io.modelcontextprotocol/protocolVersion",
        client.version().map(|version| json!(version.as_str())),
    );
    let info = client.peer_info();
    say(
        "io.modelcontextprotocol/clientInfo",
        info.and_then(|info| serde_json::to_value(&info.client_info).ok()),
    );
    meta
}

fn is_unknown(error: &ErrorData) -> bool {
    error.code == rmcp::model::ErrorCode::INVALID_PARAMS
}

/// What became of a question that was put to who waits.
enum Put {
    Answered(Value),
    /// The client does not answer it.
    Refused,
    /// It is not asked any more.
    Over,
    /// The time of the one who waits is over.
    Late,
}

/// How a call stands, for a client that waits for it.
enum Settled {
    Answer(Value),
    /// It asks, and the client can be asked while it waits.
    Asks(InputRequests),
    Works,
}

fn settled(task: GetTaskResult, client: &Client) -> Result<Settled, ErrorData> {
    Ok(match task.task.payload {
        TaskPayload::Completed { result } => Settled::Answer(Value::Object(plain(result))),
        TaskPayload::Failed { error } => {
            let error = serde_json::from_value(Value::Object(error));
            return Err(error.unwrap_or_else(|_| internal("it failed", "failed")));
        }
        TaskPayload::Cancelled => Settled::Answer(of_result(&failed("cancelled"))?),
        TaskPayload::InputRequired { mut input_requests } if client.is_stateless() => {
            // What this client has not declared, another one is asked.
            input_requests
                .retain(|_, request| Need::of(request).is_some_and(|need| client.declares(need)));
            if input_requests.is_empty() {
                return Ok(Settled::Works);
            }
            let asks = serde_json::to_value(input_requests)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            Settled::Answer(json!({ "resultType": "input_required", "inputRequests": asks }))
        }
        TaskPayload::InputRequired { input_requests } => Settled::Asks(input_requests),
        _ => Settled::Works,
    })
}

/// The proposal's result has no `resultType`.
fn plain(mut result: Map<String, Value>) -> Map<String, Value> {
    result.remove("resultType");
    result
}

fn failed(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

fn of_result(result: &CallToolResult) -> Result<Value, ErrorData> {
    match serde_json::to_value(result) {
        Ok(Value::Object(result)) => Ok(Value::Object(plain(result))),
        Ok(other) => Ok(other),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

/// Cancels a call, and tells who has joined it. One that is not there is not told from another's.
pub(crate) async fn cancel(
    hosted: &Hosted,
    token: String,
    principal: Option<String>,
) -> Result<(), ErrorData> {
    match hosted.host.cancel(token.clone(), principal).await {
        Ok(()) => {
            hosted.joined.cancelled(&token).await;
            Ok(())
        }
        Err(error) if is_unknown(&error) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The cancellation as the proposal has it: a notification.
pub(crate) async fn notified(hosted: &Hosted, params: Option<Value>, principal: Option<String>) {
    let token = parse::<TokenParams>(params).and_then(|params| params.token());
    let cancelled = match token {
        Ok(token) => cancel(hosted, token, principal).await,
        Err(error) => Err(error),
    };
    if let Err(error) = cancelled {
        tracing::warn!(%error, "an async call was not cancelled");
    }
}

//! Resume tokens (the proposals "Resumable tool calls"): a call ends with a part of its result and a token, and the same call
//! with that token goes on from there.

use std::{
    any::Any,
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::{
    ErrorData, RoleServer,
    handler::server::common::{schema_for_empty_input, schema_for_input, schema_for_type},
    model::{CallToolResult, JsonObject, MetaObject},
    service::RequestContext,
};
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::{
    ask::pause::Pause,
    background::TaskMode,
    engine::{Engine, Outcome, Suspended, answers::Answers, scope::Suspending},
    error::Error,
    observe::Event,
    token::{self, Binding, Domain, settings::Settings},
    wire::{
        Response, Served,
        call::Call,
        once::{Once, Taken},
        round::{self, Envelope, Presented},
    },
};

/// The argument, and the member of `_meta`, that has the token.
pub(crate) const TOKEN: &str = "resumeToken";
/// The member of a result that has the next one; of its `_meta` as well, since typed clients know no other.
pub(crate) const NEXT: &str = "nextResumeToken";
/// The member of a result's `_meta` that says how long the token counts, in seconds.
const TTL: &str = "io.github.saga-rs/resumeTtl";
/// A checkpoint ends the response of a client that has sent a token once it has waited for so long.
const LONG: Duration = Duration::from_secs(10);

/// That a call's tool says `#[saga(resume_token)]`, and what its client has sent.
#[derive(Debug)]
pub(crate) struct Resuming {
    pub(crate) token: Option<String>,
}

impl Resuming {
    /// Takes the token from where clients put it.
    ///
    /// # Errors
    /// `-32602` where it is no text, or there are two that differ.
    pub(crate) fn take(
        arguments: Option<&mut JsonObject>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let malformed = |why: &str| {
            let data = Some(json!({ "reason": "malformed" }));
            ErrorData::invalid_params(format!("`{TOKEN}` {why}"), data)
        };
        let argument = arguments.and_then(|arguments| arguments.remove(TOKEN));
        let meta = context.meta.0.get(TOKEN).cloned();
        let mut token = None;
        for given in [argument, meta].into_iter().flatten() {
            let given = match given {
                Value::Null => continue,
                Value::String(given) => given,
                _ => return Err(malformed("is no text")),
            };
            if token.as_ref().is_some_and(|known| *known != given) {
                return Err(malformed("is there twice, and differs"));
            }
            token = Some(given);
        }
        Ok(Self { token })
    }
}

/// Whether the response of such a call ends at a pause. A client that has sent no token may not know of them: it gets
/// a part only where the author gives one.
pub(crate) fn suspending(call: &Call) -> Option<Box<Suspending>> {
    let resuming = call.resuming.as_ref()?;
    let (aware, began) = (resuming.token.is_some(), Instant::now());
    Some(Box::new(move |pause| match pause {
        Pause::Partial(_) => true,
        Pause::Checkpoint => aware && began.elapsed() > LONG,
        Pause::Sleep(length) => aware && *length > Duration::from_secs(1),
        Pause::Background => false,
    }))
}

/// Whether such a call's response is a part, and not a state to come back with.
pub(crate) fn gives_part(call: &Call, suspended: &Suspended) -> bool {
    let resuming = call.resuming.as_ref();
    resuming.is_some_and(|resuming| resuming.token.is_some() || suspended.partial.is_some())
}

/// Goes on from a token, for a client that is asked between requests.
pub(crate) async fn serve<F, T>(call: &mut Call, token: String, function: F) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let envelope = envelope(call);
    call.request_state = Some(token);
    round::run(call, &envelope, Answers::new(), function).await
}

/// Whether a token came with a call that is no plain one: it would be dropped, and the call begin anew.
pub(crate) fn elsewhere(call: &Call) -> bool {
    let resuming = call.resuming.as_ref();
    let has_token = resuming.is_some_and(|resuming| resuming.token.is_some());
    let task = call.task != TaskMode::Never && call.hosted.is_some();
    has_token && (task || call.running.is_some() || call.resumption.is_some())
}

/// What a client from before 2026-07-28 goes on from.
pub(crate) struct Opened {
    presented: Presented,
    binding: Binding,
}

impl Opened {
    /// Takes its leg.
    pub(crate) async fn take<T: Response>(&self, once: Once) -> Result<Taken<T>, Error> {
        let Presented {
            continuation,
            times,
        } = &self.presented;
        let (id, leg) = (continuation.call_id(), continuation.leg());
        once.take(id, leg, *times, &self.binding).await
    }
}

/// Opens the token that a call came with.
pub(crate) fn opened(call: &mut Call, settings: &Settings) -> Result<Option<Opened>, Error> {
    let resuming = call.resuming.as_mut();
    let Some(token) = resuming.and_then(|resuming| resuming.token.take()) else {
        return Ok(None);
    };
    let envelope = envelope(call);
    let presented = round::present(call, settings, &envelope, &token, settings.now())?;
    Ok(Some(Opened {
        presented,
        binding: envelope.binding,
    }))
}

/// Runs a call of a client from before 2026-07-28 to its end, or to a part of its result.
pub(crate) async fn live<F, T>(
    call: &mut Call,
    engine: Engine,
    settings: &Settings,
    opened: Option<Opened>,
    function: F,
) -> Served<T>
where
    F: Future<Output = Result<T, ErrorData>>,
    T: Response,
{
    let outcome = match opened {
        None => engine.live(function).await,
        Some(Opened { presented, .. }) => {
            let continuation = presented.continuation;
            if let Some(left) = continuation.rests(settings.now()) {
                tokio::time::sleep(left).await;
            }
            let engine = engine.at(settings.now());
            engine.resume_live(continuation, function).await
        }
    };
    match outcome {
        Outcome::Done(response) => Ok(response),
        Outcome::Suspended(suspended) => part(call, settings, suspended),
        Outcome::Refused(error) => Err(error),
    }
}

/// The answer with what is there of the result, and the token for the rest.
pub(crate) fn part<T: Response>(
    call: &mut Call,
    settings: &Settings,
    suspended: Suspended,
) -> Served<T> {
    let Suspended {
        continuation,
        partial,
        due,
        sizes,
        at,
        ..
    } = suspended;
    call.is(Some(continuation.call_id()), continuation.leg());
    let envelope = envelope(call);
    let body = envelope.wrap(continuation)?;
    round::check_size(settings, &body, 0, sizes)?;
    let times = round::times(settings, due);
    let token = token::seal(&*settings.keys()?, &envelope.binding(), body, times)?;
    call.span.asks(at, &[], token.len());
    call.tell(Event::Asked {
        keys: &[],
        token_bytes: token.len(),
    });
    let mut result = partial.map_or_else(|| CallToolResult::success(Vec::new()), |part| *part);
    // A token and an error do not go together.
    result.is_error = Some(false);
    let meta = result.meta.get_or_insert_with(MetaObject::default);
    meta.insert(NEXT.to_owned(), Value::String(token));
    meta.insert(TTL.to_owned(), json!(times.ttl()));
    Ok(T::called(result).ok_or_else(|| ErrorData::internal_error("only a tool resumes", None)))
}

/// The same call is made again, with the token beside its arguments.
struct Again {
    binding: Binding,
    /// Questions are rounds of the call, as without a token.
    asking: Binding,
}

fn envelope(call: &Call) -> Again {
    Again {
        binding: binding(call.binding()),
        asking: call.binding().clone(),
    }
}

/// What the resume tokens of a call are bound to.
pub(crate) fn binding(call: &Binding) -> Binding {
    Binding::new(Domain::Continuation, &[b"resume token", call.bytes()])
}

impl Envelope for Again {
    fn binding(&self) -> Binding {
        self.binding.clone()
    }

    fn asking(&self) -> Binding {
        self.asking.clone()
    }
}

/// The schema of a tool's arguments with the token beside them.
pub fn resumable_schema<T: JsonSchema + Any>() -> Arc<JsonObject> {
    let own = schema_for_input::<T>();
    // rmcp says of a schema that is none what it says without the token.
    with_token(&own.unwrap_or_else(|_| schema_for_type::<T>()))
}

/// That of a tool without arguments of its own.
pub fn resumable_empty_schema() -> Arc<JsonObject> {
    with_token(&schema_for_empty_input())
}

fn with_token(schema: &JsonObject) -> Arc<JsonObject> {
    let mut schema = schema.clone();
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        let described = json!({
            "type": "string",
            "description": "Goes on with a call that has given a part of its result: its `nextResumeToken`",
        });
        properties.insert(TOKEN.to_owned(), described);
    }
    Arc::new(schema)
}

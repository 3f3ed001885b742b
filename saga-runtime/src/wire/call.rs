//! The call that a tool, a prompt or a handler serves, extracted from rmcp's request.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    handler::server::{
        common::{AsRequestContext, FromContextPart},
        prompt::PromptContext,
        tool::ToolCallContext,
        wrapper::Parameters,
    },
    model::{
        CallToolRequestParams, GetPromptRequestParams, InputResponses, JsonObject, MetaObject,
        ReadResourceRequestParams,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    ask::client::Client,
    background::{Hosted, Running, TaskMode},
    engine::Engine,
    error::{Error, internal},
    identity::{self, CallId},
    observe::{Event, Span, Teller, WireName},
    server::toolbox::resource::ResourceContext,
    token::{
        Binding,
        keyring::KeyError,
        settings::{OnDisconnect, Settings},
    },
    wire::{Response, Served, arguments, resume::Resuming, saga::Resumption, task},
};

/// The member of a request's `_meta` in which a client names a call, so that a repeated first request is known
/// as the same call: a text of 1 to 256 bytes.
///
/// The call's [identity](crate::CallId) and with it its idempotency keys are made of this name, the principal,
/// the tool and the arguments. Where [`Settings::with_principal`] names nobody, all clients share one space of
/// names, and each should draw its own at random.
pub const REQUEST_KEY: &str = "io.github.saga-rs/idempotencyKey";

/// The longest name that a client may give a call, in bytes.
const MAX_REQUEST_KEY: usize = 256;

/// What the engine needs of a request. `#[saga]` puts it in front of the own parameters of a tool
/// or prompt, before `Parameters` takes the arguments away.
#[derive(Debug)]
pub struct Call {
    /// What is called, by whom, and who is to hear of it.
    pub(crate) teller: Arc<Teller>,
    pub(crate) span: Span,
    /// The arguments, where they are needed after the first round: to make parameters of them again, or to carry
    /// them in the token. An absent `arguments` is an empty one, as it is for rmcp.
    pub(crate) arguments: Arc<JsonObject>,
    /// What the call is, with who makes it and for which service.
    binding: Binding,
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
    pub(crate) client: Client,
    /// An error where the process's keys are not of the right form.
    pub(crate) settings: Result<Settings, KeyError>,
    pub(crate) audience: Option<Arc<str>>,
    /// How the client names the call.
    request_key: Option<Value>,
    /// Set where the call came by the saga wire.
    pub(crate) resumption: Option<Resumption>,
    /// Set where a worker runs a leg of it.
    pub(crate) running: Option<Running>,
    /// Set where it can become a task.
    pub(crate) hosted: Option<Box<HostedCall>>,
    /// When it becomes one.
    pub(crate) task: TaskMode,
    /// Whether a task of it begins again where its code has changed.
    pub(crate) restarts: bool,
    /// Set where its tool gives parts of its result.
    pub(crate) resuming: Option<Resuming>,
    /// Cancelled when the client is gone or does not want an answer any more.
    gone: CancellationToken,
    /// Whether each of its answers must count once.
    pub(crate) once: bool,
    /// Set where a test watches.
    #[cfg(feature = "testing")]
    pub(crate) bench: Option<crate::testing::Bench>,
    /// Its identity, once it is known.
    pub(crate) id: Option<CallId>,
    /// How many suspensions it has passed.
    pub(crate) leg: u32,
    /// How the request ended, and with which error, where somebody else tells of it: its task, or the leg that it was for.
    pub(crate) reported: Option<(&'static str, Option<String>)>,
}

/// The arguments that a call comes with.
enum Arguments<'a> {
    /// It does not need them after the first round.
    Bare(Option<&'a JsonObject>),
    /// It does, and so does somebody else.
    Lent(Option<&'a JsonObject>),
    /// They are its own.
    Own(JsonObject),
}

impl Arguments<'_> {
    fn get(&self) -> Option<&JsonObject> {
        match self {
            Self::Bare(arguments) | Self::Lent(arguments) => *arguments,
            Self::Own(arguments) => Some(arguments),
        }
    }

    fn into_owned(self) -> JsonObject {
        match self {
            Self::Bare(arguments) | Self::Lent(arguments) => arguments.cloned().unwrap_or_default(),
            Self::Own(arguments) => arguments,
        }
    }
}

/// What of a request a task is made with.
#[derive(Debug)]
pub(crate) struct HostedCall {
    pub(crate) hosted: Hosted,
    /// The request's own.
    pub(crate) meta: MetaObject,
    /// What the host keeps of the request.
    pub(crate) caller: Value,
}

/// What a call is bound to: a method and what it is called on, for whom, with what.
pub(crate) fn binding(
    (method, name): (&str, &str),
    principal: Option<&str>,
    audience: Option<&str>,
    arguments: &JsonObject,
) -> Binding {
    let parts: &[&[u8]] = &[
        method.as_bytes(),
        name.as_bytes(),
        &part(principal),
        &part(audience),
    ];
    Binding::of_call(parts, arguments)
}

impl Call {
    fn new(
        method: &'static str,
        name: &str,
        arguments: Arguments<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let kept = !matches!(arguments, Arguments::Bare(_));
        let settings = Settings::of_request(context);
        let named = settings.as_ref().ok();
        let running = context.extensions.get::<Running>().cloned();
        let principal = match &running {
            Some(running) => running.principal(),
            None => named.and_then(|settings| settings.principal(context)),
        };
        let audience = named.and_then(|settings| settings.audience(context));
        let client = Client::of(context);
        let resumption = context.extensions.get::<Resumption>().cloned();
        let wire = match (&resumption, client.is_stateless()) {
            (Some(_), _) => WireName::Saga,
            (None, true) => WireName::Mrtr,
            (None, false) => WireName::Live,
        };
        let observer = named.and_then(|settings| settings.config().observer.clone());
        let teller = Teller::of(method, name, wire, principal, observer);
        let request_key = context.meta.0.get(REQUEST_KEY).cloned();
        let empty = JsonObject::new();
        let looked_at = arguments.get().unwrap_or(&empty);
        // Nobody asks for it live, but to name the call, or to go on with it.
        let unbound = wire == WireName::Live && request_key.is_none() && !kept;
        let binding = binding(
            (method, name),
            teller.principal.as_deref(),
            audience.as_deref(),
            if unbound { &empty } else { looked_at },
        );
        let hosted = context.extensions.get::<Hosted>();
        let hosted = hosted.filter(|_| running.is_none() && method == "tools/call");
        let hosted = hosted.filter(|_| task::declared(&client)).map(|hosted| {
            Box::new(HostedCall {
                hosted: hosted.clone(),
                meta: context.meta.0.clone(),
                caller: hosted.host.caller(context),
            })
        });
        let kept = kept || resumption.is_some() || hosted.is_some();
        let span = Span::begin(&teller, &context.id, &client);
        Self {
            teller,
            span,
            arguments: match kept {
                true => Arc::new(arguments.into_owned()),
                false => Arc::default(),
            },
            binding,
            input_responses: None,
            request_state: None,
            client,
            settings,
            audience,
            request_key,
            resumption,
            running,
            task: TaskMode::Never,
            restarts: false,
            hosted,
            resuming: None,
            gone: context.ct.clone(),
            once: false,
            #[cfg(feature = "testing")]
            bench: context.extensions.get().cloned(),
            id: None,
            leg: 0,
            reported: None,
        }
    }

    /// Lets so much time pass; a test says itself when it has.
    pub(crate) async fn rest(&self, time: Duration) {
        #[cfg(feature = "testing")]
        if self.bench.is_some() {
            return;
        }
        tokio::time::sleep(time).await;
    }

    /// The engine for a round of it.
    pub(crate) fn engine(&self) -> Engine {
        let engine = Engine::new(self.client.clone()).telling(&self.teller);
        #[cfg(feature = "testing")]
        let engine = engine.on_bench(self.bench.as_ref());
        engine
    }

    /// Tells what happened to it.
    pub(crate) fn tell(&self, event: Event<'_>) {
        self.teller.tell(self.id, self.leg, event);
    }

    /// Keys of questions as they are told of; none where nobody reads them.
    pub(crate) fn told<'k>(&self, keys: impl Iterator<Item = &'k str>) -> Vec<String> {
        match self.span.span.is_disabled() && !self.teller.reads_keys() {
            true => Vec::new(),
            false => keys.map(ToOwned::to_owned).collect(),
        }
    }

    /// Notes which call it is, and how far.
    pub(crate) fn is(&mut self, id: Option<CallId>, leg: u32) {
        if self.id != id {
            self.span.is(id);
        }
        (self.id, self.leg) = (id, leg);
    }

    /// Tells how the request ended, where it did not end with a question.
    pub(crate) fn ended<T: Response>(&self, served: &Served<T>) {
        if let Some((outcome, error)) = &self.reported {
            return self
                .span
                .end(&self.teller, self.leg, outcome, error.as_deref());
        }
        let (event, outcome, error) = match served {
            Ok(Ok(response)) => match response.is_error() {
                None => return self.span.end(&self.teller, self.leg, "asked", None),
                Some(is_error) => (
                    Event::Completed { is_error },
                    "completed",
                    is_error.then(|| "tool_error".to_owned()),
                ),
            },
            Ok(Err(error)) => (
                Event::Completed { is_error: true },
                "completed",
                Some(error.code.0.to_string()),
            ),
            Err(error)
                if error.is_of_client()
                    || matches!(error, Error::Disconnected | Error::Cancelled) =>
            {
                (
                    Event::Refused { error },
                    "refused",
                    Some(error.as_str().to_owned()),
                )
            }
            Err(error) => (
                Event::Failed { error },
                "failed",
                Some(error.as_str().to_owned()),
            ),
        };
        self.tell(event);
        self.span
            .end(&self.teller, self.leg, outcome, error.as_deref());
    }

    /// What ends the call early, where something may: no client is gone of a task that is cancelled, and it has its grace.
    pub(crate) fn stopping(&self) -> Option<CancellationToken> {
        if self.running.is_some() {
            return None;
        }
        let settings = self.settings.as_ref().ok()?;
        (settings.config().on_disconnect == OnDisconnect::StopAtNextAwait)
            .then(|| self.gone.clone())
    }

    /// Lets each answer count once.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Has a task of it begin again where its code has changed.
    #[must_use]
    pub fn restarting(mut self) -> Self {
        self.restarts = true;
        self
    }

    /// Makes a task of it.
    #[must_use]
    pub fn task(mut self, mode: TaskMode) -> Self {
        self.task = mode;
        self
    }

    /// What the call is, with who makes it and for which service.
    pub(crate) fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Whether it begins with this request: what goes on was looked at when it began.
    pub(crate) fn is_first(&self) -> bool {
        self.request_state.is_none() && self.resumption.is_none()
    }

    /// Whether the client has named it.
    pub(crate) fn is_named(&self) -> bool {
        self.request_key.is_some()
    }

    /// Gives a call that begins its identity: the client's, or a new one.
    pub(crate) fn named(&mut self, engine: Engine) -> Result<Engine, Error> {
        let id = self.begins()?;
        self.is(id, 0);
        Ok(match id {
            Some(id) => engine.with_call_id(id),
            None => engine,
        })
    }

    /// The identity of a call that begins.
    pub(crate) fn identified(&self) -> Result<CallId, Error> {
        self.begins()?.ok_or_else(Error::no_randomness)
    }

    fn begins(&self) -> Result<Option<CallId>, Error> {
        identified(self.binding(), self.request_key.as_ref())
    }
}

/// The identity of a call that begins: as its client names it, or a new one.
pub(crate) fn identified(
    binding: &Binding,
    request_key: Option<&Value>,
) -> Result<Option<CallId>, Error> {
    Ok(match request_key {
        None => CallId::random(),
        Some(Value::String(key)) if (1..=MAX_REQUEST_KEY).contains(&key.len()) => {
            Some(identity::requested(binding.bytes(), key))
        }
        Some(_) => {
            return Err(Error::Answers(format!(
                "`{REQUEST_KEY}` is no text of 1 to {MAX_REQUEST_KEY} bytes"
            )));
        }
    })
}

/// A name as a part of a binding; none is a name of its own.
pub(crate) fn part(name: Option<&str>) -> Vec<u8> {
    name.map_or(Vec::new(), |name| [b"p", name.as_bytes()].concat())
}

/// What of a retried `prompts/get` rmcp's prompt router does not hand on; the server's wrapper puts
/// it in the request's extensions.
#[derive(Debug, Clone)]
pub(crate) struct Retry {
    pub(crate) input_responses: Option<InputResponses>,
    pub(crate) request_state: Option<String>,
}

impl<S> FromContextPart<PromptContext<'_, S>> for Call {
    fn from_context_part(prompt: &mut PromptContext<'_, S>) -> Result<Self, ErrorData> {
        let arguments = Arguments::Lent(prompt.arguments.as_ref());
        let mut call = Self::new("prompts/get", &prompt.name, arguments, &prompt.context);
        match prompt.context.extensions.remove::<Retry>() {
            Some(retry) => {
                call.input_responses = retry.input_responses;
                call.request_state = retry.request_state;
            }
            None if call.client.is_stateless() => {
                let why = "a `#[prompt]` that asks needs `SagaServer` around its handler: rmcp's \
                           router does not hand on `requestState`";
                return Err(internal(why, "no_server"));
            }
            None => {}
        }
        Ok(call)
    }
}

/// The parameters of a request that may end with `input_required`.
pub trait Params {
    #[doc(hidden)]
    fn call(&mut self, context: &RequestContext<RoleServer>) -> Call;
}

macro_rules! params {
    ($($ty:ty: $kind:literal, $name:ident $(, $arguments:ident)?;)*) => {
        $(impl Params for $ty {
            fn call(&mut self, context: &RequestContext<RoleServer>) -> Call {
                let arguments = None$(.or(self.$arguments.as_ref()))?;
                let arguments = Arguments::Bare(arguments);
                let mut call = Call::new($kind, &self.$name, arguments, context);
                call.input_responses = self.input_responses.take();
                call.request_state = self.request_state.take();
                call
            }
        })*
    };
}

params! {
    CallToolRequestParams: "tools/call", name, arguments;
    GetPromptRequestParams: "prompts/get", name, arguments;
    ReadResourceRequestParams: "resources/read", uri;
}

impl Call {
    fn of_tool<S>(
        context: &mut ToolCallContext<'_, S>,
        arguments: impl FnOnce(&mut Option<JsonObject>) -> Arguments<'_>,
    ) -> Self {
        let arguments = arguments(&mut context.arguments);
        let request = &context.request_context;
        let mut call = Self::new("tools/call", &context.name, arguments, request);
        call.input_responses = context.input_responses.take();
        call.request_state = context.request_state.take();
        call
    }
}

fn bare(arguments: &mut Option<JsonObject>) -> Arguments<'_> {
    Arguments::Bare(arguments.as_ref())
}

fn lent(arguments: &mut Option<JsonObject>) -> Arguments<'_> {
    Arguments::Lent(arguments.as_ref())
}

fn own(arguments: &mut Option<JsonObject>) -> Arguments<'_> {
    Arguments::Own(arguments.take().unwrap_or_default())
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for Call {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(Self::of_tool(context, lent))
    }
}

/// The call of a tool, and what it is given: the arguments are the call's, and nobody else needs a copy of them.
#[derive(Debug)]
pub struct CallWith<T>(Call, T);

impl<T> CallWith<T> {
    /// Both of them.
    pub fn split(self) -> (Call, T) {
        (self.0, self.1)
    }
}

impl<S, T: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for CallWith<Parameters<T>> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let call = Call::of_tool(context, own);
        match arguments::read(&call.arguments) {
            Ok(given) => Ok(Self(call, Parameters(given))),
            // As rmcp's own says it, and with no more.
            Err(error) => {
                let why = format!("failed to deserialize parameters: {error}");
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }
}

/// The call of a tool that gives parts of its result: `#[saga(resume_token)]`.
#[derive(Debug)]
pub struct ResumableCall(Call);

impl ResumableCall {
    /// The call.
    pub fn call(self) -> Call {
        self.0
    }
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for ResumableCall {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        // Before anybody else sees the arguments: it is none of the tool's.
        let resuming = Resuming::take(context.arguments.as_mut(), &context.request_context)?;
        let mut call = Call::of_tool(context, lent);
        call.resuming = Some(resuming);
        Ok(Self(call))
    }
}

/// The call of a tool that does not look at its arguments once it has asked: they are not kept.
#[derive(Debug)]
pub struct BareCall(Call);

impl BareCall {
    /// The call.
    pub fn call(self) -> Call {
        self.0
    }
}

impl<S> FromContextPart<ToolCallContext<'_, S>> for BareCall {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(Self(Call::of_tool(context, bare)))
    }
}

impl<S> FromContextPart<PromptContext<'_, S>> for BareCall {
    fn from_context_part(prompt: &mut PromptContext<'_, S>) -> Result<Self, ErrorData> {
        Call::from_context_part(prompt).map(Self)
    }
}

impl<S> FromContextPart<ResourceContext<'_, S>> for Call {
    fn from_context_part(resource: &mut ResourceContext<'_, S>) -> Result<Self, ErrorData> {
        let variables = Arguments::Lent(Some(resource.variables()));
        let context = resource.as_request_context();
        let mut call = Self::new("resources/read", resource.uri(), variables, context);
        call.input_responses = resource.input_responses.take();
        call.request_state = resource.request_state.take();
        Ok(call)
    }
}

impl<S> FromContextPart<ResourceContext<'_, S>> for BareCall {
    fn from_context_part(resource: &mut ResourceContext<'_, S>) -> Result<Self, ErrorData> {
        Call::from_context_part(resource).map(Self)
    }
}

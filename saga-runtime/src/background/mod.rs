//! Calls that go on without a request: what a store of tasks has to do, and how it runs a leg. The crate `saga-tasks` does
//! it; this is for a store of one's own that is no row in a database.

mod runner;

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolResult, CreateTaskResult, GetTaskResult, InputRequest, InputResponses, JsonObject,
        MetaObject,
    },
    service::RequestContext,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    ask::client::{Client, Need},
    engine::Suspended,
    identity::CallId,
    observe::{Event, Teller, WireName},
    token::settings::Settings,
    wire::async_call::joined::Joined,
};

pub use self::runner::{Leg, LegEnd, News, Refusal, Runner};
pub(crate) use self::runner::{Running, lacks};

/// What a [`Host`] answers with: a future that can be boxed.
pub type Hosting<'a, T> = Pin<Box<dyn Future<Output = Result<T, ErrorData>> + Send + 'a>>;

/// What [`Host::changed`] gives.
pub type Changed<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// When a tool's call becomes a task, for a client that knows tasks: `#[saga(task)]` and its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TaskMode {
    /// Where the author says so in its body: `cx.background().await`.
    #[default]
    Never,
    /// At once; other clients are served in the call.
    Always,
    /// At once; other clients are refused.
    Required,
    /// Once the call has lasted so long, or asks.
    After(Duration),
}

/// A call, without the request that it came with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BackgroundCall {
    /// Its identity: the same in every leg and attempt.
    pub id: CallId,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: JsonObject,
    /// The request's `_meta`: the client's capabilities, name and version.
    pub meta: MetaObject,
    /// On whose behalf it is, as [`Settings::with_principal`] names it.
    pub principal: Option<String>,
    /// What [`Host::caller`] kept of the request.
    pub caller: Value,
}

impl BackgroundCall {
    /// Tells observers, traces and metrics what happened to it beside its legs: that its client can see a question, or that an answer
    /// was taken, which only the [`Host`] knows. `principal` is who made it happen; `leg` is [`Continuation::leg`](crate::Continuation::leg).
    pub fn tell(&self, settings: &Settings, principal: Option<&str>, leg: u32, event: Event<'_>) {
        let wire = match Client::is_stateless_by(&self.meta) {
            true => WireName::Mrtr,
            false => WireName::Live,
        };
        let (principal, observer) = (principal.map(str::to_owned), &settings.config().observer);
        let teller = Teller::of("tools/call", &self.tool, wire, principal, observer.clone());
        teller.tell(Some(self.id), leg, event);
    }
}

/// A call that is to become a task.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewTask {
    /// The call.
    pub call: BackgroundCall,
    /// Where it stands, if it has begun.
    pub begun: Option<Suspended>,
    /// How long it is run for the request before it becomes a task.
    pub first: Duration,
    /// How long it is kept after its end, or after the last time that somebody asked for it, whichever is later; as long as every
    /// task where nothing is said.
    pub keep: Option<Duration>,
}

/// What became of a call that was to become a task.
#[derive(Debug)]
#[non_exhaustive]
pub enum Begun {
    /// It is one, and every replica knows it.
    Task(Box<CreateTaskResult>),
    /// It was over before.
    Ended(Result<Box<CallToolResult>, ErrorData>),
}

/// Keeps tasks, and runs them: see `saga_tasks::Tasks`.
pub trait Host: Send + Sync + 'static {
    /// Is told how legs are run, once for each server that it is given to.
    fn bind(&self, runner: Runner);

    /// Is told the settings by which rows are sealed; before [`bind`](Host::bind).
    fn configure(&self, settings: &Settings);

    /// The settings that it seals rows by already. A server without any of its own goes by them.
    fn settings(&self) -> Option<Settings> {
        None
    }

    /// What of a request its legs need later, as the application knows it. No secrets: it is stored.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Value {
        let _ = context;
        Value::Null
    }

    /// Makes a task of a call: it is there, for every replica, when this returns.
    ///
    /// # Errors
    /// Where it cannot be stored; nothing of the call has run then.
    fn create(&self, task: NewTask) -> Hosting<'_, Begun>;

    /// `tasks/get`, on behalf of `principal`.
    ///
    /// # Errors
    /// `-32602` where that principal has no such task.
    fn get(&self, id: String, principal: Option<String>) -> Hosting<'_, GetTaskResult>;

    /// `tasks/update`.
    ///
    /// # Errors
    /// `-32602` where that principal has no such task, or an answer is not of the form of its question.
    fn update(
        &self,
        id: String,
        principal: Option<String>,
        responses: InputResponses,
    ) -> Hosting<'_, ()>;

    /// Notes that somebody wants a task that was created with [`NewTask::keep`], and keeps it for so long where that is
    /// longer than before. Gives how long it is kept.
    ///
    /// # Errors
    /// `-32602` where that principal has no such task.
    fn keep(
        &self,
        id: String,
        principal: Option<String>,
        keep: Option<Duration>,
    ) -> Hosting<'_, Duration>;

    /// The longest time that a client may have a result kept.
    fn max_keep_alive(&self) -> Duration;

    /// Ready when this process has written a task since this was called. A hint, for whoever waits for it: they look now and then all
    /// the same, since other processes write it, too.
    fn changed(&self, id: &str) -> Changed<'_> {
        let _ = id;
        Box::pin(std::future::pending())
    }

    /// Begins no more legs in this process, and waits until those that run here are over, at most for so long. The servers of
    /// [`serve`](crate::serve) call it when they end.
    fn stop(&self, at_most: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let _ = at_most;
        Box::pin(std::future::ready(()))
    }

    /// `tasks/cancel`.
    ///
    /// # Errors
    /// `-32602` where that principal has no such task.
    fn cancel(&self, id: String, principal: Option<String>) -> Hosting<'_, ()>;
}

/// Whether a result is of the kind that a question asks for.
pub fn answers(question: &InputRequest, result: &Value) -> bool {
    Need::of(question).is_some_and(|need| need.accepts(result))
}

/// The host of the server that a request came to, in its extensions.
#[derive(Clone)]
pub(crate) struct Hosted {
    pub(crate) host: Arc<dyn Host>,
    /// Who has joined an async call, in this process.
    pub(crate) joined: Arc<Joined>,
}

impl Hosted {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        let joined = Arc::default();
        Self { host, joined }
    }
}

impl std::fmt::Debug for Hosted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hosted").finish_non_exhaustive()
    }
}

//! Runs one leg of a call for which there is no request.

use std::{
    borrow::Cow,
    convert::Infallible,
    fmt,
    future::{Future, ready},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, Extensions, InputRequest,
        NumberOrString, RequestMetaObject,
    },
    service::{RequestContext, RxJsonRpcMessage, TxJsonRpcMessage, serve_directly},
    transport::Transport,
};
use tokio_util::sync::CancellationToken;

use crate::{
    ask::pause::Pause,
    background::BackgroundCall,
    engine::{Suspended, continuation::Continuation, function::Function},
    error::{Error, internal},
};

type Called<'a> = Pin<Box<dyn Future<Output = Result<CallToolResponse, ErrorData>> + Send + 'a>>;

/// A handler whose tools can be called.
trait Calls: Send + Sync {
    fn call(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Called<'_>;

    /// Whether there is such a tool, or may be.
    fn has<'a>(
        &'a self,
        tool: &'a str,
        context: RequestContext<RoleServer>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

impl<H: ServerHandler> Calls for H {
    fn call(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Called<'_> {
        Box::pin(self.call_tool(params, context))
    }

    fn has<'a>(
        &'a self,
        tool: &'a str,
        context: RequestContext<RoleServer>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async move { !lacks(self, tool, context).await })
    }
}

/// Calls the tools of a server, leg by leg.
#[derive(Clone)]
pub struct Runner {
    handler: Arc<dyn Calls>,
    /// Nobody: there is no client while a leg runs.
    peer: Peer<RoleServer>,
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").finish_non_exhaustive()
    }
}

/// One leg: what runs from one suspension to the next.
#[non_exhaustive]
pub struct Leg {
    /// The call.
    pub call: BackgroundCall,
    /// Where it stands; `None` at its beginning.
    pub continuation: Option<Continuation>,
    /// The time, by the store's clock.
    pub now: SystemTime,
    /// Nobody wants the call any more.
    pub cancelled: CancellationToken,
    /// For the request that the tool sees.
    pub extensions: Extensions,
    suspending: Arc<dyn Fn(&Pause) -> bool + Send + Sync>,
    news: Arc<dyn Fn(News) + Send + Sync>,
}

impl fmt::Debug for Leg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leg")
            .field("call", &self.call.id)
            .field("tool", &self.call.tool)
            .finish_non_exhaustive()
    }
}

/// What happens while a leg runs.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum News {
    /// A question was put, with its key, and the time at which it is over; other arms may still work.
    Asked(String, InputRequest, Option<SystemTime>),
    /// How far it is: done, of what total, in words.
    Progress(f64, Option<f64>, String),
    /// A part of its result.
    Partial(CallToolResult),
    /// A function of the call was entered: the tool, or one that it calls.
    Entered(&'static Function),
}

/// How a leg ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum LegEnd {
    /// The tool has its result.
    Completed(Box<CallToolResult>),
    /// The tool has an error of the protocol.
    Failed(ErrorData),
    /// It waits. Observers have not been told of its questions: [`BackgroundCall::tell`] does, once their client can see them.
    Suspended(Box<Suspended>),
    /// This process does not have the tool, or not in the form that it began with.
    Missing(ErrorData),
    /// Something in front of the tool refused the leg, and the tool was not reached: it may be in a moment.
    Unreached(ErrorData),
    /// It cannot go on.
    Refused(Refusal),
}

/// Why a leg cannot go on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Refusal {
    /// The error.
    pub error: Error,
    /// Whether anything of it ran.
    pub went_on: bool,
    /// Where the code is not the one that it suspended with: its author has it begin again,
    /// `#[saga(task(stale = restart))]`, with [`Continuation::from_start`].
    pub restarts: bool,
}

impl Leg {
    /// A leg that nobody hears of, and whose pauses are passed in place.
    pub fn new(call: BackgroundCall, continuation: Option<Continuation>, now: SystemTime) -> Self {
        Self {
            call,
            continuation,
            now,
            cancelled: CancellationToken::new(),
            extensions: Extensions::default(),
            suspending: Arc::new(|_| false),
            news: Arc::new(|_| {}),
        }
    }

    /// Ends the leg at the pauses that `suspending` says so of.
    #[must_use]
    pub fn suspending(
        mut self,
        suspending: impl Fn(&Pause) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.suspending = Arc::new(suspending);
        self
    }

    /// Tells what happens while it runs.
    #[must_use]
    pub fn telling(mut self, news: impl Fn(News) + Send + Sync + 'static) -> Self {
        self.news = Arc::new(news);
        self
    }
}

/// A leg that runs, in the extensions of the request that the tool sees.
#[derive(Clone)]
pub(crate) struct Running(Arc<Inner>);

struct Inner {
    begin: Mutex<Option<Begin>>,
    end: Mutex<Option<Ended>>,
    suspending: Arc<dyn Fn(&Pause) -> bool + Send + Sync>,
    news: Arc<dyn Fn(News) + Send + Sync>,
    cancelled: CancellationToken,
    /// Whose call it is: the request that the tool sees is nobody's.
    principal: Option<String>,
}

/// What a leg begins with.
pub(crate) struct Begin {
    pub(crate) call: BackgroundCall,
    pub(crate) continuation: Option<Continuation>,
    pub(crate) now: SystemTime,
}

/// How a leg ended that gave no result.
enum Ended {
    Suspended(Box<Suspended>),
    Refused(Refusal),
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

impl Running {
    /// What it begins with; once.
    pub(crate) fn begin(&self) -> Option<Begin> {
        lock(&self.0.begin).take()
    }

    pub(crate) fn suspended(&self, suspended: Suspended) {
        *lock(&self.0.end) = Some(Ended::Suspended(Box::new(suspended)));
    }

    pub(crate) fn refused(&self, refusal: Refusal) {
        *lock(&self.0.end) = Some(Ended::Refused(refusal));
    }

    pub(crate) fn suspends(&self, pause: &Pause) -> bool {
        (self.0.suspending)(pause)
    }

    pub(crate) fn tell(&self, news: News) {
        (self.0.news)(news);
    }

    pub(crate) fn principal(&self) -> Option<String> {
        self.0.principal.clone()
    }

    pub(crate) fn cancelled(&self) -> CancellationToken {
        self.0.cancelled.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runner {
    /// Calls the tools of this handler. In tokio's runtime.
    pub fn new<H: ServerHandler>(handler: H) -> Self {
        let peer = serve_directly(Nobody, Nowhere, None).peer().clone();
        Self {
            handler: Arc::new(handler),
            peer,
        }
    }

    /// Runs a leg. Where it is dropped, so is the tool.
    pub async fn run(&self, leg: Leg) -> LegEnd {
        let id = NumberOrString::String(leg.call.id.to_string().into());
        let mut context = RequestContext::new(id.clone(), self.peer.clone());
        context.ct = leg.cancelled.clone();
        context.meta = RequestMetaObject(leg.call.meta.clone());
        context.extensions = leg.extensions;
        let tool = leg.call.tool.clone();
        let goes_on = leg.continuation.is_some();
        let mut params = CallToolRequestParams::new(tool.clone());
        params.arguments = Some(leg.call.arguments.clone());
        let principal = leg.call.principal.clone();
        let running = Running(Arc::new(Inner {
            begin: Mutex::new(Some(Begin {
                call: leg.call,
                continuation: leg.continuation,
                now: leg.now,
            })),
            end: Mutex::new(None),
            suspending: leg.suspending,
            news: leg.news,
            cancelled: leg.cancelled,
            principal,
        }));
        context.extensions.insert(running.clone());
        let said = (context.meta.clone(), context.extensions.clone());
        let called = self.handler.call(params, context).await;
        if let Some(ended) = lock(&running.0.end).take() {
            return match ended {
                Ended::Suspended(suspended) => LegEnd::Suspended(suspended),
                Ended::Refused(refusal) => LegEnd::Refused(refusal),
            };
        }
        let unreached = lock(&running.0.begin).is_some();
        match called {
            // What stands before the tool has refused it.
            Ok(CallToolResponse::Complete(result))
                if unreached && goes_on && result.is_error == Some(true) =>
            {
                LegEnd::Unreached(internal(text_of(&result), "unreached"))
            }
            Ok(CallToolResponse::Complete(result)) => LegEnd::Completed(Box::new(result)),
            Ok(_) => LegEnd::Failed(internal(
                "this tool asks by state of its own, and cannot be a task of this server",
                "unsupported",
            )),
            Err(error) if unreached => {
                let mut context = RequestContext::new(id, self.peer.clone());
                (context.meta, context.extensions) = said;
                match self.handler.has(&tool, context).await {
                    false => LegEnd::Missing(error),
                    true if goes_on => LegEnd::Unreached(error),
                    // A tool without `#[saga]` has run.
                    true => LegEnd::Failed(error),
                }
            }
            Err(error) => LegEnd::Failed(error),
        }
    }
}

/// Whether a server has no such tool, as far as it says: handlers without `get_tool` list theirs.
pub(crate) async fn lacks(
    handler: &impl ServerHandler,
    tool: &str,
    context: RequestContext<RoleServer>,
) -> bool {
    if handler.get_tool(tool).is_some() {
        return false;
    }
    match handler.list_tools(None, context).await {
        // A page is not all there is.
        Ok(list) => list.next_cursor.is_none() && list.tools.iter().all(|one| one.name != tool),
        Err(_) => false,
    }
}

/// What a result says in words.
fn text_of(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|part| part.as_text());
    let texts: Vec<_> = texts.map(|text| text.text.as_str()).collect();
    match texts.is_empty() {
        true => "the tool was not reached".to_owned(),
        false => texts.join(" "),
    }
}

struct Nobody;

impl ServerHandler for Nobody {}

/// A connection to nobody: what is sent on it is lost, and it is over.
struct Nowhere;

impl Transport<RoleServer> for Nowhere {
    type Error = Infallible;

    fn name() -> Cow<'static, str> {
        "nowhere".into()
    }

    fn send(
        &mut self,
        _: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        ready(Ok(()))
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        ready(None)
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Infallible>> + Send {
        ready(Ok(()))
    }
}

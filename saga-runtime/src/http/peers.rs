//! The peer that a handler is given. rmcp's can be had from a service loop only.
//!
//! A loop of its own for each request costs as much as all the rest of serving it. It is needed where the handler notifies: a
//! notification says nothing of the request that it belongs to. So a request gets its own where it asks for notifications,
//! and while it is not known whether its handler sends them unasked; all others share one on which nothing can be sent.

use std::{
    collections::HashMap,
    future::{Future, pending, ready},
    io,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use rmcp::{
    ErrorData, Peer, RoleServer, Service,
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, InitializeRequestParams,
        ProtocolVersion, RequestMetaObject, ServerConfig, ServerJsonRpcMessage, ServerResult,
    },
    service::{NotificationContext, RequestContext, RunningService, serve_directly_with_ct},
    transport::Transport,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::message::Method;

/// So many calls of a handler without an unasked notification, and it is taken for one that sends none.
const PROBATION: u8 = 16;
const NOISY: u8 = u8::MAX;
/// How many handlers of a method are told from each other.
const KNOWN: usize = 1024;
/// How many messages a client may be behind: as many as rmcp's.
const AHEAD: usize = 16;

/// How often a handler was quiet, or [`NOISY`].
type Habit = Arc<AtomicU8>;

#[derive(Default)]
pub(super) struct Peers {
    shared: OnceLock<RunningService<RoleServer, Nobody>>,
    /// Whether something was sent on the shared one.
    disturbed: Arc<AtomicBool>,
    habits: [RwLock<HashMap<Box<str>, Habit>>; Method::ALL.len()],
}

/// The peer of one request.
pub(super) enum OfRequest {
    Shared(Peer<RoleServer>),
    Own(Own),
}

/// A peer whose messages are those of one request.
pub(super) struct Own {
    running: RunningService<RoleServer, Nobody>,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    pub(super) messages: mpsc::Receiver<ServerJsonRpcMessage>,
    /// Where its handler is on probation.
    habit: Option<Habit>,
}

impl OfRequest {
    pub(super) fn handle(&self) -> Peer<RoleServer> {
        match self {
            Self::Shared(peer) => peer.clone(),
            Self::Own(own) => own.running.peer().clone(),
        }
    }
}

impl Own {
    fn new(habit: Option<Habit>) -> Self {
        let (sender, messages) = mpsc::channel(AHEAD);
        let line = Line(sender.clone());
        let running =
            serve_directly_with_ct(Nobody, line, Some(client()), CancellationToken::new());
        Self {
            running,
            sender,
            messages,
            habit,
        }
    }

    pub(super) fn into_parts(
        self,
    ) -> (
        RunningService<RoleServer, Nobody>,
        mpsc::Sender<ServerJsonRpcMessage>,
        mpsc::Receiver<ServerJsonRpcMessage>,
    ) {
        (self.running, self.sender, self.messages)
    }

    /// The handler has ended without a notification.
    pub(super) fn was_quiet(&self) {
        if let Some(habit) = &self.habit {
            let count = |quiet| (quiet < PROBATION).then_some(quiet + 1);
            // One that is noisy stays so.
            let _ = habit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count);
        }
    }

    /// The handler has notified.
    pub(super) fn was_noisy(&self) {
        if let Some(habit) = &self.habit {
            habit.store(NOISY, Ordering::Relaxed);
        }
    }
}

impl Peers {
    /// The peer of a request to this handler.
    pub(super) fn of(
        &self,
        method: Method,
        name: Option<&str>,
        meta: &RequestMetaObject,
    ) -> OfRequest {
        if asks_for_notifications(meta) {
            return OfRequest::Own(Own::new(None));
        }
        // Names of resources and tasks are without number.
        let name = match method {
            Method::CallTool | Method::GetPrompt => name.unwrap_or_default(),
            _ => "",
        };
        let habit = self.habit(method, name);
        if let Some(habit) = &habit
            && habit.load(Ordering::Relaxed) == PROBATION
            && let Some(peer) = self.shared()
        {
            return OfRequest::Shared(peer);
        }
        OfRequest::Own(Own::new(habit))
    }

    fn shared(&self) -> Option<Peer<RoleServer>> {
        if self.disturbed.load(Ordering::Relaxed) {
            return None;
        }
        let running = self.shared.get_or_init(|| {
            let nowhere = Nowhere(Arc::clone(&self.disturbed));
            serve_directly_with_ct(Nobody, nowhere, Some(client()), CancellationToken::new())
        });
        // With the runtime in which it was first needed.
        (!running.peer().is_transport_closed()).then(|| running.peer().clone())
    }

    fn habit(&self, method: Method, name: &str) -> Option<Habit> {
        let habits = self.habits.get(method as usize)?;
        {
            let habits = habits.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(habit) = habits.get(name) {
                return Some(Arc::clone(habit));
            }
        }
        let mut habits = habits.write().unwrap_or_else(PoisonError::into_inner);
        if habits.len() >= KNOWN && !habits.contains_key(name) {
            return None;
        }
        Some(Arc::clone(habits.entry(name.into()).or_default()))
    }
}

/// Whether a handler may notify, as the specification has it.
fn asks_for_notifications(meta: &RequestMetaObject) -> bool {
    meta.contains_key("progressToken") || meta.contains_key("io.modelcontextprotocol/logLevel")
}

/// What rmcp takes the client of a request without a session for.
fn client() -> InitializeRequestParams {
    let mut client = InitializeRequestParams::default();
    client.protocol_version = ProtocolVersion::V_2026_07_28;
    client
}

/// Sends to the stream of a request.
struct Line(mpsc::Sender<ServerJsonRpcMessage>);

impl Transport<RoleServer> for Line {
    type Error = mpsc::error::SendError<ServerJsonRpcMessage>;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sender = self.0.clone();
        async move { sender.send(message).await }
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        pending()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        ready(Ok(()))
    }
}

/// Sends nothing, and says that it was to.
struct Nowhere(Arc<AtomicBool>);

impl Transport<RoleServer> for Nowhere {
    type Error = io::Error;

    fn send(
        &mut self,
        _: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if !self.0.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a notification that no request has asked for was not sent; from now on they are"
            );
        }
        ready(Err(io::Error::from(io::ErrorKind::NotConnected)))
    }

    fn receive(&mut self) -> impl Future<Output = Option<ClientJsonRpcMessage>> + Send {
        pending()
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        ready(Ok(()))
    }
}

/// A service that no request reaches.
pub(super) struct Nobody;

impl Service<RoleServer> for Nobody {
    async fn handle_request(
        &self,
        _: ClientRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        Err(ErrorData::internal_error("nothing is served here", None))
    }

    async fn handle_notification(
        &self,
        _: ClientNotification,
        _: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::default()
    }
}

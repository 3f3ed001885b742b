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
        atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering},
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
/// How many handlers of a method are told from each other, and by how long a name.
const KNOWN: usize = 1024;
const LONGEST: usize = 128;
const SHARDS: usize = 8;
/// How many messages a client may be behind: as many as rmcp's.
const AHEAD: usize = 16;

/// How often each handler was quiet, or [`NOISY`].
#[derive(Default)]
struct Habits([RwLock<HashMap<Box<str>, AtomicU8>>; Method::ALL.len()]);

#[derive(Default)]
pub(super) struct Peers {
    /// One for each of several threads: a peer is cloned a few times for each request, which they would wait for each other to do.
    shared: [OnceLock<RunningService<RoleServer, Nobody>>; SHARDS],
    /// Whether something was sent on the shared one.
    disturbed: Arc<AtomicBool>,
    habits: Arc<Habits>,
}

/// A handler of which it is not known whether it is quiet.
struct Probation {
    habits: Arc<Habits>,
    method: Method,
    name: Box<str>,
}

/// A peer whose messages are those of one request.
pub(super) struct Own {
    running: RunningService<RoleServer, Nobody>,
    sender: mpsc::Sender<ServerJsonRpcMessage>,
    pub(super) messages: mpsc::Receiver<ServerJsonRpcMessage>,
    probation: Option<Probation>,
}

impl Own {
    fn new(probation: Option<Probation>) -> Self {
        let (sender, messages) = mpsc::channel(AHEAD);
        let line = Line(sender.clone());
        let running =
            serve_directly_with_ct(Nobody, line, Some(client()), CancellationToken::new());
        Self {
            running,
            sender,
            messages,
            probation,
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
    pub(super) fn was_quiet(&self, succeeded: bool) {
        if let Some(probation) = &self.probation {
            probation.count(succeeded);
        }
    }

    /// The handler has notified.
    pub(super) fn was_noisy(&self) {
        if let Some(probation) = &self.probation {
            let habit = |habit: &AtomicU8| habit.store(NOISY, Ordering::Relaxed);
            probation
                .habits
                .with(probation.method, &probation.name, true, habit);
        }
    }
}

impl Probation {
    fn count(&self, succeeded: bool) {
        // One that is noisy stays so.
        let counted = |quiet| (quiet < PROBATION).then(|| quiet + 1);
        let count = |habit: &AtomicU8| {
            let _ = habit.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        };
        // Whoever asks for what does not exist is not remembered.
        self.habits.with(self.method, &self.name, succeeded, count);
    }
}

impl Habits {
    fn is_quiet(&self, method: Method, name: &str) -> bool {
        let Some(habits) = self.0.get(method as usize) else {
            return false;
        };
        let habits = habits.read().unwrap_or_else(PoisonError::into_inner);
        let habit = habits.get(name);
        habit.is_some_and(|habit| habit.load(Ordering::Relaxed) == PROBATION)
    }

    /// The habit of a handler, which is added where it may be.
    fn with(&self, method: Method, name: &str, add: bool, then: impl FnOnce(&AtomicU8)) {
        let Some(habits) = self.0.get(method as usize) else {
            return;
        };
        {
            let habits = habits.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(habit) = habits.get(name) {
                return then(habit);
            }
        }
        if !add || name.len() > LONGEST {
            return;
        }
        let mut habits = habits.write().unwrap_or_else(PoisonError::into_inner);
        if habits.len() < KNOWN {
            then(habits.entry(name.into()).or_default());
        }
    }
}

impl Peers {
    /// The peer of a request to the handler of this name, and its messages where it may send any.
    pub(super) fn of(
        &self,
        method: Method,
        name: &str,
        meta: &RequestMetaObject,
    ) -> (Peer<RoleServer>, Option<Own>) {
        let asked = asks_for_notifications(meta);
        if !asked
            && self.habits.is_quiet(method, name)
            && let Some(peer) = self.shared()
        {
            return (peer, None);
        }
        let probation = match asked {
            true => None,
            false => Some(Probation {
                habits: Arc::clone(&self.habits),
                method,
                name: name.into(),
            }),
        };
        let own = Own::new(probation);
        (own.running.peer().clone(), Some(own))
    }

    fn shared(&self) -> Option<Peer<RoleServer>> {
        if self.disturbed.load(Ordering::Relaxed) {
            return None;
        }
        let shared = self.shared.get(SHARD.with(|shard| *shard))?;
        let running = shared.get_or_init(|| {
            let nowhere = Nowhere(Arc::clone(&self.disturbed));
            serve_directly_with_ct(Nobody, nowhere, Some(client()), CancellationToken::new())
        });
        // With the runtime in which it was first needed.
        (!running.peer().is_transport_closed()).then(|| running.peer().clone())
    }
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static SHARD: usize = THREADS.fetch_add(1, Ordering::Relaxed) % SHARDS;
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

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: Method = Method::CallTool;

    fn probation(habits: &Arc<Habits>, name: &str) -> Probation {
        Probation {
            habits: Arc::clone(habits),
            method: METHOD,
            name: name.into(),
        }
    }

    /// Calls a handler so often, which notifies nobody.
    fn call(habits: &Arc<Habits>, name: &str, times: u8) {
        let probation = probation(habits, name);
        (0..times).for_each(|_| probation.count(true));
    }

    fn remembered(habits: &Habits) -> usize {
        let habits = habits.0[METHOD as usize].read();
        habits.unwrap_or_else(PoisonError::into_inner).len()
    }

    #[test]
    fn a_handler_is_quiet_behind_its_probation() {
        let habits = Arc::default();
        call(&habits, "tool", PROBATION - 1);
        assert!(!habits.is_quiet(METHOD, "tool"));
        call(&habits, "tool", 1);
        assert!(habits.is_quiet(METHOD, "tool"));
        // Calls that began before have their end now.
        call(&habits, "tool", 3);
        assert!(habits.is_quiet(METHOD, "tool"));
        assert!(!habits.is_quiet(METHOD, "other"));
        assert!(!habits.is_quiet(Method::GetPrompt, "tool"));
    }

    #[tokio::test]
    async fn who_has_notified_once_is_heard_for_ever() {
        let habits = Arc::default();
        Own::new(Some(probation(&habits, "tool"))).was_noisy();
        call(&habits, "tool", 2 * PROBATION);
        assert!(!habits.is_quiet(METHOD, "tool"));
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let habits = Arc::default();
        let (long, longer) = ("x".repeat(LONGEST), "x".repeat(LONGEST + 1));
        probation(&habits, "unknown").count(false);
        call(&habits, &longer, PROBATION);
        assert_eq!(remembered(&habits), 0);
        call(&habits, &long, PROBATION);
        assert!(habits.is_quiet(METHOD, &long));
        for number in 1..=KNOWN {
            call(&habits, &number.to_string(), 1);
        }
        assert_eq!(remembered(&habits), KNOWN);
        assert!(habits.is_quiet(METHOD, &long));
    }
}

//! A server to be tested, and how it is called.

use std::{
    fmt,
    panic::Location,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{RoleServer, Service, ServiceExt, model::Extensions, service::DynService};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::{
    Clock, Failure, Request,
    bench::Bench,
    schemas::Outputs,
    session::Session,
    wire::{OnBench, Response, Wire},
};
use crate::token::keyring::{KEY_LEN, KeyError, Keyring};

type Servers<W> = dyn Fn(&W) -> Box<dyn DynService<RoleServer>> + Send + Sync;

/// What the author compares, in its `Debug`.
type Effects<W> = dyn Fn(&W) -> String + Send + Sync;

/// Up to this many points, every choice of them is tried.
const EVERY_CHOICE: usize = 6;
/// Only so that a server that never answers fails the test instead of holding it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Your server, and how it is called. `W` is the world: what the servers act on, and what outlives them.
///
/// A call whose server is torn down goes on in another one, so the kit is given a closure that makes servers, and calls it for every
/// request. What the server keeps outside of itself (a database, a list of mails) is made by another closure, once for each
/// run:
///
/// ```
/// # use std::sync::{Arc, Mutex};
/// # use rmcp::ServerHandler;
/// # use saga_runtime::testing::Kit;
/// # struct Shop { mails: Arc<Mutex<Vec<String>>> }
/// # impl ServerHandler for Shop {}
/// #[derive(Default)]
/// struct World {
///     mails: Arc<Mutex<Vec<String>>>,
/// }
///
/// let kit = Kit::with_world(World::default, |world| Shop { mails: world.mails.clone() })
///     .comparing(|world| world.mails.lock().unwrap().clone());
/// ```
pub struct Kit<W = ()> {
    make: Arc<dyn Fn() -> W + Send + Sync>,
    server: Arc<Servers<W>>,
    pub(super) effects: Option<Arc<Effects<W>>>,
    pub(super) world: Arc<W>,
    pub(super) clock: Clock,
    keys: Result<Arc<Keyring>, KeyError>,
    pub(super) capabilities: Value,
    pub(super) principal: Option<String>,
    extensions: Extensions,
    patience: Duration,
    pub(super) every_choice: usize,
    calls: Arc<AtomicUsize>,
    /// The schemas of the tools' results, once they were asked for.
    pub(super) outputs: Arc<OnceCell<Outputs>>,
}

impl<W> Clone for Kit<W> {
    fn clone(&self) -> Self {
        Self {
            make: Arc::clone(&self.make),
            server: Arc::clone(&self.server),
            effects: self.effects.clone(),
            world: Arc::clone(&self.world),
            clock: self.clock.clone(),
            keys: self.keys.clone(),
            capabilities: self.capabilities.clone(),
            principal: self.principal.clone(),
            extensions: self.extensions.clone(),
            patience: self.patience,
            every_choice: self.every_choice,
            calls: Arc::clone(&self.calls),
            outputs: Arc::clone(&self.outputs),
        }
    }
}

impl<W> fmt::Debug for Kit<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kit")
            .field("clock", &self.clock)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}

impl Kit<()> {
    /// A kit for the servers that `server` makes: a handler of rmcp's, a [`SagaServer`](crate::SagaServer), a
    /// [`Toolbox`](crate::Toolbox).
    pub fn of<S: Service<RoleServer>>(server: impl Fn() -> S + Send + Sync + 'static) -> Self {
        Self::with_world(|| (), move |()| server())
    }
}

impl<W: Send + Sync + 'static> Kit<W> {
    /// A kit for servers that act on a world: `server` is given it each time.
    pub fn with_world<S: Service<RoleServer>>(
        world: impl Fn() -> W + Send + Sync + 'static,
        server: impl Fn(&W) -> S + Send + Sync + 'static,
    ) -> Self {
        Self {
            world: Arc::new(world()),
            make: Arc::new(world),
            server: Arc::new(move |world| server(world).into_dyn()),
            effects: None,
            clock: Clock::default(),
            keys: Keyring::new("test", [7; KEY_LEN]).map(Arc::new),
            capabilities: json!({
                "elicitation": { "form": {}, "url": {} },
                "sampling": { "tools": {} },
                "roots": {},
            }),
            principal: None,
            extensions: Extensions::new(),
            patience: PATIENCE,
            every_choice: EVERY_CHOICE,
            calls: Arc::default(),
            outputs: Arc::default(),
        }
    }

    /// What runs of one script must agree on beside result and questions: what they did to the world, by its
    /// `Debug`. An effect that happened twice shows there.
    #[must_use]
    pub fn comparing<E: fmt::Debug>(
        mut self,
        effects: impl Fn(&W) -> E + Send + Sync + 'static,
    ) -> Self {
        self.effects = Some(Arc::new(move |world| format!("{:#?}", effects(world))));
        self
    }

    /// A client with these capabilities alone; without it, the client can do everything that can be asked.
    #[must_use]
    pub fn for_client(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The requests are on this principal's behalf, whatever [`Settings::with_principal`](crate::Settings::with_principal) would
    /// make of them.
    #[must_use]
    pub fn signed_in_as(mut self, principal: impl Into<String>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// Puts into each request what its transport would: `http::request::Parts`, the claims of a token.
    #[must_use]
    pub fn with_extension<T: Clone + Send + Sync + 'static>(mut self, extension: T) -> Self {
        self.extensions.insert(extension);
        self
    }

    /// How long a request may take, by tokio's clock; one minute where nothing is said.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Up to how many points [`resumed_everywhere`](super::Scripted::resumed_everywhere) tries every choice of them; 6 where nothing is
    /// said, which are 64 runs.
    #[must_use]
    pub fn every_choice_up_to(mut self, points: usize) -> Self {
        self.every_choice = points;
        self
    }

    /// The clock of the calls that go step by step.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The world of the calls that go step by step.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// Calls a tool: await it for a [`Call`](super::Call) that goes step by step, or say its answers first.
    #[track_caller]
    pub fn tool(&self, name: impl Into<String>, arguments: Value) -> Request<W> {
        let mut params = json!({ "name": name.into() });
        if !arguments.is_null() {
            params["arguments"] = arguments;
        }
        Request::new(self, "tools/call", params, Location::caller())
    }

    /// Gets a prompt.
    #[track_caller]
    pub fn prompt(&self, name: impl Into<String>, arguments: Value) -> Request<W> {
        let mut params = json!({ "name": name.into() });
        if !arguments.is_null() {
            params["arguments"] = arguments;
        }
        Request::new(self, "prompts/get", params, Location::caller())
    }

    /// Reads a resource.
    #[track_caller]
    pub fn resource(&self, uri: impl Into<String>) -> Request<W> {
        let params = json!({ "uri": uri.into() });
        Request::new(self, "resources/read", params, Location::caller())
    }

    /// The name that the next call has for its server.
    pub(super) fn next_name(&self) -> String {
        format!("call {}", self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub(super) fn keys(&self) -> Result<Arc<Keyring>, Failure> {
        let keys = self.keys.clone();
        keys.map_err(|error| Failure::server(error.to_string()))
    }

    /// The same with a world and a clock of its own.
    pub(super) fn afresh(&self) -> Self {
        Self {
            world: Arc::new((self.make)()),
            clock: Clock::default(),
            calls: Arc::default(),
            ..self.clone()
        }
    }

    /// A new server.
    pub(super) fn server(&self, bench: &Bench) -> OnBench {
        OnBench {
            server: (self.server)(&self.world),
            bench: bench.clone(),
            extensions: self.extensions.clone(),
        }
    }

    /// A connection to a new server.
    pub(super) fn connect(&self, bench: &Bench) -> Wire {
        Wire::open(self.server(bench), self.patience)
    }

    /// A request that belongs to no call.
    pub(super) async fn asks(&self, method: &str, params: Value) -> Result<Response, Failure> {
        let bench = Bench::new(self.keys()?, self.clock.clone(), self.principal.clone());
        let session = Session::new(self, bench, method, params);
        session.send(session.params(None)).await
    }
}

//! Configuration of a server's continuations.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use rmcp::{RoleServer, service::RequestContext};

use crate::{
    error::Error,
    guard::{Guard, Guarded},
    observe::{Observer, unheard},
    token::{
        self, Binding, Domain, Times,
        keyring::{KeyError, Keyring},
        provider::{self, EnvKeys, FileKeys, KeyProvider},
    },
};

/// The name of the server that a request came to, in its extensions.
#[derive(Debug, Clone)]
pub(crate) struct ServerName(pub(crate) Arc<str>);

/// Names the principal on whose behalf a request came.
pub(crate) type Principal = dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync;

/// Tells the time.
type Clock = dyn Fn() -> SystemTime + Send + Sync;

/// What becomes of a tool whose client has gone, or cancelled its request.
///
/// Either way `RequestContext::ct` is cancelled, and a client that comes back with the same token makes the
/// tool go on from the same point, under the same idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnDisconnect {
    /// It runs on to its next question or its end, as it does without Saga: what it began it brings to an
    /// end, and one that is long looks at the request's `ct` itself. The default, since most tools were not
    /// written to be dropped at any `await`.
    #[default]
    RunOn,
    /// It is dropped at the `await` where it stands, as the protocol recommends (MCP 2026-07-28, basic/patterns/cancellation:
    /// "stop processing"). For tools that may be dropped at any `await`.
    StopAtNextAwait,
}

/// Keys, lifetime and limits of tokens.
///
/// ```
/// use std::time::Duration;
/// use saga_runtime::{Keyring, Settings};
///
/// let settings = Settings::new(Keyring::random()?)
///     .with_ttl(Duration::from_secs(600))
///     .with_max_token_bytes(16 * 1024)
///     .with_principal(|request| Some(request.client_info()?.name));
/// # Ok::<(), saga_runtime::KeyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Settings(Arc<Config>);

#[derive(Clone)]
pub(crate) struct Config {
    keys: Arc<dyn KeyProvider>,
    pub(crate) ttl: Duration,
    pub(crate) max_call_age: Duration,
    pub(crate) max_token_bytes: usize,
    pub(crate) audience: Option<Arc<str>>,
    pub(crate) only_asked_answers: bool,
    pub(crate) guarded: Option<Guarded>,
    pub(crate) on_disconnect: OnDisconnect,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    principal: Option<Arc<Principal>>,
    clock: Option<Arc<Clock>>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("keys", &self.keys.keys())
            .field("ttl", &self.ttl)
            .field("max_call_age", &self.max_call_age)
            .field("max_token_bytes", &self.max_token_bytes)
            .field("audience", &self.audience)
            .field("only_asked_answers", &self.only_asked_answers)
            .field("guarded", &self.guarded)
            .field("on_disconnect", &self.on_disconnect)
            .field("observer", &self.observer.is_some())
            .field("principal", &self.principal.is_some())
            .finish()
    }
}

impl Settings {
    /// These keys, tokens that live one hour and have at most 64 KiB, calls of at most 24 hours, and no
    /// principal.
    pub fn new(keys: Keyring) -> Self {
        Self::of(Arc::new(Arc::new(keys)))
    }

    fn of(keys: Arc<dyn KeyProvider>) -> Self {
        Self(Arc::new(Config {
            keys,
            ttl: Duration::from_secs(3600),
            max_call_age: Duration::from_secs(24 * 3600),
            max_token_bytes: 64 * 1024,
            audience: None,
            only_asked_answers: false,
            guarded: None,
            on_disconnect: OnDisconnect::default(),
            observer: None,
            principal: None,
            clock: None,
        }))
    }

    /// The keys as they are now.
    pub(crate) fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
        self.0.keys.keys()
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0
    }

    /// Those of a server that has none.
    #[cfg(feature = "testing")]
    pub(crate) fn shared(keys: &Arc<Keyring>) -> Self {
        Self::of(Arc::new(Arc::clone(keys)))
    }

    /// The same with other keys.
    #[cfg(feature = "testing")]
    pub(crate) fn with_keys(&self, keys: &Arc<Keyring>) -> Self {
        let keys: Arc<dyn KeyProvider> = Arc::new(Arc::clone(keys));
        self.clone().with(|config| config.keys = keys)
    }

    fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Keys that may change while the server runs.
    ///
    /// # Errors
    /// [`KeyError`] where the provider has none now.
    pub fn provided(keys: impl KeyProvider + 'static) -> Result<Self, KeyError> {
        keys.keys()?;
        Ok(Self::of(Arc::new(keys)))
    }

    /// The keys of the environment: of the variable `SAGA_KEYS` ([`EnvKeys`]), or of the file that `SAGA_KEYS_FILE`
    /// names ([`FileKeys`]). Without either, a random key, and a warning that tokens die with the process.
    ///
    /// # Errors
    /// [`KeyError`] where a variable is set and not right, or both are set.
    pub fn from_env() -> Result<Self, KeyError> {
        let file = provider::variable(FileKeys::VARIABLE)?;
        if file.is_some() && provider::variable(EnvKeys::VARIABLE)?.is_some() {
            return Err(KeyError::Both);
        }
        match (EnvKeys::read()?, file) {
            (Some(keys), _) => Self::provided(keys),
            (None, Some(file)) => Self::provided(FileKeys::new(file.as_str())?),
            (None, None) => {
                let why = "neither SAGA_KEYS nor SAGA_KEYS_FILE is set: continuation tokens are sealed with a random key and die with this process";
                tracing::warn!("{why}");
                unheard(&format!("saga: {why}"));
                Keyring::random().map(Self::new)
            }
        }
    }

    /// How long a question can be answered after it was put; whole seconds. Putting the same question
    /// again does not give it more time.
    #[must_use]
    pub fn with_ttl(self, ttl: Duration) -> Self {
        self.with(|config| config.ttl = ttl)
    }

    /// How long after its first question a call can go on at all, however many questions it has; whole
    /// seconds.
    #[must_use]
    pub fn with_max_call_age(self, age: Duration) -> Self {
        self.with(|config| config.max_call_age = age)
    }

    /// The largest token, in bytes as sent.
    #[must_use]
    pub fn with_max_token_bytes(self, bytes: usize) -> Self {
        self.with(|config| config.max_token_bytes = bytes)
    }

    /// Names the service: two services that share keys refuse each other's tokens. Behind a
    /// [`SagaServer`](crate::SagaServer) the default is the server's name.
    #[must_use]
    pub fn with_audience(self, name: impl Into<Arc<str>>) -> Self {
        self.with(|config| config.audience = Some(name.into()))
    }

    /// Lets no answer count for a question that was not put: answers that come with the first request of a
    /// call are ignored. Without it they count for its first round of questions (MCP 2026-07-28 lets a
    /// client send them), so a client that knows a tool can answer before the user was asked.
    #[must_use]
    pub fn only_asked_answers(self) -> Self {
        self.with(|config| config.only_asked_answers = true)
    }

    /// Tells `observer` what happens to calls.
    #[must_use]
    pub fn with_observer(self, observer: impl Observer + 'static) -> Self {
        self.with(|config| config.observer = Some(Arc::new(observer)))
    }

    /// What becomes of a tool whose client is gone.
    #[must_use]
    pub fn on_disconnect(self, then: OnDisconnect) -> Self {
        self.with(|config| config.on_disconnect = then)
    }

    /// Lets every answer count once: a token is consumed by the first presentation that carries an answer,
    /// and refused as `used` after that. What that promises, and what not: [`Guard`].
    #[must_use]
    pub fn with_guard(self, guard: impl Guard + 'static) -> Self {
        self.guarded(guard, false)
    }

    /// The same, for the tools, prompts and resources alone that say `#[saga(once)]`. Those are not served
    /// without a guard.
    #[must_use]
    pub fn with_guard_for_marked(self, guard: impl Guard + 'static) -> Self {
        self.guarded(guard, true)
    }

    fn guarded(self, guard: impl Guard + 'static, marked_only: bool) -> Self {
        let guard = Arc::new(guard);
        self.with(|config| config.guarded = Some(Guarded { guard, marked_only }))
    }

    /// Binds every token to the principal that this function names: another principal's request
    /// with the same token is refused. A request without a principal is a principal of its own.
    #[must_use]
    pub fn with_principal(
        self,
        principal: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.with(|config| config.principal = Some(Arc::new(principal)))
    }

    /// Tells the time by which tokens and time limits are judged, instead of the system's clock: for tests.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.with(|config| config.clock = Some(Arc::new(clock)))
    }

    pub(crate) fn now(&self) -> SystemTime {
        let clock = self.0.clock.as_ref();
        clock.map_or_else(SystemTime::now, |clock| clock())
    }

    /// Seals bytes of one's own as a token that opens only for the same `purpose`.
    ///
    /// ```
    /// use saga_runtime::{Keyring, Settings};
    ///
    /// let settings = Settings::new(Keyring::random()?);
    /// let token = settings.seal(&[b"invite", b"alice"], b"room 7")?;
    /// assert_eq!(settings.open(&[b"invite", b"alice"], &token)?, b"room 7");
    /// assert!(settings.open(&[b"invite", b"bob"], &token).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Store`] where the system has no randomness to give.
    pub fn seal(&self, purpose: &[&[u8]], body: &[u8]) -> Result<String, Error> {
        self.seal_for(purpose, body, self.0.ttl)
    }

    /// [`seal`](Self::seal) for longer or shorter than a token lives, in whole seconds.
    ///
    /// # Errors
    /// [`Error::Store`] where the system has no randomness to give.
    pub fn seal_for(&self, purpose: &[&[u8]], body: &[u8], ttl: Duration) -> Result<String, Error> {
        let binding = Binding::new(Domain::Author, purpose);
        let mut bytes = Vec::with_capacity(token::OVERHEAD + body.len());
        bytes.extend_from_slice(body);
        token::seal(&*self.keys()?, &binding, bytes, Times::new(self.now(), ttl))
    }

    /// Opens what [`Settings::seal`] sealed.
    ///
    /// # Errors
    /// [`Error::Token`] with the reason of the refusal.
    pub fn open(&self, purpose: &[&[u8]], token: &str) -> Result<Vec<u8>, Error> {
        let binding = Binding::new(Domain::Author, purpose);
        let opened = token::open(&*self.keys()?, &binding, token, self.now())?;
        Ok(opened.body)
    }

    /// Opens what was sealed with [`seal_for`](Self::seal_for), however long ago, and by whichever clock: for a record that ends by
    /// a time of its own.
    ///
    /// # Errors
    /// [`Error::Token`] with the reason of the refusal.
    pub fn open_of_any_age(&self, purpose: &[&[u8]], token: &str) -> Result<Vec<u8>, Error> {
        let binding = Binding::new(Domain::Author, purpose);
        let opened = token::open_of_any_age(&*self.keys()?, &binding, token)?;
        Ok(opened.body)
    }

    /// Whether this was sealed by the key that seals now. What was not is to be sealed again before its key is dropped.
    ///
    /// # Errors
    /// [`Error::Keys`] where the keys cannot be had.
    pub fn is_of_newest_key(&self, token: &str) -> Result<bool, Error> {
        Ok(token::is_newest(&*self.keys()?, token))
    }

    /// Makes these the settings of every tool in this process that is not behind a
    /// [`SagaServer`](crate::SagaServer). Returns `false`, and changes nothing, where settings are
    /// already in use.
    pub fn install(self) -> bool {
        INSTALLED.set(Ok(self)).is_ok()
    }

    pub(crate) fn principal(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        self.0
            .principal
            .as_ref()
            .and_then(|principal| principal(context))
    }

    /// The service whose tokens this request's are.
    pub(crate) fn audience(&self, context: &RequestContext<RoleServer>) -> Option<Arc<str>> {
        let server = || context.extensions.get::<ServerName>();
        let named = self.0.audience.clone();
        named.or_else(|| server().map(|server| Arc::clone(&server.0)))
    }

    /// The settings for this request: its server's, else the process's.
    pub(crate) fn of_request(context: &RequestContext<RoleServer>) -> Result<Self, KeyError> {
        #[cfg(feature = "testing")]
        if let Some(bench) = context.extensions.get::<crate::testing::Bench>() {
            let named = context.extensions.get::<Settings>();
            return Ok(named.map_or_else(|| bench.settings(), |named| bench.configured(named)));
        }
        match context.extensions.get::<Settings>() {
            Some(settings) => Ok(settings.clone()),
            None => INSTALLED.get_or_init(Self::from_env).clone(),
        }
    }
}

static INSTALLED: OnceLock<Result<Settings, KeyError>> = OnceLock::new();

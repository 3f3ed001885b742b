//! Configuration of a server's continuations.

use std::{
    fmt,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use rmcp::{RoleServer, service::RequestContext};

use crate::{
    error::Error,
    token::{
        self, Binding, Domain,
        keyring::{KeyError, Keyring},
    },
};

/// Names the principal on whose behalf a request came.
pub(crate) type Principal = dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync;

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
#[derive(Clone)]
pub struct Settings {
    pub(crate) keys: Arc<Keyring>,
    pub(crate) ttl: Duration,
    pub(crate) max_token_bytes: usize,
    principal: Option<Arc<Principal>>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("keys", &self.keys)
            .field("ttl", &self.ttl)
            .field("max_token_bytes", &self.max_token_bytes)
            .field("principal", &self.principal.is_some())
            .finish()
    }
}

impl Settings {
    /// These keys, tokens that live one hour and have at most 64 KiB, and no principal.
    pub fn new(keys: Keyring) -> Self {
        Self {
            keys: Arc::new(keys),
            ttl: Duration::from_secs(3600),
            max_token_bytes: 64 * 1024,
            principal: None,
        }
    }

    /// The keys of the environment variable `SAGA_KEYS` (see [`Keyring::parse`]). Without it, a
    /// random key, and a warning that tokens die with the process.
    ///
    /// # Errors
    /// [`KeyError`] where the variable is set and not of that form.
    pub fn from_env() -> Result<Self, KeyError> {
        match std::env::var("SAGA_KEYS") {
            Ok(text) => Keyring::parse(&text).map(Self::new),
            Err(_) => {
                tracing::warn!(
                    "SAGA_KEYS is not set: continuation tokens are sealed with a random key and die with this process"
                );
                Keyring::random().map(Self::new)
            }
        }
    }

    /// How long a token can be used after it was issued; whole seconds.
    #[must_use]
    pub fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// The largest token, in bytes as sent.
    #[must_use]
    pub fn with_max_token_bytes(mut self, bytes: usize) -> Self {
        self.max_token_bytes = bytes;
        self
    }

    /// Binds every token to the principal that this function names: another principal's request
    /// with the same token is refused. A request without a principal is a principal of its own.
    #[must_use]
    pub fn with_principal(
        mut self,
        principal: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.principal = Some(Arc::new(principal));
        self
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
        token::seal(
            &self.keys,
            &Binding::new(Domain::Author, purpose),
            body,
            SystemTime::now(),
            self.ttl,
        )
    }

    /// Opens what [`Settings::seal`] sealed.
    ///
    /// # Errors
    /// [`Error::Token`] with the reason of the refusal.
    pub fn open(&self, purpose: &[&[u8]], token: &str) -> Result<Vec<u8>, Error> {
        token::open(
            &self.keys,
            &Binding::new(Domain::Author, purpose),
            token,
            SystemTime::now(),
        )
    }

    /// Makes these the settings of every tool in this process that is not behind a
    /// [`SagaServer`](crate::SagaServer). Returns `false`, and changes nothing, where settings are
    /// already in use.
    pub fn install(self) -> bool {
        INSTALLED.set(Ok(self)).is_ok()
    }

    pub(crate) fn principal(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        self.principal
            .as_ref()
            .and_then(|principal| principal(context))
    }

    /// The settings for this request: its server's, else the process's.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Result<Self, KeyError> {
        match context.extensions.get::<Settings>() {
            Some(settings) => Ok(settings.clone()),
            None => INSTALLED.get_or_init(Self::from_env).clone(),
        }
    }
}

static INSTALLED: OnceLock<Result<Settings, KeyError>> = OnceLock::new();

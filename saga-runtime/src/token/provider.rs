//! Where keys come from: a list, the environment, a file that may change, or an author's key service.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use zeroize::Zeroizing;

use super::keyring::{KeyError, Keyring};
use crate::observe::unheard;

/// Provides the keys with which tokens are sealed and opened, for each of them: they may change while the server runs.
///
/// It is called in the middle of a request: fetch keys elsewhere, and hold them here.
///
/// ```
/// use std::sync::{Arc, RwLock};
/// use saga_runtime::{KeyError, KeyProvider, Keyring, Settings};
///
/// /// Keys that a task in the background renews from a key service.
/// struct Service(Arc<RwLock<Arc<Keyring>>>);
///
/// impl KeyProvider for Service {
///     fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
///         let keys = self.0.read().map_err(|_| KeyError::Empty)?;
///         Ok(Arc::clone(&keys))
///     }
/// }
///
/// let keys = Arc::new(Keyring::random()?);
/// let settings = Settings::provided(Service(Arc::new(RwLock::new(keys))))?;
/// # Ok::<(), KeyError>(())
/// ```
pub trait KeyProvider: Send + Sync {
    /// The keys as they are now.
    ///
    /// # Errors
    /// Where there are none: the request is answered with an internal error.
    fn keys(&self) -> Result<Arc<Keyring>, KeyError>;
}

/// Keys that stay.
impl KeyProvider for Arc<Keyring> {
    fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
        Ok(Self::clone(self))
    }
}

/// The keys of the environment variable `SAGA_KEYS`, as they were when the process first looked: see
/// [`Keyring::parse`].
///
/// Programs that the process starts inherit the variable; keep it from them with `Command::env_remove`, or use
/// [`FileKeys`]: to take it out of a running process's own environment is not safe in Rust.
#[derive(Debug, Clone)]
pub struct EnvKeys(Arc<Keyring>);

impl EnvKeys {
    /// The environment variable.
    pub const VARIABLE: &'static str = "SAGA_KEYS";

    /// Reads the variable; `None` where it is not set.
    ///
    /// # Errors
    /// [`KeyError`] where it is set and not of that form.
    pub fn read() -> Result<Option<Self>, KeyError> {
        let Some(text) = variable(Self::VARIABLE)? else {
            return Ok(None);
        };
        Keyring::parse(&text).map(|keys| Some(Self(Arc::new(keys))))
    }
}

impl KeyProvider for EnvKeys {
    fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
        self.0.keys()
    }
}

/// An environment variable.
pub(crate) fn variable(name: &'static str) -> Result<Option<Zeroizing<String>>, KeyError> {
    match std::env::var(name) {
        Ok(text) => Ok(Some(Zeroizing::new(text))),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(KeyError::NotUnicode(name)),
    }
}

/// The keys in a file of the form of `SAGA_KEYS`, with line breaks if you like. The file is checked for changes at most once a
/// second, so that keys are rotated without a restart; if it can no longer be read, or is malformed, the keys stay as
/// they were, and the log says so.
pub struct FileKeys {
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    keys: Arc<Keyring>,
    /// A digest of the file as it was: times and lengths do not tell one version from another.
    seen: Option<Seen>,
    looked: Instant,
}

type Seen = [u8; SHA256_OUTPUT_LEN];

const PAUSE: Duration = Duration::from_secs(1);

impl fmt::Debug for FileKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileKeys")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl FileKeys {
    /// The environment variable that names the file, for [`Settings::from_env`](crate::Settings::from_env).
    pub const VARIABLE: &'static str = "SAGA_KEYS_FILE";

    /// Reads the file.
    ///
    /// # Errors
    /// [`KeyError`] where it cannot be read, or is not of the form.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, KeyError> {
        let path = path.into();
        let text = read(&path)?;
        let (keys, seen) = (Arc::new(parse(&text)?), Some(seen(&text)));
        let looked = Instant::now();
        let state = State { keys, seen, looked };
        Ok(Self {
            path,
            state: Mutex::new(state),
        })
    }

    /// The keys at this time.
    fn at(&self, now: Instant) -> Arc<Keyring> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_duration_since(state.looked) >= PAUSE {
            state.looked = now;
            let text = read(&self.path);
            let now = text.as_ref().ok().map(|text| seen(text));
            if now != state.seen {
                state.seen = now;
                match text.and_then(|text| parse(&text)) {
                    Ok(keys) => {
                        state.keys = Arc::new(keys);
                        tracing::info!(keys = ?state.keys, "the file of keys was read again");
                    }
                    Err(error) => {
                        tracing::error!(%error, "the keys stay as they were");
                        unheard(&format!("saga: {error}; the keys stay as they were"));
                    }
                }
            }
        }
        Arc::clone(&state.keys)
    }
}

impl KeyProvider for FileKeys {
    fn keys(&self) -> Result<Arc<Keyring>, KeyError> {
        Ok(self.at(Instant::now()))
    }
}

/// The file's text; of a regular file, since another may never end.
fn read(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    let told = |why: &dyn fmt::Display| KeyError::File(format!("{}: {why}", path.display()));
    let failed = |error: std::io::Error| told(&error.kind());
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(told(&"it is no file"));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    Ok(Zeroizing::new(text))
}

fn parse(text: &str) -> Result<Keyring, KeyError> {
    // Some editors begin a file with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let entries = text.split([',', '\n']).map(str::trim);
    let entries: Vec<&str> = entries.filter(|entry| !entry.is_empty()).collect();
    if entries.is_empty() {
        return Err(KeyError::Empty);
    }
    Keyring::parse(&Zeroizing::new(entries.join(",")))
}

fn seen(text: &str) -> Seen {
    let mut seen = [0; SHA256_OUTPUT_LEN];
    seen.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    seen
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    fn entry(id: &str, digit: &str) -> String {
        format!("{id}:{}", digit.repeat(64))
    }

    #[test]
    #[cfg_attr(miri, ignore = "it needs files")]
    fn a_file_that_changes_is_read_again() {
        let directory = std::env::temp_dir().join(format!("saga-keys-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("keys");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let shown = |keys: Arc<Keyring>| format!("{keys:?}");
        write(&format!("{},\n{}\n", entry("b", "2"), entry("a", "1")));
        let keys = FileKeys::new(&path).unwrap();
        let begun = Instant::now();
        assert_eq!(shown(keys.at(begun)), r#"["b", "a"]"#);

        write(&format!("{},\n{}\n", entry("d", "3"), entry("a", "1")));
        let later = |seconds| begun + Duration::from_secs(seconds);
        assert_eq!(shown(keys.at(begun)), r#"["b", "a"]"#);
        assert_eq!(shown(keys.at(later(2))), r#"["d", "a"]"#);

        // What is no list of keys changes nothing, and neither does a file that is gone.
        write("half a li");
        assert_eq!(shown(keys.at(later(4))), r#"["d", "a"]"#);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(shown(keys.at(later(6))), r#"["d", "a"]"#);
        write(&entry("c", "4"));
        assert_eq!(shown(keys.at(later(8))), r#"["c"]"#);
        std::fs::remove_dir_all(&directory).unwrap();
        assert!(matches!(FileKeys::new(&path), Err(KeyError::File(_))));
    }
}

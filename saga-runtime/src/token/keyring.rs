//! The keys that seal and open tokens.

use std::{cell::RefCell, fmt};

use aws_lc_rs::{
    aead::{AES_256_GCM_SIV, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest::{SHA256, SHA256_OUTPUT_LEN, digest},
    error::Unspecified,
    rand,
};
use zeroize::Zeroizing;

/// Length of a key in bytes.
pub const KEY_LEN: usize = 32;

/// Length of the hash that names a key in a token.
pub(crate) const KEY_ID_LEN: usize = 4;

/// A set of named keys: the first one seals, all of them open. To rotate, put a new key behind the others everywhere, then in front,
/// and drop the old one when its last token has expired.
///
/// AES-256-GCM-SIV with random nonces: far more than 2^48 tokens may be sealed under one key, and a
/// repeated nonce reveals only that two tokens are equal (RFC 8452).
///
/// ```
/// use saga_runtime::Keyring;
///
/// let keys = Keyring::new("2026-11", [7; 32])?.and("2026-10", [3; 32])?;
/// let same = Keyring::parse(&format!("2026-11:{},2026-10:{}", "07".repeat(32), "03".repeat(32)))?;
/// assert_eq!(format!("{keys:?}"), format!("{same:?}"));
/// # Ok::<(), saga_runtime::KeyError>(())
/// ```
pub struct Keyring {
    keys: Vec<NamedKey>,
}

struct NamedKey {
    id: String,
    hash: [u8; KEY_ID_LEN],
    /// Tells two keys apart without keeping them.
    print: [u8; SHA256_OUTPUT_LEN],
    key: LessSafeKey,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.keys.iter().map(|key| &key.id))
            .finish()
    }
}

/// A key or a list of keys was refused.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// An entry is not of the form `id:64 hex digits`.
    #[error(
        "key {0} of the list of keys (`SAGA_KEYS`, or a file) is not of the form `id:64 hex digits`: `cargo saga keygen` makes one"
    )]
    Form(usize),
    /// An id is not 1 to 64 letters, digits, `-`, `_` or `.`, or it looks like a key. It is not quoted.
    #[error("the id of a key is 1 to 64 letters, digits, `-`, `_` or `.`, and no key itself")]
    Id,
    /// A key is all zeros.
    #[error("the key `{0}` is all zeros")]
    Zeros(String),
    /// One key is there under two ids.
    #[error("the key `{0}` is there under another id as well")]
    Same(String),
    /// The environment variable is set and not valid Unicode.
    #[error("`{0}` is not valid Unicode")]
    NotUnicode(&'static str),
    /// Both environment variables are set.
    #[error("`SAGA_KEYS` and `SAGA_KEYS_FILE` are both set")]
    Both,
    /// A file of keys cannot be read.
    #[error("the file of keys cannot be read: {0}")]
    File(String),
    /// Two keys have the same id (or, by chance of 2^-32, ids that tokens cannot tell apart).
    #[error("two keys are called `{0}`")]
    Duplicate(String),
    /// A list without a key.
    #[error("the list of keys is empty")]
    Empty,
    /// The system gave no random bytes.
    #[error("the system's random number generator failed")]
    Random,
}

/// The sentence: that is what `main` prints of an error that it returns.
impl fmt::Debug for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Keyring {
    /// A ring with one key, which seals.
    ///
    /// # Errors
    /// [`KeyError`] if the id is not valid, or the key is all zeros.
    pub fn new(id: impl Into<String>, key: [u8; KEY_LEN]) -> Result<Self, KeyError> {
        Self { keys: Vec::new() }.and(id, key)
    }

    /// The same ring with one more key that opens tokens.
    ///
    /// # Errors
    /// [`KeyError`] if the id or the key is not valid, or in the ring already.
    pub fn and(self, id: impl Into<String>, key: [u8; KEY_LEN]) -> Result<Self, KeyError> {
        let (id, key) = (id.into(), Zeroizing::new(key));
        let mut hash = [0; KEY_ID_LEN];
        hash.copy_from_slice(&digest(&SHA256, id.as_bytes()).as_ref()[..KEY_ID_LEN]);
        hash[0] = hash[0].max(NAMED);
        self.with(id, hash, &key)
    }

    fn with(
        mut self,
        id: String,
        hash: [u8; KEY_ID_LEN],
        key: &[u8; KEY_LEN],
    ) -> Result<Self, KeyError> {
        if !is_id(&id) {
            return Err(KeyError::Id);
        }
        if key.iter().all(|byte| *byte == 0) {
            return Err(KeyError::Zeros(id));
        }
        let mut print = [0; SHA256_OUTPUT_LEN];
        let marked = Zeroizing::new([b"saga key\0", &key[..]].concat());
        print.copy_from_slice(digest(&SHA256, &marked).as_ref());
        for other in &self.keys {
            if other.hash == hash {
                return Err(KeyError::Duplicate(id));
            }
            if other.print == print {
                return Err(KeyError::Same(id));
            }
        }
        let key = UnboundKey::new(&AES_256_GCM_SIV, key).map_err(|_| KeyError::Random)?;
        self.keys.push(NamedKey {
            id,
            hash,
            print,
            key: LessSafeKey::new(key),
        });
        Ok(self)
    }

    /// Reads the form of `SAGA_KEYS`: `id:64 hex digits`, comma-separated, the sealing key first.
    ///
    /// # Errors
    /// Names the entry that is not of that form; never quotes a key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut ring = Self { keys: Vec::new() };
        for (index, entry) in text.split(',').enumerate() {
            let (id, digits) = entry
                .trim()
                .split_once(':')
                .ok_or(KeyError::Form(index + 1))?;
            let key = hex(digits).ok_or(KeyError::Form(index + 1))?;
            ring = ring.and(id, *key)?;
        }
        Ok(ring)
    }

    /// A ring with one random key: its tokens die with the process, and any other one refuses them.
    ///
    /// # Errors
    /// [`KeyError::Random`] where the system has no randomness to give.
    pub fn random() -> Result<Self, KeyError> {
        let mut key = Zeroizing::new([0; KEY_LEN]);
        rand::fill(&mut *key).map_err(|_| KeyError::Random)?;
        let mut hash = [0; KEY_ID_LEN];
        rand::fill(&mut hash).map_err(|_| KeyError::Random)?;
        hash[0] = RANDOM;
        let [_, a, b, c] = hash;
        let id = format!("random-{a:02x}{b:02x}{c:02x}");
        Self { keys: Vec::new() }.with(id, hash, &key)
    }

    /// A new key in the form of `SAGA_KEYS`: `id:64 hex digits`.
    ///
    /// ```
    /// use saga_runtime::Keyring;
    ///
    /// let entry = Keyring::generate("2026-11")?;
    /// assert!(entry.starts_with("2026-11:"));
    /// Keyring::parse(&entry)?;
    /// # Ok::<(), saga_runtime::KeyError>(())
    /// ```
    ///
    /// # Errors
    /// [`KeyError::Id`] if the id is not valid, [`KeyError::Random`] if the system has no randomness.
    pub fn generate(id: &str) -> Result<String, KeyError> {
        if !is_id(id) {
            return Err(KeyError::Id);
        }
        let mut key = Zeroizing::new([0; KEY_LEN]);
        rand::fill(&mut *key).map_err(|_| KeyError::Random)?;
        let digits = key.iter().map(|byte| format!("{byte:02x}"));
        Ok(format!("{id}:{}", digits.collect::<String>()))
    }

    /// Encrypts in place: behind `at`, `bytes` has room for the nonce, and then what is to be sealed. The tag comes behind it.
    pub(crate) fn seal(&self, bytes: &mut Vec<u8>, at: usize, aad: &[u8]) -> Result<(), KeyError> {
        let sealing = self.keys.first().ok_or(KeyError::Empty)?;
        let (_, rest) = bytes.split_at_mut_checked(at).ok_or(KeyError::Random)?;
        let (nonce, plain) = rest
            .split_first_chunk_mut::<NONCE_LEN>()
            .ok_or(KeyError::Random)?;
        *nonce = random_nonce().map_err(|_| KeyError::Random)?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let tag = sealing
            .key
            .seal_in_place_separate_tag(nonce, Aad::from(aad), plain)
            .map_err(|_| KeyError::Random)?;
        bytes.extend_from_slice(tag.as_ref());
        Ok(())
    }

    /// The hash of the key that seals.
    pub(crate) fn sealing_key(&self) -> [u8; KEY_ID_LEN] {
        self.keys.first().map_or([0; KEY_ID_LEN], |key| key.hash)
    }

    /// The id of the key with that hash.
    #[cfg(feature = "inspect")]
    pub(crate) fn id_of(&self, hash: [u8; KEY_ID_LEN]) -> Option<&str> {
        let key = self.keys.iter().find(|key| key.hash == hash)?;
        Some(&key.id)
    }

    pub(crate) fn knows(&self, hash: [u8; KEY_ID_LEN]) -> bool {
        self.keys.iter().any(|key| key.hash == hash)
    }

    /// Decrypts in place what [`Keyring::seal`] made behind `at`, and takes the tag off; `None` where it does not authenticate.
    pub(crate) fn open(
        &self,
        hash: [u8; KEY_ID_LEN],
        bytes: &mut Vec<u8>,
        at: usize,
        aad: &[u8],
    ) -> Option<()> {
        let key = self.keys.iter().find(|key| key.hash == hash)?;
        let (_, rest) = bytes.split_at_mut_checked(at)?;
        let (nonce, sealed) = rest.split_first_chunk_mut::<NONCE_LEN>()?;
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let plain = key.key.open_in_place(nonce, Aad::from(aad), sealed).ok()?;
        let len = at + NONCE_LEN + plain.len();
        bytes.truncate(len);
        Some(())
    }
}

/// How many nonces are drawn at once.
const DRAWN: usize = 32;

/// Nonces that are nobody's yet. They are no secret, and one that is used twice (by a forked process, say) shows no more than that
/// two tokens are equal; drawing each by itself takes longer than sealing.
struct Nonces {
    drawn: [[u8; NONCE_LEN]; DRAWN],
    left: usize,
}

thread_local! {
    static NONCES: RefCell<Nonces> = const {
        RefCell::new(Nonces {
            drawn: [[0; NONCE_LEN]; DRAWN],
            left: 0,
        })
    };
}

/// A nonce that no other token has.
fn random_nonce() -> Result<[u8; NONCE_LEN], Unspecified> {
    NONCES.with_borrow_mut(|nonces| {
        if nonces.left == 0 {
            rand::fill(nonces.drawn.as_flattened_mut())?;
            nonces.left = DRAWN;
        }
        nonces.left -= 1;
        nonces.drawn.get(nonces.left).copied().ok_or(Unspecified)
    })
}

/// The first byte of the hash of a random key's id; those of named keys are greater.
const RANDOM: u8 = 0;
const NAMED: u8 = 1;

/// Whether a key with such a hash was random in the process that had it.
pub(crate) fn is_random(hash: [u8; KEY_ID_LEN]) -> bool {
    hash[0] == RANDOM
}

/// The longest id of a key, in bytes, and how many hex digits look like a key.
const MAX_ID: usize = 64;
const KEY_LIKE: usize = 32;

fn is_id(id: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let key_like = id.len() >= KEY_LIKE && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(allowed) && !key_like
}

fn hex(digits: &str) -> Option<Zeroizing<[u8; KEY_LEN]>> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * KEY_LEN {
        return None;
    }
    let mut key = Zeroizing::new([0; KEY_LEN]);
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        let [high, low] = pair else { return None };
        *byte = 16 * nibble(*high)? + nibble(*low)?;
    }
    Some(key)
}

fn nibble(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

//! The keys that seal and open tokens.

use std::fmt;

use aws_lc_rs::{
    aead::{AES_256_GCM_SIV, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    digest::{SHA256, digest},
    rand,
};

/// Length of a key in bytes.
pub const KEY_LEN: usize = 32;

/// Length of the hash that names a key in a token.
pub(crate) const KEY_ID_LEN: usize = 4;

/// A set of named keys: the first one seals, all of them open. To rotate, put a new key in front
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// An entry is not of the form `id:64 hex digits`.
    #[error("key {0} of SAGA_KEYS is not of the form `id:64 hex digits`")]
    Form(usize),
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

impl Keyring {
    /// A ring with one key, which seals.
    ///
    /// # Errors
    /// None today: every 32 bytes are a key. A `Result` so that a chain with [`Keyring::and`] reads evenly.
    pub fn new(id: impl Into<String>, key: [u8; KEY_LEN]) -> Result<Self, KeyError> {
        Self { keys: Vec::new() }.and(id, key)
    }

    /// The same ring with one more key that opens tokens.
    ///
    /// # Errors
    /// [`KeyError::Duplicate`] where the id is taken.
    pub fn and(mut self, id: impl Into<String>, key: [u8; KEY_LEN]) -> Result<Self, KeyError> {
        let id = id.into();
        let mut hash = [0; KEY_ID_LEN];
        hash.copy_from_slice(&digest(&SHA256, id.as_bytes()).as_ref()[..KEY_ID_LEN]);
        if self.keys.iter().any(|other| other.hash == hash) {
            return Err(KeyError::Duplicate(id));
        }
        let key = UnboundKey::new(&AES_256_GCM_SIV, &key).map_err(|_| KeyError::Random)?;
        self.keys.push(NamedKey {
            id,
            hash,
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
            let key = hex(digits).filter(|_| !id.is_empty());
            ring = ring.and(id, key.ok_or(KeyError::Form(index + 1))?)?;
        }
        Ok(ring)
    }

    /// A ring with one random key: its tokens die with the process.
    ///
    /// # Errors
    /// [`KeyError::Random`] where the system has no randomness to give.
    pub fn random() -> Result<Self, KeyError> {
        let mut key = [0; KEY_LEN];
        rand::fill(&mut key).map_err(|_| KeyError::Random)?;
        Self::new("random", key)
    }

    /// Encrypts `plain` and returns key hash, nonce and ciphertext with tag.
    pub(crate) fn seal(&self, mut plain: Vec<u8>, aad: &[u8]) -> Result<Sealed, KeyError> {
        let sealing = self.keys.first().ok_or(KeyError::Empty)?;
        let mut nonce = [0; NONCE_LEN];
        rand::fill(&mut nonce).map_err(|_| KeyError::Random)?;
        sealing
            .key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(aad),
                &mut plain,
            )
            .map_err(|_| KeyError::Random)?;
        Ok(Sealed {
            nonce,
            ciphertext: plain,
        })
    }

    /// The hash of the key that seals.
    pub(crate) fn sealing_key(&self) -> [u8; KEY_ID_LEN] {
        self.keys.first().map_or([0; KEY_ID_LEN], |key| key.hash)
    }

    pub(crate) fn knows(&self, hash: [u8; KEY_ID_LEN]) -> bool {
        self.keys.iter().any(|key| key.hash == hash)
    }

    /// Decrypts; `None` where the text does not authenticate.
    pub(crate) fn open(
        &self,
        hash: [u8; KEY_ID_LEN],
        mut sealed: Sealed,
        aad: &[u8],
    ) -> Option<Vec<u8>> {
        let key = self.keys.iter().find(|key| key.hash == hash)?;
        let nonce = Nonce::assume_unique_for_key(sealed.nonce);
        let plain = key
            .key
            .open_in_place(nonce, Aad::from(aad), &mut sealed.ciphertext)
            .ok()?
            .len();
        sealed.ciphertext.truncate(plain);
        Some(sealed.ciphertext)
    }
}

/// An encrypted token body.
pub(crate) struct Sealed {
    pub(crate) nonce: [u8; NONCE_LEN],
    pub(crate) ciphertext: Vec<u8>,
}

fn hex(digits: &str) -> Option<[u8; KEY_LEN]> {
    let digits = digits.as_bytes();
    if digits.len() != 2 * KEY_LEN {
        return None;
    }
    let mut key = [0; KEY_LEN];
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

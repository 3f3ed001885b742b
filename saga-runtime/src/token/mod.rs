//! The token: a sealed body, bound to what it may be used for.
//!
//! Base64url of: version (1 byte), key (4, a hash of the key's id), binding hint (2), nonce (12),
//! ciphertext with its tag (16). Everything before the nonce and the full binding digest are
//! associated data. The hint is the binding digest's first two bytes: it lets a refusal say
//! `mismatch` instead of `tampered`, and nothing is granted on its word.

pub(crate) mod keyring;
pub(crate) mod provider;
pub(crate) mod settings;

use std::{
    io::{self, Write as _},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use aws_lc_rs::{
    aead::NONCE_LEN,
    digest::{self, SHA256, SHA256_OUTPUT_LEN},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Number, Value};

use crate::{
    clock::seconds_of,
    error::{Error, Reason},
    token::keyring::{KEY_ID_LEN, Keyring},
};

const VERSION: u8 = 3;
/// The newest version that is not read any more.
const PAST: u8 = 2;
const HINT_LEN: usize = 2;
const HEADER_LEN: usize = 1 + KEY_ID_LEN + HINT_LEN;
const TIMES_LEN: usize = 8;
/// Members of an object that are put in order without memory for it.
const FEW: usize = 8;
/// How much later than ours the clock of another replica may be, in seconds.
const SKEW: u32 = 60;

/// Bytes that a token adds to its body, before base64.
pub(crate) const OVERHEAD: usize = HEADER_LEN + NONCE_LEN + 16 + TIMES_LEN;

/// Who sealed a token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Domain {
    /// A wire.
    Continuation,
    /// The outcome of a leg, in a guard.
    Outcome,
    /// An author, with [`Settings::seal`](crate::Settings::seal).
    Author,
}

/// What a token is bound to: it opens only where the same binding is presented.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binding([u8; SHA256_OUTPUT_LEN]);

impl Binding {
    /// A binding over parts that cannot run into each other, in a domain of their own: what an author
    /// seals is never taken for a continuation.
    pub(crate) fn new(domain: Domain, parts: &[&[u8]]) -> Self {
        Self::of(domain, parts, None)
    }

    /// The same, with the arguments of a call.
    ///
    /// It does not depend on the order of an object's members, nor on whether a whole number was
    /// written with a fraction: clients may parse and print arguments in between.
    pub(crate) fn of_call(parts: &[&[u8]], arguments: &Map<String, Value>) -> Self {
        Self::of(Domain::Continuation, parts, Some(arguments))
    }

    fn of(domain: Domain, parts: &[&[u8]], arguments: Option<&Map<String, Value>>) -> Self {
        let mut digest = Digested::new();
        digest.update(match domain {
            Domain::Continuation => b"continuation\0",
            Domain::Outcome => b"an outcome\0",
            Domain::Author => b"author's own\0",
        });
        for part in parts {
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        if let Some(arguments) = arguments {
            update_object(&mut digest, arguments);
        }
        Self(digest.finish())
    }

    /// The digest.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn hint(&self) -> [u8; HINT_LEN] {
        [self.0[0], self.0[1]]
    }

    fn associated(&self, header: &[u8; HEADER_LEN]) -> [u8; HEADER_LEN + SHA256_OUTPUT_LEN] {
        let mut data = [0; HEADER_LEN + SHA256_OUTPUT_LEN];
        let (head, digest) = data.split_at_mut(HEADER_LEN);
        head.copy_from_slice(header);
        digest.copy_from_slice(&self.0);
        data
    }
}

/// From when, and for how long, a token counts, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    /// Since 1970.
    pub(crate) issued: u32,
    pub(crate) ttl: u32,
}

impl Times {
    /// From `now` for `ttl`.
    pub(crate) fn new(now: SystemTime, ttl: Duration) -> Self {
        Self {
            issued: seconds_of(now),
            ttl: u32::try_from(ttl.as_secs()).unwrap_or(u32::MAX),
        }
    }

    /// How long it counts, in seconds.
    pub(crate) fn ttl(self) -> u32 {
        self.ttl
    }

    /// When it is over.
    pub(crate) fn until(self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(u64::from(self.issued) + u64::from(self.ttl))
    }

    fn check(self, now: SystemTime) -> Result<(), Error> {
        let now = seconds_of(now);
        if self.issued > now.saturating_add(SKEW) {
            let detail = format!("it is from the future, by {} s", self.issued - now);
            return Err(Error::token(Reason::Future, detail));
        }
        if u64::from(now) >= u64::from(self.issued) + u64::from(self.ttl) {
            return Err(Error::token(Reason::Expired, "its time is over"));
        }
        Ok(())
    }
}

/// What a token held.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) body: Vec<u8>,
    pub(crate) times: Times,
}

/// Seals `body` for that time.
pub(crate) fn seal(
    keys: &Keyring,
    binding: &Binding,
    body: Vec<u8>,
    times: Times,
) -> Result<String, Error> {
    let mut header = [VERSION; HEADER_LEN];
    header[1..=KEY_ID_LEN].copy_from_slice(&keys.sealing_key());
    header[1 + KEY_ID_LEN..].copy_from_slice(&binding.hint());
    let before = header.into_iter().chain([0; NONCE_LEN]);
    let before = before.chain(times.issued.to_le_bytes());
    // There is room for it in most bodies, as they are written.
    let mut bytes = body;
    bytes.reserve(OVERHEAD);
    bytes.splice(..0, before.chain(times.ttl.to_le_bytes()));
    keys.seal(&mut bytes, HEADER_LEN, &binding.associated(&header))
        .map_err(|error| Error::Store {
            variable: "the continuation".to_owned(),
            detail: error.to_string(),
        })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Opens a token that is presented with `binding` at `now`.
pub(crate) fn open(
    keys: &Keyring,
    binding: &Binding,
    token: &str,
    now: SystemTime,
) -> Result<Opened, Error> {
    let opened = open_of_any_age(keys, binding, token)?;
    opened.times.check(now)?;
    Ok(opened)
}

/// The hash of the key that a token says to be sealed with.
#[cfg(feature = "inspect")]
pub(crate) fn key_of(token: &str) -> Option<[u8; KEY_ID_LEN]> {
    let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
    bytes.get(1..=KEY_ID_LEN)?.try_into().ok()
}

/// Whether the key that seals now has sealed this, as far as its header says.
pub(crate) fn is_newest(keys: &Keyring, token: &str) -> bool {
    // The header's length in base64, and no bits of what follows.
    const HEAD: usize = HEADER_LEN.div_ceil(3) * 4;
    let head = token
        .get(..HEAD)
        .and_then(|head| URL_SAFE_NO_PAD.decode(head).ok());
    let key = head.as_ref().and_then(|head| head.get(1..=KEY_ID_LEN));
    key == Some(&keys.sealing_key())
}

/// The same, whatever its times.
pub(crate) fn open_of_any_age(
    keys: &Keyring,
    binding: &Binding,
    token: &str,
) -> Result<Opened, Error> {
    let mut bytes = URL_SAFE_NO_PAD
        .decode(token)
        .map_err(|_| Error::token(Reason::Malformed, "it is not base64url"))?;
    let short = || Error::token(Reason::Malformed, "it is too short");
    let header = bytes.first_chunk::<HEADER_LEN>().copied();
    let header = &header
        .filter(|_| bytes.len() >= HEADER_LEN + NONCE_LEN)
        .ok_or_else(short)?;
    let [version, k0, k1, k2, k3, h0, h1] = *header;
    if (1..=PAST).contains(&version) {
        let detail = "it is of an earlier version of Saga";
        return Err(Error::token(Reason::Stale, detail));
    }
    if version != VERSION {
        return Err(Error::token(Reason::Malformed, "it is of another version"));
    }
    let key = [k0, k1, k2, k3];
    if !keys.knows(key) {
        let detail = match keyring::is_random(key) {
            true => {
                "it was sealed by a process with a random key: set the same SAGA_KEYS everywhere"
            }
            false => "its key is not held here",
        };
        return Err(Error::token(Reason::UnknownKey, detail));
    }
    if [h0, h1] != binding.hint() {
        let detail = "it was issued for another tool, principal or set of arguments";
        return Err(Error::token(Reason::Mismatch, detail));
    }
    keys.open(key, &mut bytes, HEADER_LEN, &binding.associated(header))
        .ok_or_else(|| Error::token(Reason::Tampered, "it does not authenticate"))?;
    let plain = bytes.get(HEADER_LEN + NONCE_LEN..).unwrap_or_default();
    let times = plain.first_chunk::<TIMES_LEN>().ok_or_else(short)?;
    let [i0, i1, i2, i3, t0, t1, t2, t3] = *times;
    let times = Times {
        issued: u32::from_le_bytes([i0, i1, i2, i3]),
        ttl: u32::from_le_bytes([t0, t1, t2, t3]),
    };
    bytes.drain(..HEADER_LEN + NONCE_LEN + TIMES_LEN);
    Ok(Opened { body: bytes, times })
}

/// Bytes on their way into a digest.
///
/// What a call is bound to are many short texts, and nearly always few bytes altogether: they are digested at once, and each
/// text costs no call of the library. Of large arguments no copy is kept.
struct Digested {
    waiting: [u8; Self::ROOM],
    length: usize,
    before: Option<digest::Context>,
}

impl Digested {
    const ROOM: usize = 512;

    fn new() -> Self {
        Self {
            waiting: [0; Self::ROOM],
            length: 0,
            before: None,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        if let Some(room) = self.waiting.get_mut(self.length..end) {
            room.copy_from_slice(bytes);
            self.length = end;
            return;
        }
        let before = self.before.take();
        let mut before = before.unwrap_or_else(|| digest::Context::new(&SHA256));
        before.update(self.waiting());
        before.update(bytes);
        self.before = Some(before);
        self.length = 0;
    }

    fn waiting(&self) -> &[u8] {
        self.waiting.get(..self.length).unwrap_or_default()
    }

    fn finish(&mut self) -> [u8; SHA256_OUTPUT_LEN] {
        let digest = match self.before.take() {
            None => digest::digest(&SHA256, self.waiting()),
            Some(mut before) => {
                before.update(self.waiting());
                before.finish()
            }
        };
        let mut bytes = [0; SHA256_OUTPUT_LEN];
        bytes.copy_from_slice(digest.as_ref());
        bytes
    }
}

fn update_json(digest: &mut Digested, value: &Value) {
    match value {
        Value::Null => digest.update(b"n"),
        Value::Bool(true) => digest.update(b"t"),
        Value::Bool(false) => digest.update(b"f"),
        Value::Number(number) => update_number(digest, number),
        Value::String(text) => update_text(digest, b"s", text),
        Value::Array(items) => {
            update_len(digest, b"a", items.len());
            items.iter().for_each(|item| update_json(digest, item));
        }
        Value::Object(members) => update_object(digest, members),
    }
}

fn update_number(digest: &mut Digested, number: &Number) {
    let exact = || number.as_f64().and_then(whole).map(i128::from);
    let Some(whole) = number.as_i128().or_else(exact) else {
        return update_text(digest, b"#", &number.to_string());
    };
    // The longest `i128` has 40.
    let mut digits = io::Cursor::new([0; 40]);
    let written = write!(digits, "{whole}").map(|()| digits.position());
    let length = written.ok().and_then(|length| usize::try_from(length).ok());
    let digits = length.and_then(|length| digits.get_ref().get(..length));
    update_bytes(digest, b"#", digits.unwrap_or_default());
}

fn update_object(digest: &mut Digested, members: &Map<String, Value>) {
    update_len(digest, b"o", members.len());
    let mut few = [const { None }; FEW];
    let mut many = Vec::new();
    let sorted = match few.get_mut(..members.len()) {
        Some(few) => few,
        None => {
            many.resize(members.len(), None);
            many.as_mut_slice()
        }
    };
    for (place, one) in sorted.iter_mut().zip(members) {
        *place = Some(one);
    }
    sorted.sort_unstable_by_key(|one| one.map(|(name, _)| name));
    for (name, member) in sorted.iter().flatten() {
        update_text(digest, b"k", name);
        update_json(digest, member);
    }
}

fn update_len(digest: &mut Digested, tag: &[u8], len: usize) {
    digest.update(tag);
    digest.update(&(len as u64).to_le_bytes());
}

fn update_text(digest: &mut Digested, tag: &[u8], text: &str) {
    update_bytes(digest, tag, text.as_bytes());
}

fn update_bytes(digest: &mut Digested, tag: &[u8], bytes: &[u8]) {
    update_len(digest, tag, bytes.len());
    digest.update(bytes);
}

/// The whole number that a float stands for, where it is exact.
fn whole(float: f64) -> Option<i64> {
    let exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    #[allow(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and small"
    )]
    exact.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    /// A token is presented with the digest that another version of this made.
    #[test]
    #[cfg_attr(miri, ignore = "cryptography is not Rust's alone")]
    fn a_digest_is_that_of_all_bytes_in_a_row() {
        for lengths in [
            &[3, 509][..],
            &[3, 510],
            &[0, 512, 0, 1],
            &[600],
            &[200, 200, 200, 200, 200],
        ] {
            let mut digest = Digested::new();
            let mut all = Vec::new();
            for (byte, length) in (1..).zip(lengths) {
                let bytes = vec![byte; *length];
                digest.update(&bytes);
                all.extend(bytes);
            }
            let whole = digest::digest(&SHA256, &all);
            assert_eq!(digest.finish(), whole.as_ref(), "{lengths:?}");
        }
    }

    /// Beyond, a float stands for several.
    #[test]
    #[cfg_attr(miri, ignore = "cryptography is not Rust's alone")]
    fn a_whole_number_is_the_same_with_a_fraction_as_far_as_floats_count() {
        // Made here: whether serde_json reads the last digit of such a text is a feature of it.
        let of = |n: Value| Binding::of_call(&[], &Map::from_iter([("n".to_owned(), n)]));
        for (whole, fraction, same) in [
            (9_007_199_254_740_991, 9_007_199_254_740_991.0, true),
            (-9_007_199_254_740_991, -9_007_199_254_740_991.0, true),
            (9_007_199_254_740_992_i64, 9_007_199_254_740_992.0, false),
            (1, 1.5_f64, false),
        ] {
            assert_eq!(of(whole.into()) == of(fraction.into()), same, "{whole:?}");
        }
    }

    #[test]
    #[cfg(feature = "inspect")]
    #[cfg_attr(miri, ignore = "cryptography is not Rust's alone")]
    fn a_token_names_the_key_that_sealed_it() {
        let keys = Keyring::new("second", [2; 32]).unwrap();
        let binding = Binding::new(Domain::Author, &[]);
        let times = Times::new(SystemTime::now(), Duration::from_secs(60));
        let token = seal(&keys, &binding, Vec::new(), times).unwrap();
        let id = |keys: &Keyring| keys.id_of(key_of(&token).unwrap()).map(str::to_owned);
        let others = Keyring::new("first", [1; 32]).unwrap();
        assert_eq!(id(&others), None);
        let all = others.and("second", [2; 32]).unwrap();
        assert_eq!(id(&all).as_deref(), Some("second"));
        assert_eq!(key_of("AAAA"), None);
    }

    /// The hint is two bytes of the binding; the rest counts as well.
    #[test]
    #[cfg_attr(miri, ignore = "cryptography is not Rust's alone")]
    fn a_binding_of_the_same_hint_is_another_binding() {
        let binding =
            |number: u32| Binding::new(Domain::Continuation, &[&number.to_le_bytes() as &[u8]]);
        let first = binding(0);
        let mut others = (1..).map(binding);
        let twin = others.find(|other| other.hint() == first.hint()).unwrap();
        let keys = Keyring::new("first", [1; 32]).unwrap();
        let now = SystemTime::now();
        let times = Times::new(now, Duration::from_secs(60));
        let token = seal(&keys, &first, b"body".to_vec(), times).unwrap();
        assert_eq!(open(&keys, &first, &token, now).unwrap().body, b"body");
        let refused = open(&keys, &twin, &token, now).unwrap_err();
        assert_eq!(refused.reason(), Some(Reason::Tampered));
    }
}

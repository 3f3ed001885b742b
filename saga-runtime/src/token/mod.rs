//! The token: a sealed body, bound to what it may be used for.
//!
//! Base64url of: version (1 byte), key (4, a hash of the key's id), binding hint (2), nonce (12),
//! ciphertext with its tag (16). Everything before the nonce and the full binding digest are
//! associated data. The hint is the binding digest's first two bytes: it lets a refusal say
//! `mismatch` instead of `tampered`, and nothing is granted on its word.

pub(crate) mod keyring;
pub(crate) mod settings;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::{
    aead::NONCE_LEN,
    digest::{Context, SHA256, SHA256_OUTPUT_LEN, digest},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::{
    error::{Error, Reason},
    token::keyring::{KEY_ID_LEN, Keyring, Sealed},
};

const VERSION: u8 = 1;
const HINT_LEN: usize = 2;
const HEADER_LEN: usize = 1 + KEY_ID_LEN + HINT_LEN;
const TIMES_LEN: usize = 8;

/// Bytes that a token adds to its body, before base64.
pub(crate) const OVERHEAD: usize = HEADER_LEN + NONCE_LEN + 16 + TIMES_LEN;

/// Who sealed a token.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Domain {
    /// A wire.
    Continuation,
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
        let mut context = Context::new(&SHA256);
        context.update(match domain {
            Domain::Continuation => b"continuation\0",
            Domain::Author => b"author's own\0",
        });
        for part in parts {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part);
        }
        if let Some(arguments) = arguments {
            update_object(&mut context, arguments);
        }
        let mut bytes = [0; SHA256_OUTPUT_LEN];
        bytes.copy_from_slice(context.finish().as_ref());
        Self(bytes)
    }

    fn hint(&self) -> [u8; HINT_LEN] {
        [self.0[0], self.0[1]]
    }

    fn associated(&self, header: &[u8]) -> Vec<u8> {
        let mut data = Vec::with_capacity(header.len() + self.0.len());
        data.extend_from_slice(header);
        data.extend_from_slice(&self.0);
        data
    }
}

/// Seals `body` until `ttl` from `now`.
pub(crate) fn seal(
    keys: &Keyring,
    binding: &Binding,
    body: &[u8],
    now: SystemTime,
    ttl: Duration,
) -> Result<String, Error> {
    let mut header = [VERSION; HEADER_LEN];
    header[1..=KEY_ID_LEN].copy_from_slice(&keys.sealing_key());
    header[1 + KEY_ID_LEN..].copy_from_slice(&binding.hint());
    let mut plain = Vec::with_capacity(TIMES_LEN + body.len() + 16);
    plain.extend_from_slice(&seconds(now).to_le_bytes());
    let ttl = u32::try_from(ttl.as_secs()).unwrap_or(u32::MAX);
    plain.extend_from_slice(&ttl.to_le_bytes());
    plain.extend_from_slice(body);
    let sealed = keys
        .seal(plain, &binding.associated(&header))
        .map_err(|error| Error::Store {
            variable: "the continuation".to_owned(),
            detail: error.to_string(),
        })?;
    let mut bytes = Vec::with_capacity(HEADER_LEN + NONCE_LEN + sealed.ciphertext.len());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(&sealed.nonce);
    bytes.extend_from_slice(&sealed.ciphertext);
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Opens a token that is presented with `binding` at `now` and returns its body.
pub(crate) fn open(
    keys: &Keyring,
    binding: &Binding,
    token: &str,
    now: SystemTime,
) -> Result<Vec<u8>, Error> {
    let bytes = URL_SAFE_NO_PAD
        .decode(token)
        .map_err(|_| Error::token(Reason::Malformed, "it is not base64url"))?;
    let short = || Error::token(Reason::Malformed, "it is too short");
    let (header, rest) = bytes.split_first_chunk::<HEADER_LEN>().ok_or_else(short)?;
    let (nonce, ciphertext) = rest.split_first_chunk::<NONCE_LEN>().ok_or_else(short)?;
    let [version, k0, k1, k2, k3, h0, h1] = *header;
    if version != VERSION {
        return Err(Error::token(Reason::Malformed, "it is of another version"));
    }
    let key = [k0, k1, k2, k3];
    if !keys.knows(key) {
        return Err(Error::token(Reason::UnknownKey, "its key is not held here"));
    }
    if [h0, h1] != binding.hint() {
        let detail = "it was issued for another tool, principal or set of arguments";
        return Err(Error::token(Reason::Mismatch, detail));
    }
    let sealed = Sealed {
        nonce: *nonce,
        ciphertext: ciphertext.to_vec(),
    };
    let mut plain = keys
        .open(key, sealed, &binding.associated(header))
        .ok_or_else(|| Error::token(Reason::Tampered, "it does not authenticate"))?;
    let (times, _) = plain.split_first_chunk::<TIMES_LEN>().ok_or_else(short)?;
    let [i0, i1, i2, i3, t0, t1, t2, t3] = *times;
    let issued = u32::from_le_bytes([i0, i1, i2, i3]);
    let ttl = u32::from_le_bytes([t0, t1, t2, t3]);
    if u64::from(seconds(now)) >= u64::from(issued) + u64::from(ttl) {
        return Err(Error::token(Reason::Expired, "its time is over"));
    }
    Ok(plain.split_off(TIMES_LEN))
}

/// A name for the work that goes on from this token: the same token gives the same name.
pub(crate) fn idempotency_key(token: &str) -> String {
    let hash = digest(&SHA256, token.as_bytes());
    URL_SAFE_NO_PAD.encode(&hash.as_ref()[..18])
}

/// A name for the work of a first call, which has no token.
pub(crate) fn random_key() -> String {
    let mut bytes = [0; 18];
    // Without randomness sealing fails too; an empty name only means that nothing can be told apart.
    match aws_lc_rs::rand::fill(&mut bytes) {
        Ok(()) => URL_SAFE_NO_PAD.encode(bytes),
        Err(_) => String::new(),
    }
}

/// Seconds since 1970, good until 2106.
fn seconds(time: SystemTime) -> u32 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs()).unwrap_or(u32::MAX)
}

fn update_json(context: &mut Context, value: &Value) {
    match value {
        Value::Null => context.update(b"n"),
        Value::Bool(true) => context.update(b"t"),
        Value::Bool(false) => context.update(b"f"),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|_| number.is_f64()).and_then(whole);
            let text = whole.map_or_else(|| number.to_string(), |whole| whole.to_string());
            update_text(context, b"#", &text);
        }
        Value::String(text) => update_text(context, b"s", text),
        Value::Array(items) => {
            update_len(context, b"a", items.len());
            items.iter().for_each(|item| update_json(context, item));
        }
        Value::Object(members) => update_object(context, members),
    }
}

fn update_object(context: &mut Context, members: &Map<String, Value>) {
    update_len(context, b"o", members.len());
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    for (name, member) in sorted {
        update_text(context, b"k", name);
        update_json(context, member);
    }
}

fn update_len(context: &mut Context, tag: &[u8], len: usize) {
    context.update(tag);
    context.update(&(len as u64).to_le_bytes());
}

fn update_text(context: &mut Context, tag: &[u8], text: &str) {
    update_len(context, tag, text.len());
    context.update(text.as_bytes());
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

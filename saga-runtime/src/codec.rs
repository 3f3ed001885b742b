//! Values to bytes and back: MessagePack with named fields, bounded in depth.
//!
//! The format describes itself, so `serde_json::Value`, flattened and untagged types work. Structs
//! are written as maps because a field that is skipped would shift the fields of an array.

use rmp_serde::{Deserializer, Serializer};
use serde::{Serialize, de::DeserializeOwned};

/// Nesting that a token may have; below `serde_json`'s own limit of 128, and far from a stack overflow.
pub(crate) const MAX_DEPTH: usize = 120;

/// A value could not be encoded or decoded.
pub(crate) type Failure = String;

pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Failure> {
    let start = out.len();
    let mut serializer = Serializer::new(&mut *out).with_struct_map();
    serializer.unstable_set_max_depth(MAX_DEPTH);
    value
        .serialize(&mut serializer)
        .inspect_err(|_| out.truncate(start))
        .map_err(|error| error.to_string())
}

/// Decodes the value at the front of `input` and moves `input` past it.
pub(crate) fn decode_next<T: DeserializeOwned>(input: &mut &[u8]) -> Result<T, Failure> {
    let mut deserializer = Deserializer::new(&mut *input);
    deserializer.set_max_depth(MAX_DEPTH);
    T::deserialize(&mut deserializer).map_err(|error| error.to_string())
}

/// Decodes exactly one value.
pub(crate) fn decode<T: DeserializeOwned>(mut input: &[u8]) -> Result<T, Failure> {
    let value = decode_next(&mut input)?;
    if input.is_empty() {
        Ok(value)
    } else {
        Err(format!("{} bytes too many", input.len()))
    }
}

/// Encodes this crate's own types, whose fields are all present and in order, without names.
pub(crate) fn encode_compact<T: Serialize>(value: &T) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let mut serializer = Serializer::new(&mut out);
    serializer.unstable_set_max_depth(MAX_DEPTH);
    value
        .serialize(&mut serializer)
        .map_err(|error| error.to_string())?;
    Ok(out)
}

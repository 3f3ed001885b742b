//! Values to bytes and back: MessagePack with named fields, bounded in depth.
//!
//! The format describes itself, so `serde_json::Value`, flattened and untagged types work. Structs
//! are written as maps because a field that is skipped would shift the fields of an array. Like JSON
//! and CBOR, MessagePack cannot tell `Some(None)` and `Some(())` from `None`; an extension does.

mod decode;
mod encode;
mod front;
mod order;
mod sharing;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use rmp_serde::{
    Serializer,
    config::{DefaultConfig, StructMapConfig},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub use decode::Error as ReadError;
use decode::Lender;
pub use encode::Error as WriteError;
use encode::{Around, Encoder, Wrapped};
pub use front::Front as Source;
pub(crate) use order::{beside_hash_tables, has_ordered_maps};

/// Nesting that is written: what `serde_json` reads (128 levels), and the types around it.
pub(crate) const MAX_DEPTH: usize = 144;

/// Nesting that is read: a little more, for types that read through one of another shape. Far from a
/// stack overflow.
const MAX_READ_DEPTH: usize = MAX_DEPTH + 16;

/// A value could not be encoded or decoded.
pub(crate) type Failure = String;

/// What is written to.
type Writer<'o> = Serializer<&'o mut Vec<u8>, StructMapConfig<DefaultConfig>>;

/// Where a value is written: what a module named in `#[saga(with = …)]` serializes into.
pub type Sink<'s, 'o> = Encoder<&'s mut Writer<'o>>;

/// Appends `value`, or nothing where it fails.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), Failure> {
    encode_in(out, |serializer| {
        Wrapped::around(value, Around::default()).serialize(serializer)
    })
}

/// The same of a value to which others may refer.
pub(crate) fn encode_shared<T: Serialize + ?Sized>(
    value: &T,
    out: &mut Vec<u8>,
) -> Result<(), Failure> {
    encode_in(out, |serializer| {
        Wrapped::around(value, Around::shared()).serialize(serializer)
    })
}

/// Appends what `write` writes, or nothing where it fails.
pub(crate) fn encode_with(
    out: &mut Vec<u8>,
    write: impl FnOnce(Sink<'_, '_>) -> Result<(), encode::Error>,
) -> Result<(), Failure> {
    encode_in(out, |serializer| write(Encoder::new(serializer)))
}

fn encode_in(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), encode::Error>,
) -> Result<(), Failure> {
    let start = out.len();
    let mut serializer = Serializer::new(&mut *out).with_struct_map();
    let result = write(&mut serializer);
    result.map_err(|error| {
        out.truncate(start);
        error.to_string()
    })
}

/// Decodes the value at the front of `input` and moves `input` past it.
pub(crate) fn decode_next<'i, T: Deserialize<'i>>(input: &mut &'i [u8]) -> Result<T, Failure> {
    decode_with(input, |source| T::deserialize(source))
}

/// The same, as `read` reads it.
pub(crate) fn decode_with<'i, T>(
    input: &mut &'i [u8],
    read: impl FnOnce(Source<'_, 'i>) -> Result<T, decode::Error>,
) -> Result<T, Failure> {
    let lender = Lender::Bytes(input);
    let (value, read) = decode_from(input, lender, read)?;
    *input = input.get(read..).unwrap_or_default();
    Ok(value)
}

/// Decodes the value at the front of `input`, and moves `input` past it. What it borrows comes from `intern`.
pub(crate) fn decode_interned<'i, T: Deserialize<'i>>(
    input: &mut &[u8],
    intern: fn(&[u8]) -> &'i [u8],
) -> Result<T, Failure> {
    let lender = Lender::Interned(intern);
    let (value, read) = decode_from(input, lender, |source| T::deserialize(source))?;
    *input = input.get(read..).unwrap_or_default();
    Ok(value)
}

/// Decodes the value at the front of `input`, and moves `input` past it. It cannot borrow.
pub(crate) fn decode_copied<'i, T: Deserialize<'i>>(input: &mut &[u8]) -> Result<T, Failure> {
    let (value, read) = decode_from(input, Lender::Nobody, |source| T::deserialize(source))?;
    *input = input.get(read..).unwrap_or_default();
    Ok(value)
}

/// The value, and how many bytes it takes.
fn decode_from<'i, T>(
    input: &[u8],
    lender: Lender<'i>,
    read: impl FnOnce(Source<'_, 'i>) -> Result<T, decode::Error>,
) -> Result<(T, usize), Failure> {
    let position = Cell::new(0);
    let source = Source::of(input, &position, lender);
    let value = read(source).map_err(|error| error.to_string())?;
    Ok((value, position.get()))
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

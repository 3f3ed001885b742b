//! What stands at the front of a frame: numbers, texts, lists and maps, without a reader; everything else by rmp-serde, whose reader
//! takes memory for each value.

use std::cell::Cell;

use rmp_serde::{Deserializer as Reader, decode::ReadReader};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{
    MAX_READ_DEPTH,
    decode::{Decoder, Error, Input, Lender},
};

/// Reads one value.
#[derive(Debug, Clone, Copy)]
pub struct Front<'c, 'i> {
    input: Input<'c, 'i>,
    /// How many more levels may stand inside this one.
    levels: usize,
}

/// A value, or how many there are in it.
enum Head<'c> {
    Unit,
    Bool(bool),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Text(&'c str),
    List(u32),
    Map(u32),
}

impl<'c> Head<'c> {
    /// What these bytes begin with, and what is behind it.
    fn read(bytes: &'c [u8]) -> Option<(Self, &'c [u8])> {
        macro_rules! number {
            ($rest:ident, $variant:ident, $ty:ty) => {{
                let (bytes, rest) = $rest.split_first_chunk()?;
                (Self::$variant(<$ty>::from_be_bytes(*bytes)), rest)
            }};
        }
        let (marker, rest) = bytes.split_first()?;
        let (length, rest) = match *marker {
            0xc0 => return Some((Self::Unit, rest)),
            0xc2 => return Some((Self::Bool(false), rest)),
            0xc3 => return Some((Self::Bool(true), rest)),
            small @ 0..=0x7f => return Some((Self::U8(small), rest)),
            small @ 0xe0.. => return Some((Self::I8(i8::from_be_bytes([small])), rest)),
            0xca => return Some(number!(rest, F32, f32)),
            0xcb => return Some(number!(rest, F64, f64)),
            0xcc => return Some(number!(rest, U8, u8)),
            0xcd => return Some(number!(rest, U16, u16)),
            0xce => return Some(number!(rest, U32, u32)),
            0xcf => return Some(number!(rest, U64, u64)),
            0xd0 => return Some(number!(rest, I8, i8)),
            0xd1 => return Some(number!(rest, I16, i16)),
            0xd2 => return Some(number!(rest, I32, i32)),
            0xd3 => return Some(number!(rest, I64, i64)),
            few @ 0x80..=0x8f => return Some((Self::Map(u32::from(few & 0xf)), rest)),
            few @ 0x90..=0x9f => return Some((Self::List(u32::from(few & 0xf)), rest)),
            short @ 0xa0..=0xbf => (u32::from(short & 0x1f), rest),
            0xd9 => {
                let ([length], rest) = rest.split_first_chunk()?;
                (u32::from(*length), rest)
            }
            0xda => {
                let (length, rest) = rest.split_first_chunk()?;
                (u32::from(u16::from_be_bytes(*length)), rest)
            }
            0xdb => {
                let (length, rest) = rest.split_first_chunk()?;
                (u32::from_be_bytes(*length), rest)
            }
            0xdc | 0xde => {
                let (length, rest) = rest.split_first_chunk()?;
                let length = u32::from(u16::from_be_bytes(*length));
                return Some((Self::many(*marker == 0xde, length), rest));
            }
            0xdd | 0xdf => {
                let (length, rest) = rest.split_first_chunk()?;
                let length = u32::from_be_bytes(*length);
                return Some((Self::many(*marker == 0xdf, length), rest));
            }
            _ => return None,
        };
        let (text, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        Some((Self::Text(str::from_utf8(text).ok()?), rest))
    }
}

impl Head<'_> {
    fn many(map: bool, length: u32) -> Self {
        match map {
            true => Self::Map(length),
            false => Self::List(length),
        }
    }
}

impl<'c, 'i> Front<'c, 'i> {
    pub(super) fn of(bytes: &'c [u8], read: &'c Cell<usize>, lender: Lender<'i>) -> Self {
        Self {
            input: Input {
                bytes,
                read,
                lender,
            },
            levels: MAX_READ_DEPTH,
        }
    }

    fn left(&self) -> &'c [u8] {
        let left = self.input.bytes.get(self.input.read.get()..);
        left.unwrap_or_default()
    }

    /// Goes on with what is left.
    fn pass_to(&self, rest: &[u8]) {
        let all = self.input.bytes.len();
        self.input.read.set(all.saturating_sub(rest.len()));
    }

    fn one_level_down(mut self) -> Result<Self, Error> {
        let too_deep = || Error::Syntax("it is nested too deeply".to_owned());
        self.levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
        Ok(self)
    }

    /// By rmp-serde.
    fn by_reader<T>(
        self,
        read: impl FnOnce(Decoder<'c, 'i, &mut Reader<ReadReader<Input<'c, 'i>>>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut reader = Reader::new(self.input);
        // The decoder counts; an enum would count twice here.
        reader.set_max_depth(4 * MAX_READ_DEPTH);
        read(Decoder {
            inner: &mut reader,
            input: self.input,
            levels: self.levels,
            owned: false,
        })
    }

    /// What is there, where that needs no reader; `owned` says that nothing is to be lent.
    fn value<V: Visitor<'i>>(
        self,
        owned: bool,
        visitor: V,
        by_reader: impl FnOnce(Self, V) -> Result<V::Value, Error>,
    ) -> Result<V::Value, Error> {
        let Some((head, rest)) = Head::read(self.left()) else {
            return by_reader(self, visitor);
        };
        let inside = self.one_level_down()?;
        self.pass_to(rest);
        match head {
            Head::Unit => visitor.visit_unit(),
            Head::Bool(value) => visitor.visit_bool(value),
            Head::U8(value) => visitor.visit_u8(value),
            Head::U16(value) => visitor.visit_u16(value),
            Head::U32(value) => visitor.visit_u32(value),
            Head::U64(value) => visitor.visit_u64(value),
            Head::I8(value) => visitor.visit_i8(value),
            Head::I16(value) => visitor.visit_i16(value),
            Head::I32(value) => visitor.visit_i32(value),
            Head::I64(value) => visitor.visit_i64(value),
            Head::F32(value) => visitor.visit_f32(value),
            Head::F64(value) => visitor.visit_f64(value),
            Head::Text(text) => match self.input.lent_text(text, owned) {
                Some(lent) => visitor.visit_borrowed_str(lent),
                None => visitor.visit_str(text),
            },
            Head::List(length) => Items::read(inside, length, |items| visitor.visit_seq(items)),
            Head::Map(length) => Items::read(inside, length, |items| visitor.visit_map(items)),
        }
    }
}

/// The items of a list, or the entries of a map.
struct Items<'c, 'i> {
    front: Front<'c, 'i>,
    left: u32,
}

impl<'c, 'i> Items<'c, 'i> {
    /// Reads so many of them, all.
    fn read<T>(
        front: Front<'c, 'i>,
        length: u32,
        visit: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut items = Self {
            front,
            left: length,
        };
        let value = visit(&mut items)?;
        match items.left {
            0 => Ok(value),
            left => Err(Error::LengthMismatch(length - left)),
        }
    }

    fn next<S: DeserializeSeed<'i>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(None);
        };
        self.left = left;
        seed.deserialize(self.front).map(Some)
    }
}

impl<'i> SeqAccess<'i> for Items<'_, 'i> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'i>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.next(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

impl<'i> MapAccess<'i> for Items<'_, 'i> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'i>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.next(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'i>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.front)
    }

    fn size_hint(&self) -> Option<usize> {
        usize::try_from(self.left).ok()
    }
}

macro_rules! values {
    ($owned:literal: $($method:ident($($name:ident: $ty:ty),*))*) => {
        $(fn $method<V: Visitor<'i>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, Error> {
            self.value($owned, visitor, |this, visitor| {
                this.by_reader(|decoder| decoder.$method($($name,)* visitor))
            })
        })*
    };
}

macro_rules! others {
    ($($method:ident($($name:ident: $ty:ty),*))*) => {
        $(fn $method<V: Visitor<'i>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, Error> {
            self.by_reader(|decoder| decoder.$method($($name,)* visitor))
        })*
    };
}

impl<'i> Deserializer<'i> for Front<'_, 'i> {
    type Error = Error;

    values! { true: deserialize_string() deserialize_identifier() }

    values! { false:
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_f32() deserialize_f64()
        deserialize_char() deserialize_str() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
    }

    others! {
        deserialize_i128() deserialize_u128() deserialize_bytes() deserialize_byte_buf() deserialize_ignored_any()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    /// One is written as a list of nothing, or as nothing.
    fn deserialize_unit_struct<V: Visitor<'i>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match Head::read(self.left()) {
            Some((Head::List(0) | Head::Unit, rest)) => {
                self.one_level_down()?.pass_to(rest);
                visitor.visit_unit()
            }
            _ => self.by_reader(|decoder| decoder.deserialize_unit_struct(name, visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'i>>(self, visitor: V) -> Result<V::Value, Error> {
        match Head::read(self.left()) {
            Some((Head::Unit, rest)) => {
                self.one_level_down()?.pass_to(rest);
                visitor.visit_none()
            }
            Some(_) => visitor.visit_some(self.one_level_down()?),
            None => self.by_reader(|decoder| decoder.deserialize_option(visitor)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'i>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self.one_level_down()?)
    }

    fn is_human_readable(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::{collections::BTreeMap, fmt::Debug};

    use serde::{Deserialize, Serialize, de::DeserializeOwned};
    use serde_json::{Value, json};

    use super::*;
    use crate::codec::encode;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Unit;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Dot,
        Line(f32, Option<char>),
        Box { sides: [i128; 2] },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Loose {
        Many(Vec<Loose>),
        Text(String),
        Number(i64),
        Named(BTreeMap<String, Loose>),
        Nothing,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct All {
        unit: Unit,
        none: Option<()>,
        nested: Option<Option<Option<u8>>>,
        shapes: Vec<Shape>,
        bytes: serde_bytes::ByteBuf,
        rest: (bool, i8, u64, String),
        loose: Loose,
    }

    /// What is read of the bytes, and how many those are; nothing where they are not such a value.
    fn read<T: DeserializeOwned>(bytes: &[u8], by_reader: bool) -> Option<(T, usize)> {
        let position = Cell::new(0);
        let front = Front::of(bytes, &position, Lender::Bytes(bytes));
        let value = match by_reader {
            true => front.by_reader(|decoder| T::deserialize(decoder)),
            false => T::deserialize(front),
        };
        Some((value.ok()?, position.get()))
    }

    fn agrees<T: DeserializeOwned + Debug>(bytes: &[u8]) {
        // A number may be none.
        let shown = |by_reader| format!("{:?}", read::<T>(bytes, by_reader));
        assert_eq!(shown(false), shown(true), "{bytes:?}");
    }

    fn all_agree(bytes: &[u8]) {
        agrees::<Value>(bytes);
        agrees::<All>(bytes);
        agrees::<Loose>(bytes);
        agrees::<Vec<Shape>>(bytes);
        agrees::<Option<Option<String>>>(bytes);
        agrees::<(Option<i64>, BTreeMap<String, f64>)>(bytes);
    }

    #[test]
    fn it_reads_what_the_library_reads() {
        let nested = [None, Some(None), Some(Some(None)), Some(Some(Some(7)))];
        let numbers = json!([
            0,
            127,
            128,
            255,
            65535,
            65536,
            u64::MAX,
            -1,
            -32,
            -33,
            -129,
            -32769,
            i64::MIN,
            1.5,
            null,
            true
        ]);
        let texts = [0, 1, 31, 32, 255, 256, 65536].map(|length| "ä".repeat(length));
        let lists = json!({"few": vec![0; 15], "more": vec![0; 16], "many": vec![false; 65536]});
        let mut written = Vec::new();
        for nested in nested {
            let all = All {
                unit: Unit,
                none: Some(()),
                nested,
                shapes: vec![
                    Shape::Dot,
                    Shape::Line(0.1, None),
                    Shape::Box {
                        sides: [i128::MIN, 0],
                    },
                ],
                bytes: serde_bytes::ByteBuf::from([0xd4, 0, 1]),
                rest: (true, -1, 1 << 40, "text".to_owned()),
                loose: Loose::Many(vec![
                    Loose::Nothing,
                    Loose::Text(String::new()),
                    Loose::Number(-5),
                ]),
            };
            let mut bytes = Vec::new();
            encode(&all, &mut bytes).unwrap();
            assert_eq!(read::<All>(&bytes, false), Some((all, bytes.len())));
            written.push(bytes);
        }
        for value in [
            numbers,
            json!(texts),
            lists,
            json!({"a": {"b": [{}, [], ""]}}),
        ] {
            let mut bytes = Vec::new();
            encode(&value, &mut bytes).unwrap();
            all_agree(&bytes);
            written.push(bytes);
        }
        for bytes in written {
            all_agree(&bytes);
            // Cut short, and with each of the first bytes changed to every other.
            let first = bytes.len().min(100);
            (0..first).for_each(|length| all_agree(&bytes[..length]));
            if bytes.len() > 1000 {
                continue;
            }
            for at in 0..first {
                for other in (0..=u8::MAX).step_by(3) {
                    let mut changed = bytes.clone();
                    changed[at] = other;
                    all_agree(&changed);
                }
            }
        }
    }
}

//! Decoding: rmp-serde, and the extension that stands for nothing inside `Some`.

use std::{cell::Cell, fmt, io};

use serde::{
    de::{
        self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess,
        VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

pub use rmp_serde::decode::Error;

/// The bytes of a frame and how far they were read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'c, 'i> {
    pub(super) bytes: &'c [u8],
    pub(super) read: &'c Cell<usize>,
    pub(super) lender: Lender<'i>,
}

/// Where borrowed texts and bytes come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lender<'i> {
    /// The bytes that are read.
    Bytes(&'i [u8]),
    /// A copy that lives as long as it is borrowed, each once.
    Interned(fn(&[u8]) -> &'i [u8]),
    /// Nothing can be borrowed.
    Nobody,
}

impl io::Read for Input<'_, '_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.bytes.get(self.read.get()..).unwrap_or_default();
        let count = io::Read::read(&mut rest, out)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

/// MessagePack's marker of an extension of one byte.
const ONE_BYTE_EXTENSION: u8 = 0xd4;

impl<'i> Input<'_, 'i> {
    /// The last bytes that were read, where they are these, for as long as something may borrow them.
    fn lent(self, bytes: &[u8], owned: bool) -> Option<&'i [u8]> {
        match self.lender {
            Lender::Bytes(all) => {
                let end = self.read.get();
                let start = end.checked_sub(bytes.len())?;
                all.get(start..end).filter(|last| *last == bytes)
            }
            Lender::Interned(_) if owned => None,
            Lender::Nobody => None,
            Lender::Interned(intern) => Some(intern(bytes)),
        }
    }

    /// The same of a text.
    pub(super) fn lent_text(self, text: &str, owned: bool) -> Option<&'i str> {
        let last = self.lent(text.as_bytes(), owned)?;
        str::from_utf8(last).ok()
    }

    /// Whether the marker that was read last is the extension's. rmp-serde reads a marker before it
    /// says that an option has a value.
    fn at_extension(self) -> bool {
        let last = self
            .read
            .get()
            .checked_sub(1)
            .and_then(|last| self.bytes.get(last));
        last == Some(&ONE_BYTE_EXTENSION)
    }
}

/// A part of the decoder, with the input that it reads.
#[derive(Debug)]
pub(super) struct Decoder<'c, 'i, T> {
    pub(super) inner: T,
    pub(super) input: Input<'c, 'i>,
    /// How many more levels may stand inside this one. rmp-serde counts only those that take bytes.
    pub(super) levels: usize,
    /// What is asked for owns its text, so that there is nothing to lend.
    pub(super) owned: bool,
}

impl<'c, 'i, T> Decoder<'c, 'i, T> {
    fn with<U>(&self, inner: U) -> Decoder<'c, 'i, U> {
        Decoder {
            inner,
            input: self.input,
            levels: self.levels,
            owned: self.owned,
        }
    }

    fn one_level_down<E: de::Error>(mut self) -> Result<Self, E> {
        let too_deep = || E::custom("it is nested too deeply");
        self.levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
        Ok(self)
    }
}

macro_rules! forwarded {
    ($owned:literal: $($method:ident($($name:ident: $ty:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            let mut this = self.one_level_down()?;
            this.owned = $owned;
            let visitor = this.with(visitor);
            this.inner.$method($($name,)* visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Decoder<'_, 'de, D> {
    type Error = D::Error;

    forwarded! { true: deserialize_string() deserialize_byte_buf() deserialize_identifier() }

    forwarded! { false:
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32()
        deserialize_i64() deserialize_i128() deserialize_u8() deserialize_u16() deserialize_u32()
        deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64() deserialize_char()
        deserialize_str() deserialize_bytes()
        deserialize_option() deserialize_unit() deserialize_seq() deserialize_map()
        deserialize_ignored_any()
        deserialize_unit_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    /// rmp-serde would only call the visitor back; through it a typed newtype could not be told from
    /// an extension.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self.one_level_down()?)
    }

    /// What serde buffers (internally tagged and untagged enums, flattened fields) it reads as if it were.
    fn is_human_readable(&self) -> bool {
        true
    }
}

macro_rules! visited {
    ($($method:ident($ty:ty))*) => {
        $(fn $method<E: de::Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Decoder<'_, 'de, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visited! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32)
        visit_f64(f64) visit_char(char) visit_borrowed_str(&'de str) visit_string(String)
        visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    /// rmp-serde reads into a buffer of its own; what is there is in the frame, too, and lives longer.
    fn visit_str<E: de::Error>(self, value: &str) -> Result<V::Value, E> {
        match self.input.lent_text(value, self.owned) {
            Some(lent) => self.inner.visit_borrowed_str(lent),
            None => self.inner.visit_str(value),
        }
    }

    fn visit_bytes<E: de::Error>(self, value: &[u8]) -> Result<V::Value, E> {
        match self.input.lent(value, self.owned) {
            Some(lent) => self.inner.visit_borrowed_bytes(lent),
            None => self.inner.visit_bytes(value),
        }
    }

    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        if self.input.at_extension() {
            let Somes(somes) = Somes::deserialize(inner)?;
            return nothing_inside(self.inner, somes);
        }
        let inner = self.with(inner);
        self.inner.visit_some(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        if self.input.at_extension() {
            // Reached without a type to go by, in a buffer of serde's.
            let (_, somes): (i8, Byte) = Deserialize::deserialize(inner)?;
            return nothing_inside(self.inner, somes.0);
        }
        let inner = self.with(inner);
        self.inner.visit_newtype_struct(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.with(inner);
        self.inner.visit_seq(inner)
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.with(inner);
        self.inner.visit_map(inner)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        let inner = self.with(inner);
        self.inner.visit_enum(inner)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Decoder<'_, 'de, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        let inner = self.with(inner);
        self.inner.deserialize(inner)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Decoder<'_, 'de, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Decoder<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, 'c, A: EnumAccess<'de>> EnumAccess<'de> for Decoder<'c, 'de, A> {
    type Error = A::Error;
    type Variant = Decoder<'c, 'de, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let seed = self.with(seed);
        let (input, levels, owned) = (self.input, self.levels, self.owned);
        let (value, inner) = self.inner.variant_seed(seed)?;
        let variant = Decoder {
            inner,
            input,
            levels,
            owned,
        };
        Ok((value, variant))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Decoder<'_, 'de, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

/// `Some`, `somes` times, around nothing.
fn nothing_inside<'de, V: Visitor<'de>, E: de::Error>(
    visitor: V,
    somes: u8,
) -> Result<V::Value, E> {
    match somes.checked_sub(1) {
        None => visitor.visit_none(),
        Some(somes) => visitor.visit_some(Nothing {
            somes,
            error: std::marker::PhantomData,
        }),
    }
}

/// Nothing, inside `somes` more times `Some`.
struct Nothing<E> {
    somes: u8,
    error: std::marker::PhantomData<fn() -> E>,
}

impl<'de, E: de::Error> Deserializer<'de> for Nothing<E> {
    type Error = E;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        match self.somes {
            0 => visitor.visit_unit(),
            somes => nothing_inside(visitor, somes),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, E> {
        nothing_inside(visitor, self.somes)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The content of the extension: how many `Some` there are.
struct Somes(u8);

impl<'de> Deserialize<'de> for Somes {
    fn deserialize<D: Deserializer<'de>>(inner: D) -> Result<Self, D::Error> {
        struct Extension;
        impl<'de> Visitor<'de> for Extension {
            type Value = Somes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("nothing inside an option")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(
                self,
                inner: D,
            ) -> Result<Somes, D::Error> {
                let (_, somes): (i8, Byte) = Deserialize::deserialize(inner)?;
                Ok(Somes(somes.0))
            }
        }
        inner.deserialize_any(Extension)
    }
}

/// One byte of bytes.
struct Byte(u8);

impl<'de> Deserialize<'de> for Byte {
    fn deserialize<D: Deserializer<'de>>(inner: D) -> Result<Self, D::Error> {
        let bytes = serde_bytes::ByteBuf::deserialize(inner)?;
        match bytes.as_slice() {
            [byte] => Ok(Self(*byte)),
            _ => Err(de::Error::custom("an extension of another kind")),
        }
    }
}

//! Encoding: rmp-serde, less the confusion of `Some(None)` and `Some(())` with `None`.

use serde::ser::{self, Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use serde_bytes::Bytes;

use super::{MAX_DEPTH, order::Look, sharing};

pub use rmp_serde::encode::Error;

/// The name by which rmp-serde writes an extension.
pub(super) const EXTENSION: &str = "_ExtStruct";

/// A serializer that knows how many `Some` stand directly around the value.
#[derive(Debug)]
pub struct Encoder<S> {
    inner: S,
    somes: u8,
    around: Around,
}

/// What a value stands in.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    /// Values around this one; rmp-serde itself does not count when it writes.
    depth: usize,
    /// Whether others may have it, too.
    is_shared: bool,
    /// What is looked for, in place of writing.
    look: Look,
}

impl Around {
    /// Of a value to which others may refer.
    pub(super) fn shared() -> Self {
        Self {
            is_shared: true,
            ..Self::default()
        }
    }

    /// That looks for this.
    pub(super) fn looking(look: Look) -> Self {
        Self {
            look,
            ..Self::default()
        }
    }

    fn one_more(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl<S> Encoder<S> {
    pub(super) fn new(inner: S) -> Self {
        Self {
            inner,
            somes: 0,
            around: Around::default(),
        }
    }
}

/// A value to be written by an [`Encoder`].
pub(super) struct Wrapped<'v, T: ?Sized> {
    value: &'v T,
    somes: u8,
    around: Around,
    /// Whether the reference that the type itself may be is only that of an iterator.
    is_item: bool,
}

impl<T: Serialize + ?Sized> Serialize for Wrapped<'_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let Self { somes, around, .. } = *self;
        if around.depth > MAX_DEPTH {
            return Err(ser::Error::custom(format!(
                "it is nested deeper than {MAX_DEPTH}"
            )));
        }
        if around.look.ends_at::<T>() {
            return Err(ser::Error::custom("it keeps its order"));
        }
        if around.look.leaves_out::<T>() {
            return inner.serialize_none();
        }
        let is_shared = sharing::is_shared_in::<T>(around.is_shared, self.is_item);
        self.value.serialize(Encoder {
            inner,
            somes,
            around: Around {
                is_shared: is_shared.map_err(ser::Error::custom)?,
                ..around
            },
        })
    }
}

impl<'v, T: ?Sized> Wrapped<'v, T> {
    pub(super) fn around(value: &'v T, around: Around) -> Self {
        Self {
            value,
            somes: 0,
            around,
            is_item: false,
        }
    }
}

fn wrapped<T: ?Sized>(value: &T, around: Around) -> Wrapped<'_, T> {
    Wrapped::around(value, around.one_more())
}

impl<S: Serializer> Encoder<S> {
    /// Nothing, inside `somes` times `Some`: an extension that says how often.
    fn nothing(self) -> Result<S::Ok, S::Error> {
        match self.somes {
            0 => self.inner.serialize_none(),
            somes => {
                let value = (0i8, Bytes::new(std::slice::from_ref(&somes)));
                self.inner.serialize_newtype_struct(EXTENSION, &value)
            }
        }
    }
}

macro_rules! scalars {
    ($($method:ident($ty:ty))*) => {
        $(fn $method(self, value: $ty) -> Result<S::Ok, S::Error> {
            self.inner.$method(value)
        })*
    };
}

impl<S: Serializer> Serializer for Encoder<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Compound<S::SerializeSeq>;
    type SerializeTuple = Compound<S::SerializeTuple>;
    type SerializeTupleStruct = Compound<S::SerializeTupleStruct>;
    type SerializeTupleVariant = Compound<S::SerializeTupleVariant>;
    type SerializeMap = Compound<S::SerializeMap>;
    type SerializeStruct = Compound<S::SerializeStruct>;
    type SerializeStructVariant = Compound<S::SerializeStructVariant>;

    scalars! {
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32)
        serialize_i64(i64) serialize_i128(i128) serialize_u8(u8) serialize_u16(u16)
        serialize_u32(u32) serialize_u64(u64) serialize_u128(u128) serialize_f32(f32)
        serialize_f64(f64) serialize_char(char) serialize_str(&str) serialize_bytes(&[u8])
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.nothing()
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.nothing()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<S::Ok, S::Error> {
        self.nothing()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let somes = self
            .somes
            .checked_add(1)
            .ok_or_else(|| ser::Error::custom("more than 255 options inside each other"))?;
        self.inner.serialize_some(&Wrapped {
            somes,
            ..wrapped(value, self.around)
        })
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit_variant(name, index, variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = Wrapped {
            somes: self.somes,
            ..wrapped(value, self.around)
        };
        self.inner.serialize_newtype_struct(name, &value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let value = wrapped(value, self.around);
        self.inner
            .serialize_newtype_variant(name, index, variant, &value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let around = self.around;
        self.inner
            .serialize_seq(len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, S::Error> {
        let around = self.around;
        self.inner
            .serialize_tuple(len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, S::Error> {
        let around = self.around;
        self.inner
            .serialize_tuple_struct(name, len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, S::Error> {
        let around = self.around;
        self.inner
            .serialize_tuple_variant(name, index, variant, len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let around = self.around;
        self.inner
            .serialize_map(len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        let around = self.around;
        self.inner
            .serialize_struct(name, len)
            .map(|inner| Compound { inner, around })
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, S::Error> {
        let around = self.around;
        self.inner
            .serialize_struct_variant(name, index, variant, len)
            .map(|inner| Compound { inner, around })
    }

    fn collect_seq<I: IntoIterator<Item: Serialize>>(self, items: I) -> Result<S::Ok, S::Error> {
        let items = items.into_iter();
        let mut list = self.serialize_seq(exact_length(&items))?;
        for item in items {
            list.inner.serialize_element(&list.item(&item))?;
        }
        list.inner.end()
    }

    fn collect_map<K: Serialize, V: Serialize, I: IntoIterator<Item = (K, V)>>(
        self,
        entries: I,
    ) -> Result<S::Ok, S::Error> {
        let entries = entries.into_iter();
        let mut map = self.serialize_map(exact_length(&entries))?;
        for (key, value) in entries {
            let entry = (map.item(&key), map.item(&value));
            map.inner.serialize_entry(&entry.0, &entry.1)?;
        }
        map.inner.end()
    }

    /// As the decoder says it.
    fn is_human_readable(&self) -> bool {
        true
    }
}

/// A compound whose parts are written by an [`Encoder`] again.
#[derive(Debug)]
pub struct Compound<C> {
    inner: C,
    around: Around,
}

impl<C> Compound<C> {
    fn item<'v, T>(&self, value: &'v T) -> Wrapped<'v, T> {
        Wrapped {
            is_item: true,
            ..wrapped(value, self.around)
        }
    }
}

/// How many there are, if an iterator knows.
fn exact_length(items: &impl Iterator) -> Option<usize> {
    match items.size_hint() {
        (least, Some(most)) if least == most => Some(least),
        _ => None,
    }
}

macro_rules! parts {
    ($($compound:ident::$method:ident)*) => {
        $(impl<C: ser::$compound> ser::$compound for Compound<C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
                self.inner.$method(&wrapped(value, self.around))
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        })*
    };
}

parts! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! fields {
    ($($compound:ident)*) => {
        $(impl<C: ser::$compound> ser::$compound for Compound<C> {
            type Ok = C::Ok;
            type Error = C::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                key: &'static str,
                value: &T,
            ) -> Result<(), C::Error> {
                self.inner.serialize_field(key, &wrapped(value, self.around))
            }

            fn skip_field(&mut self, key: &'static str) -> Result<(), C::Error> {
                self.inner.skip_field(key)
            }

            fn end(self) -> Result<C::Ok, C::Error> {
                self.inner.end()
            }
        })*
    };
}

fields! { SerializeStruct SerializeStructVariant }

impl<C: ser::SerializeMap> ser::SerializeMap for Compound<C> {
    type Ok = C::Ok;
    type Error = C::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), C::Error> {
        self.inner.serialize_key(&wrapped(key, self.around))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), C::Error> {
        self.inner.serialize_value(&wrapped(value, self.around))
    }

    fn end(self) -> Result<C::Ok, C::Error> {
        self.inner.end()
    }
}

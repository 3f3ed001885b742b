//! Arrays of numbers and texts, and of such arrays, of any length: serde has those of up to 32 items.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error, SeqAccess, Visitor},
    ser::SerializeTuple,
};

use super::{kinds::Plain, written::Written};
use crate::codec::{self, Failure};

impl<T: Plain + Serialize + DeserializeOwned, const N: usize> Written for [T; N] {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        codec::encode(&Lent(self), out)
    }

    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
        codec::decode_next(input).map(|Read(array)| array)
    }
}

impl<T: Plain + Serialize + DeserializeOwned, const N: usize, const M: usize> Written
    for [[T; N]; M]
{
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        codec::encode(&Lent(&self.each_ref().map(Lent)), out)
    }

    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
        let Read(rows): Read<Read<T, N>, M> = codec::decode_next(input)?;
        Ok(rows.map(|Read(row)| row))
    }
}

struct Lent<'v, T, const N: usize>(&'v [T; N]);

impl<T: Serialize, const N: usize> Serialize for Lent<'_, T, N> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut tuple = out.serialize_tuple(N)?;
        for item in self.0 {
            tuple.serialize_element(item)?;
        }
        tuple.end()
    }
}

struct Read<T, const N: usize>([T; N]);

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for Read<T, N> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_tuple(N, Items(PhantomData)).map(Self)
    }
}

struct Items<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Items<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {N} items")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<[T; N], A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element()? {
            all.push(item);
        }
        all.try_into()
            .map_err(|all: Vec<T>| A::Error::invalid_length(all.len(), &self))
    }
}

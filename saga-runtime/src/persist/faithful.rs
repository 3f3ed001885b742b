//! Whether a value that was written and read is still the value: serde does not promise it.

use std::collections::BTreeMap;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use crate::codec::{self, Failure};

/// Compares what was written with what is written of the value that was read back. The order in maps
/// and sets is nobody's promise, so that alone is no difference.
pub(crate) fn compare(before: &[u8], after: &[u8]) -> Result<(), Failure> {
    if before == after || content(before)? == content(after)? {
        return Ok(());
    }
    Err(
        "its `Deserialize` does not give back what its `Serialize` wrote, so that another value would go on"
            .to_owned(),
    )
}

fn content(bytes: &[u8]) -> Result<Content, Failure> {
    codec::decode(bytes)
}

/// Any value, less the order in it. Numbers are their text: they are compared, and not used.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Content {
    Nothing,
    Some(Box<Content>),
    Number(String),
    Text(String),
    Bytes(Vec<u8>),
    Items(BTreeMap<Content, usize>),
    /// A key may be there twice: serde's `flatten` writes it so.
    Fields(BTreeMap<(Content, Content), usize>),
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

macro_rules! numbers {
    ($($method:ident($ty:ty))*) => {
        $(fn $method<E>(self, value: $ty) -> Result<Content, E> {
            Ok(Content::Number(value.to_string()))
        })*
    };
}

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    numbers! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_u128(u128)
    }

    // `3.0` has another text than `3`: a variant with an integer is not one with a float.
    fn visit_f32<E>(self, value: f32) -> Result<Content, E> {
        Ok(Content::Number(format!("{value:?}")))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Number(format!("{value:?}")))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Content, E> {
        Ok(Content::Bytes(value.to_vec()))
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Nothing)
    }

    fn visit_none<E>(self) -> Result<Content, E> {
        Ok(Content::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Content, D::Error> {
        Content::deserialize(inner).map(|inner| Content::Some(Box::new(inner)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Content, D::Error> {
        Content::deserialize(inner).map(|inner| Content::Some(Box::new(inner)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut all = BTreeMap::new();
        while let Some(item) = items.next_element()? {
            *all.entry(item).or_default() += 1;
        }
        Ok(Content::Items(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Content, A::Error> {
        let mut all = BTreeMap::new();
        while let Some(field) = fields.next_entry()? {
            *all.entry(field).or_default() += 1;
        }
        Ok(Content::Fields(all))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::{HashMap, HashSet};

    use serde::Serialize;

    use super::*;

    fn bytes(value: &impl Serialize) -> Vec<u8> {
        let mut out = Vec::new();
        codec::encode(value, &mut out).unwrap();
        out
    }

    #[test]
    fn another_order_of_a_map_or_a_set_is_the_same_value() {
        let numbers: Vec<u32> = (0..50).collect();
        let one: HashSet<u32> = numbers.iter().copied().collect();
        let other: HashSet<u32> = numbers.iter().copied().collect();
        assert!(compare(&bytes(&one), &bytes(&other)).is_ok());
        let one: HashMap<u32, Option<f64>> = numbers.iter().map(|n| (*n, Some(0.5))).collect();
        let other: HashMap<u32, Option<f64>> = numbers.iter().map(|n| (*n, Some(0.5))).collect();
        assert!(compare(&bytes(&one), &bytes(&other)).is_ok());
    }

    #[test]
    fn another_value_is_another() {
        assert!(compare(&bytes(&1.5), &bytes(&1.25)).is_err());
        assert!(compare(&bytes(&3), &bytes(&3.0)).is_err());
        assert!(compare(&bytes(&[1, 1, 2]), &bytes(&[1, 2, 2])).is_err());
        assert!(compare(&bytes(&Some(())), &bytes(&None::<()>)).is_err());
        // A map of two fields, of which one has the name of the other.
        assert!(
            compare(
                &[0x81, 0xa1, b'k', 1],
                &[0x82, 0xa1, b'k', 1, 0xa1, b'k', 1]
            )
            .is_err()
        );
    }
}

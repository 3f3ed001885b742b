//! Values of a frame, whatever their types.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_json::{Map, Value};

use super::Stored;
use crate::codec;

/// The values one after the other; what cannot be read is the last one, as a text that says why.
pub(super) fn all(mut bytes: &[u8]) -> Vec<Stored> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        let before = bytes.len();
        let mut ignored = bytes;
        let value = match codec::decode_next::<Shown>(&mut bytes) {
            Ok(Shown(value)) => value,
            Err(why) => {
                let value = Value::String(format!("cannot be shown: {why}"));
                // Its end may still be found.
                if codec::decode_next::<IgnoredAny>(&mut ignored).is_err() {
                    values.push(Stored {
                        bytes: before,
                        value,
                    });
                    break;
                }
                bytes = ignored;
                value
            }
        };
        values.push(Stored {
            bytes: before - bytes.len(),
            value,
        });
    }
    values
}

/// Anything that the format has, as JSON.
struct Shown(Value);

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Showing)
    }
}

struct Showing;

macro_rules! shown {
    ($($name:ident: $ty:ty),*) => {
        $(fn $name<E>(self, value: $ty) -> Result<Shown, E> {
            Ok(Shown(Value::from(value)))
        })*
    };
}

impl<'de> Visitor<'de> for Showing {
    type Value = Shown;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    shown! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_str: &str }

    fn visit_f64<E>(self, value: f64) -> Result<Shown, E> {
        // JSON has no infinity.
        let number = serde_json::Number::from_f64(value).map(Value::Number);
        Ok(Shown(number.unwrap_or_else(|| value.to_string().into())))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Shown, E> {
        Ok(Shown(value.to_string().into()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Shown, E> {
        Ok(Shown(value.to_string().into()))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Shown, E> {
        let digits: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Shown(format!("0x{digits}").into()))
    }

    fn visit_unit<E>(self) -> Result<Shown, E> {
        Ok(Shown(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Shown, E> {
        Ok(Shown(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<Shown, D::Error> {
        Shown::deserialize(inner)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Shown, D::Error> {
        Shown::deserialize(inner)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shown, A::Error> {
        let mut shown = Vec::new();
        while let Some(Shown(item)) = items.next_element()? {
            shown.push(item);
        }
        Ok(Shown(Value::Array(shown)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Shown, A::Error> {
        let mut shown = Map::new();
        while let Some((Shown(key), Shown(value))) = members.next_entry()? {
            let key = match key {
                Value::String(key) => key,
                other => other.to_string(),
            };
            shown.insert(key, value);
        }
        Ok(Shown(Value::Object(shown)))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Shown, A::Error> {
        let (Shown(name), content) = variant.variant()?;
        let Shown(content) = content.newtype_variant()?;
        let name = match name {
            Value::String(name) => name,
            other => other.to_string(),
        };
        Ok(Shown(Value::Object(Map::from_iter([(name, content)]))))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::{BTreeMap, HashSet};

    use serde::Serialize;
    use serde_json::json;

    use super::*;

    fn shown<T: Serialize>(value: &T) -> Value {
        let mut bytes = Vec::new();
        codec::encode(value, &mut bytes).unwrap();
        let values = all(&bytes);
        assert_eq!(values.len(), 1);
        assert_eq!(values[0].bytes, bytes.len());
        values[0].value.clone()
    }

    #[derive(Serialize)]
    enum Step {
        Plain,
        Pair(u8, Option<u8>),
        Named { at: f64 },
    }

    #[test]
    fn values_of_any_type_are_shown() {
        assert_eq!(
            shown(&BTreeMap::from([(7, "a"), (8, "b")])),
            json!({ "7": "a", "8": "b" })
        );
        assert_eq!(shown(&serde_bytes::Bytes::new(&[1, 255])), json!("0x01ff"));
        assert_eq!(shown(&Step::Plain), json!("Plain"));
        assert_eq!(shown(&Step::Pair(1, None)), json!({ "Pair": [1, null] }));
        assert_eq!(
            shown(&Step::Named { at: 1.5 }),
            json!({ "Named": { "at": 1.5 } })
        );
        assert_eq!(shown(&f64::INFINITY), json!("inf"));
        assert_eq!(shown(&HashSet::from(['ß'])), json!(["ß"]));
        assert_eq!(shown(&((), -1, u64::MAX)), json!([null, -1, u64::MAX]));
    }

    #[test]
    fn an_option_in_an_option_is_shown() {
        let shown = shown(&vec![Some(Some(1)), Some(None), None]);
        assert_eq!(shown[0], json!(1));
        assert!(shown[2].is_null(), "{shown}");
    }

    #[test]
    fn what_is_no_value_ends_the_list() {
        let values = all(&[0x01, 0xc1, 0x02]);
        assert_eq!(values[0].value, json!(1));
        assert_eq!(values.len(), 2, "{values:?}");
        assert!(
            values[1]
                .value
                .as_str()
                .unwrap()
                .contains("cannot be shown")
        );
        assert!(all(&[]).is_empty());
    }
}

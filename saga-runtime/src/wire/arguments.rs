//! A call's arguments, read where they are.

use rmcp::model::JsonObject;
use serde::{
    Deserializer,
    de::{DeserializeOwned, Visitor},
    forward_to_deserialize_any,
};
use serde_json::{Error, Value};

/// What `serde_json::from_value` makes of them, without a copy.
pub(crate) fn read<T: DeserializeOwned>(arguments: &JsonObject) -> Result<T, Error> {
    T::deserialize(Lent(arguments))
}

/// A map of serde_json reads as a map alone; as a value it is what is in an option or in a struct around one value, too.
struct Lent<'a>(&'a JsonObject);

impl<'de> Deserializer<'de> for Lent<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    /// serde_json has types that it knows by the name alone.
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        Value::Object(self.0.clone()).deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::{collections::BTreeMap, fmt::Debug};

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "they are shown")]
    struct Args {
        name: String,
        #[serde(default)]
        more: Option<Box<Around>>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "they are shown")]
    struct Around(Args);

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "they are shown")]
    enum Either {
        One(Args),
        Other { n: i64 },
        Nothing,
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "kind")]
    #[allow(dead_code, reason = "they are shown")]
    enum Tagged {
        One { name: String },
    }

    #[derive(Debug, Deserialize)]
    struct Unit;

    fn agrees<T: DeserializeOwned + Debug>(arguments: &Value) {
        let shown =
            |read: Result<T, Error>| format!("{:?}", read.map_err(|error| error.to_string()));
        let lent = shown(read(arguments.as_object().unwrap()));
        assert_eq!(
            lent,
            shown(serde_json::from_value(arguments.clone())),
            "{arguments}"
        );
    }

    #[test]
    fn they_are_what_a_value_is() {
        for arguments in [
            json!({}),
            json!({"name": "a"}),
            json!({"name": "a", "more": {"name": "b", "more": null}}),
            json!({"name": 1}),
            json!({"One": {"name": "a"}}),
            json!({"Other": {"n": 1}}),
            json!({"Nothing": null}),
            json!({"kind": "One", "name": "a"}),
        ] {
            agrees::<Args>(&arguments);
            agrees::<Around>(&arguments);
            agrees::<Option<Around>>(&arguments);
            agrees::<Box<Option<Option<Args>>>>(&arguments);
            agrees::<Either>(&arguments);
            agrees::<Tagged>(&arguments);
            agrees::<Value>(&arguments);
            agrees::<BTreeMap<String, Value>>(&arguments);
            agrees::<Unit>(&arguments);
            agrees::<()>(&arguments);
            agrees::<Vec<i64>>(&arguments);
            agrees::<(String,)>(&arguments);
            agrees::<String>(&arguments);
        }
    }
}

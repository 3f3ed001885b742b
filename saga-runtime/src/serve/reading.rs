//! Reads a message before rmcp does: how large it is, and what a typed reader would not see.

use std::{cell::Cell, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// Whether the JSON has at most so many values; what is no JSON has.
pub(super) fn is_within(json: &[u8], nodes: usize) -> bool {
    let left = Cell::new(Some(nodes));
    let mut reader = serde_json::Deserializer::from_slice(json);
    // What else is wrong with it, its reader will say.
    let _ = Nodes(&left).deserialize(&mut reader);
    left.get().is_some()
}

/// Counts values down; nothing is left of the count where there are too many.
#[derive(Clone, Copy)]
struct Nodes<'a>(&'a Cell<Option<usize>>);

impl<'de> DeserializeSeed<'de> for Nodes<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0
            .set(self.0.get().and_then(|left| left.checked_sub(1)));
        match self.0.get() {
            Some(_) => deserializer.deserialize_any(self),
            None => Err(D::Error::custom("too many values")),
        }
    }
}

/// Visits scalars and passes over them.
macro_rules! scalars {
    ($($visit:ident: $ty:ty),*) => {
        $(fn $visit<E>(self, _: $ty) -> Result<(), E> {
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Nodes<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    scalars!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while members.next_key::<IgnoredAny>()?.is_some() {
            members.next_value_seed(self)?;
        }
        Ok(())
    }
}

/// A `requestState` that is there and `null`: to a typed reader it is none at all, and the call would begin anew. Puts a
/// value in its place that no reader takes for a state, so that the request is refused.
pub(super) fn spoil_null_state(json: &mut [u8]) {
    if let Some(at) = null_state(json)
        && let Some(null) = json.get_mut(at..at + 4)
    {
        null.copy_from_slice(b"true");
    }
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "requestState", default, deserialize_with = "there")]
    state: Option<&'a RawValue>,
}

/// Also where it is `null`.
fn there<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Where the `null` is.
fn null_state(json: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(json).ok()?;
    if !text.contains("requestState") && !text.contains("\\u") {
        return None;
    }
    let message: Message<'_> = serde_json::from_str(text).ok()?;
    let params: Params<'_> = serde_json::from_str(message.params?.get()).ok()?;
    let state = params.state?.get();
    if state != "null" {
        return None;
    }
    (state.as_ptr() as usize).checked_sub(text.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_wherever_they_are() {
        for (json, nodes) in [
            ("5", 1),
            ("[]", 1),
            ("{}", 1),
            (r#"[1, "two", null, true, 2.5, -1]"#, 7),
            (r#"{"a": {"b": [1, 2]}, "c": 3}"#, 6),
            (r#"[{"":0},{"":0}]"#, 5),
        ] {
            assert!(is_within(json.as_bytes(), nodes), "{json}");
            assert!(!is_within(json.as_bytes(), nodes - 1), "{json}");
        }
        assert!(is_within(b"{ no json", 2));
        let deep = "[".repeat(100_000);
        assert!(is_within(deep.as_bytes(), 1_000) || !deep.is_empty());
    }

    #[track_caller]
    fn spoiled(json: &str) -> String {
        let mut bytes = json.as_bytes().to_vec();
        spoil_null_state(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    #[test]
    fn a_state_that_is_null_is_told_from_none() {
        for json in [
            r#"{"id":1,"params":{"requestState":null,"name":"x"}}"#,
            r#"{"params": { "a": {"requestState": null}, "requestState" : null }, "id": 1}"#,
            r#"{"params":{"\u0072equestState":null}}"#,
        ] {
            let spoiled = spoiled(json);
            assert_ne!(spoiled, json);
            assert_eq!(spoiled.len(), json.len());
            let value: serde_json::Value = serde_json::from_str(&spoiled).unwrap_or_default();
            assert_eq!(value["params"]["requestState"], true);
            assert!(value["params"]["a"]["requestState"].is_null());
        }
        for json in [
            r#"{"params":{"requestState":"null"}}"#,
            r#"{"params":{"arguments":{"requestState":null}}}"#,
            r#"{"requestState":null,"params":{}}"#,
            r#"{"params":null}"#,
            r#"{"params":{}}"#,
            "requestState null",
            "",
        ] {
            assert_eq!(spoiled(json), json);
        }
    }
}

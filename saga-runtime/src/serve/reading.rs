//! Reads a message before rmcp does: how large it is, and what a typed reader would not see.

use std::{borrow::Cow, cell::Cell, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, json, value::RawValue};

use crate::wire::{resume, saga};

/// Whether the JSON has at most so many values; what is no JSON has.
pub(super) fn is_within(json: &[u8], nodes: usize) -> bool {
    // None is shorter than a byte.
    if json.len() <= nodes {
        return true;
    }
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

/// A `resumeToken` beside the other parameters of a call, where one of the proposals has it: a typed reader drops it. Moves it to
/// `_meta`; where another is there, leaves both to be refused.
pub(super) fn move_resume_token(json: &mut Vec<u8>) {
    if let Some(moved) = with_moved_token(json) {
        *json = moved;
    }
}

fn with_moved_token(json: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(json).ok()?;
    if !text.contains(resume::TOKEN) && !text.contains("\\u") {
        return None;
    }
    // Mostly it is among the arguments; what has it twice is nobody's to pass over.
    if params::<Token<'_>>(text).is_some_and(|(_, params)| params.token.is_none()) {
        return None;
    }
    let mut message: Value = serde_json::from_str(text).ok()?;
    if message.get("method")? != "tools/call" {
        return None;
    }
    let params = message.get_mut("params")?.as_object_mut()?;
    let token = params.remove(resume::TOKEN)?;
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    if !meta.is_object() {
        // It is none, and the token is not to be lost with it.
        *meta = json!({});
    }
    let known = meta.as_object_mut()?.entry(resume::TOKEN);
    // Two that differ are no text.
    let known = known.or_insert_with(|| token.clone());
    if *known != token {
        *known = json!([known, token]);
    }
    // A line stays one.
    let mut moved = serde_json::to_vec(&message).ok()?;
    if json.ends_with(b"\n") {
        moved.push(b'\n');
    }
    Some(moved)
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, rename = "requestState", default, deserialize_with = "there")]
    state: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Token<'a> {
    #[serde(borrow, rename = "resumeToken", default, deserialize_with = "there")]
    token: Option<&'a RawValue>,
}

/// The method and the parameters of a request.
fn params<'a, T: Deserialize<'a>>(text: &'a str) -> Option<(Option<Cow<'a, str>>, T)> {
    let message: Message<'a> = serde_json::from_str(text).ok()?;
    let params = serde_json::from_str(message.params?.get()).ok()?;
    Some((message.method, params))
}

/// Also where it is `null`.
fn there<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The requests that go on by a state.
const WITH_STATE: &[&str] = &[
    "tools/call",
    "prompts/get",
    "resources/read",
    saga::CALL,
    saga::RESUME,
];

/// Where the `null` is.
fn null_state(json: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(json).ok()?;
    if !text.contains("requestState") && !text.contains("\\u") {
        return None;
    }
    let (method, params) = params::<State<'_>>(text)?;
    let state = params.state?.get();
    if state != "null" || !WITH_STATE.contains(&&*method?) {
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
    fn a_resume_token_is_found_beside_the_parameters() {
        let moved = |json: &str| {
            let mut bytes = json.as_bytes().to_vec();
            move_resume_token(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let line = moved(
            "{\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"resumeToken\":\"t\"}}\n",
        );
        assert!(line.ends_with('\n'));
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        assert_eq!(
            value["params"],
            json!({ "name": "x", "_meta": { "resumeToken": "t" } })
        );
        let both =
            r#"{"method":"tools/call","params":{"_meta":{"resumeToken":"a"},"resumeToken":"b"}}"#;
        let value: Value = serde_json::from_str(&moved(both)).unwrap_or_default();
        assert_eq!(value["params"]["_meta"]["resumeToken"], json!(["a", "b"]));
        for json in [
            r#"{"method":"tools/call","params":{"arguments":{"resumeToken":"t"}}}"#,
            r#"{"method":"ping","params":{"resumeToken":"t"}}"#,
            r#"{"method":"tools/call","params":{"name":"resumeToken"}}"#,
            "resumeToken",
        ] {
            assert_eq!(moved(json), json);
        }
    }

    #[test]
    fn a_state_that_is_null_is_told_from_none() {
        for json in [
            r#"{"id":1,"method":"tools/call","params":{"requestState":null,"name":"x"}}"#,
            r#"{"params": { "a": {"requestState": null}, "requestState" : null }, "method": "prompts/get"}"#,
            r#"{"method":"resources\/read","params":{"\u0072equestState":null}}"#,
        ] {
            let spoiled = spoiled(json);
            assert_ne!(spoiled, json);
            assert_eq!(spoiled.len(), json.len());
            let value: serde_json::Value = serde_json::from_str(&spoiled).unwrap_or_default();
            assert_eq!(value["params"]["requestState"], true);
            assert!(value["params"]["a"]["requestState"].is_null());
        }
        for json in [
            r#"{"method":"tools/call","params":{"requestState":"null"}}"#,
            r#"{"method":"tools/call","params":{"arguments":{"requestState":null}}}"#,
            r#"{"method":"tools/call","requestState":null,"params":{}}"#,
            r#"{"method":"acme/save","params":{"requestState":null}}"#,
            r#"{"params":{"requestState":null}}"#,
            r#"{"method":"tools/call","params":null}"#,
            r#"{"method":"tools/call","params":{}}"#,
            "requestState null",
            "",
        ] {
            assert_eq!(spoiled(json), json);
        }
    }
}

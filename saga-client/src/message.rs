//! JSON-RPC messages for readers.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

/// Longer words are shown with their middle left out.
const WIDEST: usize = 64;
const SHOWN: usize = 24;

/// The fields by which a reader finds his way, first; the others follow by name.
const LEADING: &[&str] = &[
    "jsonrpc",
    "id",
    "method",
    "resultType",
    "state",
    "name",
    "type",
    "stepId",
    "role",
];
const TRAILING: &str = "_meta";

/// A message, or a value in it, as it is shown: the fields that say what it is come first.
#[derive(Debug, Clone, Copy)]
pub struct Message<'v> {
    value: &'v Value,
    shorten: bool,
}

impl<'v> Message<'v> {
    /// All of the message.
    pub fn whole(value: &'v Value) -> Self {
        let shorten = false;
        Self { value, shorten }
    }

    /// The message with the middle of long words, such as tokens, left out.
    pub fn shortened(value: &'v Value) -> Self {
        let shorten = true;
        Self { value, shorten }
    }

    /// On several lines.
    ///
    /// # Errors
    /// None that a JSON value could cause.
    pub fn indented(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    fn part(self, value: &'v Value) -> Self {
        Self { value, ..self }
    }
}

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::String(text) if self.shorten => serializer.serialize_str(&shortened(text)),
            Value::Array(items) => serializer.collect_seq(items.iter().map(|item| self.part(item))),
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| (place(name), *name));
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &self.part(value))?;
                }
                map.end()
            }
            other => other.serialize(serializer),
        }
    }
}

fn place(name: &str) -> usize {
    let leading = LEADING.iter().position(|leading| *leading == name);
    leading.unwrap_or(LEADING.len() + usize::from(name == TRAILING))
}

fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= WIDEST || text.contains(char::is_whitespace) {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN).collect();
    let tail: String = text.chars().skip(length - SHOWN).collect();
    format!("{head}\u{2026}{tail} ({length} characters)")
}

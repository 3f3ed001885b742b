//! What the program prints.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;

use crate::{Result, request::Request};

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

/// What happens between the messages.
pub(crate) fn note(text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "---- {text}\n")?)
}

/// A message to a server.
pub(crate) fn sent(server: &str, request: &Request) -> Result<()> {
    let mut out = io::stdout();
    writeln!(out, "client \u{2192} {server}")?;
    for (name, value) in &request.headers {
        writeln!(out, "    {name}: {value}")?;
    }
    print(&request.body)
}

/// A message from a server.
pub(crate) fn received(server: &str, message: &Value) -> Result<()> {
    writeln!(io::stdout(), "client \u{2190} {server}")?;
    print(message)
}

/// How the side effects went.
pub(crate) fn build_log(log: &str, builds: usize) -> Result<()> {
    let mut out = io::stdout();
    writeln!(out, "The servers' build log:")?;
    for line in log.lines() {
        writeln!(out, "    {line}")?;
    }
    match builds {
        1 => writeln!(
            out,
            "The side effect before the first question happened once."
        )?,
        _ => writeln!(
            out,
            "The side effect before the first question happened {builds} times!"
        )?,
    }
    Ok(())
}

fn print(message: &Value) -> Result<()> {
    let text = serde_json::to_string_pretty(&Shown(message))?;
    Ok(writeln!(io::stdout(), "{text}\n")?)
}

/// A value as it is printed.
struct Shown<'v>(&'v Value);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(text) => serializer.serialize_str(&shortened(text)),
            Value::Array(items) => serializer.collect_seq(items.iter().map(Shown)),
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| (place(name), *name));
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                for (name, value) in fields {
                    map.serialize_entry(name, &Shown(value))?;
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

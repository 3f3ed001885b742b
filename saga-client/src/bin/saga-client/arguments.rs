//! Arguments of tools and prompts.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::{Result, calling::told, connect::Server};

/// The arguments of a tool: JSON as it is, `name=value` by the types that the tool's schema has.
pub(crate) async fn of_tool(server: &Server, tool: &str, words: &[String]) -> Result<JsonObject> {
    if let Some(object) = object(words) {
        return object;
    }
    if words.is_empty() {
        return Ok(JsonObject::new());
    }
    let tools = server.list_all_tools().await.map_err(told)?;
    let Some(known) = tools.iter().find(|known| known.name == tool) else {
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        return Err(format!("no tool {tool:?}; there are: {}", names.join(", ")).into());
    };
    let properties = known.input_schema.get("properties");
    pairs(words, |name, text| {
        let schema = properties.and_then(|properties| properties.get(name));
        value(schema, text)
    })
}

/// The arguments of a prompt, which are texts.
pub(crate) fn of_prompt(words: &[String]) -> Result<JsonObject> {
    match object(words) {
        Some(object) => object,
        None => pairs(words, |_, text| Value::String(text.to_owned())),
    }
}

fn object(words: &[String]) -> Option<Result<JsonObject>> {
    match words {
        [json] if json.trim_start().starts_with('{') => {
            let parsed = serde_json::from_str(json);
            Some(parsed.map_err(|error| format!("the arguments: {error}").into()))
        }
        _ => None,
    }
}

fn pairs(words: &[String], value: impl Fn(&str, &str) -> Value) -> Result<JsonObject> {
    let pair = |word: &String| {
        let (name, text) = word
            .split_once('=')
            .ok_or_else(|| format!("{word:?} is neither a JSON object nor name=value"))?;
        Ok((name.to_owned(), value(name, text)))
    };
    words.iter().map(pair).collect()
}

/// Text where the schema asks for text, else JSON where it is that.
fn value(schema: Option<&Value>, text: &str) -> Value {
    let kind = schema.and_then(|schema| schema.get("type"));
    let is_text = match kind {
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => {
            // `null` has to be writable where there need not be a text.
            kinds.iter().any(|kind| kind == "string") && text != "null"
        }
        _ => false,
    };
    let as_text = || Value::String(text.to_owned());
    match is_text {
        true => as_text(),
        false => serde_json::from_str(text).unwrap_or_else(|_| as_text()),
    }
}

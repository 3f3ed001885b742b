//! A client that answers by script: what the n-th ask gets depends on the script, on n and on what
//! is asked.

use rmcp::{elicit_safe, model::InputRequest};
use saga_runtime::Answer;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A yes or no. Like all answers here it has no `Serialize`, `Clone` or `PartialEq`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Confirm {
    /// The answer.
    pub ok: bool,
}

/// A number.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Count {
    /// The answer.
    pub n: i64,
}

/// A text, with something more.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Text {
    /// The answer.
    pub text: String,
    /// More of it.
    pub note: Option<String>,
}

elicit_safe!(Confirm, Count, Text);

/// How many scripts there are.
pub const SCRIPTS: usize = 6;

/// Scripts from here on look at the question instead of at how many there were before it: where asks
/// are put at once, their order is nobody's promise.
pub const UNORDERED: usize = 100;

/// The client's result for the `index`-th ask of `script`.
pub fn result(script: usize, index: usize, request: &InputRequest) -> Value {
    let (script, index) = match script.checked_sub(UNORDERED) {
        Some(script) => (
            script,
            shown(request).bytes().map(usize::from).sum::<usize>() % 7,
        ),
        None => (script, index),
    };
    let turn = script + index;
    match request {
        InputRequest::Elicitation(request) => {
            let params = serde_json::to_value(&request.params).unwrap();
            if params["mode"] == "url" {
                return json!({ "action": if script.is_multiple_of(2) { "accept" } else { "decline" } });
            }
            // Scripts 3, 4 and 5 each decline, cancel or misfit one of the asks.
            match (script, index) {
                (3, 1) => return json!({ "action": "decline" }),
                (4, 0) => return json!({ "action": "cancel" }),
                (5, 2) => return json!({ "action": "accept", "content": { "wrong": true } }),
                (5, 4) => return json!({ "action": "accept" }),
                _ => {}
            }
            let content = match params["requestedSchema"]["properties"].as_object() {
                Some(properties) if properties.contains_key("ok") => json!({ "ok": turn % 3 != 1 }),
                Some(properties) if properties.contains_key("choice") => {
                    let options = properties["choice"]["enum"].as_array().unwrap();
                    json!({ "choice": options[turn % options.len()] })
                }
                Some(properties) if properties.contains_key("choices") => {
                    let options = properties["choices"]["items"]["enum"].as_array().unwrap();
                    let chosen: Vec<_> = options.iter().rev().skip(turn % 2).step_by(2).collect();
                    json!({ "choices": chosen })
                }
                Some(properties) if properties.contains_key("n") => {
                    let n = [2, 0, 3, 1, 4][turn % 5];
                    json!({ "n": n })
                }
                _ => {
                    let text = ["alpha", "be ta", "", "γ"][turn % 4];
                    json!({ "text": text, "note": "n" })
                }
            };
            json!({ "action": "accept", "content": content })
        }
        InputRequest::CreateMessage(_) => json!({
            "role": "assistant",
            "content": { "type": "text", "text": format!("reply {turn}") },
            "model": "scripted",
        }),
        _ => json!({ "roots": [{ "uri": format!("file:///{turn}") }] }),
    }
}

/// The same as the engine takes it.
pub fn answer(script: usize, index: usize, request: &InputRequest) -> Answer {
    Answer::Result(result(script, index, request))
}

/// An ask as it is compared: what the client sees of it.
pub fn shown(request: &InputRequest) -> String {
    serde_json::to_string(request).unwrap()
}

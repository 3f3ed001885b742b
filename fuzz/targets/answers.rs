//! The validator of forms: whatever it lets through the type can be made of, and nothing makes it
//! panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saga_runtime::Elicit;
use serde::Deserialize;

#[derive(Debug, Deserialize, Elicit, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Low,
    /// The highest of all
    VeryHigh,
}

#[derive(Debug, Deserialize, Elicit)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
struct Form {
    #[elicit(min_length = 1, max_length = 8)]
    name: String,
    #[elicit(format = "email")]
    mail: Option<String>,
    #[elicit(format = "date")]
    day: Option<String>,
    #[elicit(format = "date-time")]
    at: Option<String>,
    #[elicit(format = "uri")]
    home: Option<String>,
    #[elicit(min = 1, max = 9)]
    small: u8,
    signed: i16,
    large: Option<i64>,
    #[elicit(min = 0.5, max = 1.5)]
    ratio: f64,
    sure: bool,
    level: Level,
    #[elicit(min_items = 1, max_items = 2)]
    levels: Vec<Level>,
    #[serde(default)]
    rest: std::collections::BTreeSet<Level>,
}

const VALID: &[u8] = br#"{"name":"Ada","mail":"a@b.c","day":"2026-07-28","at":"2026-07-28T12:00:00Z","home":"https://a.b/c","small":3,"signed":-4,"large":5,"ratio":1.0,"sure":true,"level":"low","levels":["very-high"],"rest":[]}"#;

mod edits;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else {
        return;
    };
    let text = match kind % 2 {
        0 => data.to_vec(),
        _ => edits::edited(VALID, data),
    };
    let Ok(content) = serde_json::from_slice::<serde_json::Value>(&text) else {
        return;
    };
    if Form::form().check(&content).is_ok() {
        let form = Form::deserialize(&content);
        assert!(form.is_ok(), "{content} {form:?}");
    }
});

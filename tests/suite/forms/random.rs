//! Answers that nobody thought of.

use fastrand::Rng;
use saga_runtime::Elicit;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Everything, Place, Size};

const ROUNDS: usize = 20_000;

#[derive(Debug, Deserialize, Elicit)]
#[allow(dead_code)]
struct Small {
    #[elicit(min_length = 1, max_length = 3)]
    text: String,
    #[elicit(format = "date")]
    day: Option<String>,
    #[elicit(min = -1, max = 1)]
    number: f64,
    #[elicit(max = 3)]
    integer: i8,
    wide: u64,
    boolean: bool,
    size: Size,
    #[elicit(min_items = 1, max_items = 2)]
    places: Vec<Place>,
    #[serde(default)]
    missing: bool,
}

fn scalar(rng: &mut Rng) -> Value {
    let texts = [
        "",
        "a",
        "äöü",
        "four",
        "Small",
        "Large",
        "staging-area",
        "2026-07-28",
        "2026-02-30",
    ];
    match rng.u8(..8) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 => json!(rng.i64(-5..5)),
        3 => json!(rng.i64(..)),
        4 => json!(rng.u64(..)),
        5 => json!(rng.f64() * 4.0 - 2.0),
        6 => json!(f64::from_bits(rng.u64(..))),
        _ => json!(texts[rng.usize(..texts.len())]),
    }
}

fn value(rng: &mut Rng, depth: u8) -> Value {
    match rng.u8(..8) {
        0 if depth > 0 => {
            let items = 0..rng.usize(..4);
            items.map(|_| value(rng, depth - 1)).collect()
        }
        1 if depth > 0 => {
            let items = 0..rng.usize(..4);
            let items = items.map(|_| (name(rng).to_owned(), value(rng, depth - 1)));
            Value::Object(items.collect())
        }
        _ => scalar(rng),
    }
}

fn name(rng: &mut Rng) -> &'static str {
    let fields = Small::form().fields();
    match rng.usize(..=fields.len()) {
        index if index < fields.len() => fields[index].name(),
        _ => "nobody asked",
    }
}

/// Mostly what was asked for, so that some of it fits.
fn answer(rng: &mut Rng) -> Value {
    let mut one = |texts: &[&'static str]| texts[rng.usize(..texts.len())];
    let text = one(&["a", "bc", "äöü"]);
    let size = one(&["Small", "Large"]);
    let place = one(&["production", "staging-area"]);
    let mut answer = json!({
        "text": text,
        "number": rng.f64() * 2.0 - 1.0,
        "integer": rng.i8(..=3),
        "wide": rng.u64(..),
        "boolean": rng.bool(),
        "size": size,
        "places": [place],
    });
    let object: &mut Map<_, _> = answer.as_object_mut().unwrap();
    for _ in 0..rng.usize(..4) {
        match rng.u8(..3) {
            0 => object.remove(name(rng)),
            _ => object.insert(name(rng).to_owned(), value(rng, 1)),
        };
    }
    answer
}

/// Whether the schema allows it: another reading of the same words, from the JSON that is sent.
fn allows(schema: &Value, content: &Value) -> bool {
    let Some(content) = content.as_object() else {
        return false;
    };
    let required = schema["required"].as_array().unwrap();
    required
        .iter()
        .all(|name| content.contains_key(name.as_str().unwrap()))
        && schema["properties"]
            .as_object()
            .unwrap()
            .iter()
            .all(|(name, field)| {
                content
                    .get(name)
                    .is_none_or(|value| field_allows(field, value))
            })
}

fn field_allows(field: &Value, value: &Value) -> bool {
    let count = |name: &str| field[name].as_u64();
    let within = |size: usize, least: &str, most: &str| {
        count(least).is_none_or(|least| size as u64 >= least)
            && count(most).is_none_or(|most| size as u64 <= most)
    };
    let options = |field: &Value, value: &Value| {
        let plain = field["enum"].as_array();
        let titled = field["oneOf"].as_array().or(field["anyOf"].as_array());
        plain.is_none_or(|options| options.contains(value))
            && titled.is_none_or(|options| options.iter().any(|option| option["const"] == *value))
    };
    let range = |value: f64| {
        field["minimum"].as_f64().is_none_or(|least| value >= least)
            && field["maximum"].as_f64().is_none_or(|most| value <= most)
    };
    match field["type"].as_str().unwrap() {
        "string" => value.as_str().is_some_and(|text| {
            let date = text.len() == 10 && text != "2026-02-30" && text.starts_with("2026");
            within(text.chars().count(), "minLength", "maxLength")
                && options(field, value)
                && (field.get("format").is_none() || date)
        }),
        "number" => value.as_f64().is_some_and(range),
        "integer" => value
            .as_f64()
            .is_some_and(|number| number.fract() == 0.0 && range(number)),
        "boolean" => value.is_boolean(),
        "array" => value.as_array().is_some_and(|items| {
            within(items.len(), "minItems", "maxItems")
                && items.iter().all(|item| options(&field["items"], item))
        }),
        other => panic!("no such type: {other}"),
    }
}

#[test]
fn what_serde_reads_and_the_schema_allows_fits_and_nothing_else() {
    let schema = Value::Object(Small::form().json_schema());
    let mut rng = Rng::with_seed(28);
    let (mut fits, mut not) = (0, 0);
    for _ in 0..ROUNDS {
        let content = answer(&mut rng);
        let read = Small::deserialize(&content);
        let checked = Small::form().check(&content);
        if read.is_ok() && allows(&schema, &content) {
            assert_eq!(checked, Ok(()), "{content}");
            fits += 1;
        } else if checked.is_ok() {
            // Null is a field that was left empty, and `3.0` is a whole number: both are tidied up.
            let tidied = content.as_object().unwrap().values().any(|value| {
                value.is_null() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            });
            assert!(tidied, "{content}: {read:?}");
        } else {
            not += 1;
        }
    }
    assert!(fits > ROUNDS / 10 && not > ROUNDS / 10, "{fits} {not}");
}

#[test]
fn no_answer_makes_the_check_panic() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..ROUNDS {
        let content = value(&mut rng, 4);
        let _ = Small::form().check(&content);
        let content = answer(&mut rng);
        let problem = Everything::form().check(&content).unwrap_err();
        assert!(problem.contains(" is needed"), "{problem}");
    }
}

use serde_json::{Value, json};

use super::Field;

fn field(schema: &Value) -> Field {
    Field::new("it", schema, true)
}

#[track_caller]
fn means(schema: &Value, cases: &[(&str, Value)]) {
    let field = field(schema);
    for (text, value) in cases {
        assert_eq!(field.parse(text).as_ref(), Ok(value), "{text:?}");
    }
}

#[track_caller]
fn refuses(schema: &Value, cases: &[(&str, &str)]) {
    let field = field(schema);
    for (text, reason) in cases {
        assert_eq!(
            field.parse(text).err().as_deref(),
            Some(*reason),
            "{text:?}"
        );
    }
}

#[test]
fn texts_have_lengths_in_characters() {
    let schema = json!({ "type": "string", "minLength": 2, "maxLength": 3 });
    means(&schema, &[("äö", json!("äö")), ("abc", json!("abc"))]);
    refuses(
        &schema,
        &[
            ("ä", "must have at least 2 characters"),
            ("abcd", "must have at most 3 characters"),
        ],
    );
    assert_eq!(field(&schema).hint(), "text, 2 to 3 characters");
    means(&json!({ "type": "string" }), &[("\"\"", json!(""))]);
}

#[test]
fn texts_have_formats() {
    for (format, good, bad) in [
        ("email", "ada@example.org", "ada at example"),
        ("uri", "https://example.org/a?b", "example org"),
        ("date", "2024-02-29", "2023-02-29"),
        ("date-time", "2026-07-28T12:00:00Z", "2026-07-28"),
    ] {
        let field = field(&json!({ "type": "string", "format": format }));
        assert_eq!(field.parse(good), Ok(json!(good)));
        let reason = format!("must be: {}", field.hint());
        assert_eq!(field.parse(bad), Err(reason));
    }
    // An unknown format asks for nothing that could be checked.
    means(
        &json!({ "type": "string", "format": "hostname" }),
        &[("?", json!("?"))],
    );
}

#[test]
fn numbers_have_ranges() {
    let age = json!({ "type": "integer", "minimum": 18, "maximum": 99 });
    means(&age, &[("18", json!(18)), ("99", json!(99))]);
    refuses(
        &age,
        &[
            ("17", "must be at least 18"),
            ("100", "must be at most 99"),
            ("18.5", "must be a whole number"),
            ("x", "must be a whole number"),
        ],
    );
    assert_eq!(field(&age).hint(), "whole number, 18 to 99");
    let share = json!({ "type": "number", "minimum": 0, "maximum": 0.5 });
    means(&share, &[("0", json!(0)), ("0.25", json!(0.25))]);
    refuses(
        &share,
        &[
            ("-1", "must be at least 0"),
            ("0.51", "must be at most 0.5"),
            ("NaN", "must be a number"),
        ],
    );
    // In floating point the two would be the same.
    let great = json!({ "type": "integer", "maximum": i64::MAX - 1 });
    let reason = format!("must be at most {}", i64::MAX - 1);
    refuses(&great, &[(&i64::MAX.to_string(), &reason)]);
}

#[test]
fn yes_and_no_have_many_names() {
    let schema = json!({ "type": "boolean" });
    means(
        &schema,
        &[
            ("y", json!(true)),
            ("YES", json!(true)),
            ("n", json!(false)),
            ("false", json!(false)),
        ],
    );
    refuses(&schema, &[("maybe", "must be y (yes) or n (no)")]);
}

#[test]
fn a_choice_is_a_number_a_value_or_a_title() {
    let titled = json!([
        { "const": "a", "title": "First" },
        { "const": "b", "title": "Second" }
    ]);
    for schema in [
        json!({ "type": "string", "oneOf": titled }),
        json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"] }),
    ] {
        means(
            &schema,
            &[("2", json!("b")), ("a", json!("a")), ("second", json!("b"))],
        );
        for wrong in ["0", "3", "c"] {
            refuses(&schema, &[(wrong, "must be one of the choices: 1 to 2")]);
        }
        let field = field(&schema);
        let labels: Vec<_> = field.choices().iter().map(super::Choice::label).collect();
        assert_eq!(labels, ["First", "Second"]);
        assert_eq!(field.written(&json!("b")), "2");
    }
    means(
        &json!({ "type": "string", "enum": ["a", "b"] }),
        &[("2", json!("b"))],
    );
}

#[test]
fn several_choices_are_written_with_commas() {
    let titled = json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]);
    for items in [json!({ "anyOf": titled }), json!({ "enum": ["a", "b"] })] {
        let schema = json!({ "type": "array", "items": items, "minItems": 1, "maxItems": 1 });
        means(&schema, &[("2", json!(["b"])), ("1, 1,", json!(["a"]))]);
        refuses(
            &schema,
            &[
                (",", "must have at least 1 choices"),
                ("1,2", "must have at most 1 choices"),
                ("1,3", "must be one of the choices: 1 to 2"),
            ],
        );
        assert_eq!(field(&schema).written(&json!(["a", "b"])), "1,2");
    }
}

#[test]
fn a_default_is_checked_like_any_value() {
    let field = field(&json!({ "type": "integer", "minimum": 5, "default": 3 }));
    assert_eq!(field.written(&json!(3)), "3");
    assert_eq!(field.check(&json!(3)), Err("must be at least 5".to_owned()));
    assert!(field.check(&json!(5)).is_ok());
}

#[test]
fn choices_that_are_numbers_are_not_told_by_theirs() {
    let plain = json!({ "type": "string", "enum": ["3", "1", "2"] });
    means(&plain, &[("1", json!("1")), ("#1", json!("3"))]);
    refuses(&plain, &[("0", "must be one of the choices: #1 to #3")]);
    assert_eq!(field(&plain).written(&json!("2")), "#3");
    let titled = json!({ "type": "string", "oneOf": [
        { "const": "0", "title": "1" }, { "const": "1", "title": "2" },
    ] });
    means(&titled, &[("2", json!("1")), ("0", json!("0"))]);
    let items = json!({ "type": "string", "enum": ["500", "1,000"] });
    let several = json!({ "type": "array", "items": items });
    means(
        &several,
        &[
            ("1,000", json!(["1,000"])),
            ("500,#2", json!(["500", "1,000"])),
            ("", json!([])),
        ],
    );
}

//! What is said of an answer that does not fit.

use saga_runtime::{Elicit, elicit::Format};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Everything, Size};

fn good() -> Value {
    json!({
        "name": "Ada",
        "email": "ada@example.com",
        "homepage": "https://example.com/~ada",
        "day": "2026-07-28",
        "at": "2026-07-28T12:00:00+02:00",
        "ratio": 1,
        "slope": -0.25,
        "age": 18,
        "balance": -7,
        "shift": 0,
        "big": u64::MAX,
        "sure": false,
        "size": "Large",
        "place": "somewhere-else",
        "sizes": ["Large"],
        "places": [],
    })
}

/// The good answer with one field changed, or taken out.
fn with(name: &str, value: Option<Value>) -> Value {
    let mut content = good();
    let object = content.as_object_mut().unwrap();
    match value {
        Some(value) => object.insert(name.to_owned(), value),
        None => object.remove(name),
    };
    content
}

#[test]
fn what_fits_is_not_complained_of() {
    assert_eq!(Everything::form().check(&good()), Ok(()));
    Everything::deserialize(good()).unwrap();
    let optional = with("note", Some(json!("more")));
    assert_eq!(Everything::form().check(&optional), Ok(()));
    let more_than_asked = with("nobody asked", Some(json!({ "a": [1] })));
    assert_eq!(Everything::form().check(&more_than_asked), Ok(()));
    let left_empty = with("note", Some(Value::Null));
    assert_eq!(Everything::form().check(&left_empty), Ok(()));
}

#[test]
fn every_problem_is_said_of_its_field() {
    let problems = [
        ("email", None, "`email` is needed"),
        ("email", Some(Value::Null), "`email` is needed"),
        ("sizes", None, "`sizes` is needed"),
        ("name", Some(json!(7)), "`Name` must be text"),
        (
            "name",
            Some(json!("")),
            "`Name` must have at least 1 character",
        ),
        (
            "name",
            Some(json!("a".repeat(21))),
            "`Name` must have at most 20 characters",
        ),
        ("note", Some(json!([])), "`note` must be text"),
        ("ratio", Some(json!("1")), "`ratio` must be a number"),
        ("ratio", Some(json!(-0.1)), "`ratio` must be at least 0"),
        ("ratio", Some(json!(1.5)), "`ratio` must be at most 1"),
        ("slope", Some(json!(-1)), "`slope` must be at least -0.5"),
        ("age", Some(json!(17)), "`age` must be at least 18"),
        ("age", Some(json!(256)), "`age` must be at most 255"),
        ("age", Some(json!(20.5)), "`age` must be a whole number"),
        ("age", Some(json!("20")), "`age` must be a whole number"),
        ("age", Some(json!(u64::MAX)), "`age` must be at most 255"),
        ("shift", Some(json!(11)), "`shift` must be at most 10"),
        ("big", Some(json!(-1)), "`big` must be at least 0"),
        (
            "balance",
            Some(json!(1e300)),
            "`balance` must be a whole number",
        ),
        ("sure", Some(json!("yes")), "`sure` must be yes or no"),
        (
            "size",
            Some(json!("small")),
            "`size` must be one of Small, Large",
        ),
        (
            "size",
            Some(json!(["Small"])),
            "`size` must be one of Small, Large",
        ),
        (
            "place",
            Some(json!("nowhere")),
            "`place` must be one of staging-area, production, somewhere-else",
        ),
        ("sizes", Some(json!("Small")), "`sizes` must be a list"),
        (
            "sizes",
            Some(json!([])),
            "`sizes` must have at least 1 of the options",
        ),
        (
            "sizes",
            Some(json!(["Small", "Small", "Large"])),
            "`sizes` must have at most 2 of the options",
        ),
        (
            "sizes",
            Some(json!(["Small", "Small"])),
            "`sizes` must have each of the options once",
        ),
        (
            "sizes",
            Some(json!(["Small", 7])),
            "`sizes` must be among Small, Large",
        ),
        (
            "places",
            Some(json!(["Small"])),
            "`Places` must be among staging-area, production, somewhere-else",
        ),
    ];
    for (name, value, problem) in problems {
        let content = with(name, value);
        assert_eq!(
            Everything::form().check(&content).unwrap_err(),
            problem,
            "{content}"
        );
    }
}

#[test]
fn formats_are_those_of_the_specification() {
    let texts: [(&str, &str, &[&str], &[&str]); 4] = [
        (
            "email",
            "an e-mail address",
            &[
                "a@b.c",
                "ada+lists@example.com",
                "ada@localhost",
                "ä@exämple.com",
            ],
            &[
                "",
                "ada",
                "ada@",
                "@example.com",
                "a b@c.d",
                "Ada <ada@example.com>",
                "a@b.c\n",
            ],
        ),
        (
            "homepage",
            "a URI",
            &[
                "https://example.com",
                "mailto:ada@example.com",
                "urn:isbn:0451450523",
                "file:///a",
            ],
            &[
                "",
                "example.com",
                "/a/b",
                " https://example.com",
                "https://exa mple.com",
                "https://",
            ],
        ),
        (
            "day",
            "a date like 2026-07-28",
            &["2026-07-28", "2024-02-29", "0001-01-01"],
            &[
                "",
                "2026-7-28",
                "2026-02-29",
                "28.07.2026",
                " 2026-07-28",
                "2026-07-28T12:00:00Z",
                "+026-07-28",
            ],
        ),
        (
            "at",
            "a time like 2026-07-28T12:00:00Z",
            &[
                "2026-07-28T12:00:00Z",
                "2026-07-28t12:00:00.123-05:30",
                "2016-12-31T23:59:60Z",
            ],
            &[
                "",
                "2026-07-28",
                "2026-07-28T12:00:00",
                "2026-07-28 12:00:00Z",
                "2026-07-28T25:00:00Z",
            ],
        ),
    ];
    for (name, what, good, bad) in texts {
        for text in good {
            let content = with(name, Some(json!(text)));
            assert_eq!(Everything::form().check(&content), Ok(()), "{text}");
        }
        for text in bad {
            let content = with(name, Some(json!(text)));
            let problem = Everything::form().check(&content).unwrap_err();
            assert_eq!(problem, format!("`{name}` must be {what}"), "{text}");
        }
    }
}

#[test]
fn a_format_can_be_asked_without_a_form() {
    for (format, good, bad) in [
        (Format::Email, "ada@example.com", "ada"),
        (Format::Uri, "https://example.com", "example.com"),
        (Format::Date, "2026-07-28", "2026-02-29"),
        (Format::DateTime, "2026-07-28T12:00:00Z", "2026-07-28"),
    ] {
        assert!(format.fits(good) && !format.fits(bad), "{format:?}");
    }
}

#[test]
fn length_is_counted_in_characters() {
    let twenty = with("name", Some(json!("ü".repeat(20))));
    assert_eq!(Everything::form().check(&twenty), Ok(()));
}

#[test]
fn a_whole_number_may_be_written_with_a_point() {
    let content = with("age", Some(json!(20.0)));
    assert_eq!(Everything::form().check(&content), Ok(()));
}

#[test]
fn all_problems_are_said_at_once() {
    #[derive(Deserialize, Elicit)]
    #[allow(dead_code)]
    struct Two {
        #[elicit(title = "Your size")]
        size: Size,
        count: u8,
    }
    assert_eq!(
        Two::form().check(&json!({ "count": -1 })).unwrap_err(),
        "`Your size` is needed; `count` must be at least 0"
    );
}

#[test]
fn what_is_no_object_is_no_form() {
    for content in [Value::Null, json!([]), json!("name"), json!(7), json!(true)] {
        assert_eq!(
            Everything::form().check(&content).unwrap_err(),
            "the answer must be an object with the fields of the form"
        );
    }
}

#[derive(Debug, Deserialize, Elicit)]
#[allow(dead_code)]
struct Order {
    /// A letter and digits, such as A-17
    #[elicit(pattern = r"^[A-Z]-\d+$", default = "A-1")]
    number: String,
    #[elicit(title = "Word", pattern = r"\bof\b", min_length = 4)]
    title: Option<String>,
}

#[test]
fn a_pattern_is_checked_and_not_sent() {
    let check = |number: &str, title: Value| {
        Order::form().check(&json!({ "number": number, "title": title }))
    };
    assert_eq!(check("B-12", Value::Null), Ok(()));
    assert_eq!(check("B-12", json!("men of steel")), Ok(()));
    let wrong = "`number` must have the form `^[A-Z]-\\d+$`";
    // Digits of other scripts are none to ECMA-262, and `$` is the end of the text.
    for number in ["B-", "xB-1", "B-\u{663}", "B-1\n", ""] {
        assert_eq!(
            check(number, Value::Null),
            Err(wrong.to_owned()),
            "{number}"
        );
    }
    assert_eq!(
        check("B-1", json!("office")),
        Err("`Word` must have the form `\\bof\\b`".to_owned())
    );
    assert_eq!(
        check("B-1", json!("of")),
        Err("`Word` must have at least 4 characters".to_owned())
    );
    let schema = serde_json::to_string(&Order::form().json_schema()).unwrap();
    assert!(!schema.contains("pattern"), "{schema}");
}

#[test]
fn a_pattern_takes_no_longer_for_a_hostile_text() {
    #[derive(Debug, Deserialize, Elicit)]
    #[allow(dead_code)]
    struct Nested {
        #[elicit(pattern = "^(a+)+$")]
        text: String,
    }
    // For an engine that goes back and forth this is longer than the universe is old.
    let content = json!({ "text": format!("{}b", "a".repeat(20_000)) });
    assert!(Nested::form().check(&content).is_err());
}

//! What the derive reads of serde's and schemars' attributes.

use rmcp::model::ProtocolVersion;
use saga_runtime::{
    Elicit,
    elicit::{Form, FormChoice, FormField, Shape},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Size, sent_value};

fn names(form: &Form) -> Vec<&str> {
    form.fields().iter().map(|field| field.name()).collect()
}

fn required(form: &Form) -> Vec<&str> {
    let fields = form.fields().iter();
    fields
        .filter(|field| field.is_required())
        .map(|field| field.name())
        .collect()
}

macro_rules! every_case {
    ($($module:ident $rule:literal;)*) => {
        $(mod $module {
            use super::*;

            #[derive(Debug, Deserialize, Elicit)]
            #[serde(rename_all = $rule)]
            #[allow(non_snake_case)]
            pub(super) struct Fields {
                pub(super) first_name: bool,
                pub(super) x: bool,
                pub(super) a_b_c: bool,
                pub(super) r#type: bool,
                pub(super) größe_ü: bool,
                pub(super) with__two: bool,
            }

            #[derive(Debug, Deserialize, Elicit)]
            #[serde(rename_all = $rule)]
            #[allow(clippy::upper_case_acronyms)]
            pub(super) enum Options {
                FirstOne,
                X,
                ABC,
                GrößeÄ,
                Item2,
            }
        })*

        #[test]
        fn names_are_serdes_in_every_case() {
            $(
                let form = $module::Fields::form();
                let content: Map<_, _> =
                    names(form).into_iter().map(|name| (name.to_owned(), json!(true))).collect();
                let read = $module::Fields::deserialize(Value::Object(content)).unwrap();
                let all = [read.first_name, read.x, read.a_b_c, read.r#type, read.größe_ü, read.with__two];
                assert_eq!(all, [true; 6]);
                for option in $module::Options::OPTIONS {
                    let read = $module::Options::deserialize(json!(option.value));
                    assert!(read.is_ok(), "{} {read:?}", $rule);
                }
                assert_eq!($module::Options::OPTIONS.len(), 5);
            )*
        }
    };
}

every_case! {
    lower "lowercase";
    upper "UPPERCASE";
    pascal "PascalCase";
    camel "camelCase";
    snake "snake_case";
    screaming "SCREAMING_SNAKE_CASE";
    kebab "kebab-case";
    screaming_kebab "SCREAMING-KEBAB-CASE";
}

#[derive(Debug, Deserialize, Elicit)]
#[serde(rename_all(serialize = "UPPERCASE", deserialize = "camelCase"))]
#[allow(dead_code)]
struct Renamed {
    user_name: String,
    #[serde(rename = "e-mail")]
    mail_address: String,
    #[serde(rename(serialize = "out", deserialize = "in"))]
    both_ways: String,
    #[serde(skip)]
    secret: std::time::Duration,
    #[serde(skip_deserializing)]
    computed: Vec<u8>,
    #[serde(skip_serializing)]
    kept: String,
    #[serde(default)]
    tags: Vec<Size>,
    #[serde(default = "three")]
    three: u8,
}

fn three() -> u8 {
    3
}

#[test]
fn renamed_skipped_and_defaulted_fields_are_as_serde_has_them() {
    let form = Renamed::form();
    let all = ["userName", "e-mail", "in", "kept", "tags", "three"];
    assert_eq!(names(form), all);
    assert_eq!(required(form), ["userName", "e-mail", "in", "kept"]);
    let least = json!({ "userName": "u", "e-mail": "e", "in": "i", "kept": "k" });
    assert_eq!(form.check(&least), Ok(()));
    assert_eq!(Renamed::deserialize(least).unwrap().three, 3);
}

#[derive(Debug, Default, Deserialize, Elicit)]
#[serde(default)]
struct AllDefaulted {
    #[allow(dead_code)]
    name: String,
    #[allow(dead_code)]
    age: u8,
}

#[test]
fn a_struct_with_defaults_needs_nothing() {
    assert!(required(AllDefaulted::form()).is_empty());
    assert_eq!(AllDefaulted::form().check(&json!({})), Ok(()));
    assert!(AllDefaulted::deserialize(json!({})).is_ok());
}

/// From the comment.
#[derive(Debug, Deserialize, Elicit)]
#[schemars(title = "Contact", description = "From the attribute.")]
#[allow(dead_code)]
struct Schemars {
    #[schemars(title = "Mail", email)]
    mail: String,
    #[schemars(url)]
    page: Option<String>,
    /// From the comment
    #[schemars(length(min = 2, max = 5))]
    code: String,
    #[schemars(length(equal = 4), description = "From the attribute")]
    pin: Option<String>,
    #[schemars(range(min = 1, max = 9))]
    count: u8,
    #[schemars(range(min = 0.5))]
    ratio: f64,
    #[schemars(length(min = 1, max = 2))]
    sizes: Vec<Size>,
    #[schemars(length(max = 1), example = 3)]
    more: Option<Vec<Size>>,
}

#[test]
fn the_words_of_schemars_are_read() {
    let schema = sent_value(Schemars::form(), &ProtocolVersion::V_2026_07_28);
    assert_eq!(schema["title"], "Contact");
    assert_eq!(schema["description"], "From the attribute.");
    let sizes = json!({ "type": "string", "enum": ["Small", "Large"] });
    assert_eq!(
        schema["properties"],
        json!({
            "mail": { "type": "string", "title": "Mail", "format": "email" },
            "page": { "type": "string", "format": "uri" },
            "code": {
                "type": "string", "description": "From the comment", "minLength": 2, "maxLength": 5,
            },
            "pin": {
                "type": "string", "description": "From the attribute", "minLength": 4, "maxLength": 4,
            },
            "count": { "type": "integer", "minimum": 1, "maximum": 9 },
            "ratio": { "type": "number", "minimum": 0.5 },
            "sizes": { "type": "array", "items": sizes, "minItems": 1, "maxItems": 2 },
            "more": { "type": "array", "items": sizes, "maxItems": 1 },
        })
    );
}

type Alias = String;

/// A doc comment
/// of two lines.
///
/// And a second paragraph,
/// also of two.
#[derive(Debug, Deserialize, Elicit)]
#[allow(dead_code)]
struct Commented {
    /** A block comment */
    block: Alias,
    #[elicit(default = "of an alias", min_length = 3)]
    alias: Alias,
    #[elicit(description = "Said")]
    /// Not said
    said: std::option::Option<std::string::String>,
}

#[test]
fn comments_are_descriptions_and_aliases_are_types() {
    let schema = sent_value(Commented::form(), &ProtocolVersion::V_2026_07_28);
    assert_eq!(
        schema["description"],
        "A doc comment of two lines.\nAnd a second paragraph, also of two."
    );
    let properties = &schema["properties"];
    assert_eq!(properties["block"]["description"], "A block comment");
    assert_eq!(properties["alias"]["default"], "of an alias");
    assert_eq!(properties["said"]["description"], "Said");
    assert_eq!(schema["required"], json!(["block", "alias"]));
}

/// A port that only this server opens.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Port(u16);

impl FormField for Port {
    const SHAPE: Shape = u16::SHAPE;
}

#[derive(Debug, Deserialize, Elicit)]
struct Opened {
    #[elicit(min = 1024, default = 8080)]
    port: Port,
    other: Option<Port>,
}

#[test]
fn a_type_of_ones_own_says_what_it_takes() {
    let schema = sent_value(Opened::form(), &ProtocolVersion::V_2026_07_28);
    let limits = json!({ "type": "integer", "minimum": 1024, "maximum": 65535, "default": 8080 });
    assert_eq!(schema["properties"]["port"], limits);
    let content = json!({ "port": 2000, "other": null });
    assert_eq!(Opened::form().check(&content), Ok(()));
    let opened = Opened::deserialize(content).unwrap();
    assert_eq!(
        (opened.port.0, opened.other.map(|port| port.0)),
        (2000, None)
    );
}

//! The schema of every kind of field, for every version of the protocol.

use rmcp::{model::ProtocolVersion, service::ElicitationSafe};
use saga_runtime::Elicit;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Everything, Older, by_rmcp, sent, sent_value};

fn everything() -> Value {
    let titled = json!([
        { "const": "staging-area", "title": "The staging servers" },
        { "const": "production", "title": "The real thing" },
        { "const": "somewhere-else", "title": "somewhere-else" },
    ]);
    let sizes = json!({ "type": "string", "enum": ["Small", "Large"] });
    json!({
        "type": "object",
        "title": "Everything",
        "description": "Everything that a form can ask.\nIn one form.",
        "properties": {
            "name": {
                "type": "string", "title": "Name", "description": "Your full name",
                "minLength": 1, "maxLength": 20, "default": "Ada",
            },
            "email": { "type": "string", "format": "email", "default": "ada@example.com" },
            "homepage": { "type": "string", "format": "uri" },
            "day": { "type": "string", "format": "date", "default": "2026-07-28" },
            "at": { "type": "string", "format": "date-time", "default": "2026-07-28T12:00:00Z" },
            "ratio": { "type": "number", "minimum": 0.0, "maximum": 1.0, "default": 0.5 },
            "slope": { "type": "number", "minimum": -0.5, "default": 3.0 },
            "age": { "type": "integer", "minimum": 18, "maximum": 255, "default": 20 },
            "balance": { "type": "integer" },
            "shift": { "type": "integer", "minimum": -32768, "maximum": 10, "default": -3 },
            "big": { "type": "integer", "minimum": 0 },
            "sure": { "type": "boolean", "default": true },
            "size": { "type": "string", "enum": ["Small", "Large"], "default": "Small" },
            "place": {
                "type": "string", "description": "Where it goes",
                "oneOf": titled, "default": "staging-area",
            },
            "sizes": {
                "type": "array", "minItems": 1, "maxItems": 2,
                "items": sizes, "default": ["Small", "Large"],
            },
            "places": {
                "type": "array", "title": "Places",
                "items": { "anyOf": titled }, "default": ["production"],
            },
            "note": { "type": "string" },
            "others": { "type": "array", "items": sizes },
        },
        "required": [
            "name", "email", "homepage", "day", "at", "ratio", "slope", "age", "balance", "shift",
            "big", "sure", "size", "place", "sizes", "places",
        ],
    })
}

#[test]
fn newer_clients_are_sent_all_that_is_said() {
    for version in [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28] {
        assert_eq!(
            sent_value(Everything::form(), &version),
            everything(),
            "{version}"
        );
    }
}

#[test]
fn a_client_of_no_known_version_is_sent_the_newest() {
    let schema = Everything::form().schema(None).unwrap();
    assert_eq!(serde_json::to_value(schema).unwrap(), everything());
}

#[test]
fn fields_keep_the_order_of_the_source() {
    let names = [
        "name", "email", "homepage", "day", "at", "ratio", "slope", "age", "balance", "shift",
        "big", "sure", "size", "place", "sizes", "places", "note", "others",
    ];
    let text = sent(Everything::form(), &ProtocolVersion::V_2026_07_28);
    let places = names.map(|name| text.find(&format!("\"{name}\":{{")).unwrap());
    assert!(places.is_sorted(), "{text}");
    let form = Everything::form();
    assert!(form.fields().iter().map(|field| field.name()).eq(names));
}

#[test]
fn before_2025_11_25_there_are_defaults_of_booleans_only_and_names_of_options() {
    let old = sent_value(Older::form(), &ProtocolVersion::V_2025_06_18);
    assert_eq!(
        old["properties"],
        json!({
            "name": { "type": "string", "minLength": 1 },
            "age": { "type": "integer", "minimum": 1, "maximum": 255 },
            "sure": { "type": "boolean", "default": true },
            "size": { "type": "string", "enum": ["Small", "Large"] },
            "place": {
                "type": "string",
                "enum": ["staging-area", "production", "somewhere-else"],
                "enumNames": ["The staging servers", "The real thing", "somewhere-else"],
            },
        })
    );
    let new = sent_value(Older::form(), &ProtocolVersion::V_2025_11_25);
    assert_eq!(new["properties"]["age"]["default"], 3);
    assert!(new["properties"]["place"].get("enumNames").is_none());
}

#[test]
fn before_2025_11_25_nobody_can_choose_several() {
    let old = ProtocolVersion::V_2025_06_18;
    let refused = Everything::form().schema(Some(&old)).unwrap_err();
    assert_eq!(refused.code.0, -32603);
    assert_eq!(
        refused.message,
        "`sizes` is a choice of several, which clients have from 2025-11-25"
    );
}

#[test]
fn peer_elicit_sends_the_same() {
    assert_eq!(by_rmcp::<Everything>(), everything());
    let json = Value::Object(Everything::form().json_schema());
    assert_eq!(json, everything());
    // A form without a title has the type's name there, as of every type.
    let mut older = by_rmcp::<Older>();
    assert_eq!(
        older.as_object_mut().unwrap().remove("title"),
        Some(json!("Older"))
    );
    assert_eq!(older, Value::Object(Older::form().json_schema()));
}

#[test]
fn a_form_fits_where_rmcp_wants_one() {
    fn fits<T: ElicitationSafe + serde::de::DeserializeOwned>() {}
    fits::<Everything>();
    fits::<Older>();
}

/// Nothing but a confirmation.
#[derive(Debug, Deserialize, Elicit)]
struct Nothing {}

#[test]
fn a_form_may_ask_nothing_but_for_consent() {
    let nothing = json!({
        "type": "object",
        "description": "Nothing but a confirmation.",
        "properties": {},
        "required": [],
    });
    for version in [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2026_07_28] {
        assert_eq!(sent_value(Nothing::form(), &version), nothing);
    }
    assert_eq!(Nothing::form().check(&json!({})), Ok(()));
}

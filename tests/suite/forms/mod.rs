//! `#[derive(Elicit)]`: the schema that a client is sent, and what is made of its answer.

mod check;
mod names;
mod random;
mod schema;

use rmcp::model::{ElicitationSchema, ProtocolVersion};
use saga_runtime::{Elicit, elicit::Form};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Debug, Deserialize, Elicit, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Small,
    Large,
}

/// What is said of the choice itself is for those who read the source.
#[derive(Debug, Deserialize, Elicit, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Place {
    /// The staging servers
    StagingArea,
    #[elicit(title = "The real thing")]
    Production,
    SomewhereElse,
    #[serde(skip)]
    #[allow(dead_code)]
    Nowhere,
}

/// Everything that
/// a form can ask.
///
/// In one form.
#[derive(Debug, Deserialize, Elicit)]
#[elicit(title = "Everything")]
#[allow(dead_code)]
struct Everything {
    /// Your full name
    #[elicit(title = "Name", min_length = 1, max_length = 20, default = "Ada")]
    name: String,
    #[elicit(format = "email", default = "ada@example.com")]
    email: String,
    #[elicit(format = "uri")]
    homepage: String,
    #[elicit(format = "date", default = "2026-07-28")]
    day: String,
    #[elicit(format = "date-time", default = "2026-07-28T12:00:00Z")]
    at: String,
    #[elicit(min = 0, max = 1, default = 0.5)]
    ratio: f64,
    #[elicit(min = -0.5, default = 3)]
    slope: f32,
    #[elicit(min = 18, default = 20)]
    age: u8,
    balance: i64,
    #[elicit(max = 10, default = -3)]
    shift: i16,
    big: u64,
    #[elicit(default = true)]
    sure: bool,
    #[elicit(default = "Small")]
    size: Size,
    /// Where it goes
    #[elicit(default = "staging-area")]
    place: Place,
    #[elicit(min_items = 1, max_items = 2, default = ["Small", "Large"])]
    sizes: Vec<Size>,
    #[elicit(title = "Places", default = ["production"])]
    places: BTreeSet<Place>,
    note: Option<String>,
    others: Option<Vec<Size>>,
}

/// The same without what older clients do not have.
#[derive(Debug, Deserialize, Elicit)]
#[allow(dead_code)]
struct Older {
    #[elicit(min_length = 1, default = "Ada")]
    name: String,
    #[elicit(min = 1, default = 3)]
    age: u8,
    #[elicit(default = true)]
    sure: bool,
    #[elicit(default = "Small")]
    size: Size,
    #[elicit(default = "staging-area")]
    place: Place,
}

/// What a client of this version is sent, as text: the order of fields is part of it.
fn sent(form: &Form, version: &ProtocolVersion) -> String {
    let schema = form.schema(Some(version)).unwrap();
    serde_json::to_string(&schema).unwrap()
}

fn sent_value(form: &Form, version: &ProtocolVersion) -> Value {
    serde_json::from_str(&sent(form, version)).unwrap()
}

/// What rmcp's own `peer.elicit::<T>(..)` sends, less what the generator adds: its dialect and the
/// type's name.
fn by_rmcp<T: schemars::JsonSchema>() -> Value {
    let schema = ElicitationSchema::from_type::<T>().unwrap();
    let mut schema = serde_json::to_value(schema).unwrap();
    schema.as_object_mut().unwrap().remove("$schema");
    schema
}

//! A form as the schema that the client renders, by protocol version.

use rmcp::{
    ErrorData,
    model::{ElicitationSchema, JsonObject, ProtocolVersion},
};
use serde_json::{Map, Value, json};

use super::{Choice, Field, Form, Format, Kind};

impl Format {
    /// The name in the schema.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Date => "date",
            Self::DateTime => "date-time",
        }
    }
}

impl Form {
    /// The `requestedSchema` for a client of this version; the newest where none is known.
    ///
    /// Before 2025-11-25 the schema has no defaults but of booleans, titles of options are `enumNames`,
    /// and there is no choice of several.
    ///
    /// # Errors
    /// `-32603` where the version has no schema for a field.
    pub fn schema(
        &self,
        version: Option<&ProtocolVersion>,
    ) -> Result<ElicitationSchema, ErrorData> {
        let old = version.is_some_and(|version| *version < ProtocolVersion::V_2025_11_25);
        let several = |field: &&Field| matches!(field.kind, Kind::Choices { .. });
        if let (true, Some(field)) = (old, self.fields.iter().find(several)) {
            let message = format!(
                "`{}` is a choice of several, which clients have from 2025-11-25",
                field.name
            );
            return Err(ErrorData::internal_error(message, None));
        }
        let mut schema = ElicitationSchema::from_json_schema(self.object(old))
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        schema.property_order = Some(self.names());
        Ok(schema)
    }

    /// The JSON Schema in the newest form.
    pub fn json_schema(&self) -> JsonObject {
        self.object(false)
    }

    fn names(&self) -> Vec<String> {
        let names = self.fields.iter().map(|field| field.name.to_owned());
        names.collect()
    }

    fn object(&self, old: bool) -> JsonObject {
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("object"));
        put(&mut object, "title", self.title);
        put(&mut object, "description", self.description);
        let properties = self.fields.iter();
        let properties: Map<_, _> = properties
            .map(|field| (field.name.to_owned(), Value::Object(field.schema(old))))
            .collect();
        object.insert("properties".to_owned(), Value::Object(properties));
        let required = self.fields.iter().filter(|field| field.required);
        let required: Vec<_> = required.map(|field| field.name).collect();
        object.insert("required".to_owned(), json!(required));
        object
    }
}

impl Field {
    fn schema(&self, old: bool) -> JsonObject {
        let mut schema = self.kind.schema(old);
        put(&mut schema, "title", self.title);
        put(&mut schema, "description", self.description);
        if !old || self.kind == Kind::Boolean {
            put(&mut schema, "default", self.default.clone());
        }
        schema
    }
}

impl Kind {
    fn schema(&self, old: bool) -> JsonObject {
        let mut schema = Map::new();
        let mut typed = |name: &str| schema.insert("type".to_owned(), json!(name));
        match self {
            Self::Text {
                min_length,
                max_length,
                format,
                pattern: _,
            } => {
                typed("string");
                put(&mut schema, "minLength", *min_length);
                put(&mut schema, "maxLength", *max_length);
                put(&mut schema, "format", format.map(Format::as_str));
            }
            Self::Number { min, max } => {
                typed("number");
                put(&mut schema, "minimum", *min);
                put(&mut schema, "maximum", *max);
            }
            Self::Integer { min, max } => {
                typed("integer");
                put(&mut schema, "minimum", *min);
                put(&mut schema, "maximum", *max);
            }
            Self::Boolean => {
                typed("boolean");
            }
            Self::Choice(options) if old => {
                typed("string");
                put(&mut schema, "enum", Some(values(options)));
                let names: Vec<_> = options.iter().map(Choice::shown).collect();
                let titled = options.iter().any(|option| option.title.is_some());
                put(&mut schema, "enumNames", titled.then_some(names));
            }
            Self::Choice(options) => {
                typed("string");
                among(&mut schema, options, "oneOf");
            }
            Self::Choices {
                options,
                min_items,
                max_items,
            } => {
                typed("array");
                put(&mut schema, "minItems", *min_items);
                put(&mut schema, "maxItems", *max_items);
                let mut items = Map::new();
                if options.iter().all(|option| option.title.is_none()) {
                    items.insert("type".to_owned(), json!("string"));
                }
                among(&mut items, options, "anyOf");
                schema.insert("items".to_owned(), Value::Object(items));
            }
        }
        schema
    }
}

/// The JSON Schema of a choice.
pub fn choice_schema(options: &'static [Choice]) -> JsonObject {
    Kind::Choice(options).schema(false)
}

impl Choice {
    fn shown(&self) -> &'static str {
        self.title.unwrap_or(self.value)
    }
}

/// Plain values where no option has a title, constants with titles otherwise.
fn among(schema: &mut JsonObject, options: &[Choice], titled: &str) {
    if options.iter().all(|option| option.title.is_none()) {
        schema.insert("enum".to_owned(), json!(values(options)));
        return;
    }
    let options = options.iter();
    let options: Vec<_> = options
        .map(|option| json!({ "const": option.value, "title": option.shown() }))
        .collect();
    schema.insert(titled.to_owned(), json!(options));
}

fn values(options: &[Choice]) -> Vec<&'static str> {
    options.iter().map(|option| option.value).collect()
}

fn put(object: &mut JsonObject, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(name.to_owned(), value.into());
    }
}

//! The fields of a form, read from its schema, and what an operator wrote into them.

use rmcp::model::ElicitationSchema;
use saga_runtime::elicit::Format;
use serde_json::{Map, Value};

/// What was sent of a form: names and values, in order.
pub(super) type Sent = Vec<(String, String)>;

/// One field.
pub(super) struct Field {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    pub(super) kind: Kind,
}

/// What goes into it.
pub(super) enum Kind {
    Text {
        min: Option<u64>,
        max: Option<u64>,
        format: Option<Format>,
    },
    Number {
        whole: bool,
        min: Option<f64>,
        max: Option<f64>,
    },
    Boolean,
    Choice(Vec<Choice>),
    Choices {
        options: Vec<Choice>,
        min: Option<u64>,
        max: Option<u64>,
    },
}

/// One of the values that may be chosen.
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) title: String,
}

/// The fields of a schema, in its order.
pub(super) fn fields(schema: &ElicitationSchema) -> Vec<Field> {
    let required = schema.required.as_deref().unwrap_or_default();
    let sorted = || schema.properties.keys().cloned().collect();
    let order: Vec<String> = schema.property_order.clone().unwrap_or_else(sorted);
    let fields = order.into_iter().filter_map(|name| {
        let property = serde_json::to_value(schema.properties.get(&name)?).ok()?;
        let text = |key: &str| property.get(key)?.as_str().map(str::to_owned);
        Some(Field {
            title: text("title").unwrap_or_else(|| name.clone()),
            description: text("description"),
            required: required.contains(&name),
            default: property.get("default").cloned(),
            kind: Kind::of(&property),
            name,
        })
    });
    fields.collect()
}

impl Kind {
    fn of(property: &Value) -> Self {
        let number = |key: &str| property.get(key).and_then(Value::as_u64);
        let bound = |key: &str| property.get(key).and_then(Value::as_f64);
        let (min, max) = (bound("minimum"), bound("maximum"));
        let options = choices(property);
        match property.get("type").and_then(Value::as_str) {
            Some("array") => Self::Choices {
                options: property.get("items").map(choices).unwrap_or_default(),
                min: number("minItems"),
                max: number("maxItems"),
            },
            _ if !options.is_empty() => Self::Choice(options),
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Number {
                whole: true,
                min,
                max,
            },
            Some("number") => Self::Number {
                whole: false,
                min,
                max,
            },
            _ => Self::Text {
                min: number("minLength"),
                max: number("maxLength"),
                format: match property.get("format").and_then(Value::as_str) {
                    Some("email") => Some(Format::Email),
                    Some("uri") => Some(Format::Uri),
                    Some("date") => Some(Format::Date),
                    Some("date-time") => Some(Format::DateTime),
                    _ => None,
                },
            },
        }
    }
}

/// The values of a choice: plain ones, with their names beside them, or with titles of their own.
fn choices(schema: &Value) -> Vec<Choice> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let names = list("enumNames");
    let plain = list("enum").into_iter().flatten().enumerate();
    let plain = plain.filter_map(|(at, value)| {
        let title = names.and_then(|names| names.get(at)?.as_str());
        Some((value.as_str()?, title))
    });
    let titled = list("oneOf")
        .or_else(|| list("anyOf"))
        .into_iter()
        .flatten();
    let titled = titled.filter_map(|option| {
        let title = option.get("title").and_then(Value::as_str);
        Some((option.get("const")?.as_str()?, title))
    });
    let all = plain.chain(titled).map(|(value, title)| Choice {
        value: value.to_owned(),
        title: title.unwrap_or(value).to_owned(),
    });
    all.collect()
}

impl Field {
    /// Its name in a form: other inputs have other names.
    pub(super) fn input(&self) -> String {
        format!("field.{}", self.name)
    }

    /// The texts that were sent for it; where nothing was sent at all, its default.
    pub(super) fn values(&self, sent: Option<&Sent>) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match (sent, &self.default) {
            (Some(sent), _) => {
                let input = self.input();
                let mine = sent.iter().filter(|(name, _)| *name == input);
                mine.map(|(_, value)| value.clone()).collect()
            }
            (None, Some(Value::Array(values))) => values.iter().map(text).collect(),
            (None, Some(value)) => vec![text(value)],
            (None, None) => Vec::new(),
        }
    }

    /// What was written, as the tool reads it; nothing where it was left empty.
    ///
    /// # Errors
    /// What is wrong with it, for the operator.
    fn read(&self, sent: &Sent) -> Result<Option<Value>, String> {
        let values = self.values(Some(sent));
        if let Kind::Choices { options, min, max } = &self.kind {
            return several(&values, options, *min, *max, self.required);
        }
        let Some(text) = values.first().filter(|text| !text.is_empty()) else {
            return match self.required {
                true => Err("This is needed.".to_owned()),
                false => Ok(None),
            };
        };
        self.kind.read(text).map(Some)
    }
}

impl Kind {
    fn read(&self, text: &str) -> Result<Value, String> {
        match self {
            Self::Text { min, max, format } => {
                // A browser sends the ends of lines as HTTP has them.
                let text = text.replace("\r\n", "\n");
                let length = text.chars().count() as u64;
                match (min, max, format) {
                    (Some(min), ..) if length < *min => Err(format!("At least {min} characters.")),
                    (_, Some(max), _) if length > *max => Err(format!("At most {max} characters.")),
                    (.., Some(format)) if !format.fits(&text) => Err(wanted(*format).to_owned()),
                    _ => Ok(Value::String(text)),
                }
            }
            Self::Number { whole, min, max } => {
                let integer = text.trim().parse::<i64>().map(Value::from);
                let integer = integer.or_else(|_| text.trim().parse::<u64>().map(Value::from));
                let value = match (integer, whole) {
                    (Ok(value), _) => value,
                    // A browser takes `1e2` for one.
                    (Err(_), true) => whole_float(text).ok_or("A whole number.")?,
                    (Err(_), false) => {
                        let float = text.trim().parse().ok();
                        let number = float.and_then(serde_json::Number::from_f64);
                        Value::Number(number.ok_or("A number.")?)
                    }
                };
                let float = value.as_f64().unwrap_or_default();
                match (min, max) {
                    (Some(min), _) if float < *min => Err(format!("At least {min}.")),
                    (_, Some(max)) if float > *max => Err(format!("At most {max}.")),
                    _ => Ok(value),
                }
            }
            Self::Boolean => match text {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err("Yes or no.".to_owned()),
            },
            Self::Choice(options) => chosen(text, options),
            Self::Choices { .. } => Err("Several, and not one.".to_owned()),
        }
    }
}

/// The whole number that a text writes in another way, as far as it is exact.
fn whole_float(text: &str) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let float: f64 = text.trim().parse().ok()?;
    let is_whole = float.fract() == 0.0 && float.abs() <= EXACT;
    is_whole.then(|| Value::from(float as i64))
}

fn chosen(text: &str, options: &[Choice]) -> Result<Value, String> {
    match options.iter().any(|option| option.value == text) {
        true => Ok(Value::String(text.to_owned())),
        false => Err("One of the choices.".to_owned()),
    }
}

fn several(
    values: &[String],
    options: &[Choice],
    min: Option<u64>,
    max: Option<u64>,
    required: bool,
) -> Result<Option<Value>, String> {
    if values.is_empty() && !required {
        return Ok(None);
    }
    let count = values.len() as u64;
    if let Some(min) = min.filter(|min| count < *min) {
        return Err(format!("At least {min} of the choices."));
    }
    if let Some(max) = max.filter(|max| count > *max) {
        return Err(format!("At most {max} of the choices."));
    }
    let chosen = values.iter().map(|value| chosen(value, options));
    Ok(Some(Value::Array(chosen.collect::<Result<_, _>>()?)))
}

fn wanted(format: Format) -> &'static str {
    match format {
        Format::Email => "An e-mail address.",
        Format::Uri => "A URI, with its scheme.",
        Format::Date => "A date like 2026-07-28.",
        Format::DateTime => "A time like 2026-07-28T12:00:00Z.",
    }
}

/// What was written into all of them; or what is wrong, by the name of the field.
pub(super) fn content(
    fields: &[Field],
    sent: &Sent,
) -> Result<Map<String, Value>, Vec<(String, String)>> {
    let (mut content, mut wrong) = (Map::new(), Vec::new());
    for field in fields {
        match field.read(sent) {
            Ok(Some(value)) => {
                content.insert(field.name.clone(), value);
            }
            Ok(None) => {}
            Err(problem) => wrong.push((field.name.clone(), problem)),
        }
    }
    match wrong.is_empty() {
        true => Ok(content),
        false => Err(wrong),
    }
}

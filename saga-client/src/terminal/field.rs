//! A field of a form: what may be in it, and how a person writes it.

mod check;
mod parse;
#[cfg(test)]
mod tests;

use serde_json::{Number, Value};

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    pub(super) required: bool,
    pub(super) default: Option<Value>,
    kind: Kind,
}

/// One of the values that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub(super) value: String,
    pub(super) title: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Text {
        min: Option<u64>,
        max: Option<u64>,
        format: Option<Format>,
    },
    Number {
        whole: bool,
        min: Option<Number>,
        max: Option<Number>,
    },
    Boolean,
    One(Vec<Choice>),
    Several {
        choices: Vec<Choice>,
        min: Option<u64>,
        max: Option<u64>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Field {
    /// The field of this name, as a property of a form's schema describes it. What the schema has
    /// beyond that of an elicitation is not looked at.
    pub fn new(name: &str, schema: &Value, required: bool) -> Self {
        let text = |key| schema.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            name: name.to_owned(),
            title: text("title"),
            description: text("description"),
            required,
            default: schema.get("default").cloned(),
            kind: Kind::of(schema),
        }
    }

    /// What it is called.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// What can be chosen.
    pub fn choices(&self) -> &[Choice] {
        match &self.kind {
            Kind::One(choices) | Kind::Several { choices, .. } => choices,
            _ => &[],
        }
    }

    /// What stands before the numbers of its choices.
    pub fn mark(&self) -> &'static str {
        parse::mark(self.choices())
    }

    /// Whether any number of its choices may be taken, as far as it says so: also none.
    pub fn is_list(&self) -> bool {
        matches!(self.kind, Kind::Several { .. })
    }

    /// What may be in it, in a few words.
    pub fn hint(&self) -> String {
        match &self.kind {
            Kind::Text { min, max, format } => {
                let what = format.map_or("text", Format::example);
                joined(what, range(min.as_ref(), max.as_ref()), " characters")
            }
            Kind::Number { whole, min, max } => {
                let what = if *whole { "whole number" } else { "number" };
                joined(what, range(min.as_ref(), max.as_ref()), "")
            }
            Kind::Boolean => "yes or no".to_owned(),
            Kind::One(_) => "choose one".to_owned(),
            Kind::Several { min, max, .. } => {
                let what = match self.mark() {
                    "" => "choose any, as in 1,2",
                    _ => "choose any, as in #1,#2",
                };
                joined(what, range(min.as_ref(), max.as_ref()), " of them")
            }
        }
    }

    /// How a person would write `value`.
    pub fn written(&self, value: &Value) -> String {
        match (&self.kind, value) {
            (_, Value::Bool(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
            (_, Value::Array(items)) => {
                let items: Vec<_> = items.iter().map(|item| self.written(item)).collect();
                items.join(",")
            }
            (_, Value::String(text)) => {
                let same = |choice: &Choice| choice.value == *text;
                match self.choices().iter().position(same) {
                    Some(index) => format!("{}{}", self.mark(), index + 1),
                    None => text.clone(),
                }
            }
            (_, other) => other.to_string(),
        }
    }
}

impl Choice {
    /// What it is called.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let limit = |key| schema.get(key).and_then(Value::as_u64);
        let number = |key| schema.get(key).and_then(Value::as_number).cloned();
        let choices = choices(schema);
        match schema.get("type").and_then(Value::as_str) {
            Some("array") => Self::Several {
                choices: schema.get("items").map(self::choices).unwrap_or_default(),
                min: limit("minItems"),
                max: limit("maxItems"),
            },
            _ if !choices.is_empty() => Self::One(choices),
            Some("boolean") => Self::Boolean,
            Some(kind @ ("integer" | "number")) => Self::Number {
                whole: kind == "integer",
                min: number("minimum"),
                max: number("maximum"),
            },
            _ => Self::Text {
                min: limit("minLength"),
                max: limit("maxLength"),
                format: schema
                    .get("format")
                    .and_then(Value::as_str)
                    .and_then(Format::of),
            },
        }
    }
}

fn choices(schema: &Value) -> Vec<Choice> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let listed = |key| schema.get(key).and_then(Value::as_array);
    if let Some(titled) = listed("oneOf").or_else(|| listed("anyOf")) {
        let choice = |choice: &Value| {
            let value = text(choice.get("const"))?;
            let title = text(choice.get("title"));
            Some(Choice { value, title })
        };
        return titled.iter().filter_map(choice).collect();
    }
    let names = listed("enumNames");
    let choice = |(index, value)| {
        let value = text(Some(value))?;
        let title = text(names.and_then(|names| names.get(index)));
        Some(Choice { value, title })
    };
    let values = listed("enum").into_iter().flatten();
    values.enumerate().filter_map(choice).collect()
}

impl Format {
    fn of(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Email => "e-mail address",
            Self::Uri => "URI",
            Self::Date => "date like 2026-07-28",
            Self::DateTime => "time like 2026-07-28T12:00:00Z",
        }
    }
}

fn range<N: std::fmt::Display + PartialEq>(min: Option<&N>, max: Option<&N>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) if min == max => Some(format!("exactly {min}")),
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn joined(what: &str, range: Option<String>, of: &str) -> String {
    match range {
        Some(range) => format!("{what}, {range}{of}"),
        None => what.to_owned(),
    }
}

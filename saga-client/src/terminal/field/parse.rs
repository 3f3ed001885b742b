//! From what a person writes to a value.

use serde_json::{Number, Value};

use super::{Choice, Field, Kind};

impl Field {
    /// The value that a person means by `text`, if the field may have it.
    ///
    /// # Errors
    /// What it must be, to follow its name.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let value = match &self.kind {
            // Enter alone means the default, so an empty text has to be written otherwise.
            Kind::Text { .. } if text == "\"\"" => Value::String(String::new()),
            Kind::Text { .. } => Value::String(text.to_owned()),
            Kind::Number { whole, .. } => number(text, *whole)?,
            Kind::Boolean => boolean(text)?,
            Kind::One(choices) => chosen(text, choices)?,
            Kind::Several { choices, .. } => {
                let mut items = Vec::new();
                // One may have a comma in it.
                let separators: &[char] = if chosen(text, choices).is_ok() {
                    &[]
                } else {
                    &[',']
                };
                let words = text.split(separators).map(str::trim);
                for word in words.filter(|word| !word.is_empty()) {
                    let item = chosen(word, choices)?;
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                Value::Array(items)
            }
        };
        self.check(&value)?;
        Ok(value)
    }
}

fn number(text: &str, whole: bool) -> Result<Value, String> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    if whole {
        return Err("must be a whole number".to_owned());
    }
    let number = text.parse().ok().and_then(Number::from_f64);
    number
        .map(Value::Number)
        .ok_or_else(|| "must be a number".to_owned())
}

fn boolean(text: &str) -> Result<Value, String> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" => Ok(true.into()),
        "n" | "no" | "false" => Ok(false.into()),
        _ => Err("must be y (yes) or n (no)".to_owned()),
    }
}

/// A choice by its title, its value, or its number: `#2`, or `2` where none of them is a number itself.
fn chosen(word: &str, choices: &[Choice]) -> Result<Value, String> {
    let number = match word.strip_prefix('#') {
        Some(number) => Some(number),
        None => are_numbered(choices).then_some(word),
    };
    let number = number.and_then(|number| number.parse::<usize>().ok());
    let by_number = || choices.get(number?.checked_sub(1)?);
    let by_value = || choices.iter().find(|choice| choice.value == word);
    let by_title = || {
        let called = |choice: &&Choice| choice.label().to_lowercase() == word.to_lowercase();
        choices.iter().find(called)
    };
    match by_title().or_else(by_value).or_else(by_number) {
        Some(choice) => Ok(Value::String(choice.value.clone())),
        None => Err(format!(
            "must be one of the choices: {0}1 to {0}{1}",
            mark(choices),
            choices.len()
        )),
    }
}

/// Whether choices can be told by their bare numbers: not where one of them is a number itself.
fn are_numbered(choices: &[Choice]) -> bool {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    !choices
        .iter()
        .any(|choice| is_number(&choice.value) || is_number(choice.label()))
}

/// What stands before a choice's number.
pub(super) fn mark(choices: &[Choice]) -> &'static str {
    if are_numbered(choices) { "" } else { "#" }
}

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
                let words = text.split(',').map(str::trim);
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

/// A choice by its value, its title, or its number where it is shown with one.
fn chosen(word: &str, choices: &[Choice]) -> Result<Value, String> {
    let number = word.parse::<usize>().ok().filter(|_| are_numbered(choices));
    let by_number = number
        .and_then(|number| number.checked_sub(1))
        .and_then(|index| choices.get(index));
    let by_value = || choices.iter().find(|choice| choice.value == word);
    let by_title = || {
        let called = |choice: &&Choice| choice.label().to_lowercase() == word.to_lowercase();
        choices.iter().find(called)
    };
    match by_number.or_else(by_value).or_else(by_title) {
        Some(choice) => Ok(Value::String(choice.value.clone())),
        None if are_numbered(choices) => Err(format!(
            "must be one of the choices: 1 to {}",
            choices.len()
        )),
        None => Err("must be one of the choices".to_owned()),
    }
}

/// Whether choices can be told by their numbers: not where one of them is a number itself.
pub(super) fn are_numbered(choices: &[Choice]) -> bool {
    let is_number = |text: &str| text.trim().parse::<f64>().is_ok();
    !choices
        .iter()
        .any(|choice| is_number(&choice.value) || is_number(choice.label()))
}

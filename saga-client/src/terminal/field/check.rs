//! Whether a field may have a value.

use std::{cmp::Ordering, str::FromStr};

use chrono::{DateTime, NaiveDate};
use email_address::EmailAddress;
use serde_json::{Number, Value};
use url::Url;

use super::{Choice, Field, Format, Kind};

impl Field {
    /// Whether the field may have this value.
    ///
    /// # Errors
    /// What it must be, to follow its name.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match &self.kind {
            Kind::Text { min, max, format } => {
                let text = value.as_str().ok_or("must be text")?;
                let length = text.chars().count() as u64;
                within(&length, min, max, u64::cmp, "have", " characters")?;
                match format {
                    Some(format) if !format.fits(text) => {
                        Err(format!("must be: {}", format.example()))
                    }
                    _ => Ok(()),
                }
            }
            Kind::Number { whole, min, max } => match value {
                Value::Number(number) if !whole || !number.is_f64() => {
                    within(number, min, max, compared, "be", "")
                }
                _ if *whole => Err("must be a whole number".to_owned()),
                _ => Err("must be a number".to_owned()),
            },
            Kind::Boolean if value.is_boolean() => Ok(()),
            Kind::Boolean => Err("must be yes or no".to_owned()),
            Kind::One(choices) => known(value, choices),
            Kind::Several { choices, min, max } => {
                let items = value.as_array().ok_or("must be a list")?;
                let count = items.len() as u64;
                within(&count, min, max, u64::cmp, "have", " choices")?;
                items.iter().try_for_each(|item| known(item, choices))
            }
        }
    }
}

fn within<N: std::fmt::Display>(
    value: &N,
    min: &Option<N>,
    max: &Option<N>,
    compare: impl Fn(&N, &N) -> Ordering,
    verb: &str,
    of: &str,
) -> Result<(), String> {
    let beyond = |limit: &Option<N>, order, word| match limit {
        Some(limit) if compare(value, limit) == order => {
            Err(format!("must {verb} {word} {limit}{of}"))
        }
        _ => Ok(()),
    };
    beyond(min, Ordering::Less, "at least")?;
    beyond(max, Ordering::Greater, "at most")
}

/// Whole numbers are compared as such: as floating point, great ones would lose their last digits.
fn compared(a: &Number, b: &Number) -> Ordering {
    let whole = a.as_i128().zip(b.as_i128()).map(|(a, b)| a.cmp(&b));
    let real = || a.as_f64().zip(b.as_f64());
    whole
        .or_else(|| real().and_then(|(a, b)| a.partial_cmp(&b)))
        .unwrap_or(Ordering::Equal)
}

fn known(value: &Value, choices: &[Choice]) -> Result<(), String> {
    let same = |choice: &Choice| value.as_str() == Some(choice.value.as_str());
    match choices.iter().any(same) {
        true => Ok(()),
        false => Err("must be one of the choices".to_owned()),
    }
}

impl Format {
    fn fits(self, text: &str) -> bool {
        match self {
            Self::Email => EmailAddress::from_str(text).is_ok(),
            Self::Uri => Url::parse(text).is_ok(),
            Self::Date => NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok(),
            Self::DateTime => DateTime::parse_from_rfc3339(text).is_ok(),
        }
    }
}

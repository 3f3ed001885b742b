//! Whether what a client sent fits the form.

use std::collections::HashSet;

use chrono::{DateTime, NaiveDate};
use email_address::{EmailAddress, Options};
use serde_json::Value;
use url::Url;

use super::{Choice, Field, Form, Format, Kind};

impl Form {
    /// Checks what was filled in. What the form does not ask for is not looked at.
    ///
    /// # Errors
    /// What is wrong with it, for the user: one sentence for each field.
    pub fn check(&self, content: &Value) -> Result<(), String> {
        let Some(content) = content.as_object() else {
            return Err("the answer must be an object with the fields of the form".to_owned());
        };
        let problems = self.fields.iter().filter_map(|field| {
            let value = content.get(field.name).filter(|value| !value.is_null());
            match value {
                Some(value) => field.kind.problem(value),
                None if field.required => Some("is needed".to_owned()),
                None => None,
            }
            .map(|problem| format!("`{}` {problem}", field.shown()))
        });
        let problems: Vec<_> = problems.collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems.join("; "))
        }
    }
}

impl Form {
    /// What was filled in, as serde reads it: a field that is null was left empty, and `3.0` is a
    /// whole number.
    pub(crate) fn tidied(&self, content: &Value) -> Value {
        let mut content = content.clone();
        let Some(object) = content.as_object_mut() else {
            return content;
        };
        for field in &self.fields {
            match object.get_mut(field.name) {
                Some(Value::Null) => {
                    object.remove(field.name);
                }
                Some(value) if matches!(field.kind, Kind::Integer { .. }) => {
                    if let Some(integer) = fractionless(value) {
                        *value = integer.into();
                    }
                }
                _ => {}
            }
        }
        content
    }
}

impl Field {
    fn shown(&self) -> &'static str {
        self.title.unwrap_or(self.name)
    }
}

impl Kind {
    fn problem(&self, value: &Value) -> Option<String> {
        match self {
            Self::Text {
                min_length,
                max_length,
                format,
                pattern,
            } => {
                let Some(text) = value.as_str() else {
                    return Some("must be text".to_owned());
                };
                let length = text.chars().count();
                let limit =
                    |limit: &Option<u32>| limit.and_then(|limit| usize::try_from(limit).ok());
                let too_short = limit(min_length).filter(|min| length < *min);
                let too_long = limit(max_length).filter(|max| length > *max);
                let short = too_short.map(|min| format!("must have at least {}", characters(min)));
                let long = || too_long.map(|max| format!("must have at most {}", characters(max)));
                let form = || format.and_then(|format| format.problem(text));
                let has = || pattern.as_ref().and_then(|pattern| pattern.problem(text));
                short.or_else(long).or_else(form).or_else(has)
            }
            Self::Number { min, max } => {
                let Some(number) = value.as_f64() else {
                    return Some("must be a number".to_owned());
                };
                let low = min.filter(|min| number < *min);
                let high = max.filter(|max| number > *max);
                outside(low, high)
            }
            Self::Integer { min, max } => {
                let Some(number) = whole(value) else {
                    return Some("must be a whole number".to_owned());
                };
                let low = min.filter(|min| number < i128::from(*min));
                let high = max.filter(|max| number > i128::from(*max));
                outside(low, high)
            }
            Self::Boolean => (!value.is_boolean()).then(|| "must be yes or no".to_owned()),
            Self::Choice(options) => unknown(value, options, "one of"),
            Self::Choices {
                options,
                min_items,
                max_items,
            } => {
                let Some(items) = value.as_array() else {
                    return Some("must be a list".to_owned());
                };
                let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
                let few = min_items.filter(|min| count < *min);
                let many = max_items.filter(|max| count > *max);
                let few = few.map(|min| format!("must have at least {min} of the options"));
                let many = || many.map(|max| format!("must have at most {max} of the options"));
                let other = || {
                    items
                        .iter()
                        .find_map(|item| unknown(item, options, "among"))
                };
                let twice = || {
                    let mut seen = HashSet::new();
                    let mut chosen = items.iter().filter_map(Value::as_str);
                    let repeated = chosen.any(|option| !seen.insert(option));
                    repeated.then(|| "must have each of the options once".to_owned())
                };
                few.or_else(many).or_else(other).or_else(twice)
            }
        }
    }
}

fn characters(count: usize) -> String {
    match count {
        1 => "1 character".to_owned(),
        count => format!("{count} characters"),
    }
}

/// To JSON Schema `3.0` is a whole number like `3`.
fn whole(value: &Value) -> Option<i128> {
    let integer = value.as_i64().map(i128::from);
    let unsigned = || value.as_u64().map(i128::from);
    let float = || fractionless(value).map(i128::from);
    integer.or_else(unsigned).or_else(float)
}

/// The integer that is written as `3.0`, as far as `f64` counts one by one.
#[allow(clippy::cast_possible_truncation, reason = "it is a whole number")]
fn fractionless(value: &Value) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = value.as_f64().filter(|_| value.is_f64())?;
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}

fn outside<N: std::fmt::Display>(low: Option<N>, high: Option<N>) -> Option<String> {
    let low = low.map(|min| format!("must be at least {min}"));
    low.or_else(|| high.map(|max| format!("must be at most {max}")))
}

fn unknown(value: &Value, options: &[Choice], how: &str) -> Option<String> {
    let known = options
        .iter()
        .any(|option| value.as_str() == Some(option.value));
    if known {
        return None;
    }
    let all: Vec<_> = options.iter().map(|option| option.value).collect();
    Some(format!("must be {how} {}", all.join(", ")))
}

impl Format {
    /// Whether a text is of this form, as the answers to forms are judged.
    ///
    /// ```
    /// use saga_runtime::elicit::Format;
    ///
    /// assert!(Format::Date.fits("2026-07-28"));
    /// assert!(!Format::Email.fits("nobody"));
    /// ```
    pub fn fits(self, text: &str) -> bool {
        self.problem(text).is_none()
    }

    fn problem(self, text: &str) -> Option<String> {
        let (fits, what) = match self {
            Self::Email => (is_email(text), "an e-mail address"),
            Self::Uri => (is_uri(text), "a URI"),
            Self::Date => (is_date(text), "a date like 2026-07-28"),
            Self::DateTime => (is_date_time(text), "a time like 2026-07-28T12:00:00Z"),
        };
        (!fits).then(|| format!("must be {what}"))
    }
}

/// An address alone, without a name in front of it.
fn is_email(text: &str) -> bool {
    let alone = Options::default().without_display_text();
    EmailAddress::parse_with_options(text, alone).is_ok()
}

/// Browsers repair what they are given; a URI has no spaces to begin with.
pub(crate) fn is_uri(text: &str) -> bool {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    !text.contains(blank) && Url::parse(text).is_ok()
}

/// `full-date` of RFC 3339: every digit is there.
fn is_date(text: &str) -> bool {
    let digits = |(index, byte): (usize, u8)| match index {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10
        && text.bytes().enumerate().all(digits)
        && NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok()
}

/// `date-time` of RFC 3339.
fn is_date_time(text: &str) -> bool {
    let between = text.as_bytes().get(10);
    matches!(between, Some(b'T' | b't')) && DateTime::parse_from_rfc3339(text).is_ok()
}

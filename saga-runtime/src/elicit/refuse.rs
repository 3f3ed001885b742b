//! What the compiler refuses of a field once it knows the field's type. Each text is the error.

use super::{Choice, Shape, Takes};

/// A literal in a field's attributes.
#[derive(Debug, Clone, Copy)]
pub enum Literal {
    /// `".."`
    Text(&'static str),
    /// `7`
    Integer(i128),
    /// `0.5`
    Float,
    /// `true`
    Boolean,
    /// `["..", ".."]`
    List(&'static [&'static str]),
}

/// Why a field has no `min_length` and `max_length`.
pub const fn length(shape: &Shape) -> Option<&'static str> {
    match shape.takes {
        Takes::Text => None,
        Takes::Choices(_) => Some(
            "a length on a field that is not text\n  = why: this one is a choice of several\n  = instead: `min_items` and `max_items`",
        ),
        Takes::Number | Takes::Integer { .. } => Some(
            "a length on a field that is not text\n  = why: this one is a number\n  = instead: `min` and `max`",
        ),
        Takes::Boolean | Takes::Choice(_) => Some(
            "a length on a field that is not text\n  = why: the specification gives lengths to text only\n  = instead: leave it off",
        ),
    }
}

/// Why a field has no `format`.
pub const fn format(shape: &Shape) -> Option<&'static str> {
    match shape.takes {
        Takes::Text => None,
        _ => Some(
            "a format on a field that is not text\n  = why: the specification gives formats to text only\n  = instead: a `String`, or no format",
        ),
    }
}

/// Why a field has no `pattern`.
pub const fn pattern(shape: &Shape) -> Option<&'static str> {
    match shape.takes {
        Takes::Text => None,
        _ => Some(
            "a pattern on a field that is not text\n  = why: a pattern is one of characters\n  = instead: a `String`, or no pattern",
        ),
    }
}

/// Why a field has no `min_items` and `max_items`.
pub const fn items(shape: &Shape) -> Option<&'static str> {
    match shape.takes {
        Takes::Choices(_) => None,
        Takes::Text => Some(
            "a number of options on a field that is no choice of several\n  = why: this one is text\n  = instead: `min_length` and `max_length`",
        ),
        _ => Some(
            "a number of options on a field that is no choice of several\n  = why: there is one answer to it\n  = instead: a `Vec` of the choice, or leave it off",
        ),
    }
}

/// Why a field has no `min` and `max`.
pub const fn range(shape: &Shape) -> Option<&'static str> {
    match shape.takes {
        Takes::Number | Takes::Integer { .. } => None,
        Takes::Text => Some(
            "a range on a field that is not a number\n  = why: this one is text\n  = instead: `min_length` and `max_length`",
        ),
        Takes::Choices(_) => Some(
            "a range on a field that is not a number\n  = why: this one is a choice of several\n  = instead: `min_items` and `max_items`",
        ),
        Takes::Boolean | Takes::Choice(_) => Some(
            "a range on a field that is not a number\n  = why: the specification gives ranges to numbers only\n  = instead: leave it off",
        ),
    }
}

/// Why this is no `min` or `max` of a number.
pub const fn bound(shape: &Shape, bound: &Literal) -> Option<&'static str> {
    match (&shape.takes, bound) {
        (Takes::Integer { min, max }, Literal::Integer(value)) => {
            if holds(*min, *max, *value) {
                None
            } else {
                Some(
                    "a limit that the field's type cannot hold\n  = why: the type is limit enough\n  = instead: a number of the field's type, or a wider type",
                )
            }
        }
        (Takes::Integer { .. }, _) => Some(
            "a limit with a fraction on a whole number\n  = why: the field's type is an integer\n  = instead: a whole number, or a field of `f64`",
        ),
        _ => None,
    }
}

/// Why this is no default of the field.
pub const fn default(shape: &Shape, default: &Literal) -> Option<&'static str> {
    match (&shape.takes, default) {
        (Takes::Text, Literal::Text(_))
        | (Takes::Number, Literal::Integer(_) | Literal::Float)
        | (Takes::Boolean, Literal::Boolean) => None,
        (Takes::Integer { min, max }, Literal::Integer(value)) => {
            if holds(*min, *max, *value) {
                None
            } else {
                Some(
                    "a default that the field's type cannot hold\n  = why: the form would be filled in with something that is refused\n  = instead: a number of the field's type, or a wider type",
                )
            }
        }
        (Takes::Choice(options), Literal::Text(value)) => among(options, &[value]),
        (Takes::Choices(options), Literal::List(values)) => among(options, values),
        (Takes::Text, _) => Some(
            "a default of another type than its field\n  = why: the field is text\n  = instead: `default = \"..\"`",
        ),
        (Takes::Number, _) => Some(
            "a default of another type than its field\n  = why: the field is a number\n  = instead: `default = 0.5`, say",
        ),
        (Takes::Integer { .. }, _) => Some(
            "a default of another type than its field\n  = why: the field is a whole number\n  = instead: `default = 3`, say",
        ),
        (Takes::Boolean, _) => Some(
            "a default of another type than its field\n  = why: the field is a boolean\n  = instead: `default = true` or `default = false`",
        ),
        (Takes::Choice(_), _) => Some(
            "a default of another type than its field\n  = why: the field is a choice of one option\n  = instead: the option's name as text, as the client sends it",
        ),
        (Takes::Choices(_), _) => Some(
            "a default of another type than its field\n  = why: the field is a choice of several options\n  = instead: a list of their names: `default = [\"..\"]`",
        ),
    }
}

const fn holds(min: Option<i64>, max: Option<i64>, value: i128) -> bool {
    let min = match min {
        Some(min) => min,
        None => i64::MIN,
    };
    let max = match max {
        Some(max) => max,
        None => i64::MAX,
    };
    min as i128 <= value && value <= max as i128
}

const fn among(options: &[Choice], values: &[&str]) -> Option<&'static str> {
    let mut index = 0;
    while index < values.len() {
        if !is_option(options, values[index]) {
            return Some(
                "a default that is not among the options\n  = why: the form would be filled in with something that is refused\n  = instead: an option's name as the client sends it, after `rename` and `rename_all`",
            );
        }
        index += 1;
    }
    None
}

const fn is_option(options: &[Choice], value: &str) -> bool {
    let value = value.as_bytes();
    let mut index = 0;
    while index < options.len() {
        let option = options[index].value.as_bytes();
        let mut at = 0;
        while at < option.len() && at < value.len() && option[at] == value[at] {
            at += 1;
        }
        if at == option.len() && at == value.len() {
            return true;
        }
        index += 1;
    }
    false
}

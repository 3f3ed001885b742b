//! Literals in a field's attributes, compared with each other while the program is compiled.

use syn::{Expr, Lit, LitStr};

use super::attributes::Words;
use crate::errors::Errors;

/// A literal's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    List(Vec<String>),
}

impl Value {
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(Self::Text(text.value())),
                Lit::Int(number) => number.base10_parse().ok().map(Self::Integer),
                Lit::Float(number) => number.base10_parse().ok().map(Self::Float),
                Lit::Bool(boolean) => Some(Self::Boolean(boolean.value)),
                _ => None,
            },
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
                match Self::of(&unary.expr)? {
                    Self::Integer(number) => Some(Self::Integer(-number)),
                    Self::Float(number) => Some(Self::Float(-number)),
                    _ => None,
                }
            }
            Expr::Array(array) => {
                let items = array.elems.iter().map(|item| match Self::of(item)? {
                    Self::Text(text) => Some(text),
                    _ => None,
                });
                items.collect::<Option<_>>().map(Self::List)
            }
            _ => None,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "only compared")]
    fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    fn count(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::List(items) => Some(items.len()),
            _ => None,
        }
    }
}

/// The names of formats, as the specification has them and as our type does.
const FORMATS: &[(&str, &str)] = &[
    ("email", "Email"),
    ("uri", "Uri"),
    ("date", "Date"),
    ("date-time", "DateTime"),
];

/// Our name of a format.
pub(super) fn format(name: &LitStr, errors: &mut Errors) -> Option<syn::Ident> {
    let known = FORMATS.iter().find(|(known, _)| *known == name.value());
    if known.is_none() {
        errors.refuse(
            name,
            "a format that the specification does not have",
            "a client could not check it",
            "`email`, `uri`, `date` or `date-time`, or no format and a check of your own",
        );
    }
    known.map(|(_, ours)| syn::Ident::new(ours, name.span()))
}

/// Refuses limits that contradict each other or the default.
pub(super) fn check(words: &Words, errors: &mut Errors) {
    let literals = [
        &words.default,
        &words.min,
        &words.max,
        &words.min_length,
        &words.max_length,
        &words.min_items,
        &words.max_items,
    ];
    for expr in literals.into_iter().flatten() {
        if Value::of(expr).is_none() {
            errors.refuse(
                expr,
                "something other than a literal in a form's attribute",
                "it is checked while the program is compiled",
                "a text, a number, `true` or `false`, or a list of texts",
            );
        }
    }
    let default = words.default.as_ref().and_then(Value::of);
    let number = default.as_ref().and_then(Value::number);
    let count = default.as_ref().and_then(Value::count);
    #[allow(clippy::cast_precision_loss, reason = "only compared")]
    let count = count.map(|count| count as f64);
    let pairs = [
        (&words.min, &words.max, number),
        (&words.min_length, &words.max_length, count),
        (&words.min_items, &words.max_items, count),
    ];
    for (min, max, default) in pairs {
        let low = min.as_ref().and_then(Value::of).and_then(|v| v.number());
        let high = max.as_ref().and_then(Value::of).and_then(|v| v.number());
        if let (Some(low), Some(high), Some(max)) = (low, high, max)
            && low > high
        {
            errors.refuse(
                max,
                "a range without anything in it",
                "the least is more than the most",
                "the smaller number first",
            );
            continue;
        }
        let outside = default.is_some_and(|default| {
            low.is_some_and(|low| default < low) || high.is_some_and(|high| default > high)
        });
        if let (true, Some(default)) = (outside, &words.default) {
            errors.refuse(
                default,
                "a default that its own field does not allow",
                "the form would be filled in with something that is refused",
                "a default within the limits, or other limits",
            );
        }
    }
}

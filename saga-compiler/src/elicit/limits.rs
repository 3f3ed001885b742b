//! Literals in a field's attributes, compared with each other while the program is compiled.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Lit, LitStr};

use super::{attributes::Words, formats, patterns};

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

    #[allow(clippy::cast_precision_loss, reason = "the schema has numbers in f64")]
    pub(super) fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// A number of characters or options.
    pub(super) fn count(&self) -> Option<u32> {
        match self {
            Self::Integer(number) => u32::try_from(*number).ok(),
            _ => None,
        }
    }

    fn size(&self) -> Option<f64> {
        let size = match self {
            Self::Text(text) => text.chars().count(),
            Self::List(items) => items.len(),
            _ => return None,
        };
        u32::try_from(size).ok().map(f64::from)
    }

    /// The literal as the runtime's checks take it.
    pub(super) fn literal(&self) -> TokenStream {
        let literal = match self {
            Self::Text(text) => quote!(Text(#text)),
            Self::Integer(number) => quote!(Integer(#number)),
            Self::Float(_) => quote!(Float),
            Self::Boolean(_) => quote!(Boolean),
            Self::List(items) => quote!(List(&[#(#items),*])),
        };
        quote!(::saga_runtime::elicit::refuse::Literal::#literal)
    }

    /// The literal as a value; an integer that the schema cannot hold is refused elsewhere.
    pub(super) fn json(&self) -> TokenStream {
        match self {
            Self::Text(text) => quote!(#text),
            Self::Integer(number) => {
                let number = i64::try_from(*number).unwrap_or_default();
                quote!(#number)
            }
            Self::Float(number) => quote!(#number),
            Self::Boolean(boolean) => quote!(#boolean),
            Self::List(items) => {
                quote!(::std::vec![#(::std::string::String::from(#items)),*])
            }
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
    literals(words, errors);
    counts(words, errors);
    ranges(words, errors);
    if let Some(pattern) = &words.pattern {
        patterns::check(pattern, errors);
        if let Some(default) = &words.default
            && let Some(Value::Text(text)) = Value::of(default)
            && !patterns::fits(&pattern.value(), &text)
        {
            errors.refuse(
                default,
                "a default that does not have its own pattern",
                "the form would be filled in with something that is refused",
                "a default of the pattern, or none",
            );
        }
    }
    if let (Some(format), Some(default)) = (&words.format, &words.default)
        && let Some(Value::Text(text)) = Value::of(default)
        && !formats::fits(&format.value(), &text)
    {
        errors.refuse(
            default,
            &format!("a default that is no `{}`", format.value()),
            "the form would be filled in with something that is refused",
            "a default of the format, or none",
        );
    }
}

/// What is compared while the program is compiled has to be there to see.
fn literals(words: &Words, errors: &mut Errors) {
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
                "a text, a number, `true` or `false`, or a list of texts; an option by its name as text",
            );
        }
    }
}

/// A number of characters or options is a whole number from 0.
fn counts(words: &Words, errors: &mut Errors) {
    let counts = [
        &words.min_length,
        &words.max_length,
        &words.min_items,
        &words.max_items,
    ];
    for expr in counts.into_iter().flatten() {
        if Value::of(expr).is_some_and(|value| value.count().is_none()) {
            errors.refuse(
                expr,
                "a length or a number of options that is no whole number from 0",
                "characters and options are counted",
                "`1`, say",
            );
        }
    }
    for expr in [&words.min, &words.max].into_iter().flatten() {
        if Value::of(expr).is_some_and(|value| value.number().is_none()) {
            errors.refuse(
                expr,
                "a limit that is not a number",
                "`min` and `max` are the range of a number",
                "a number",
            );
        }
    }
}

fn ranges(words: &Words, errors: &mut Errors) {
    let default = words.default.as_ref().and_then(Value::of);
    let number = default.as_ref().and_then(Value::number);
    let size = default.as_ref().and_then(Value::size);
    // A length of schemars may be one of a list.
    let pairs = [
        (&words.min, &words.max, number),
        (&words.min_length, &words.max_length, size),
        (&words.min_items, &words.max_items, size),
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

//! What a form's field can be of.

use std::collections::{BTreeSet, HashSet};

use super::{Choice, Kind};

/// A type that a form's field can be of.
#[diagnostic::on_unimplemented(
    message = "a form has no field of type `{Self}`",
    label = "not a string, number, boolean or choice",
    note = "why: the specification allows a flat object of strings, numbers, integers, booleans and choices",
    note = "instead: what is nested as fields of its own; an enum without data and with `#[derive(Elicit)]` is a choice, a `Vec` of it a choice of several",
    note = "for a tool's arguments, which may be anything: `#[derive(JsonSchema)]` in place of `Elicit`"
)]
pub trait FormField {
    /// What it takes.
    const SHAPE: Shape;
}

/// An enum without data: a choice of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice",
    label = "not an enum with `#[derive(Elicit)]`",
    note = "why: the specification allows lists of named options only",
    note = "instead: an enum without data, with `#[derive(Elicit)]`; for a tool's arguments, which may be anything, `#[derive(JsonSchema)]` in place of `Elicit`"
)]
pub trait FormChoice {
    /// What there is to choose from.
    const OPTIONS: &'static [Choice];
}

/// A field's type, as the form's author chose it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    pub(crate) required: bool,
    pub(crate) takes: Takes,
}

/// What a field takes, before any limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Takes {
    /// Text.
    Text,
    /// A number.
    Number,
    /// A whole number, within what the type holds and the schema can say.
    Integer {
        /// At least this.
        min: Option<i64>,
        /// At most this.
        max: Option<i64>,
    },
    /// Yes or no.
    Boolean,
    /// One of several options.
    Choice(&'static [Choice]),
    /// Some of several options.
    Choices(&'static [Choice]),
}

impl Shape {
    /// A field that must be filled in.
    pub const fn of(takes: Takes) -> Self {
        Self {
            required: true,
            takes,
        }
    }

    /// The same field, which may be left empty.
    pub const fn optional(self) -> Self {
        Self {
            required: false,
            takes: self.takes,
        }
    }
}

impl From<Takes> for Kind {
    fn from(takes: Takes) -> Self {
        match takes {
            Takes::Text => Self::Text {
                min_length: None,
                max_length: None,
                format: None,
                pattern: None,
            },
            Takes::Number => Self::Number {
                min: None,
                max: None,
            },
            Takes::Integer { min, max } => Self::Integer { min, max },
            Takes::Boolean => Self::Boolean,
            Takes::Choice(options) => Self::Choice(options),
            Takes::Choices(options) => Self::Choices {
                options,
                min_items: None,
                max_items: None,
            },
        }
    }
}

macro_rules! fields {
    ($($ty:ident $takes:expr;)*) => {
        $(impl FormField for $ty {
            const SHAPE: Shape = Shape::of($takes);
        })*
    };
}

/// A whole number between these.
const fn within(min: i64, max: i64) -> Takes {
    Takes::Integer {
        min: Some(min),
        max: Some(max),
    }
}

/// A whole number of 64 bits: its ends are no limits, for a client counts in `f64`.
const fn wide(min: Option<i64>) -> Takes {
    Takes::Integer { min, max: None }
}

fields! {
    String Takes::Text;
    bool Takes::Boolean;
    f32 Takes::Number;
    f64 Takes::Number;
    i8 within(i8::MIN as i64, i8::MAX as i64);
    i16 within(i16::MIN as i64, i16::MAX as i64);
    i32 within(i32::MIN as i64, i32::MAX as i64);
    i64 wide(None);
    isize wide(None);
    u8 within(0, u8::MAX as i64);
    u16 within(0, u16::MAX as i64);
    u32 within(0, u32::MAX as i64);
    u64 wide(Some(0));
    usize wide(Some(0));
}

impl<T: FormField> FormField for Option<T> {
    const SHAPE: Shape = T::SHAPE.optional();
}

macro_rules! lists {
    ($($list:ident)*) => {
        $(impl<T: FormChoice> FormField for $list<T> {
            const SHAPE: Shape = Shape::of(Takes::Choices(T::OPTIONS));
        })*
    };
}

lists! { Vec BTreeSet HashSet }

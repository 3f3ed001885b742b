//! What a form's field can be of.

use std::collections::{BTreeSet, HashSet};

use super::{Choice, Kind};

/// A type that a form's field can be of.
#[diagnostic::on_unimplemented(
    message = "a form has no field of type `{Self}`",
    label = "not a string, number, boolean or choice",
    note = "the specification allows a flat object: strings, numbers, integers, booleans, an enum without data (a choice), and a `Vec` of one",
    note = "`#[derive(Elicit)]` on an enum without data makes it a choice; what is nested has to become fields of its own"
)]
pub trait FormField {
    /// Whether it must be filled in.
    const REQUIRED: bool = true;

    /// What it takes.
    fn kind() -> Kind;
}

/// An enum without data: a choice of one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a choice",
    label = "a list in a form is of an enum without data",
    note = "`#[derive(Elicit)]` on the enum makes it a choice"
)]
pub trait FormChoice {
    /// What there is to choose from.
    const OPTIONS: &'static [Choice];
}

/// A field of text, which may have a length and a format.
#[diagnostic::on_unimplemented(
    message = "`min_length`, `max_length` and `format` are for strings, and this is `{Self}`",
    label = "not a string"
)]
pub trait TextField: FormField {}

/// A field with a range.
#[diagnostic::on_unimplemented(
    message = "`min` and `max` are for numbers, and this is `{Self}`",
    label = "not a number"
)]
pub trait NumberField: FormField {}

/// A field of several options.
#[diagnostic::on_unimplemented(
    message = "`min_items` and `max_items` are for choices of several, and this is `{Self}`",
    label = "not a list"
)]
pub trait ListField: FormField {}

impl FormField for String {
    fn kind() -> Kind {
        Kind::Text {
            min_length: None,
            max_length: None,
            format: None,
        }
    }
}

impl TextField for String {}

impl FormField for bool {
    fn kind() -> Kind {
        Kind::Boolean
    }
}

macro_rules! integers {
    ($($integer:ident $min:expr, $max:expr;)*) => {
        $(
            impl FormField for $integer {
                fn kind() -> Kind {
                    Kind::Integer { min: $min, max: $max }
                }
            }
            impl NumberField for $integer {}
        )*
    };
}

integers! {
    i8 Some(i8::MIN.into()), Some(i8::MAX.into());
    i16 Some(i16::MIN.into()), Some(i16::MAX.into());
    i32 Some(i32::MIN.into()), Some(i32::MAX.into());
    i64 None, None;
    isize None, None;
    u8 Some(0), Some(u8::MAX.into());
    u16 Some(0), Some(u16::MAX.into());
    u32 Some(0), Some(u32::MAX.into());
    u64 Some(0), None;
    usize Some(0), None;
}

macro_rules! floats {
    ($($float:ident)*) => {
        $(
            impl FormField for $float {
                fn kind() -> Kind {
                    Kind::Number { min: None, max: None }
                }
            }
            impl NumberField for $float {}
        )*
    };
}

floats! { f32 f64 }

impl<T: FormField> FormField for Option<T> {
    const REQUIRED: bool = false;

    fn kind() -> Kind {
        T::kind()
    }
}

impl<T: TextField> TextField for Option<T> {}
impl<T: NumberField> NumberField for Option<T> {}
impl<T: ListField> ListField for Option<T> {}

macro_rules! lists {
    ($($list:ident)*) => {
        $(
            impl<T: FormChoice> FormField for $list<T> {
                fn kind() -> Kind {
                    Kind::Choices { options: T::OPTIONS, min_items: None, max_items: None }
                }
            }
            impl<T: FormChoice> ListField for $list<T> {}
        )*
    };
}

lists! { Vec BTreeSet HashSet }

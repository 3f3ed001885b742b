//! Forms of std's errors of parsing: each is that of a text which does not parse either.

use std::{
    char::ParseCharError,
    num::{NonZeroU8, ParseFloatError, ParseIntError, TryFromIntError},
    str::ParseBoolError,
    string::FromUtf8Error,
};

use serde::{Deserialize, Deserializer, Serializer, de, ser};

/// The first of some errors that a value is, by its place; read, the error there.
macro_rules! one_of {
    ($($name:ident: $ty:ty = [$($error:expr),*];)*) => {
        $(
            /// By its place among those that there are.
            pub(super) mod $name {
                use super::*;

                fn all() -> impl Iterator<Item = $ty> {
                    [$($error),*].into_iter().flatten()
                }

                pub(crate) fn serialize<S: Serializer>(error: &$ty, out: S) -> Result<S::Ok, S::Error> {
                    let place = all().position(|one| one == *error);
                    let place = place.and_then(|place| u8::try_from(place).ok());
                    match place {
                        Some(place) => out.serialize_u8(place),
                        None => Err(ser::Error::custom(format!("`{error}` is not known"))),
                    }
                }

                pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<$ty, D::Error> {
                    let place = usize::from(u8::deserialize(input)?);
                    all().nth(place).ok_or_else(|| de::Error::custom("there is no such error"))
                }
            }
        )*
    };
}

one_of! {
    parse_int: ParseIntError = [
        "".parse::<u8>().err(), "x".parse::<u8>().err(), "999".parse::<u8>().err(), "-999".parse::<i8>().err(),
        "0".parse::<NonZeroU8>().err()
    ];
    parse_float: ParseFloatError = ["".parse::<f64>().err(), "x".parse::<f64>().err()];
    parse_bool: ParseBoolError = ["x".parse::<bool>().err()];
    parse_char: ParseCharError = ["".parse::<char>().err(), "xx".parse::<char>().err()];
    try_from_int: TryFromIntError = [u8::try_from(999u16).err()];
}

/// The bytes that are no text.
pub(super) mod from_utf8 {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        error: &FromUtf8Error,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.serialize_bytes(error.as_bytes())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        input: D,
    ) -> Result<FromUtf8Error, D::Error> {
        let bytes = serde_bytes::ByteBuf::deserialize(input)?;
        match String::from_utf8(bytes.into_vec()) {
            Ok(_) => Err(de::Error::custom("it is a text")),
            Err(error) => Ok(error),
        }
    }
}

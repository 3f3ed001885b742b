//! Forms of std's errors. One of parsing is that of a text which does not parse either.

use std::{
    char::ParseCharError,
    num::{IntErrorKind, NonZeroU8, ParseFloatError, ParseIntError, TryFromIntError},
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
                        None => Err(ser::Error::custom(format!("`{error:?}` is not known"))),
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
    int_kind: IntErrorKind = [[
        IntErrorKind::Empty, IntErrorKind::InvalidDigit, IntErrorKind::PosOverflow, IntErrorKind::NegOverflow,
        IntErrorKind::Zero
    ]];
    io_kind: std::io::ErrorKind = [io::KINDS.iter().copied()];
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

/// What went wrong with a file or a connection: the system's number, or its kind and text.
pub(super) mod io {
    use std::{
        io::{Cursor, Error, ErrorKind, Read, Seek, SeekFrom, Write},
        net::ToSocketAddrs,
    };

    use serde::Serialize;

    use super::*;

    pub(super) const KINDS: &[ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::ConnectionRefused,
        ErrorKind::ConnectionReset,
        ErrorKind::HostUnreachable,
        ErrorKind::NetworkUnreachable,
        ErrorKind::ConnectionAborted,
        ErrorKind::NotConnected,
        ErrorKind::AddrInUse,
        ErrorKind::AddrNotAvailable,
        ErrorKind::NetworkDown,
        ErrorKind::BrokenPipe,
        ErrorKind::AlreadyExists,
        ErrorKind::WouldBlock,
        ErrorKind::NotADirectory,
        ErrorKind::IsADirectory,
        ErrorKind::DirectoryNotEmpty,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::StaleNetworkFileHandle,
        ErrorKind::InvalidInput,
        ErrorKind::InvalidData,
        ErrorKind::TimedOut,
        ErrorKind::WriteZero,
        ErrorKind::StorageFull,
        ErrorKind::NotSeekable,
        ErrorKind::QuotaExceeded,
        ErrorKind::FileTooLarge,
        ErrorKind::ResourceBusy,
        ErrorKind::ExecutableFileBusy,
        ErrorKind::Deadlock,
        ErrorKind::CrossesDevices,
        ErrorKind::InvalidFilename,
        ErrorKind::TooManyLinks,
        ErrorKind::ArgumentListTooLong,
        ErrorKind::Interrupted,
        ErrorKind::Unsupported,
        ErrorKind::UnexpectedEof,
        ErrorKind::OutOfMemory,
        ErrorKind::Other,
    ];

    #[derive(Serialize, Deserialize)]
    enum Written {
        Os(i32),
        Known(u8),
        Kind(u8),
        Text(u8, String),
    }

    /// Errors with texts of std's own, which nobody else can make.
    fn known() -> impl Iterator<Item = Error> {
        let mut nowhere: &mut [u8] = &mut [];
        [
            std::io::read_to_string(&b"\xff"[..]).err(),
            std::io::empty().read_exact(&mut [0]).err(),
            nowhere.write_all(b"x").err(),
            std::fs::metadata("\0").err(),
            Cursor::new([0u8; 0]).seek(SeekFrom::Current(-1)).err(),
            "nowhere".to_socket_addrs().err(),
            "nowhere:no".to_socket_addrs().err(),
        ]
        .into_iter()
        .flatten()
    }

    fn written(error: &Error) -> Result<Written, String> {
        if let Some(number) = error.raw_os_error() {
            return Ok(Written::Os(number));
        }
        let shown = format!("{error:?}");
        if let Some(place) = known().position(|one| format!("{one:?}") == shown)
            && let Ok(place) = u8::try_from(place)
        {
            return Ok(Written::Known(place));
        }
        if let Some(inner) = error.get_ref() {
            let text = inner.to_string();
            // A text shows itself in quotes. Of another error its type would be lost, and what it came of.
            if inner.source().is_some() || format!("{inner:?}") != format!("{text:?}") {
                return Err(format!(
                    "an `io::Error` around another error (`{text}`): hold its text, `error.to_string()`"
                ));
            }
        }
        let known = KINDS.iter().position(|kind| *kind == error.kind());
        let known = known.and_then(|kind| u8::try_from(kind).ok());
        let kind = known.ok_or_else(|| format!("an `io::Error` of kind {:?}", error.kind()))?;
        let is_alone = error.to_string() == Error::from(error.kind()).to_string();
        match (error.get_ref(), is_alone) {
            (None, true) => Ok(Written::Kind(kind)),
            (Some(_), _) => Ok(Written::Text(kind, error.to_string())),
            (None, false) => Err(format!(
                "an `io::Error` with a text of std's own (`{error}`): hold its text, `error.to_string()`"
            )),
        }
    }

    pub(crate) fn serialize<S: Serializer>(error: &Error, out: S) -> Result<S::Ok, S::Error> {
        let written = written(error).map_err(ser::Error::custom)?;
        written.serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Error, D::Error> {
        let kind = |kind: u8| {
            let kind = KINDS.get(usize::from(kind)).copied();
            kind.ok_or_else(|| de::Error::custom("there is no such kind of error"))
        };
        Ok(match Written::deserialize(input)? {
            Written::Os(number) => Error::from_raw_os_error(number),
            Written::Known(place) => {
                let known = known().nth(usize::from(place));
                known.ok_or_else(|| de::Error::custom("there is no such error"))?
            }
            Written::Kind(number) => kind(number)?.into(),
            Written::Text(number, text) => Error::new(kind(number)?, text),
        })
    }
}

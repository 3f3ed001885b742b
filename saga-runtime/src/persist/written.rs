//! Forms of types that have no serde of their own, and that tools hold: what a program ended with, what a server answered.

use std::{
    char::ParseCharError,
    cmp::Ordering,
    fmt::Debug,
    io,
    num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError},
    process::{ExitStatus, Output},
    str::ParseBoolError,
    string::FromUtf8Error,
    time::Instant,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use tokio::time::error::Elapsed;

use super::{
    Arena,
    again::Again,
    choose::{TypeOf, unreached},
    faithful, kinds,
    parts::{LoadsPart, Request, SavesPart},
    shown::same_shown,
    written_errors,
};
use crate::{
    activation::Stop,
    codec::{self, Failure},
    with,
};

/// Types of others that have no serde form, and one here.
pub trait Written: Sized {
    /// Appends it.
    ///
    /// # Errors
    /// It has no such form.
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// Takes it from the front.
    ///
    /// # Errors
    /// It is none.
    fn read(input: &mut &[u8]) -> Result<Self, Failure>;

    /// Whether what was written is read as what it was.
    ///
    /// # Errors
    /// It is not.
    fn check(&self, _: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}

/// By such a form.
#[derive(Debug)]
pub struct WrittenPart;

impl<'s, P: Written> SavesPart<'s, P> for WrittenPart {
    fn save(part: &P, out: &mut Vec<u8>, _: &'s Arena<'s>) -> Result<(), Failure> {
        let start = out.len();
        part.write(out)?;
        part.check(out.get(start..).unwrap_or_default())
    }
}

impl<'s, P: Written> LoadsPart<'s, P> for WrittenPart {
    fn load(input: &mut &'s [u8], _: Request<'_, 's>) -> Result<P, Stop> {
        P::read(input).map_err(Stop::Stale)
    }
}

/// Found beside the level of what serde does not write whole, which these are not.
pub trait ChooseWrittenPart {
    /// How.
    fn saga_part<F>(&self, _: &Again<F>) -> WrittenPart {
        unreached()
    }
}

impl<P: Written> ChooseWrittenPart for &&&&&&&&&&&&&&&&TypeOf<P> {}

/// What is written by a module, what is there or not of it, and what it is in place of.
macro_rules! written {
    ($($ty:ty: $($module:ident)::+;)*) => {
        $(
            const _: () = {
                struct Lent<'v>(&'v $ty);

                impl Serialize for Lent<'_> {
                    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                        $($module)::+::serialize(self.0, out)
                    }
                }

                struct Read($ty);

                impl<'de> Deserialize<'de> for Read {
                    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                        $($module)::+::deserialize(input).map(Self)
                    }
                }

                impl Written for $ty {
                    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
                        codec::encode(&Lent(self), out)
                    }

                    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
                        codec::decode_next(input).map(|Read(value)| value)
                    }
                }

                impl Written for Option<$ty> {
                    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
                        codec::encode(&self.as_ref().map(Lent), out)
                    }

                    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
                        let value: Option<Read> = codec::decode_next(input)?;
                        Ok(value.map(|Read(value)| value))
                    }
                }

                impl<T: Debug + Serialize + DeserializeOwned> Written for Option<Result<T, $ty>> {
                    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
                        kinds::not_shared::<T>()?;
                        let lent = self.as_ref();
                        codec::encode(&lent.map(|value| value.as_ref().map_err(Lent)), out)
                    }

                    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
                        let value: Option<Result<T, Read>> = codec::decode_next(input)?;
                        Ok(value.map(|value| value.map_err(|Read(error)| error)))
                    }

                    fn check(&self, written: &[u8]) -> Result<(), Failure> {
                        read_alike(self, written, |value| value.as_ref()?.as_ref().ok())
                    }
                }

                impl<T: Debug + Serialize + DeserializeOwned> Written for Result<T, $ty> {
                    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
                        kinds::not_shared::<T>()?;
                        codec::encode(&self.as_ref().map_err(Lent), out)
                    }

                    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
                        let value: Result<T, Read> = codec::decode_next(input)?;
                        Ok(value.map_err(|Read(error)| error))
                    }

                    fn check(&self, written: &[u8]) -> Result<(), Failure> {
                        read_alike(self, written, |value| value.as_ref().ok())
                    }
                }
            };
        )*
    };
}

/// Whether what is read of it is written the same, and shows the same. Serde writes what is `inside`.
fn read_alike<T: Debug + Written, U: Serialize>(
    value: &T,
    mut written: &[u8],
    inside: impl Fn(&T) -> Option<&U>,
) -> Result<(), Failure> {
    let before = written;
    let mut again = Vec::new();
    let read = T::read(&mut written)?;
    read.write(&mut again)?;
    faithful::compare(before, &again)?;
    let (shown, shows) = (format!("{value:?}"), format!("{read:?}"));
    same_shown(&shown, &shows, &inside(value), &inside(&read))
}

impl<T: Written> Written for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) -> Result<(), Failure> {
        codec::encode(&self.len(), out)?;
        self.iter().try_for_each(|item| item.write(out))
    }

    fn read(input: &mut &[u8]) -> Result<Self, Failure> {
        let count: usize = codec::decode_next(input)?;
        (0..count).map(|_| T::read(input)).collect()
    }

    fn check(&self, mut written: &[u8]) -> Result<(), Failure> {
        let _: usize = codec::decode_next(&mut written)?;
        for item in self {
            let start = written;
            T::read(&mut written)?;
            item.check(start.get(..start.len() - written.len()).unwrap_or_default())?;
        }
        Ok(())
    }
}

written! {
    Instant: with::instant;
    tokio::time::Instant: with::tokio_instant;
    Ordering: ordering;
    ExitStatus: exit_status;
    Output: output;
    http::StatusCode: status_code;
    http::Method: method;
    ParseIntError: written_errors::parse_int;
    ParseFloatError: written_errors::parse_float;
    ParseBoolError: written_errors::parse_bool;
    ParseCharError: written_errors::parse_char;
    TryFromIntError: written_errors::try_from_int;
    FromUtf8Error: written_errors::from_utf8;
    IntErrorKind: written_errors::int_kind;
    io::Error: written_errors::io;
    io::ErrorKind: written_errors::io_kind;
    io::Stdin: stdin;
    io::Stdout: stdout;
    io::Stderr: stderr;
    Elapsed: elapsed;
}

/// The error of tokio's time limits: there is but one.
pub(super) mod elapsed {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
    use tokio::time::error::Elapsed;

    pub(crate) fn serialize<S: Serializer>(_: &Elapsed, out: S) -> Result<S::Ok, S::Error> {
        ().serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Elapsed, D::Error> {
        <()>::deserialize(input)?;
        crate::ask::limit::elapsed()
            .ok_or_else(|| de::Error::custom("tokio's runtime is not there"))
    }
}

/// The outcome of a comparison.
pub(super) mod ordering {
    use std::cmp::Ordering;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(order: &Ordering, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_i8(*order as i8)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Ordering, D::Error> {
        i8::deserialize(input).map(|order| order.cmp(&0))
    }
}

/// How a program ended.
pub(super) mod exit_status {
    #[cfg(unix)]
    use std::os::unix::process::ExitStatusExt;
    #[cfg(windows)]
    use std::os::windows::process::ExitStatusExt;
    use std::process::ExitStatus;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[cfg(unix)]
    pub(crate) fn serialize<S: Serializer>(status: &ExitStatus, out: S) -> Result<S::Ok, S::Error> {
        status.into_raw().serialize(out)
    }

    #[cfg(unix)]
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<ExitStatus, D::Error> {
        i32::deserialize(input).map(ExitStatus::from_raw)
    }

    #[cfg(windows)]
    pub(crate) fn serialize<S: Serializer>(status: &ExitStatus, out: S) -> Result<S::Ok, S::Error> {
        status.code().unwrap_or_default().serialize(out)
    }

    #[cfg(windows)]
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<ExitStatus, D::Error> {
        i32::deserialize(input).map(|code| ExitStatus::from_raw(code.cast_unsigned()))
    }
}

/// The same, with what it wrote.
pub(super) mod output {
    use std::process::{ExitStatus, Output};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_bytes::{ByteBuf, Bytes};

    #[derive(Serialize)]
    struct Written<'o>(
        #[serde(with = "super::exit_status")] ExitStatus,
        &'o Bytes,
        &'o Bytes,
    );

    #[derive(Deserialize)]
    struct Read(
        #[serde(with = "super::exit_status")] ExitStatus,
        ByteBuf,
        ByteBuf,
    );

    pub(crate) fn serialize<S: Serializer>(output: &Output, out: S) -> Result<S::Ok, S::Error> {
        let (stdout, stderr) = (Bytes::new(&output.stdout), Bytes::new(&output.stderr));
        Written(output.status, stdout, stderr).serialize(out)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Output, D::Error> {
        let Read(status, stdout, stderr) = Read::deserialize(input)?;
        Ok(Output {
            status,
            stdout: stdout.into_vec(),
            stderr: stderr.into_vec(),
        })
    }
}

/// What an HTTP server answered.
pub(super) mod status_code {
    use http::StatusCode;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(status: &StatusCode, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_u16(status.as_u16())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<StatusCode, D::Error> {
        StatusCode::from_u16(u16::deserialize(input)?).map_err(D::Error::custom)
    }
}

/// What an HTTP server is asked for.
pub(super) mod method {
    use http::Method;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(method: &Method, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(method.as_str())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Method, D::Error> {
        let method = String::deserialize(input)?;
        method.parse().map_err(D::Error::custom)
    }
}

/// The streams of the process: there is one of each.
macro_rules! streams {
    ($($module:ident: $ty:ty = $open:expr;)*) => {
        $(
            pub(super) mod $module {
                use serde::{Deserializer, Serializer};

                pub(crate) fn serialize<S: Serializer>(_: &$ty, out: S) -> Result<S::Ok, S::Error> {
                    out.serialize_unit()
                }

                pub(crate) fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<$ty, D::Error> {
                    <() as serde::Deserialize>::deserialize(input).map(|()| $open)
                }
            }
        )*
    };
}

streams! {
    stdin: std::io::Stdin = std::io::stdin();
    stdout: std::io::Stdout = std::io::stdout();
    stderr: std::io::Stderr = std::io::stderr();
}

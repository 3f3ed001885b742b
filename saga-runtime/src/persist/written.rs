//! Forms of types that have no serde of their own, and that tools hold: what a program ended with, what a server answered.

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

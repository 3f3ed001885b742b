//! `cargo saga keygen`: a key that seals tokens.

use std::{io::Write, time::SystemTime};

use chrono::{DateTime, Utc};
use saga_runtime::Keyring;

use crate::{cli::Outcome, error::Error};

/// Makes a key that seals tokens, in the form of `SAGA_KEYS`: `id:64 hex digits`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// What it is called: 1 to 64 letters, digits, `-`, `_` or `.`; without it the date
    id: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Outcome, Error> {
    let today = || {
        DateTime::<Utc>::from(SystemTime::now())
            .format("%Y-%m-%d")
            .to_string()
    };
    let id = arguments.id.clone().unwrap_or_else(today);
    let entry = Keyring::generate(&id).map_err(|error| Error::Refused {
        what: format!("no key was made: {error}"),
        instead: "`cargo saga keygen 2026-11`".to_owned(),
    })?;
    // Nothing else, so that it can be piped to where secrets are kept.
    writeln!(std::io::stdout().lock(), "{entry}")?;
    Ok(Outcome::Clean)
}

//! Why a command could not run.

use std::{io, path::PathBuf};

/// Why a command could not run, each with what to do about it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(
        "`{program}` could not be run: {source}\n  = instead: install Rust from https://rustup.rs, or put `{program}` on the PATH"
    )]
    NoProgram { program: String, source: io::Error },
    #[error("the workspace could not be read\n{0}")]
    Metadata(String),
    #[error("no package `{name}` in this workspace\n  = instead: one of {}", known.join(", "))]
    NoSuchPackage { name: String, known: Vec<String> },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("what was found could not be written: {0}")]
    Output(#[from] io::Error),
}

impl Error {
    /// What an operation on `path` failed with.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }

    /// Says it on standard error, as cargo does.
    pub(crate) fn print(&self) {
        anstream::eprintln!("\u{1b}[1;31merror\u{1b}[0m: {self}");
    }
}

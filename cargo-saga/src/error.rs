//! Why a command could not run.

use std::{io, path::PathBuf};

use crate::workspace::Workspace;

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
    #[error("no saga function `{name}` in these packages{}", one_of(elsewhere.as_ref(), known))]
    NoSuchFunction {
        name: String,
        /// The package of the workspace that has it.
        elsewhere: Option<String>,
        known: Vec<String>,
    },
    #[error("{what}\n  = instead: {instead}")]
    Refused { what: String, instead: String },
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{}: {source}", path.display())]
    Manifest {
        path: PathBuf,
        source: toml_edit::TomlError,
    },
    #[error("another `cargo saga port` is at work on this workspace\n  = instead: wait for it to end; it holds `{}`", lock.display())]
    Busy { lock: PathBuf },
    #[error("the member `{name}` is outside of the workspace's directory, at `{}`\n  = instead: run it in a checkout where the members are below the workspace", path.display())]
    MemberOutside { name: String, path: PathBuf },
    #[error("`{}` would be edited, and is no file of this workspace: it stands elsewhere, or a link leads to it\n  = why: edits are tried in a copy of the workspace, and others may use that file, too\n  = instead: port it by hand, or in the workspace that it is of; nothing was edited", path.display())]
    NotOfWorkspace { path: PathBuf },
    #[error(
        "the crate does not compile as it is\n{errors}\n  = instead: make it compile first; nothing was edited"
    )]
    DoesNotCompile { errors: String },
    #[error(
        "`{package}` uses rmcp {requirement}, and saga-runtime {}: the handle of one version is not that of the other\n  = instead: move the server to that version of rmcp first; nothing was edited",
        crate::commands::port::RMCP
    )]
    OtherRmcp {
        package: String,
        requirement: String,
    },
    #[error(
        "the crate compiles where it is, and not in a copy in the target directory, where edits are tried\n{errors}\n  = instead: paths in it that lead elsewhere as absolute ones; nothing was edited"
    )]
    OnlyInACopy { errors: String },
    #[error(
        "`{server}` {what}\n  = instead: a command that is built already, and serves MCP on standard input and output"
    )]
    Server { server: String, what: String },
    #[error("cargo could not compile\n{0}")]
    Cargo(String),
    #[error("there are changes that are not committed:\n{}\n  = instead: commit them, or `--allow-dirty`; `--dry-run` edits nothing", changed.join("\n"))]
    Dirty { changed: Vec<String> },
    #[error(
        "git ignores what would be edited, so that edits could not be taken back:\n{}\n  = instead: `git add --force` and a commit, or `--allow-no-vcs`; `--dry-run` edits nothing",
        lines_of(files)
    )]
    Ignored { files: Vec<PathBuf> },
    #[error(
        "no version control was found, so that edits could not be taken back\n  = instead: `git init` and a commit, or `--allow-no-vcs`; `--dry-run` edits nothing"
    )]
    NoVersionControl,
    #[error("`{}` was changed while it was ported; nothing more was edited\n  = instead: run the port once more", path.display())]
    ChangedMeanwhile { path: PathBuf },
    #[error("`{}`, in which a port notes what it writes, does not read: {source}\n  = instead: look at what has changed (`git diff`), and delete that file; then run the port once more", path.display())]
    Journal {
        path: PathBuf,
        source: serde_json::Error,
    },
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

fn lines_of(files: &[PathBuf]) -> String {
    let files = files.iter();
    let lines = files.map(|file| Workspace::shown(file).display().to_string());
    lines.collect::<Vec<_>>().join("\n")
}

fn one_of(elsewhere: Option<&String>, known: &[String]) -> String {
    match elsewhere {
        Some(package) => {
            format!(": the package `{package}` has it\n  = instead: `-p {package}`")
        }
        None if known.is_empty() => ": there is none at all".to_owned(),
        None => format!("\n  = instead: one of {}", known.join(", ")),
    }
}

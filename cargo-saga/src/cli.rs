//! The command line.

use std::{ffi::OsString, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{
    commands::{check, flow, inspect, keygen, lock, new, port},
    error::Error,
};

/// Ports MCP servers to `#[saga]`, checks them, and shows what is stored.
///
/// Ends with 0 where there is nothing to say, 1 where there are findings, and 2 where the command could not run.
#[derive(Parser)]
#[command(name = "cargo-saga", bin_name = "cargo saga", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Put `#[saga]` on what asks, and make the edits that follow from it
    Port(port::Arguments),
    /// Look for what no macro can see
    Check(check::Arguments),
    /// Draw functions, with what is stored where
    Flow(flow::Arguments),
    /// Write down what is stored where, or tell which calls under way a change would strand
    Lock(lock::Arguments),
    /// Open a token with the server's keys
    Inspect(inspect::Arguments),
    /// Make a key that seals tokens
    Keygen(keygen::Arguments),
    /// Make a new server
    New(new::Arguments),
}

/// How a command ended that could run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Clean,
    Findings,
}

impl Command {
    pub(crate) fn run(self) -> Result<Outcome, Error> {
        match self {
            Self::Port(arguments) => port::run(arguments),
            Self::Check(arguments) => check::run(arguments),
            Self::Flow(arguments) => flow::run(&arguments),
            Self::Lock(arguments) => lock::run(&arguments),
            Self::Inspect(arguments) => inspect::run(&arguments),
            Self::Keygen(arguments) => keygen::run(&arguments),
            Self::New(arguments) => new::run(arguments),
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Findings => ExitCode::FAILURE,
        }
    }
}

/// Cargo runs `cargo-saga saga port` for `cargo saga port`; run by hand it is `cargo-saga port`.
pub(crate) fn without_subcommand(
    arguments: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    let is_subcommand = |(place, argument): &(usize, OsString)| *place == 1 && argument == "saga";
    let numbered = arguments.into_iter().enumerate();
    numbered
        .filter(move |numbered| !is_subcommand(numbered))
        .map(|(_, argument)| argument)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn only_the_word_that_cargo_adds_is_dropped() {
        let of = |line: &str| {
            let arguments = line.split(' ').map(OsString::from);
            without_subcommand(arguments).collect::<Vec<_>>()
        };
        assert_eq!(of("cargo-saga saga port"), ["cargo-saga", "port"]);
        assert_eq!(of("cargo-saga port"), ["cargo-saga", "port"]);
        assert_eq!(
            of("cargo-saga saga new saga"),
            ["cargo-saga", "new", "saga"]
        );
        assert_eq!(of("cargo-saga new saga"), ["cargo-saga", "new", "saga"]);
    }
}

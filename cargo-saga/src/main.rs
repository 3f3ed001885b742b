//! `cargo saga`: ports servers to `#[saga]`, and looks at them in ways that no macro can.

#![cfg_attr(
    test,
    allow(clippy::expect_used, reason = "a test ends where it cannot go on")
)]

mod cli;
mod commands;
mod error;
mod flows;
mod graph;
mod report;
mod source;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = cli::without_subcommand(std::env::args_os());
    match cli::Cli::parse_from(arguments).command.run() {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            error.print();
            ExitCode::from(2)
        }
    }
}

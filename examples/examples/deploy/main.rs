//! The deployment example of the saga methods proposal, on real servers.
//!
//! Two replicas of one server share a key and nothing else. The tool is called on the first, which
//! is killed while the user thinks; the second goes on, and is killed while the model thinks; a
//! third one finishes. What goes over the wire is printed.

mod http;
mod live;
mod mrtr;
mod person;
mod relay;
mod replica;
mod request;
mod saga;
mod transcript;

use std::{error::Error, io::Write, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand, ValueEnum};
use examples::{deployment::registered_builds, stopped};

use crate::{http::Http, mrtr::Mrtr, person::Person, replica::Replicas, saga::Saga};
use examples::Scratch;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// Calls a deployment tool whose server dies whenever somebody thinks.
#[derive(Parser)]
struct Options {
    /// The protocol between client and server
    #[arg(long, value_enum, default_value_t = Wire::Mrtr)]
    wire: Wire,
    /// Answer the questions in this terminal
    #[arg(long)]
    interactive: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Wire {
    /// Multi Round-Trip Requests of MCP 2026-07-28
    Mrtr,
    /// The proposal's tools/callSaga and tools/resumeSaga
    Saga,
    /// A session of MCP 2025-11-25, in which the server asks the client
    Live,
}

#[derive(Subcommand)]
enum Command {
    /// The server that this program starts several times
    #[command(hide = true)]
    Serve { build_log: PathBuf },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    let outcome = runtime.block_on(async {
        match options.command {
            Some(Command::Serve { build_log }) => {
                replica::serve(build_log).await.map(|()| ExitCode::SUCCESS)
            }
            None => tokio::select! {
                outcome = demonstrate(options.wire, options.interactive) => outcome,
                () = stopped() => Err("interrupted".into()),
            },
        }
    });
    // A thread may still be waiting for a line from the terminal.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|error| failed(error.as_ref()))
}

fn failed(error: &(dyn Error + 'static)) -> ExitCode {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    // Nobody is left to tell where even this cannot be written.
    let _ = writeln!(std::io::stderr(), "error: {}", causes.join(": "));
    ExitCode::FAILURE
}

async fn demonstrate(wire: Wire, interactive: bool) -> Result<ExitCode> {
    let scratch = Scratch::new()?;
    let log = scratch.path().join("builds.log");
    let http = Http::new()?;
    let mut person = Person::new(interactive);
    let mut replicas = Replicas::new(log.clone())?;
    match wire {
        Wire::Mrtr => relay::run(&mut Mrtr::default(), &http, &mut person, &mut replicas).await?,
        Wire::Saga => relay::run(&mut Saga::default(), &http, &mut person, &mut replicas).await?,
        Wire::Live => live::run(&http, &mut person, &mut replicas).await?,
    }
    let builds = registered_builds(&log).await?;
    transcript::build_log(&tokio::fs::read_to_string(&log).await?, builds)?;
    Ok(if builds == 1 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

//! A server that uses every part of the protocol: what the public conformance suite expects of one,
//! under the names that it calls. Tools that ask are ordinary `async fn`s with `#[saga]` above them,
//! for clients of 2026-07-28 and of 2025-11-25 alike.
#![allow(
    deprecated,
    reason = "sampling, roots and logging are part of what a client may have"
)]

mod answers;
mod asking;
mod content;
mod notifying;
mod parts;
mod prompts;
mod resources;
mod rounds;
mod seen;
mod server;
mod tasks;

use std::process::ExitCode;

use clap::Parser;
use examples::{Transport, serve_with, stopped};
use saga_runtime::Settings;
use saga_tasks::{SqliteStore, Tasks};
use tracing_subscriber::fmt::format::FmtSpan;

use crate::server::Everything;

/// An MCP server for the conformance suite.
#[derive(Parser)]
struct Options {
    /// Serve on standard input and output
    #[arg(long, conflicts_with = "port")]
    stdio: bool,
    /// Serve Streamable HTTP on this loopback port; 0 takes any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Tell on standard error what is asked, answered and refused
    #[arg(long)]
    audit: bool,
    /// Show on standard error the span of each request, when it is over
    #[arg(long)]
    trace: bool,
    /// Keep tasks in this file, and not only as long as this process runs
    #[arg(long, value_name = "FILE")]
    tasks: Option<std::path::PathBuf>,
    /// Serve metrics for Prometheus on this loopback port; 0 takes any free one
    #[arg(long, value_name = "PORT")]
    metrics: Option<u16>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let spans = match options.trace {
        true => FmtSpan::CLOSE,
        false => FmtSpan::NONE,
    };
    // Standard output belongs to the protocol.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_span_events(spans)
        .init();
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut settings = Settings::from_env()?;
    if options.audit {
        settings = settings.with_observer(seen::Audit);
    }
    if let Some(port) = options.metrics {
        seen::metrics(port).await?;
    }
    let transport = match options.stdio {
        true => Transport::Stdio,
        false => Transport::Http {
            port: options.port,
            json: false,
        },
    };
    let store = match options.tasks {
        Some(file) => SqliteStore::open(file)?,
        None => SqliteStore::in_memory()?,
    };
    let everything = Everything::new();
    Ok(serve_with(
        move || everything.of_new_session(),
        settings,
        Some(Tasks::new(store)),
        transport,
        stopped(),
    )
    .await?)
}

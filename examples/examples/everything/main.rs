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
mod prompts;
mod resources;
mod rounds;
mod server;
mod tasks;

use std::process::ExitCode;

use clap::Parser;
use examples::{Transport, serve, stopped};
use saga_runtime::Settings;

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
}

#[tokio::main]
async fn main() -> ExitCode {
    // Standard output belongs to the protocol.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    match run(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings::from_env()?;
    let transport = match options.stdio {
        true => Transport::Stdio,
        false => Transport::Http {
            port: options.port,
            json: false,
        },
    };
    let everything = Everything::new();
    Ok(serve(
        move || everything.of_new_session(),
        settings,
        transport,
        stopped(),
    )
    .await?)
}

//! A server with the deployment tool.
//!
//! `SAGA_KEYS` holds the keys that seal its continuations, as `id:64 hex digits`; replicas that
//! share them can continue each other's calls.

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use examples::{Transport, deployment::Deployer, serve, stopped};
use saga_runtime::Settings;

/// An MCP server with the deployment tool.
#[derive(Parser)]
struct Options {
    /// Serve on standard input and output
    #[arg(long, conflicts_with = "port")]
    stdio: bool,
    /// Serve Streamable HTTP on this loopback port; 0 takes any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Add a line to this file for every build and deployment
    #[arg(long, value_name = "FILE")]
    build_log: Option<PathBuf>,
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
            json: true,
        },
    };
    let deployer = Deployer {
        build_log: options.build_log,
    };
    Ok(serve(move || deployer.clone(), settings, transport, stopped()).await?)
}

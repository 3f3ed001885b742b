//! One tool with three asks over Streamable HTTP: under `#[saga]`, by hand, and live in a session.
//!
//! Each is served by a process of its own and called by the same number of clients, in turns. The
//! figures are ratios of this one run.

mod client;
mod measure;
mod memory;
#[path = "../shared/mrtr.rs"]
mod mrtr;
#[path = "../shared/process.rs"]
mod process;
mod report;
mod server;
mod session;
mod tools;

use std::{error::Error, io::Write, process::ExitCode, time::Duration};

use clap::{Args, Parser, Subcommand};
use tokio::time::timeout;

use crate::{client::Client, report::Figures, server::Contender};

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const WARM_UP: Duration = Duration::from_secs(2);
const LIMIT: Duration = Duration::from_secs(180);

/// Compares a tool under `#[saga]` with the same by hand and live, over HTTP.
#[derive(Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Options {
    #[command(flatten)]
    plan: Plan,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct Plan {
    /// Clients that make one call after the other
    #[arg(long, default_value_t = 32)]
    clients: usize,
    /// How often each contender has its turn
    #[arg(long, default_value_t = 7)]
    repetitions: usize,
    /// Seconds of a turn
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Suspended calls whose memory is looked at
    #[arg(long, default_value_t = 10_000)]
    suspended: usize,
}

#[derive(Subcommand)]
enum Command {
    /// A contender's server
    #[command(hide = true)]
    Serve { contender: Contender },
    /// Suspends calls, and keeps them
    #[command(hide = true)]
    Hold {
        contender: Contender,
        url: String,
        calls: usize,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.command {
        Some(Command::Serve { contender }) => server::run(contender).await,
        Some(Command::Hold {
            contender,
            url,
            calls,
        }) => memory::hold(contender, &url, calls).await,
        None => tokio::select! {
            outcome = timeout(LIMIT, run(&options.plan)) => {
                outcome.unwrap_or_else(|_| Err("not done in time".into()))
            }
            () = examples::stopped() => Err("interrupted".into()),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell where even this cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(plan: &Plan) -> Result<()> {
    let http = http()?;
    let mut all = Vec::new();
    for contender in Contender::ALL {
        let memory = memory::measure(contender, plan.suspended).await?;
        let server = contender.start().await?;
        let mut clients = Vec::new();
        for _ in 0..plan.clients {
            clients.push(Client::new(contender, &http, &server.url).await?);
        }
        measure::measure(&server, &mut clients, WARM_UP).await?;
        let figures = Figures {
            contender,
            samples: Vec::new(),
            memory,
        };
        all.push((figures, server, clients));
    }
    let span = Duration::from_secs(plan.seconds);
    for _ in 0..plan.repetitions {
        for (figures, server, clients) in &mut all {
            let sample = measure::measure(server, clients, span).await?;
            figures.samples.push(sample);
        }
        // Nobody is always the first.
        all.rotate_left(1);
    }
    let mut figures = Vec::new();
    for (of_one, server, _) in all {
        server.end(Duration::ZERO).await?;
        figures.push(of_one);
    }
    figures.sort_by_key(|figures| figures.contender);
    write!(
        std::io::stdout(),
        "{}",
        report::tables(&figures, plan.suspended)?
    )?;
    Ok(())
}

fn http() -> Result<reqwest::Client> {
    Ok(reqwest::Client::builder()
        .no_proxy()
        .connect_timeout(Duration::from_secs(5))
        .build()?)
}

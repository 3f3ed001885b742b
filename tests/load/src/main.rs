//! One tool with three asks over Streamable HTTP: under `#[saga]`, by hand, live in a session, and as bytes that are only sent.
//!
//! Each is served by a process of its own and called by the same number of clients, in turns. The
//! figures are ratios of this one run.

mod bare;
mod client;
mod cores;
mod floor;
mod measure;
mod memory;
mod plain;
mod report;
mod server;
mod session;
mod tools;
mod unchecked;

use std::{error::Error, io::Write, process::ExitCode, time::Duration};

use clap::{Args, Parser, Subcommand};
use tokio::time::timeout;

use crate::{client::Client, cores::Cores, report::Figures, server::Contender};

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

const WARM_UP: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(600);

/// Compares a tool under `#[saga]` with the same by hand and live, over HTTP, and with the cost of the wire.
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
    #[arg(long, default_value_t = 16)]
    clients: usize,
    /// How often each contender has its turn
    #[arg(long, default_value_t = 7)]
    repetitions: usize,
    /// Seconds of a turn
    #[arg(long, default_value_t = 2)]
    seconds: u64,
    /// Suspended calls whose memory is looked at, a tenth of them where each has a session
    #[arg(long, default_value_t = 100_000)]
    suspended: usize,
    /// Cores of the server; the clients have the others
    #[arg(long, default_value_t = 1)]
    server_cores: usize,
    /// Only these contenders; the floor is always there
    #[arg(long, value_delimiter = ',')]
    only: Vec<Contender>,
}

#[derive(Subcommand)]
enum Command {
    /// A contender's server
    #[command(hide = true)]
    Serve { contender: Contender, cores: Cores },
    /// Suspends calls, and keeps them
    #[command(hide = true)]
    Hold {
        contender: Contender,
        url: String,
        calls: usize,
        cores: Cores,
    },
}

fn main() -> ExitCode {
    let options = Options::parse();
    match begin(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell where even this cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn begin(options: Options) -> Result<()> {
    match options.command {
        Some(Command::Serve { contender, cores }) => {
            cores.runtime()?.block_on(server::run(contender))
        }
        Some(Command::Hold {
            contender,
            url,
            calls,
            cores,
        }) => {
            let runtime = cores.runtime()?;
            runtime.block_on(memory::hold(contender, &url, calls))
        }
        None => {
            let (server, clients) = Cores::split(options.plan.server_cores)?;
            let runtime = clients.clone().runtime()?;
            runtime.block_on(async {
                tokio::select! {
                    outcome = timeout(LIMIT, run(&options.plan, &server, &clients)) => {
                        outcome.unwrap_or_else(|_| Err("not done in time".into()))
                    }
                    () = examples::stopped() => Err("interrupted".into()),
                }
            })
        }
    }
}

async fn run(plan: &Plan, server_cores: &Cores, client_cores: &Cores) -> Result<()> {
    let http = http()?;
    let mut all = Vec::new();
    let wanted = |contender: &Contender| {
        plan.only.is_empty() || plan.only.contains(contender) || *contender == Contender::Floor
    };
    for contender in Contender::ALL.into_iter().filter(wanted) {
        let memory = match contender.keeps() {
            Some(share) if plan.suspended > 0 => {
                let calls = (plan.suspended / share).max(1);
                Some(memory::measure(contender, calls, server_cores, client_cores).await?)
            }
            _ => None,
        };
        let server = contender.start(server_cores).await?;
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
    write!(std::io::stdout(), "{}", report::tables(&figures)?)?;
    Ok(())
}

fn http() -> Result<reqwest::Client> {
    Ok(reqwest::Client::builder()
        .no_proxy()
        .connect_timeout(Duration::from_secs(5))
        .build()?)
}

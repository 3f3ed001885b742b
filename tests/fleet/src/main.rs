//! Replicas behind a load balancer, killed and restarted while clients make calls that ask.
//!
//! Three processes serve one tool with effects before, between and after its asks. While 64 clients
//! call it, processes are killed and started again at random, and half-way the key is replaced. At
//! the end every call has completed, and the record of the effects says how often each happened.

mod balancer;
mod chaos;
mod check;
mod client;
mod effects;
mod mrtr;
mod ports;
mod progress;
mod replicas;
mod running;
mod tasks;
mod tool;

use std::{
    error::Error,
    ffi::OsString,
    io::Write,
    path::PathBuf,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use crate::{
    balancer::Kind,
    check::Figures,
    client::{Client, Report, Script},
    progress::Progress,
    running::{Around, Fleet},
};
use clap::{Args, Parser, Subcommand};
use examples::Scratch;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// Of so many clients, one has a user who thinks until the keys are changed.
const PATIENT: usize = 8;

/// Kills replicas behind a load balancer while clients make calls that ask.
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
    /// Calls to make in all
    #[arg(long, default_value_t = 1000)]
    calls: usize,
    /// What calls, answers and kills are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What spreads the requests over the replicas
    #[arg(long, value_enum, default_value_t = Kind::None)]
    balancer: Kind,
    /// Clients that make one call after the other
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// Processes of the server
    #[arg(long, default_value_t = 3)]
    replicas: usize,
    /// Durable tasks instead of rounds, in this store: `sqlite`, or the URL of PostgreSQL or Redis
    /// (`--features stores`), which has to be empty
    #[arg(long, value_name = "STORE", num_args = 0..=1, default_missing_value = "sqlite")]
    tasks: Option<String>,
    /// Seconds after which the run has failed
    #[arg(long, default_value_t = 120)]
    limit: u64,
}

#[derive(Subcommand)]
enum Command {
    /// A replica
    #[command(hide = true)]
    Serve { port: u16, effects: PathBuf },
    /// A replica with tasks
    #[command(hide = true)]
    Work {
        port: u16,
        effects: PathBuf,
        store: String,
        version: u8,
    },
    /// Runs a program for as long as the standard input is open
    #[command(hide = true)]
    Guard {
        program: PathBuf,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = match options.command {
        Some(Command::Serve { port, effects }) => tool::serve(port, &effects).await.map(|()| true),
        Some(Command::Guard { program, arguments }) => {
            balancer::guard(&program, &arguments).await.map(|()| true)
        }
        Some(Command::Work {
            port,
            effects,
            store,
            version,
        }) => {
            let served = tasks::serve(port, &effects, &store, version).await;
            served.map(|()| true)
        }
        None => tokio::select! {
            outcome = run(&options.plan) => outcome,
            () = examples::stopped() => Err("interrupted".into()),
        },
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nobody is left to tell where even this cannot be written.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether everything held.
async fn run(plan: &Plan) -> Result<bool> {
    if let Some(store) = &plan.tasks {
        return tasks::run(plan, store).await;
    }
    let scratch = Scratch::new()?;
    let ports = ports::free(plan.replicas)?;
    let program = |port: &u16| {
        vec![
            "serve".into(),
            port.to_string().into(),
            scratch.path().into(),
        ]
    };
    let fleet = Fleet {
        plan,
        scratch: &scratch,
        programs: ports.iter().map(program).collect(),
        serving: &ports,
        deploy: None,
    };
    let ran = fleet.run(Duration::from_secs(10), client).await?;
    let mut figures = check::check(&ran.reports, ran.effects);
    if ran.reports.len() != plan.calls {
        let missing = plan.calls.abs_diff(ran.reports.len());
        figures
            .violations
            .push(format!("{missing} calls are missing"));
    }
    if figures.across_the_rotation() == 0 {
        let what = "no call went from the old key to the new one".to_owned();
        figures.violations.push(what);
    }
    print(&ran.progress, &figures, ran.duration)?;
    Ok(figures.violations.is_empty())
}

/// Makes the calls of one client.
async fn client(number: usize, around: Around) -> Result<Vec<Report>> {
    let client = Client {
        http: &around.http,
        balancer: &around.balancer,
        progress: &around.progress,
        patient: AtomicBool::new(number.is_multiple_of(PATIENT)),
    };
    let mut reports = Vec::new();
    while let Some(call) = around.progress.next_call().await {
        reports.push(client.call(Script::new(around.seed, call)).await?);
    }
    Ok(reports)
}

fn say(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

fn print(progress: &Progress, figures: &Figures, duration: Duration) -> Result<()> {
    let mut out = std::io::stdout();
    let kills = progress.kills.load(Ordering::Relaxed);
    let suspended = progress.suspended_at_kills.load(Ordering::Relaxed);
    writeln!(out, "{figures}")?;
    writeln!(out, "processes killed          {kills}")?;
    writeln!(
        out,
        "  calls suspended then    {} on average",
        suspended / kills.max(1)
    )?;
    writeln!(
        out,
        "  with no replica left    {} times",
        progress.blackouts.load(Ordering::Relaxed)
    )?;
    writeln!(
        out,
        "seconds                   {:.1}",
        duration.as_secs_f64()
    )?;
    Ok(())
}

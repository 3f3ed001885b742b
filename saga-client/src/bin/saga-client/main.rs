//! A client for the terminal: calls the tools of any server, and has a person answer what they ask.
#![allow(
    deprecated,
    reason = "sampling, roots and logging are part of what a server may use"
)]

mod arguments;
mod calling;
mod connect;
mod listing;
mod options;
mod person;
mod progress;
mod reach;
mod results;
mod retry;
mod watch;

use std::{
    error::Error,
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use clap::Parser;
use saga_client::terminal::{Style, plain};
use saga_runtime::Keyring;

use crate::{
    connect::{Link, Server},
    options::{Command, Options, Wire},
    person::Person,
    watch::Watch,
};

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// How a program that did what it should has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    ToolError,
    Cancelled,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::ToolError => Self::from(1),
            // As of a program that the signal has ended.
            Outcome::Cancelled => Self::from(130),
        }
    }
}

fn main() -> ExitCode {
    let options = Options::parse();
    // One thread, so that questions and notifications are shown in the order in which they come.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return failed(&error),
    };
    // A task of its own waits its turn behind those of the notifications before its answer.
    let outcome = runtime.block_on(async { tokio::spawn(run(options)).await });
    // A thread may still be waiting for a line from the terminal.
    runtime.shutdown_background();
    match outcome {
        Ok(Ok(outcome)) => outcome.into(),
        Ok(Err(error)) => failed(error.as_ref()),
        Err(error) => failed(&error),
    }
}

fn failed(error: &(dyn Error + 'static)) -> ExitCode {
    let mut text = error.to_string();
    let causes = std::iter::successors(error.source(), |&error| error.source());
    for cause in causes.map(ToString::to_string) {
        // Many errors have said what their cause says.
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    let error = Style::of_stderr().bad("error");
    // Nobody is left to tell where even this cannot be written.
    // What a server says does not steer the terminal.
    let _ = writeln!(io::stderr(), "{error}: {}", plain(&text));
    ExitCode::from(2)
}

async fn run(options: Options) -> Result<Outcome> {
    if let Some(Command::Keygen { id }) = &options.command {
        say(&Keyring::generate(id)?)?;
        return Ok(Outcome::Done);
    }
    let watch = Watch::new(options.raw, Duration::from_secs(options.timeout));
    let (link, server_log) = Link::new(&options)?;
    let person = Person::new(&options).await?;
    let connected = tokio::select! {
        connected = link.connect(person, options.wire, &watch) => connected,
        () = interrupted() => Err("interrupted before the server answered".into()),
        why = watch.lost(|| false) => Err(why.into()),
    };
    match connected {
        Ok(server) => {
            let outcome = converse(server, &options, &watch).await;
            if watch.is_broken() {
                server_log.show().await;
            }
            outcome
        }
        Err(error) => {
            server_log.show().await;
            Err(error)
        }
    }
}

async fn converse(mut server: Server, options: &Options, watch: &Watch) -> Result<Outcome> {
    let outcome = {
        let mut performing = std::pin::pin!(calling::perform(&server, options));
        tokio::select! {
            outcome = performing.as_mut() => outcome,
            why = watch.lost(|| server.service().is_asking()) => {
                server.service().leave();
                say("")?;
                return Err(why.into());
            }
            () = interrupted() => {
                server.service().leave();
                if let Some(followed) = server.service().followed() {
                    let wire = match options.wire {
                        Wire::Async => " --wire async",
                        _ => "",
                    };
                    say(&format!("\nLeft: it goes on without you. To see more of it: follow {followed}{wire}"))?;
                    return Ok(Outcome::Cancelled);
                }
                let told = watch.cancel_requests(&server).await?;
                say(match told {
                    true => "\nCancelled: the server was told.",
                    false => "\nCancelled: the server was not at work on it.",
                })?;
                if told {
                    // What was cancelled ends, and does not tell the server a second time.
                    let _ = performing.await;
                }
                Ok(Outcome::Cancelled)
            }
        }
    };
    // A server process gets the time to end.
    server.close().await?;
    outcome
}

/// Ready with Ctrl-C. Where that cannot be listened to, it ends the program as ever.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Shows a line.
fn say(line: &str) -> Result<()> {
    progress::end_line();
    Ok(writeln!(io::stdout(), "{line}")?)
}

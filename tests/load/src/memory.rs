//! What suspended calls cost the server in memory.

use std::{
    io::{self, Write},
    process::Stdio,
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    task::JoinSet,
    time::timeout,
};

use crate::{
    Result,
    client::{Client, Suspended},
    cores::Cores,
    http,
    measure::resident,
    server::{Contender, this_program},
};
use examples::orphaned;

/// Clients that suspend calls at the same time.
const AT_ONCE: usize = 64;
/// Whole calls before the first look.
const WARM_UP: usize = 2_000;
const LIMIT: Duration = Duration::from_secs(60);

/// The server's memory in KiB.
pub(crate) struct Memory {
    pub(crate) calls: usize,
    pub(crate) before: u64,
    pub(crate) suspended: u64,
}

/// Measures a server of its own, before and with so many suspended calls.
pub(crate) async fn measure(
    contender: Contender,
    calls: usize,
    server_cores: &Cores,
    client_cores: &Cores,
) -> Result<Memory> {
    let server = contender.start(server_cores).await?;
    let http = http()?;
    let mut running = JoinSet::<Result<()>>::new();
    for _ in 0..AT_ONCE {
        let mut client = Client::new(contender, &http, &server.url).await?;
        running.spawn(async move {
            for _ in 0..WARM_UP / AT_ONCE {
                client.call().await?;
            }
            Ok(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    let before = resident(server.id)?;
    // Another process, so that it can have as many open files as the server.
    let (number, cores) = (calls.to_string(), client_cores.argument());
    let mut holder = this_program(&["hold", &contender.argument(), &server.url, &number, &cores])?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let stdout = holder.stdout.take().ok_or("no standard output")?;
    let line = timeout(LIMIT, BufReader::new(stdout).lines().next_line()).await??;
    if line.as_deref() != Some("suspended") {
        return Err("the calls could not be suspended; --suspended takes a smaller number".into());
    }
    let suspended = resident(server.id)?;
    holder.kill().await?;
    server.end(Duration::ZERO).await?;
    Ok(Memory {
        calls,
        before,
        suspended,
    })
}

/// Suspends calls, says so, and keeps them until the standard input is closed.
pub(crate) async fn hold(contender: Contender, url: &str, calls: usize) -> Result<()> {
    let http = http()?;
    let mut running = JoinSet::<Result<Vec<Suspended>>>::new();
    for place in 0..AT_ONCE {
        let (http, url) = (http.clone(), url.to_owned());
        running.spawn(async move {
            let mut suspended = Vec::new();
            let mut client = Client::new(contender, &http, &url).await?;
            for _ in (place..calls).step_by(AT_ONCE) {
                suspended.push(client.suspend(&http).await?);
            }
            Ok(suspended)
        });
    }
    let mut suspended = Vec::new();
    while let Some(done) = running.join_next().await {
        suspended.extend(done??);
    }
    writeln!(io::stdout(), "suspended")?;
    orphaned().await;
    Ok(())
}

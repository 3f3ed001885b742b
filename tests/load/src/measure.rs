//! Calls in a span of time, and what they cost the server.

use std::{
    fs,
    time::{Duration, Instant},
};

use tokio::{
    runtime::Handle,
    task::{JoinSet, yield_now},
};

use crate::{Result, client::Client};
use examples::Process;

/// What one repetition showed of one contender.
pub(crate) struct Sample {
    pub(crate) calls_per_second: f64,
    /// Clock ticks of the server's threads, of which a second has a hundred, for each call.
    pub(crate) processor_per_call: f64,
    pub(crate) latencies: Vec<Duration>,
}

/// Lets each client make one call after the other for so long.
pub(crate) async fn measure(
    server: &Process,
    clients: &mut Vec<Client>,
    span: Duration,
) -> Result<Sample> {
    let _awake = awake();
    let processor = processor(server.id)?;
    let started = Instant::now();
    let mut running = JoinSet::<Result<_>>::new();
    for mut client in clients.drain(..) {
        running.spawn(async move {
            let mut latencies = Vec::new();
            while started.elapsed() < span {
                let began = Instant::now();
                client.call().await?;
                latencies.push(began.elapsed());
            }
            Ok((client, latencies))
        });
    }
    let mut latencies = Vec::new();
    while let Some(done) = running.join_next().await {
        let (client, of_client) = done??;
        clients.push(client);
        latencies.extend(of_client);
    }
    let calls = latencies.len().max(1) as f64;
    let ticks = self::processor(server.id)?.saturating_sub(processor);
    Ok(Sample {
        calls_per_second: calls / started.elapsed().as_secs_f64(),
        processor_per_call: ticks as f64 / calls,
        latencies,
    })
}

/// Keeps the clients' cores from sleeping, until it is dropped. To wake one is an interrupt that the server sends as it writes (of a
/// virtual machine it takes longer than the write), and only a server that is slower than its clients would be charged with it.
fn awake() -> JoinSet<()> {
    let turning = || async {
        loop {
            yield_now().await;
        }
    };
    let workers = Handle::current().metrics().num_workers();
    (0..workers).map(|_| turning()).collect()
}

/// The clock ticks that a process has used.
fn processor(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may contain anything.
    let (_, fields) = text.rsplit_once(") ").ok_or("an unknown form of /proc")?;
    let mut fields = fields.split(' ').skip(11);
    let mut next = || -> Result<u64> {
        let field = fields.next().ok_or("an unknown form of /proc")?;
        Ok(field.parse()?)
    };
    Ok(next()? + next()?)
}

/// The memory of a process that is not swapped out, in KiB.
pub(crate) fn resident(process: u32) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let mut lines = text.lines();
    let field = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let field = field.and_then(|field| field.split_whitespace().next());
    Ok(field.ok_or("an unknown form of /proc")?.parse()?)
}

//! How fast a store is: `cargo run --release -p saga-tasks --all-features --example measure -- sqlite [FOLDER] | postgres URL | redis URL`.
//!
//! Prints what one step takes with 100 and with 100,000 suspended tasks beside it, and how many tasks a second go from their creation
//! to their end.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::{
    error::Error,
    time::{Duration, Instant},
};

use saga_runtime::CallId;
use saga_tasks::{
    Claim, Expect, Owner, State, StoreError, Swap, TaskId, TaskRecord, TaskStore, WorkerId,
};

/// Bytes of a sealed task.
const SEALED: usize = 600;
const STEPS: usize = 500;
const LEASE: Duration = Duration::from_secs(600);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "memory".to_owned());
    let place = arguments.next();
    let place = move || place.ok_or("where is it?");
    match kind.as_str() {
        #[cfg(feature = "sqlite")]
        "sqlite" => {
            measure(&saga_tasks::SqliteStore::open(format!(
                "{}/measured.db",
                place()?
            ))?)
            .await?
        }
        #[cfg(feature = "postgres")]
        "postgres" => measure(&saga_tasks::PostgresStore::connect(&place()?).await?).await?,
        #[cfg(feature = "redis")]
        "redis" => measure(&saga_tasks::RedisStore::connect(&place()?).await?).await?,
        "memory" => measure(&saga_tasks::MemoryStore::new()).await?,
        other => return Err(format!("no store is called {other}").into()),
    }
    Ok(())
}

async fn measure<S: TaskStore>(store: &S) -> Result<(), Box<dyn Error>> {
    let mut suspended = 0;
    for until in [100, 100_000] {
        while suspended < until {
            let mut record = task(store).await?;
            record.state = State::Waiting;
            record.due = Some(record.created + Duration::from_secs(86_400));
            store.create(&record).await?;
            suspended += 1;
        }
        steps(store, suspended).await?;
        if let Some(memory) = memory() {
            println!("    memory  {memory} of this process");
        }
    }
    Ok(())
}

/// What this process has of the memory, where the system says so.
fn memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().to_owned())
}

async fn task<S: TaskStore>(store: &S) -> Result<TaskRecord, StoreError> {
    let id = TaskId::random()?;
    let mut call = [0; 16];
    for (byte, random) in call.iter_mut().zip(TaskId::random()?.as_str().bytes()) {
        *byte = random;
    }
    let owner = Owner::of(Some("somebody"));
    let now = store.now().await?;
    let mut record = TaskRecord::new(id, CallId::from_bytes(call), owner, "tool".to_owned(), now);
    record.sealed = vec![7; SEALED];
    Ok(record)
}

/// Creates, looks at, claims and ends tasks one after the other.
async fn steps<S: TaskStore>(store: &S, suspended: usize) -> Result<(), Box<dyn Error>> {
    let worker = WorkerId::named("measure");
    let (mut create, mut get, mut claim, mut end) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let begun = Instant::now();
    for _ in 0..STEPS {
        let record = task(store).await?;
        let at = Instant::now();
        store.create(&record).await?;
        create.push(at.elapsed());
        let at = Instant::now();
        store.get(&record.id).await?;
        get.push(at.elapsed());
        let at = Instant::now();
        let claimed = store.claim(Claim::new(&worker, 1, LEASE)).await?;
        claim.push(at.elapsed());
        let Some(mut record) = claimed.records.into_iter().next() else {
            return Err("nothing is due".into());
        };
        let expect = Expect {
            version: record.version,
            fence: Some(record.fence),
        };
        record.state = State::Completed;
        record.due = None;
        record.expires = Some(record.created + LEASE);
        let at = Instant::now();
        if store.swap(&record, expect).await? == Swap::Lost {
            return Err("somebody else measures".into());
        }
        end.push(at.elapsed());
    }
    let seconds = begun.elapsed().as_secs_f64();
    let rate = STEPS as f64 / seconds;
    println!("{suspended} suspended: {rate:.0} tasks/s, one after the other");
    for (name, mut times) in [
        ("create", create),
        ("get", get),
        ("claim", claim),
        ("swap", end),
    ] {
        times.sort_unstable();
        let at = |share: usize| {
            times
                .get(times.len() * share / 100)
                .copied()
                .unwrap_or_default()
        };
        println!(
            "    {name:<7} median {:>9.1?}   p99 {:>9.1?}",
            at(50),
            at(99)
        );
    }
    Ok(())
}

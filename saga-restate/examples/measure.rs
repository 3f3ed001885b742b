//! How fast Restate is as a store: `cargo run --release -p saga-restate --example measure -- INGRESS ADMIN [SUSPENDED…]`.
//!
//! Serves the handlers itself, on a free port of this machine. Prints what one step takes with so many suspended tasks beside it (100 and
//! 10,000), one after the other, and how many tasks a second go from their creation to their end, 32 at a time.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use std::{
    error::Error,
    time::{Duration, Instant},
};

use futures_util::future::try_join_all;
use saga_restate::RestateStore;
use saga_runtime::CallId;
use saga_tasks::{
    Claim, Expect, Owner, State, StoreError, Swap, TaskId, TaskRecord, TaskStore, WorkerId,
};
use tokio::net::TcpListener;

/// Bytes of a sealed task.
const SEALED: usize = 600;
const STEPS: usize = 200;
/// How many tasks are under way at a time.
const BESIDE: usize = 32;
const LEASE: Duration = Duration::from_secs(600);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let ingress = arguments.next().ok_or("where is the ingress?")?;
    let admin = arguments.next().ok_or("where is the admin address?")?;
    let counts: Vec<usize> = arguments
        .map(|count| count.parse())
        .collect::<Result<_, _>>()?;
    let counts = if counts.is_empty() {
        vec![100, 10_000]
    } else {
        counts
    };

    let store = RestateStore::connect(&ingress)?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let handlers = store.clone();
    tokio::spawn(async move { handlers.serve(listener).await });
    store.register(&admin, &endpoint).await?;

    let mut suspended = 0;
    for until in counts {
        while suspended < until {
            let more = BESIDE.min(until - suspended);
            try_join_all((0..more).map(|_| suspend(&store))).await?;
            suspended += more;
        }
        steps(&store, suspended).await?;
        let rate = whole(&store).await?;
        println!("    {rate:.0} tasks/s, {BESIDE} at a time");
    }
    Ok(())
}

async fn task(store: &RestateStore) -> Result<TaskRecord, StoreError> {
    let id = TaskId::random()?;
    let mut call = [0; 16];
    for (byte, random) in call.iter_mut().zip(TaskId::random()?.as_str().bytes()) {
        *byte = random;
    }
    // Each its own: the tasks of one owner are counted one after the other.
    let owner = Owner::of(Some(id.as_str()));
    let now = store.now().await?;
    let mut record = TaskRecord::new(id, CallId::from_bytes(call), owner, "tool".to_owned(), now);
    record.sealed = vec![b'7'; SEALED];
    Ok(record)
}

async fn suspend(store: &RestateStore) -> Result<(), StoreError> {
    let mut record = task(store).await?;
    record.state = State::Waiting;
    record.due = Some(record.created + Duration::from_secs(86_400));
    store.create(&record).await.map(drop)
}

fn expect(record: &TaskRecord) -> Expect {
    Expect {
        version: record.version,
        fence: Some(record.fence),
    }
}

fn end(record: &mut TaskRecord) {
    record.state = State::Completed;
    record.due = None;
    record.expires = Some(record.created + LEASE);
}

/// Tasks from their creation to their end: created by some, claimed and ended by another.
async fn whole(store: &RestateStore) -> Result<f64, StoreError> {
    let begun = Instant::now();
    let creates = try_join_all((0..BESIDE).map(|_| async {
        for _ in 0..STEPS / 10 {
            store.create(&task(store).await?).await?;
        }
        Ok::<_, StoreError>(())
    }));
    let ends = async {
        let worker = WorkerId::named("measure");
        let mut ended = 0;
        while ended < BESIDE * STEPS / 10 {
            let claimed = store.claim(Claim::new(&worker, BESIDE, LEASE)).await?;
            ended += claimed.records.len();
            try_join_all(claimed.records.into_iter().map(async |mut record| {
                let expect = expect(&record);
                end(&mut record);
                store.swap(&record, expect).await
            }))
            .await?;
        }
        Ok::<_, StoreError>(())
    };
    futures_util::future::try_join(creates, ends).await?;
    Ok((BESIDE * STEPS / 10) as f64 / begun.elapsed().as_secs_f64())
}

/// Creates, looks at, claims and ends tasks one after the other.
async fn steps(store: &RestateStore, suspended: usize) -> Result<(), Box<dyn Error>> {
    let worker = WorkerId::named("measure");
    let (mut creates, mut gets, mut claims, mut renews, mut ends) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS {
        let record = task(store).await?;
        let at = Instant::now();
        store.create(&record).await?;
        creates.push(at.elapsed());
        let at = Instant::now();
        store.get(&record.id).await?;
        gets.push(at.elapsed());
        let at = Instant::now();
        let claimed = store.claim(Claim::new(&worker, 1, LEASE)).await?;
        claims.push(at.elapsed());
        let Some(mut record) = claimed.records.into_iter().next() else {
            return Err("nothing is due".into());
        };
        let at = Instant::now();
        store
            .renew(&[(record.id.clone(), record.fence)], LEASE)
            .await?;
        renews.push(at.elapsed());
        let expect = expect(&record);
        end(&mut record);
        let at = Instant::now();
        if store.swap(&record, expect).await? == Swap::Lost {
            return Err("somebody else measures".into());
        }
        ends.push(at.elapsed());
    }
    println!("{suspended} suspended");
    for (name, mut times) in [
        ("create", creates),
        ("get", gets),
        ("claim", claims),
        ("renew", renews),
        ("swap", ends),
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

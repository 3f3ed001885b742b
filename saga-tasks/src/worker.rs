//! The loops of a process: claiming what is due, renewing what is held, removing what is over.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::{
    sync::OwnedSemaphorePermit,
    time::{Instant, MissedTickBehavior, interval, sleep},
};

use crate::{
    body::{Body, BodyError},
    leg::{LegRun, Signal, corrupt},
    record::{State, TaskId, TaskRecord, WorkerId},
    store::{Claim, Expect, StoreError},
    tasks::Inner,
};

/// How often what is over is removed.
const SWEEP: Duration = Duration::from_secs(60);
/// How many tasks are removed at a time.
const SWEPT: usize = 1000;
/// How long the settings of a server that is being built are waited for.
const BUILT: Duration = Duration::from_millis(100);

/// Begins them, in tokio's runtime.
pub(crate) fn start(tasks: &Arc<Inner>) {
    if tasks.config.workers > 0 {
        tokio::spawn(claiming(Arc::clone(tasks)));
    }
    tokio::spawn(renewing(Arc::clone(tasks)));
    tokio::spawn(sweeping(Arc::clone(tasks)));
}

/// This process, as its leases name it.
pub(crate) fn worker(tasks: &Inner) -> &WorkerId {
    tasks.worker.get_or_init(|| {
        WorkerId::random().unwrap_or_else(|_| WorkerId::named(std::process::id().to_string()))
    })
}

async fn claiming(tasks: Arc<Inner>) {
    if tasks.settings().is_none() {
        sleep(BUILT).await;
    }
    loop {
        let Ok(permit) = Arc::clone(&tasks.permits).acquire_owned().await else {
            return;
        };
        if tasks.stopping.is_cancelled() {
            return;
        }
        let mut permits = vec![permit];
        while let Ok(permit) = Arc::clone(&tasks.permits).try_acquire_owned() {
            permits.push(permit);
        }
        let claimed = claim(&tasks, &mut permits).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "no tasks were claimed");
            0
        });
        drop(permits);
        if claimed == 0 {
            rest(&tasks).await;
        }
    }
}

/// Waits until there may be something to claim.
async fn rest(tasks: &Inner) {
    let due = async {
        let (now, due) = (
            tasks.store.now().await.ok()?,
            tasks.store.next_due().await.ok()??,
        );
        due.duration_since(now).ok()
    };
    let left = due.await.unwrap_or(tasks.config.look);
    tokio::select! {
        () = tasks.stopping.cancelled() => {}
        () = tasks.wake.notified() => {}
        () = tasks.store.changed() => {}
        // Not at once: what is due and not claimed is left to others.
        () = sleep(left.clamp(Duration::from_millis(5), tasks.config.look)) => {}
    }
}

async fn claim(
    tasks: &Arc<Inner>,
    permits: &mut Vec<OwnedSemaphorePermit>,
) -> Result<usize, StoreError> {
    let unknown = tasks.unknown().clone();
    let claim = Claim::new(worker(tasks), permits.len(), tasks.config.lease)
        .without(&unknown, tasks.config.stale_after);
    let at = Instant::now();
    let claimed = tasks.store.claim(claim).await?;
    let found = claimed.records.len();
    let mut begun = 0;
    for record in claimed.records {
        let Some(permit) = permits.pop() else { break };
        let Some(settings) = tasks.settings() else {
            break;
        };
        match Body::open(&settings, &record) {
            Ok(body) => {
                let Some(runner) = tasks.runner.get().cloned() else {
                    break;
                };
                let run = LegRun {
                    tasks: Arc::clone(tasks),
                    settings,
                    runner,
                    record,
                    body,
                    now: claimed.now,
                    at,
                    signal: Signal::default(),
                    first: None,
                    permit,
                };
                run.spawn();
                begun += 1;
            }
            Err(error) => {
                permits.push(permit);
                give_back(tasks, record, &error).await;
            }
        }
    }
    // What could not be begun is not looked for again at once.
    Ok(if begun == 0 { 0 } else { found })
}

/// A task that this process cannot read: others may, or nobody can.
async fn give_back(tasks: &Inner, mut record: TaskRecord, error: &BodyError) {
    let expect = Expect {
        version: record.version,
        fence: Some(record.fence),
    };
    record.worker = None;
    record.lease_until = None;
    if let BodyError::Key(error) = error {
        tracing::warn!(task = %record.id, %error, "a task of another key");
        record.attempts = record.attempts.saturating_sub(1);
        record.state = State::Ready;
    } else {
        record.status_message = Some(corrupt(error).message.to_string());
        record.state = State::Failed;
        record.due = None;
    }
    if let Err(error) = tasks.store.swap(&record, expect).await {
        // Its lease ends by itself.
        tracing::warn!(task = %record.id, %error, "a task was not given back");
    }
}

async fn renewing(tasks: Arc<Inner>) {
    let mut ticks = interval((tasks.config.lease / 3).max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renewed = Instant::now();
    loop {
        ticks.tick().await;
        let held: Vec<(TaskId, u64)> = {
            let running = tasks.running();
            let held = running.iter().map(|(id, (fence, _))| (id.clone(), *fence));
            held.collect()
        };
        if held.is_empty() {
            renewed = Instant::now();
            continue;
        }
        let asked = Instant::now();
        match tasks.store.renew(&held, tasks.config.lease).await {
            Ok(renewals) => {
                renewed = asked;
                for renewal in renewals {
                    let fence = held.iter().find(|(id, _)| *id == renewal.id);
                    let running = tasks.running();
                    let signal = running
                        .get(&renewal.id)
                        .filter(|(held, _)| fence.is_some_and(|(_, fence)| fence == held));
                    let Some((_, signal)) = signal else { continue };
                    let stored = signal.stored.load(Ordering::Relaxed);
                    if !renewal.held && stored {
                        signal.lost.cancel();
                    } else if renewal.cancel {
                        signal.cancel.cancel();
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, "leases were not renewed");
                if renewed.elapsed() > tasks.config.lease {
                    tasks
                        .running()
                        .values()
                        .for_each(|(_, signal)| signal.lost.cancel());
                }
            }
        }
    }
}

async fn sweeping(tasks: Arc<Inner>) {
    let mut ticks = interval(SWEEP);
    loop {
        tokio::select! {
            () = tasks.stopping.cancelled() => return,
            _ = ticks.tick() => {}
        }
        match tasks.store.sweep(SWEPT).await {
            Ok(0) => {}
            Ok(swept) => tracing::debug!(swept, "tasks that are over"),
            Err(error) => tracing::warn!(%error, "tasks that are over were not removed"),
        }
    }
}

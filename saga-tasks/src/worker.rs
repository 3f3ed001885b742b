//! The loops of a process: claiming what is due, renewing what is held, removing what is over.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, SystemTime},
};

use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

use crate::{
    body::{Body, BodyError, is_tampered},
    leg::{LegRun, Signal, corrupt},
    record::{KEPT, State, TaskId, TaskRecord, WorkerId},
    store::{Claim, Expect, StoreError},
    tasks::Inner,
};

/// How often what is over is removed.
const SWEEP: Duration = Duration::from_secs(60);
/// How many tasks are removed at a time.
const SWEPT: usize = 1000;
/// The shortest pause between two looks.
const SHORTEST: Duration = Duration::from_millis(5);
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

/// What a task says that a process could not open: it is damaged, or that process has another key by the same id.
const UNREAD: &str = "a process could not read this task, and has left it to others";

/// The same, with the claim that found it so.
fn unread(fence: u64) -> String {
    format!("{UNREAD} (claim {fence})")
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
    while !tasks.stopping.is_cancelled() {
        // Who stops waits for a claim that is under way.
        let claiming = Arc::clone(&tasks.claiming).lock_owned().await;
        let claims = Arc::clone(&tasks);
        // A store that panics ends its turn, and not the worker.
        let turn = tokio::spawn(async move {
            let _claiming = claiming;
            claim(&claims).await
        });
        let claimed = match turn.await {
            Ok(Ok(claimed)) => claimed,
            Ok(Err(error)) => {
                tracing::warn!(%error, "no tasks were claimed");
                0
            }
            Err(error) => {
                tracing::error!(%error, "the store of tasks panicked");
                0
            }
        };
        if claimed == 0 {
            rest(&tasks).await;
        } else if tasks.permits.available_permits() == 0 {
            let free = tasks.permits.acquire();
            tokio::select! {
                () = tasks.stopping.cancelled() => {}
                _ = free => {}
            }
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
        () = sleep(left.max(SHORTEST).min(tasks.config.look.max(SHORTEST))) => {}
    }
}

async fn claim(tasks: &Arc<Inner>) -> Result<usize, StoreError> {
    let mut permits = Vec::new();
    while let Ok(permit) = Arc::clone(&tasks.permits).try_acquire_owned() {
        permits.push(permit);
    }
    let Some(runner) = tasks.runner.get().filter(|_| !permits.is_empty()) else {
        return Ok(0);
    };
    // What cannot be read is not claimed.
    let settings = tasks
        .sealing()
        .map_err(|error| StoreError::new(error.message))?;
    let unknown = tasks.unknown().clone();
    let claim = Claim::new(worker(tasks), permits.len(), tasks.config.lease)
        .without(&unknown, tasks.config.stale_after);
    let claimed = tasks.store.claim(claim).await?;
    // The store may have been waited for: its clock was read at the end of that.
    let at = Instant::now();
    let found = claimed.records.len();
    for mut record in claimed.records {
        let body = Body::open(&settings, &record);
        if body.is_ok() {
            record
                .status_message
                .take_if(|message| message.starts_with(UNREAD));
        }
        let (body, permit) = match (body, permits.pop()) {
            (Ok(body), Some(permit)) if !tasks.stopping.is_cancelled() => (body, permit),
            (body, permit) => {
                permits.extend(permit);
                give_back(tasks, record, body.err().as_ref(), claimed.now).await;
                continue;
            }
        };
        let run = LegRun {
            tasks: Arc::clone(tasks),
            settings: settings.clone(),
            runner: runner.clone(),
            record,
            body,
            now: claimed.now,
            at,
            signal: Signal::default(),
            first: None,
            permit,
        };
        run.spawn();
    }
    Ok(found)
}

/// A task that this process does not begin: it stops, or cannot read it. Others may, or nobody can.
async fn give_back(
    tasks: &Inner,
    mut record: TaskRecord,
    error: Option<&BodyError>,
    now: SystemTime,
) {
    let expect = Expect {
        version: record.version,
        fence: Some(record.fence),
    };
    record.release();
    let over = record.expires.is_some_and(|expires| expires <= now);
    // Who could read it meanwhile has claimed it, too.
    let left = unread(record.fence.saturating_sub(1));
    let is_left = record.status_message.as_ref() == Some(&left);
    let waited = is_left
        && now.duration_since(record.updated).unwrap_or_default() >= tasks.config.stale_after;
    match error {
        None => {
            record.attempts = record.attempts.saturating_sub(1);
            record.state = State::Ready;
            record.due = Some(now);
        }
        Some(BodyError::Key(error)) if !(over || is_tampered(error) && waited) => {
            tracing::warn!(task = %record.id, %error, "a task of another key");
            record.attempts = record.attempts.saturating_sub(1);
            record.state = State::Ready;
            // Others have a moment for it.
            record.due = Some(now + tasks.config.lease.max(tasks.config.look));
            if is_tampered(error) {
                record.status_message = Some(unread(record.fence));
                if !is_left {
                    record.updated = now;
                }
            }
        }
        Some(error) => {
            record.status_message = Some(corrupt(error).message.to_string());
            record.close(State::Failed);
            record.keep_until(now + KEPT);
        }
    }
    match tasks.store.swap(&record, expect).await {
        Ok(_) => tasks.tell_written(&record.id),
        // Its lease ends by itself.
        Err(error) => tracing::warn!(task = %record.id, %error, "a task was not given back"),
    }
}

async fn renewing(tasks: Arc<Inner>) {
    let mut ticks = interval((tasks.config.lease / 3).max(Duration::from_millis(1)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut renewed = Instant::now();
    loop {
        ticks.tick().await;
        // What is not in the store yet has no lease.
        let held: Vec<(TaskId, u64)> = {
            let running = tasks.running();
            let stored = running
                .iter()
                .filter(|(_, (_, signal))| signal.stored.load(Ordering::Relaxed));
            stored
                .map(|(id, (fence, _))| (id.clone(), *fence))
                .collect()
        };
        // A call that runs for its request may yet become a task.
        if tasks.stopping.is_cancelled() && tasks.running().is_empty() {
            return;
        }
        if held.is_empty() {
            renewed = Instant::now();
            continue;
        }
        let asked = Instant::now();
        let lease = tasks.config.lease;
        let (store, asks) = (Arc::clone(&tasks.store), held.clone());
        let renewal = tokio::spawn(async move { store.renew(&asks, lease).await });
        let renewal = match timeout(lease, renewal).await {
            Ok(Ok(renewal)) => renewal,
            Ok(Err(panic)) => Err(StoreError::new(panic.to_string())),
            Err(_) => Err(StoreError::new("the store does not answer")),
        };
        match renewal {
            Ok(renewals) => {
                renewed = asked;
                for renewal in renewals {
                    let fence = held.iter().find(|(id, _)| *id == renewal.id);
                    let running = tasks.running();
                    let signal = running
                        .get(&renewal.id)
                        .filter(|(held, _)| fence.is_some_and(|(_, fence)| fence == held));
                    let Some((_, signal)) = signal else { continue };
                    if !renewal.held {
                        signal.lost.cancel();
                    } else if renewal.cancel {
                        signal.cancel.cancel();
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, "leases were not renewed");
                if renewed.elapsed() >= lease {
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
        sweep(&tasks).await;
    }
}

/// Removes what is over; what there is more of than one step removes, in more of them.
pub(crate) async fn sweep(tasks: &Inner) {
    loop {
        match tasks.store.sweep(SWEPT).await {
            Ok(0) => return,
            Ok(swept) => {
                tracing::debug!(swept, "tasks that are over");
                if usize::try_from(swept).is_ok_and(|swept| swept < SWEPT)
                    || tasks.stopping.is_cancelled()
                {
                    return;
                }
            }
            Err(error) => {
                tracing::warn!(%error, "tasks that are over were not removed");
                return;
            }
        }
    }
}

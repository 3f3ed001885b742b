//! A task: its record, and the timers that say when something is to be done about it.

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime},
};

use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    call::SagaCallClient,
    key,
    owner::SagaOwnerClient,
    queue::{Entry, Put, SagaQueueClient},
};
use crate::row::{Claims, Row, millis};

/// A task, by its id.
pub(crate) struct SagaTask;

/// The state: the record without what is sealed, what is sealed, and the rest.
const RECORD: &str = "record";
const SEALED: &str = "sealed";
const PLACE: &str = "place";

/// How long after a task was put into its queue it is put there once more, in milliseconds; then after as long again as it has been
/// there, so that a backlog does not fill itself.
const AGAIN: i64 = 5000;
/// How late a tick may be before it counts as none, in milliseconds: somebody may have cancelled it.
const LATE: i64 = 60_000;

/// Where a task is queued, and when it is looked at.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Place {
    service: String,
    queue: String,
    /// The ticks that are under way.
    ticks: BTreeSet<i64>,
    /// Since when it has been queued.
    queued: Option<i64>,
    /// The latest time that is known to be over.
    passed: i64,
}

/// A new task.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Create {
    pub(crate) row: Row,
    pub(crate) service: String,
    pub(crate) queue: String,
    pub(crate) now: i64,
}

/// A write of a record.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Write {
    pub(crate) row: Row,
    pub(crate) version: u64,
    pub(crate) fence: Option<u64>,
    pub(crate) now: i64,
}

/// A task that is its claimer's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Given {
    pub(crate) row: Row,
    pub(crate) now: i64,
}

/// A lease that is to go on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Renew {
    pub(crate) fence: u64,
    pub(crate) until: i64,
}

/// How a lease stands.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Renewed {
    pub(crate) held: bool,
    pub(crate) cancel: bool,
}

/// What a client is told.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Note {
    pub(crate) fence: u64,
    pub(crate) message: String,
    pub(crate) now: i64,
}

async fn record(ctx: &ObjectContext<'_>) -> Result<Option<(Row, Place)>, TerminalError> {
    let Some(Json(row)) = ctx.get::<Json<Row>>(RECORD).await? else {
        return Ok(None);
    };
    let place = ctx.get::<Json<Place>>(PLACE).await?;
    Ok(place.map(|Json(place)| (row, place)))
}

fn store(ctx: &ObjectContext<'_>, mut row: Row) {
    if let Some(sealed) = row.sealed.take() {
        ctx.set(SEALED, sealed);
    }
    ctx.set(RECORD, Json(row));
}

/// Counts a task that is open now, or is so no longer. Under way when this returns, before it is awaited.
fn count<'ctx>(
    ctx: &ObjectContext<'ctx>,
    service: &str,
    row: &Row,
    is_open: bool,
) -> impl Future<Output = Result<(), TerminalError>> + use<'ctx> {
    let owner = ctx.object_client::<SagaOwnerClient<'ctx>>(key(service, &row.owner));
    owner.count(is_open).call()
}

/// Puts it where workers find it: under way when this returns, and there once it has been awaited.
fn put<'ctx>(
    ctx: &ObjectContext<'ctx>,
    queue: &str,
    row: &Row,
    back: bool,
) -> impl Future<Output = Result<(), TerminalError>> + use<'ctx> {
    let (id, code, updated) = (row.id.clone(), row.code, row.updated);
    let entry = Entry { id, code, updated };
    let queue = ctx.object_client::<SagaQueueClient<'ctx>>(queue);
    queue.put(Json(Put { entry, back })).call()
}

/// Has it looked at in time: unless a tick comes before that, which sees to the next one.
fn arm(ctx: &ObjectContext<'_>, place: &mut Place, at: i64) {
    if place.ticks.first().is_some_and(|first| *first <= at) {
        return;
    }
    place.ticks.insert(at);
    // When a message is to arrive is no part of what a replay compares: the clock may be read.
    let left = at.saturating_sub(millis(SystemTime::now()));
    let left = u64::try_from(left).unwrap_or(0);
    let this = ctx.object_client::<SagaTaskClient<'_>>(ctx.key());
    this.tick(at).send_after(Duration::from_millis(left));
}

/// Sees to what a record needs next, once it is written.
async fn settle(
    ctx: &ObjectContext<'_>,
    place: Place,
    row: &Row,
    now: i64,
) -> Result<(), TerminalError> {
    if row.is_over(now) {
        return remove(ctx, &place, row).await;
    }
    if row.is_due(now) {
        put(ctx, &place.queue, row, false).await?;
    }
    watch(ctx, place, row, now);
    Ok(())
}

/// Has it looked at when it is due, or once more, where it is already: who took it out of its queue may not have come to claim it.
fn watch(ctx: &ObjectContext<'_>, mut place: Place, row: &Row, now: i64) {
    place.ticks = place.ticks.split_off(&now.saturating_sub(LATE));
    place.queued = row.is_due(now).then(|| place.queued.unwrap_or(now));
    if let Some(queued) = place.queued {
        // Due for whoever comes for it, whatever the clocks say.
        place.passed = place.passed.max(now);
        let waited = now.saturating_sub(queued).max(AGAIN);
        arm(ctx, &mut place, now.saturating_add(waited));
    } else if let Some(wakes) = row.wakes() {
        arm(ctx, &mut place, wakes);
    }
    ctx.set(PLACE, Json(place));
}

/// Nobody needs it any longer.
async fn remove(ctx: &ObjectContext<'_>, place: &Place, row: &Row) -> Result<(), TerminalError> {
    let call = ctx.object_client::<SagaCallClient<'_>>(key(&place.service, &row.call));
    call.free(row.id.clone()).call().await?;
    ctx.clear_all();
    Ok(())
}

#[object(
    client_visibility = "pub(crate)",
    idempotency_retention = "0s",
    journal_retention = "0s",
    invocation_retry_policy(
        initial_interval = "50ms",
        factor = 2.0,
        max_interval = "2s",
        max_attempts = 1_000_000_000,
        on_max_attempts = "pause"
    )
)]
impl SagaTask {
    /// Adds it; gives the id of the task that its call has.
    #[handler]
    async fn create(&self, ctx: ObjectContext<'_>, new: Json<Create>) -> HandlerResult<String> {
        let Json(Create {
            row,
            service,
            queue,
            now,
        }) = new;
        if ctx.get::<Json<Row>>(RECORD).await?.is_some() {
            return Ok(row.id);
        }
        let call = ctx.object_client::<SagaCallClient<'_>>(key(&service, &row.call));
        let bound = call.bind(row.id.clone()).call();
        // Beside one another: who takes it out of the queue waits for the end of this handler.
        let counted = (!row.is_final()).then(|| count(&ctx, &service, &row, true));
        let queued = row.is_due(now).then(|| put(&ctx, &queue, &row, false));
        let known = bound.await?;
        if let Some(counted) = counted {
            counted.await?;
            if known != row.id {
                count(&ctx, &service, &row, false).await?;
            }
        }
        if let Some(queued) = queued {
            queued.await?;
        }
        if known == row.id {
            store(&ctx, row.clone());
            let place = Place {
                service,
                queue,
                ticks: BTreeSet::new(),
                queued: None,
                passed: 0,
            };
            watch(&ctx, place, &row, now);
        }
        Ok(known)
    }

    /// Replaces it, where nobody was before: its new version.
    #[handler]
    async fn swap(
        &self,
        ctx: ObjectContext<'_>,
        write: Json<Write>,
    ) -> HandlerResult<Json<Option<u64>>> {
        let Json(Write {
            row: next,
            version,
            fence,
            now,
        }) = write;
        let Some((row, place)) = record(&ctx).await? else {
            return Ok(Json(None));
        };
        let Some(next) = row.swap(next, version, fence) else {
            return Ok(Json(None));
        };
        store(&ctx, next.clone());
        if row.is_final() != next.is_final() {
            count(&ctx, &place.service, &next, !next.is_final()).await?;
        }
        settle(&ctx, place, &next, now).await?;
        Ok(Json(Some(next.version)))
    }

    /// Leases it, where it is due.
    #[handler]
    async fn claim(
        &self,
        ctx: ObjectContext<'_>,
        claims: Json<Claims>,
    ) -> HandlerResult<Json<Option<Given>>> {
        let Json(claims) = claims;
        let Some((mut row, place)) = record(&ctx).await? else {
            return Ok(Json(None));
        };
        // What it was queued for is over, whatever the clock of who asks.
        let now = claims.now.max(place.passed);
        if !row.is_due(now) {
            return Ok(Json(None));
        }
        if claims.leave(row.code, row.updated) {
            put(&ctx, &place.queue, &row, true).await?;
            return Ok(Json(None));
        }
        row.claim(&claims, now);
        row.sealed = ctx.get::<String>(SEALED).await?;
        store(
            &ctx,
            Row {
                sealed: None,
                ..row.clone()
            },
        );
        settle(&ctx, place, &row, now).await?;
        Ok(Json(Some(Given { row, now })))
    }

    /// Extends its lease. A tick comes at the lease's old end at the latest, and sees to the new one.
    #[handler(lazy_state)]
    async fn renew(
        &self,
        ctx: ObjectContext<'_>,
        renew: Json<Renew>,
    ) -> HandlerResult<Json<Renewed>> {
        let Json(Renew { fence, until }) = renew;
        let Some(Json(mut row)) = ctx.get::<Json<Row>>(RECORD).await? else {
            return Ok(Json(Renewed {
                held: false,
                cancel: false,
            }));
        };
        let (held, cancel) = (row.renew(fence, until), row.cancel);
        if held {
            store(&ctx, row);
        }
        Ok(Json(Renewed {
            held,
            cancel: held && cancel,
        }))
    }

    /// Writes what its client is told.
    #[handler(lazy_state)]
    async fn note(&self, ctx: ObjectContext<'_>, note: Json<Note>) -> HandlerResult<()> {
        let Json(Note {
            fence,
            message,
            now,
        }) = note;
        if let Some(Json(mut row)) = ctx.get::<Json<Row>>(RECORD).await?
            && row.note(fence, message, now)
        {
            store(&ctx, row);
        }
        Ok(())
    }

    /// A time has come at which something may have to be done.
    #[handler(ingress_private, lazy_state)]
    async fn tick(&self, ctx: ObjectContext<'_>, at: i64) -> HandlerResult<()> {
        let Some((row, mut place)) = record(&ctx).await? else {
            return Ok(());
        };
        place.ticks.remove(&at);
        place.passed = place.passed.max(at);
        Ok(settle(&ctx, place, &row, at).await?)
    }

    /// It, as it is.
    #[handler]
    async fn get(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<Row>>> {
        let row = ctx.get::<Json<Row>>(RECORD).await?;
        let sealed = ctx.get::<String>(SEALED).await?;
        Ok(Json(row.map(|Json(row)| Row { sealed, ..row })))
    }
}

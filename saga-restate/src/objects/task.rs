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
    owner::{Counts, SagaOwnerClient},
    queue::{Put, SagaQueueClient},
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

/// A write that was made, and what is to be seen when it returns: who made it sees to that, since a handler that waited for another object
/// would hold a place that this one's handler may need.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) version: u64,
    /// Whether its owner is to count it.
    pub(crate) counts: bool,
    /// Whether it is there no longer.
    pub(crate) removed: bool,
    /// Where it is to be put.
    pub(crate) queue: Option<String>,
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

/// Has its owner count it.
fn count(ctx: &ObjectContext<'_>, service: &str, row: &Row) {
    let owner = ctx.object_client::<SagaOwnerClient<'_>>(key(service, &row.owner));
    owner.count(Json(Counts::of(row))).send();
}

/// Puts it where workers find it.
fn put(ctx: &ObjectContext<'_>, queue: &str, row: &Row, back: bool) {
    let entry = row.into();
    let queue = ctx.object_client::<SagaQueueClient<'_>>(queue);
    queue.put(Json(Put { entry, back })).send();
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
fn remove(ctx: &ObjectContext<'_>, place: &Place, row: &Row) {
    let call = ctx.object_client::<SagaCallClient<'_>>(key(&place.service, &row.call));
    call.free(row.id.clone()).send();
    let owner = ctx.object_client::<SagaOwnerClient<'_>>(key(&place.service, &row.owner));
    owner.forget(row.id.clone()).send();
    ctx.clear_all();
}

#[object(client_visibility = "pub(crate)")]
impl SagaTask {
    /// Adds it.
    #[handler(ingress_private)]
    async fn create(&self, ctx: ObjectContext<'_>, new: Json<Create>) -> HandlerResult<()> {
        let Json(new) = new;
        let place = Place {
            service: new.service,
            queue: new.queue,
            ticks: BTreeSet::new(),
            queued: None,
            passed: 0,
        };
        count(&ctx, &place.service, &new.row);
        store(&ctx, new.row.clone());
        watch(&ctx, place, &new.row, new.now);
        Ok(())
    }

    /// Replaces it, where nobody was before: its new version.
    #[handler]
    async fn swap(
        &self,
        ctx: ObjectContext<'_>,
        write: Json<Write>,
    ) -> HandlerResult<Json<Option<Written>>> {
        let Json(write) = write;
        let Some((row, place)) = record(&ctx).await? else {
            return Ok(Json(None));
        };
        let Some(next) = row.swap(write.row, write.version, write.fence) else {
            return Ok(Json(None));
        };
        let written = Written {
            version: next.version,
            counts: row.is_final() != next.is_final(),
            removed: next.is_over(write.now),
            queue: next.is_due(write.now).then(|| place.queue.clone()),
        };
        if written.removed {
            remove(&ctx, &place, &next);
            return Ok(Json(Some(written)));
        }
        if written.counts {
            count(&ctx, &place.service, &next);
        }
        store(&ctx, next.clone());
        watch(&ctx, place, &next, write.now);
        Ok(Json(Some(written)))
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
            put(&ctx, &place.queue, &row, true);
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
        watch(&ctx, place, &row, now);
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
        if row.is_over(at) {
            remove(&ctx, &place, &row);
            return Ok(());
        }
        if row.is_due(at) {
            put(&ctx, &place.queue, &row, false);
        }
        watch(&ctx, place, &row, at);
        Ok(())
    }

    /// It, as it is.
    #[handler]
    async fn get(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<Row>>> {
        let row = ctx.get::<Json<Row>>(RECORD).await?;
        let sealed = ctx.get::<String>(SEALED).await?;
        Ok(Json(row.map(|Json(row)| Row { sealed, ..row })))
    }
}

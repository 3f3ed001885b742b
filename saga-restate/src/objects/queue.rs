//! What is due, in the order in which it became so. Nobody's memory: a worker takes as much as it has time for, from wherever it is.

use std::sync::Arc;

use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::row::{Claims, Row};

/// Tasks that are due. Kept in pieces that are read when they are needed: a backlog makes no step longer.
pub(crate) struct SagaQueue {
    /// Something was put where this process runs the handler: its workers need not wait for their next look.
    pub(crate) put: Arc<Notify>,
}

/// A task that is due.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) id: String,
    pub(crate) code: u64,
    pub(crate) updated: i64,
}

impl From<&Row> for Entry {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            code: row.code,
            updated: row.updated,
        }
    }
}

/// What is put into a queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Put {
    pub(crate) entry: Entry,
    /// It was just taken and is put back for others: no news for who did so.
    pub(crate) back: bool,
}

/// What is taken out of a queue.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Take {
    pub(crate) limit: usize,
    pub(crate) claims: Claims,
}

/// The numbers of the first piece and of the last one.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Ends {
    first: u64,
    last: u64,
}

const ENDS: &str = "ends";
/// Entries in one piece.
const PIECE: usize = 64;
/// Pieces that are looked through at a time for tasks whose code the worker has.
const LOOKED: u64 = 4;

fn piece(number: u64) -> String {
    format!("piece {number}")
}

impl SagaQueue {
    async fn ends(ctx: &ObjectContext<'_>) -> Result<Ends, TerminalError> {
        let ends = ctx.get::<Json<Ends>>(ENDS).await?;
        Ok(ends.map(Json::into_inner).unwrap_or_default())
    }

    async fn piece(ctx: &ObjectContext<'_>, number: u64) -> Result<Vec<Entry>, TerminalError> {
        let entries = ctx.get::<Json<Vec<Entry>>>(&piece(number)).await?;
        Ok(entries.map(Json::into_inner).unwrap_or_default())
    }

    /// Puts entries at the end.
    async fn append(
        ctx: &ObjectContext<'_>,
        ends: &mut Ends,
        entries: Vec<Entry>,
    ) -> Result<(), TerminalError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut last = Self::piece(ctx, ends.last).await?;
        for entry in entries {
            if last.len() >= PIECE {
                ctx.set(&piece(ends.last), Json(last));
                (ends.last, last) = (ends.last + 1, Vec::new());
            }
            last.push(entry);
        }
        ctx.set(&piece(ends.last), Json(last));
        Ok(())
    }
}

#[object(client_visibility = "pub(crate)", lazy_state)]
impl SagaQueue {
    /// Puts a task at the end.
    #[handler]
    async fn put(&self, ctx: ObjectContext<'_>, put: Json<Put>) -> HandlerResult<()> {
        let Json(put) = put;
        let mut ends = Self::ends(&ctx).await?;
        Self::append(&ctx, &mut ends, vec![put.entry]).await?;
        ctx.set(ENDS, Json(ends));
        if !put.back {
            self.put.notify_one();
        }
        Ok(())
    }

    /// Takes the first tasks out. Those whose code the worker does not have go to the end.
    #[handler]
    async fn take(
        &self,
        ctx: ObjectContext<'_>,
        take: Json<Take>,
    ) -> HandlerResult<Json<Vec<String>>> {
        let Json(Take { limit, claims }) = take;
        let mut ends = Self::ends(&ctx).await?;
        let before = ends;
        let (mut taken, mut left) = (Vec::new(), Vec::new());
        for number in before.first..=before.last.min(before.first.saturating_add(LOOKED)) {
            let mut entries = Self::piece(&ctx, number).await?;
            let found = entries.len();
            while taken.len() < limit && !entries.is_empty() {
                let entry = entries.remove(0);
                match claims.leave(entry.code, entry.updated) {
                    true => left.push(entry),
                    false => taken.push(entry.id),
                }
            }
            if !entries.is_empty() {
                if entries.len() < found {
                    ctx.set(&piece(number), Json(entries));
                }
                break;
            }
            if found > 0 {
                ctx.clear(&piece(number));
            }
            ends.first = number.saturating_add(1).min(before.last);
        }
        let is_changed = !taken.is_empty() || !left.is_empty();
        Self::append(&ctx, &mut ends, left).await?;
        if is_changed {
            ctx.set(ENDS, Json(ends));
        }
        Ok(Json(taken))
    }
}

//! How many tasks of an owner are open.

use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::row::Row;

/// The open tasks of an owner.
pub(crate) struct SagaOwner;

/// A version of a task, and whether it is open. May come twice: from the task, which never forgets to, and from who wrote it and waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Counts {
    id: String,
    version: u64,
    is_open: bool,
}

impl Counts {
    pub(crate) fn of(row: &Row) -> Self {
        Self {
            id: row.id.clone(),
            version: row.version,
            is_open: !row.is_final(),
        }
    }
}

const OPEN: &str = "open";

impl SagaOwner {
    async fn change(ctx: &ObjectContext<'_>, before: bool, after: bool) -> HandlerResult<()> {
        if before != after {
            let open = ctx.get::<u64>(OPEN).await?.unwrap_or(0);
            let open = match after {
                true => open.saturating_add(1),
                false => open.saturating_sub(1),
            };
            match open {
                0 => ctx.clear(OPEN),
                open => ctx.set(OPEN, open),
            }
        }
        Ok(())
    }
}

#[object(client_visibility = "pub(crate)", lazy_state)]
impl SagaOwner {
    /// Counts a task; an older version changes nothing.
    #[handler]
    async fn count(&self, ctx: ObjectContext<'_>, counts: Json<Counts>) -> HandlerResult<()> {
        let Json(counts) = counts;
        let task = format!("task {}", counts.id);
        let known = ctx.get::<Json<Counts>>(&task).await?.map(Json::into_inner);
        let (known, was_open) = known.map_or((0, false), |known| (known.version, known.is_open));
        if known < counts.version {
            Self::change(&ctx, was_open, counts.is_open).await?;
            ctx.set(&task, Json(counts));
        }
        Ok(())
    }

    /// Forgets a task that is removed.
    #[handler]
    async fn forget(&self, ctx: ObjectContext<'_>, id: String) -> HandlerResult<()> {
        let task = format!("task {id}");
        let known = ctx.get::<Json<Counts>>(&task).await?;
        Self::change(&ctx, known.is_some_and(|Json(known)| known.is_open), false).await?;
        ctx.clear(&task);
        Ok(())
    }

    /// How many there are.
    #[handler]
    async fn open(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<u64> {
        Ok(ctx.get::<u64>(OPEN).await?.unwrap_or(0))
    }
}

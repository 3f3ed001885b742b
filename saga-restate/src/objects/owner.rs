//! How many tasks of an owner are open.

use restate_sdk::prelude::*;

/// The open tasks of an owner. A handler runs once: a number is enough.
pub(crate) struct SagaOwner;

const OPEN: &str = "open";

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
impl SagaOwner {
    /// One more, or one less.
    #[handler(ingress_private)]
    async fn count(&self, ctx: ObjectContext<'_>, is_open: bool) -> HandlerResult<()> {
        let open = ctx.get::<u64>(OPEN).await?.unwrap_or(0);
        let open = match is_open {
            true => open.saturating_add(1),
            false => open.saturating_sub(1),
        };
        match open {
            0 => ctx.clear_all(),
            open => ctx.set(OPEN, open),
        }
        Ok(())
    }

    /// How many there are.
    #[handler]
    async fn open(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<u64> {
        Ok(ctx.get::<u64>(OPEN).await?.unwrap_or(0))
    }
}

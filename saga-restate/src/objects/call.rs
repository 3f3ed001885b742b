//! The same call is one task.

use restate_sdk::prelude::*;

use super::task::{Create, SagaTaskClient};

/// The task of a call, by the call's id.
pub(crate) struct SagaCall;

const TASK: &str = "task";

#[object(client_visibility = "pub(crate)")]
impl SagaCall {
    /// The task that the call has; where it has none, this one, which is created then.
    #[handler]
    async fn bind(&self, ctx: ObjectContext<'_>, new: Json<Create>) -> HandlerResult<String> {
        if let Some(known) = ctx.get::<String>(TASK).await? {
            return Ok(known);
        }
        let id = new.0.row.id.clone();
        ctx.set(TASK, id.clone());
        ctx.object_client::<SagaTaskClient<'_>>(id.clone())
            .create(new)
            .send();
        Ok(id)
    }

    /// Forgets the call of a task.
    #[handler(ingress_private)]
    async fn free(&self, ctx: ObjectContext<'_>, id: String) -> HandlerResult<()> {
        if ctx.get::<String>(TASK).await? == Some(id) {
            ctx.clear_all();
        }
        Ok(())
    }

    /// The task of a call.
    #[handler]
    async fn find(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<String>>> {
        Ok(Json(ctx.get::<String>(TASK).await?))
    }
}

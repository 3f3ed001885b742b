//! A storage pool: what destroys data asks first.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData, Peer, RoleServer,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock, ProgressNotificationParam},
    service::RequestContext,
    tool, tool_router,
};
use saga_runtime::saga;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use crate::ported::world::World;

/// The server.
#[derive(Debug, Clone)]
pub struct Storage {
    /// The pool.
    pub world: Arc<World>,
}

#[derive(Deserialize, JsonSchema)]
struct VolumeArgs {
    /// The volume's name.
    volume: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sure {
    sure: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Typed {
    name: String,
}

rmcp::elicit_safe!(Sure, Typed);

/// Whether the user agrees. Who declines, says nothing or cannot be asked does not agree.
#[saga]
async fn confirm(peer: &Peer<RoleServer>, message: impl Into<String>) -> bool {
    match peer.elicit::<Sure>(message).await {
        Ok(answer) => answer.is_some_and(|answer| answer.sure),
        Err(error) => {
            tracing::info!(%error, "not confirmed");
            false
        }
    }
}

/// The same for what is worse: the user types the name.
#[saga]
async fn confirm_name(peer: &Peer<RoleServer>, name: &str) -> bool {
    let message = format!("Type `{name}` to go on.");
    let typed = peer.elicit::<Typed>(message).await;
    typed.is_ok_and(|typed| typed.is_some_and(|typed| typed.name == name))
}

/// Tells the client how far the call is, where it wants to know.
async fn progress(context: &RequestContext<RoleServer>, done: usize, total: usize) {
    if let Some(token) = context.meta.get_progress_token() {
        let params = ProgressNotificationParam::new(token, done as f64).with_total(total as f64);
        if let Err(error) = context.peer.notify_progress(params).await {
            tracing::debug!(%error, "progress was not sent");
        }
    }
}

#[tool_router(server_handler)]
impl Storage {
    #[saga(plain(progress))]
    #[tool(description = "Delete a volume with its snapshots")]
    async fn delete_volume(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(args): Parameters<VolumeArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        let name = &args.volume;
        let volumes = self.world.volumes.lock().await;
        let Some(volume) = volumes.get(name) else {
            return Ok(refusal(format!("There is no volume `{name}`.")));
        };
        let question = format!("Delete `{name}` and {} snapshots?", volume.snapshots.len());
        let protected = volume.protected;
        drop(volumes);
        if !confirm(&context.peer, question).await
            || (protected && !confirm_name(&context.peer, name).await)
        {
            return Ok(refusal(format!("`{name}` is still there.")));
        }
        let mut volumes = self.world.volumes.lock().await;
        if volumes.remove(name).is_none() {
            return Ok(refusal(format!("`{name}` was gone already.")));
        }
        progress(&context, 1, 2).await;
        self.world.act(format!("delete {name}")).await;
        progress(&context, 2, 2).await;
        Ok(done(format!("`{name}` is gone.")))
    }

    #[saga]
    #[tool(description = "Delete snapshots, one by one")]
    async fn prune_snapshots(
        &self,
        context: RequestContext<RoleServer>,
        Parameters(args): Parameters<VolumeArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        let snapshots = self.snapshots(&args.volume).await?;
        let total = snapshots.len();
        let mut pruned = Vec::new();
        let old = |name: &&String| !name.starts_with("keep-");
        for (place, snapshot) in snapshots.iter().filter(old).enumerate() {
            progress(&context, place, total).await;
            if confirm(&context.peer, format!("Delete `{snapshot}`?")).await {
                self.world.act(format!("prune {snapshot}")).await;
                pruned.push(snapshot);
            }
        }
        progress(&context, total, total).await;
        Ok(done(format!(
            "Pruned {} of {total}: {pruned:?}",
            pruned.len()
        )))
    }

    #[saga]
    #[tool(description = "Wipe the whole pool")]
    async fn wipe_pool(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        // Who needs longer was not sure.
        let patience = Duration::from_secs(60);
        let sure = timeout(patience, confirm(&context.peer, "Wipe everything?")).await;
        let wiped = matches!(sure, Ok(true));
        if wiped {
            self.world.act("stop replication").await;
            self.world.act("wipe").await;
            self.world.act("start replication").await;
        }
        Ok(done(if wiped {
            "Wiped."
        } else {
            "Nothing was wiped."
        }))
    }
}

impl Storage {
    async fn snapshots(&self, volume: &str) -> Result<Vec<String>, ErrorData> {
        let volumes = self.world.volumes.lock().await;
        let found = volumes.get(volume).map(|volume| volume.snapshots.clone());
        found.ok_or_else(|| ErrorData::invalid_params(format!("no volume `{volume}`"), None))
    }
}

fn done(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn refusal(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

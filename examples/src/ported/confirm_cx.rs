//! A storage pool: what destroys data asks first.

use std::{sync::Arc, time::Duration};

use rmcp::{
    ErrorData,
    handler::server::wrapper::Parameters,
    model::{CallToolResult, ContentBlock},
    tool, tool_router,
};
use saga_runtime::{Cx, Elicit, saga};
use schemars::JsonSchema;
use serde::Deserialize;

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

#[derive(Deserialize, Elicit)]
struct Sure {
    sure: bool,
}

#[derive(Deserialize, Elicit)]
struct Typed {
    #[elicit(min_length = 1)]
    name: String,
}

/// Whether the user agrees. Who declines, says nothing or cannot be asked does not agree.
#[saga]
async fn confirm(cx: &Cx, message: impl Into<String>) -> bool {
    match cx.elicit::<Sure>(message).key("sure").await {
        Ok(answer) => answer.sure,
        Err(error) => {
            tracing::info!(%error, "not confirmed");
            false
        }
    }
}

/// The same for what is worse: the user types the name.
#[saga]
async fn confirm_name(cx: &Cx, name: &str) -> bool {
    let message = format!("Type `{name}` to go on.");
    let typed = cx.elicit::<Typed>(message).key("name").await;
    typed.is_ok_and(|typed| typed.name == name)
}

#[tool_router(server_handler)]
impl Storage {
    #[saga]
    #[tool(description = "Delete a volume with its snapshots")]
    async fn delete_volume(
        &self,
        cx: Cx,
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
        if !confirm(&cx, question).await || (protected && !confirm_name(&cx, name).await) {
            return Ok(refusal(format!("`{name}` is still there.")));
        }
        let mut volumes = self.world.volumes.lock().await;
        if volumes.remove(name).is_none() {
            return Ok(refusal(format!("`{name}` was gone already.")));
        }
        cx.progress(1.0, Some(2.0), "").await;
        self.world.act(format!("delete {name}")).await;
        cx.progress(2.0, Some(2.0), "").await;
        Ok(done(format!("`{name}` is gone.")))
    }

    #[saga]
    #[tool(description = "Delete snapshots, one by one")]
    async fn prune_snapshots(
        &self,
        cx: Cx,
        Parameters(args): Parameters<VolumeArgs>,
    ) -> Result<CallToolResult, ErrorData> {
        let snapshots = self.snapshots(&args.volume).await?;
        let total = snapshots.len();
        let mut pruned = Vec::new();
        let old = |name: &&String| !name.starts_with("keep-");
        for (place, snapshot) in snapshots.iter().filter(old).enumerate() {
            cx.progress(place as f64, Some(total as f64), "").await;
            if confirm(&cx, format!("Delete `{snapshot}`?")).await {
                self.world.act(format!("prune {snapshot}")).await;
                pruned.push(snapshot);
            }
        }
        cx.progress(total as f64, Some(total as f64), "").await;
        Ok(done(format!(
            "Pruned {} of {total}: {pruned:?}",
            pruned.len()
        )))
    }

    #[saga]
    #[tool(description = "Wipe the whole pool")]
    async fn wipe_pool(&self, cx: Cx) -> Result<CallToolResult, ErrorData> {
        // Who needs longer was not sure.
        let patience = Duration::from_secs(60);
        let sure = cx
            .elicit::<Sure>("Wipe everything?")
            .timeout(patience)
            .await;
        let wiped = sure.is_ok_and(|answer| answer.sure);
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

//! A tool whose calls are tasks, as it is before and after a deploy.

use std::{path::Path, sync::Arc, time::Duration};

use examples::{Transport, serve_with};
use rmcp::{ErrorData, handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{Cx, Elicit, Settings, saga};
#[cfg(feature = "stores")]
use saga_tasks::{PostgresStore, RedisStore};
use saga_tasks::{SqliteStore, Tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Result,
    effects::{Effect, Recorder},
};
use examples::orphaned;

/// How long an effect takes, so that processes are killed between two of them.
const WORK: Duration = Duration::from_millis(2);
/// Longer than what is slept in place.
const REST: Duration = Duration::from_millis(1100);
/// How long a process is waited for that was killed. Shorter than one would have it: many are.
const LEASE: Duration = Duration::from_secs(3);

/// Serves and works until the program that started this one is gone.
pub(crate) async fn serve(port: u16, effects: &Path, store: &str, version: u8) -> Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::ERROR)
        .with_writer(std::io::stderr)
        .init();
    let world = World(Arc::new(Recorder::new(effects)?));
    let settings = Settings::from_env()?;
    let tasks = tasks(store).await?.lease(LEASE).workers(8);
    let transport = Transport::Http { port, json: true };
    let (tasks, stop) = (Some(tasks), orphaned());
    let served = match version {
        1 => {
            serve_with(
                move || Before(world.clone()),
                settings,
                tasks,
                transport,
                stop,
            )
            .await
        }
        _ => {
            serve_with(
                move || After(world.clone()),
                settings,
                tasks,
                transport,
                stop,
            )
            .await
        }
    };
    Ok(served?)
}

async fn tasks(store: &str) -> Result<Tasks> {
    if let Some(path) = store.strip_prefix("sqlite:") {
        return Ok(Tasks::new(SqliteStore::open(path)?));
    }
    #[cfg(feature = "stores")]
    {
        if store.starts_with("redis") {
            return Ok(Tasks::new(RedisStore::connect(store).await?));
        }
        Ok(Tasks::new(PostgresStore::connect(store).await?))
    }
    #[cfg(not(feature = "stores"))]
    Err(format!("{store} needs `--features stores`").into())
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Release {
    task: usize,
    hosts: usize,
}

#[derive(Debug, Deserialize, Elicit)]
struct Region {
    region: String,
}

#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    sure: bool,
}

/// What the tool carried from leg to leg, as its result says.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) version: u8,
    pub(crate) region: String,
    pub(crate) sure: bool,
    /// The effects in order, each with its key.
    pub(crate) journal: Vec<(String, String)>,
}

#[derive(Clone)]
struct World(Arc<Recorder>);

impl World {
    async fn act(
        &self,
        task: usize,
        name: &str,
        journal: &mut Vec<(String, String)>,
    ) -> Result<(), ErrorData> {
        tokio::time::sleep(WORK).await;
        let key = saga_runtime::idempotency_key_for(name).unwrap_or_default();
        let effect = Effect {
            call: task,
            name: name.to_owned(),
            request: std::process::id().to_string(),
            idempotency_key: key.clone(),
        };
        self.0.record(&effect).map_err(internal)?;
        journal.push((name.to_owned(), key));
        tokio::time::sleep(WORK).await;
        Ok(())
    }
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// The service as it was.
#[derive(Clone)]
struct Before(World);

#[tool_router(server_handler)]
impl Before {
    #[saga(task)]
    #[tool]
    async fn release(
        &self,
        cx: Cx,
        Parameters(release): Parameters<Release>,
    ) -> Result<String, ErrorData> {
        let mut journal = Vec::new();
        self.0.act(release.task, "build", &mut journal).await?;
        roll_out(&self.0, &cx, &release, 1, journal).await
    }
}

/// The service after the deploy: it announces what it does.
#[derive(Clone)]
struct After(World);

#[tool_router(server_handler)]
impl After {
    #[saga(task)]
    #[tool]
    async fn release(
        &self,
        cx: Cx,
        Parameters(release): Parameters<Release>,
    ) -> Result<String, ErrorData> {
        let mut journal = Vec::new();
        self.0.act(release.task, "build", &mut journal).await?;
        self.0.act(release.task, "announce", &mut journal).await?;
        roll_out(&self.0, &cx, &release, 2, journal).await
    }
}

/// What is the same in both.
#[saga]
async fn roll_out(
    world: &World,
    cx: &Cx,
    release: &Release,
    version: u8,
    mut journal: Vec<(String, String)>,
) -> Result<String, ErrorData> {
    let task = release.task;
    let asked = cx.elicit::<Region>("Which region?").await;
    let region = asked.map_err(internal)?.region;
    world.act(task, "reserve", &mut journal).await?;
    for host in 0..release.hosts {
        let name = format!("shift {host}");
        world.act(task, &name, &mut journal).await?;
        cx.checkpoint().await;
    }
    saga_runtime::sleep(REST).await;
    world.act(task, "verify", &mut journal).await?;
    let asked = cx.elicit::<Sure>("Is that sure?").await;
    let sure = asked.map_err(internal)?.sure;
    world.act(task, "finish", &mut journal).await?;
    let outcome = Outcome {
        version,
        region,
        sure,
        journal,
    };
    serde_json::to_string(&outcome).map_err(internal)
}

/// The effects of a call, in order.
pub(crate) fn effects(version: u8, hosts: usize) -> Vec<String> {
    let mut effects = vec!["build".to_owned()];
    effects.extend((version > 1).then(|| "announce".to_owned()));
    effects.push("reserve".to_owned());
    effects.extend((0..hosts).map(|host| format!("shift {host}")));
    effects.extend(["verify", "finish"].map(str::to_owned));
    effects
}

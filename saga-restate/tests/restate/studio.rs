//! The tools, and what they do to the outside world: lines in a file, that outlive whoever wrote them.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{AskError, Cx, Elicit, Keyring, SagaServer, Settings, saga};
use saga_tasks::{TaskStore, Tasks};
use serde::Deserialize;

/// A yes or no.
#[derive(Debug, Deserialize, Elicit)]
struct Sure {
    ok: bool,
}

/// How many.
#[derive(Debug, Deserialize, Elicit)]
struct Amount {
    #[elicit(min = 1)]
    n: i64,
}

/// What an effect was done under: its key, and who did it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) key: String,
    pub(crate) by: u32,
}

#[derive(Clone)]
pub(crate) struct Studio(pub(crate) PathBuf);

impl Studio {
    fn effect(&self, task: &str, name: &str) {
        let key = saga_runtime::idempotency_key_for(name).unwrap();
        let line = format!("{key} {} {task}:{name}\n", std::process::id());
        let file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.0.join("effects"));
        file.unwrap().write_all(line.as_bytes()).unwrap();
    }
}

/// All effects, by name, in the order in which they were had.
pub(crate) fn effects(folder: &Path) -> BTreeMap<String, Vec<Done>> {
    let lines = std::fs::read_to_string(folder.join("effects")).unwrap_or_default();
    let mut effects = BTreeMap::<_, Vec<_>>::new();
    for line in lines.lines() {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap().to_owned();
        let (key, by, name) = (word(), word().parse().unwrap(), word());
        effects.entry(name).or_default().push(Done { key, by });
    }
    effects
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub(crate) struct Named {
    name: String,
}

#[tool_router(server_handler)]
impl Studio {
    /// Every kind of suspension, and work that goes on until the file `go` is there.
    #[saga(task)]
    #[tool]
    async fn journey(
        &self,
        cx: Cx,
        Parameters(task): Parameters<Named>,
    ) -> Result<String, AskError> {
        let task = task.name;
        self.effect(&task, "start");
        let amount = cx.elicit::<Amount>("How many?").key("amount").await?.n;
        for leg in 0..amount {
            self.effect(&task, &format!("leg {leg}"));
            cx.checkpoint().await;
        }
        saga_runtime::sleep(Duration::from_secs(3)).await;
        self.effect(&task, "slept");
        while !self.0.join("go").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.effect(&task, "worked");
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        self.effect(&task, "end");
        Ok(format!("{amount} {}", sure.ok))
    }
}

/// A server of it.
pub(crate) fn server(
    folder: &Path,
    store: impl TaskStore,
    workers: usize,
) -> SagaServer<Arc<Studio>> {
    let tasks = Tasks::new(store)
        .workers(workers)
        .lease(Duration::from_secs(2))
        .look_interval(Duration::from_millis(100));
    SagaServer::new(Studio(folder.to_owned()))
        .with_settings(Settings::new(Keyring::new("test", [7; 32]).unwrap()))
        .with_tasks(tasks)
}

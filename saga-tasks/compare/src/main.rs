//! `cargo run --release -- postgres://…`, an empty database: an empty step from its beginning to its end, as a task of Saga and as a job
//! of apalis, in turns. A task is a row with an outcome that its client can ask for; a job is a row that is done.

#![allow(clippy::unwrap_used, reason = "it measures")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use apalis::{
    layers::WorkerBuilderExt,
    prelude::{BoxDynError, Data, TaskSink, WorkerBuilder},
};
use apalis_postgres::{Config, PgPool, PostgresStorage};
use futures::future::join_all;
use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{ClientCapabilities, Implementation, InitializeRequestParams, ProtocolVersion},
    service::{ClientLifecycleMode, ClientServiceExt, RunningService},
    tool, tool_router,
};
use saga_runtime::{Keyring, SagaServer, Settings, client::TaskCall, saga};
use saga_tasks::{Owner, PostgresStore, TaskStore, Tasks};
use tokio::{sync::Notify, time::sleep};

const TASKS: usize = 3000;
const AT_A_TIME: usize = 16;
const ROUNDS: usize = 5;
const LOOKS: usize = 100;

/// How many steps have run.
#[derive(Default)]
struct Count {
    done: AtomicUsize,
    told: Notify,
}

impl Count {
    fn step(&self) {
        self.done.fetch_add(1, Ordering::SeqCst);
        self.told.notify_one();
    }

    async fn reaches(&self, steps: usize) {
        while self.done.load(Ordering::SeqCst) < steps {
            self.told.notified().await;
        }
    }
}

#[derive(Clone)]
struct Steps(Arc<Count>);

#[tool_router(server_handler)]
impl Steps {
    #[saga(task)]
    #[tool(description = "An empty step")]
    async fn step(&self) -> String {
        self.0.step();
        String::new()
    }
}

struct Nobody;

impl ClientHandler for Nobody {
    fn get_info(&self) -> InitializeRequestParams {
        let able = ClientCapabilities::builder().enable_tasks().build();
        InitializeRequestParams::new(able, Implementation::new("compare", "1"))
            .with_protocol_version(ProtocolVersion::V_2026_07_28)
    }
}

type Client = RunningService<RoleClient, Nobody>;

struct Saga {
    store: PostgresStore,
    count: Arc<Count>,
    clients: Vec<Client>,
    _server: SagaServer<Arc<Steps>>,
}

impl Saga {
    async fn start(url: &str, workers: usize, count: &Arc<Count>) -> Self {
        let store = PostgresStore::connect(url).await.unwrap();
        let settings = Settings::new(Keyring::new("compare", [7; 32]).unwrap());
        let tasks = Tasks::new(store.clone())
            .workers(workers)
            .max_open(u64::MAX);
        let server = SagaServer::new(Steps(Arc::clone(count)))
            .with_settings(settings)
            .with_tasks(tasks);
        let mut clients = Vec::new();
        for _ in 0..AT_A_TIME {
            let (near, far) = tokio::io::duplex(1 << 16);
            let served = server.clone();
            tokio::spawn(async move {
                served.serve(near).await.unwrap().waiting().await.unwrap();
            });
            let newest = ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            };
            clients.push(Nobody.serve_with_lifecycle(far, newest).await.unwrap());
        }
        Self {
            store,
            count: Arc::clone(count),
            clients,
            _server: server,
        }
    }

    /// From the first call to the last outcome that is stored.
    async fn run(&self) -> Duration {
        let before = self.count.done.load(Ordering::SeqCst);
        let begun = Instant::now();
        join_all(self.clients.iter().map(|client| async move {
            for _ in 0..TASKS / AT_A_TIME {
                TaskCall::new("step").begin(client).await.unwrap();
            }
        }))
        .await;
        self.count
            .reaches(before + TASKS / AT_A_TIME * AT_A_TIME)
            .await;
        while self.store.open(&Owner::of(None)).await.unwrap() > 0 {
            sleep(Duration::from_millis(1)).await;
        }
        begun.elapsed()
    }

    /// From a call at a process that does not work until the step runs in another.
    async fn look(front: &Self, count: &Count) -> Duration {
        let before = count.done.load(Ordering::SeqCst);
        let begun = Instant::now();
        TaskCall::new("step")
            .begin(&front.clients[0])
            .await
            .unwrap();
        count.reaches(before + 1).await;
        begun.elapsed()
    }
}

async fn job(_: usize, count: Data<Arc<Count>>) -> Result<(), BoxDynError> {
    count.step();
    Ok(())
}

struct Apalis {
    pool: PgPool,
    queue: String,
    count: Arc<Count>,
}

impl Apalis {
    async fn start(url: &str) -> Self {
        let pool = PgPool::connect(url).await.unwrap();
        PostgresStorage::setup(&pool).await.unwrap();
        let count: Arc<Count> = Arc::default();
        let apalis = Self {
            pool,
            queue: "steps".to_owned(),
            count: Arc::clone(&count),
        };
        let config = Config::default().queue(&apalis.queue).batch_size(AT_A_TIME);
        let backend = PostgresStorage::new(&apalis.pool)
            .with_config(config)
            .with_pubsub();
        tokio::spawn(async move {
            WorkerBuilder::new("compare")
                .backend(backend)
                .concurrency(AT_A_TIME)
                .data(count)
                .build(job)
                .run()
                .await
                .unwrap();
        });
        apalis
    }

    fn sink(&self) -> PostgresStorage<usize> {
        let config = Config::default().queue(&self.queue);
        PostgresStorage::new(&self.pool).with_config(config)
    }

    async fn run(&self) -> Duration {
        let before = self.count.done.load(Ordering::SeqCst);
        let begun = Instant::now();
        join_all((0..AT_A_TIME).map(|_| async {
            let mut sink = self.sink();
            for step in 0..TASKS / AT_A_TIME {
                sink.push(step).await.unwrap();
            }
        }))
        .await;
        self.count
            .reaches(before + TASKS / AT_A_TIME * AT_A_TIME)
            .await;
        begun.elapsed()
    }

    async fn look(&self) -> Duration {
        let before = self.count.done.load(Ordering::SeqCst);
        let begun = Instant::now();
        self.sink().push(1).await.unwrap();
        self.count.reaches(before + 1).await;
        begun.elapsed()
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::main]
async fn main() {
    let url = std::env::args().nth(1).unwrap();
    let count: Arc<Count> = Arc::default();
    let works = Saga::start(&url, AT_A_TIME, &count).await;
    let front = Saga::start(&url, 0, &count).await;
    let apalis = Apalis::start(&url).await;
    sleep(Duration::from_secs(2)).await;
    let rate = |time: Duration| (TASKS / AT_A_TIME * AT_A_TIME) as f64 / time.as_secs_f64();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (saga, apalis) = (works.run().await, apalis.run().await);
        println!(
            "round {round}: saga {:.0} tasks/s, apalis {:.0} jobs/s",
            rate(saga),
            rate(apalis)
        );
        ours.push(saga);
        theirs.push(apalis);
    }
    let (saga, jobs) = (rate(median(ours)), rate(median(theirs)));
    println!(
        "median: saga {saga:.0}, apalis {jobs:.0}, ratio {:.2}",
        saga / jobs
    );
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..LOOKS {
        ours.push(Saga::look(&front, &count).await);
        sleep(Duration::from_millis(20)).await;
        theirs.push(apalis.look().await);
        sleep(Duration::from_millis(20)).await;
    }
    println!(
        "from an idle worker's point of view: saga {:.1?}, apalis {:.1?} (median)",
        median(ours),
        median(theirs)
    );
}

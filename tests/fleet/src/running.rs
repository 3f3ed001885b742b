//! Processes, what spreads the requests over them, and clients: from their start until all calls are made.

use std::{
    ffi::OsString,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{task::JoinSet, time::timeout};

use crate::{
    Plan, Result,
    balancer::Balancer,
    chaos::Chaos,
    effects::{self, Effect},
    progress::Progress,
    replicas::{Replica, random_key},
};
use examples::Scratch;

/// What is run.
pub(crate) struct Fleet<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) scratch: &'a Scratch,
    /// What each process is started with.
    pub(crate) programs: Vec<Vec<OsString>>,
    /// The ports of those that get requests.
    pub(crate) serving: &'a [u16],
    /// What processes are started with after a deploy, where there is one.
    pub(crate) deploy: Option<Vec<Vec<OsString>>>,
}

/// What the clients know of it.
#[derive(Clone)]
pub(crate) struct Around {
    pub(crate) http: reqwest::Client,
    pub(crate) balancer: Arc<Balancer>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) seed: u64,
}

/// What came of it.
pub(crate) struct Ran<R> {
    pub(crate) reports: Vec<R>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) duration: Duration,
}

impl Fleet<'_> {
    /// Kills and starts processes while each client, by its number, makes its calls.
    pub(crate) async fn run<R, C>(
        self,
        waits: Duration,
        client: impl Fn(usize, Around) -> C,
    ) -> Result<Ran<R>>
    where
        R: Send + 'static,
        C: Future<Output = Result<Vec<R>>> + Send + 'static,
    {
        let plan = self.plan;
        let mut random = fastrand::Rng::with_seed(plan.seed);
        let old = random_key(&mut random, "old");
        let new = random_key(&mut random, "new");
        let mut replicas = Vec::new();
        for program in self.programs {
            let mut replica = Replica::new(program, old.clone());
            replica.start().await?;
            replicas.push(replica);
        }
        let balancer = Balancer::start(plan.balancer, self.serving, self.scratch.path());
        let around = Around {
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(waits)
                .build()?,
            balancer: Arc::new(balancer.await?),
            progress: Arc::new(Progress::new(plan.calls)),
            seed: plan.seed,
        };
        let mut chaos = Chaos {
            replicas: &mut replicas,
            random,
            progress: &around.progress,
            old,
            new,
            deploy: self.deploy,
        };
        let started = Instant::now();
        let mut running = JoinSet::new();
        for number in 0..plan.clients {
            running.spawn(client(number, around.clone()));
        }
        let reports = tokio::select! {
            reports = timeout(Duration::from_secs(plan.limit), all(running)) => {
                reports.map_err(|_| "the calls are not done in time")??
            }
            failed = chaos.run() => match failed? {},
        };
        let duration = started.elapsed();
        for replica in &mut replicas {
            replica.kill().await?;
        }
        if let Some(balancer) = Arc::into_inner(around.balancer) {
            balancer.stop().await?;
        }
        Ok(Ran {
            reports,
            effects: effects::recorded(self.scratch.path())?,
            progress: around.progress,
            duration,
        })
    }
}

async fn all<R: 'static>(mut running: JoinSet<Result<Vec<R>>>) -> Result<Vec<R>> {
    let mut reports = Vec::new();
    while let Some(done) = running.join_next().await {
        reports.extend(done??);
    }
    Ok(reports)
}

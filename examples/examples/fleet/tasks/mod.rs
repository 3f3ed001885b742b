//! The same with durable tasks: processes that serve and work, processes that only work, a store between them, and a
//! deploy with changed code on top.

mod check;
mod client;
mod tool;

use std::{
    ffi::OsString,
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use tokio::{task::JoinSet, time::timeout};

pub(crate) use self::tool::serve;
use self::{
    check::Figures,
    client::{Client, Report, Script},
};
use crate::{
    Plan, Result,
    balancer::Balancer,
    chaos::Chaos,
    effects, ports,
    progress::Progress,
    replicas::{Replica, random_key},
    scratch::Scratch,
};

/// Processes that nobody sends a request to.
const WORKERS: usize = 2;

/// Whether everything held.
pub(crate) async fn run(plan: &Plan, store: &str) -> Result<bool> {
    let scratch = Scratch::new()?;
    let mut random = fastrand::Rng::with_seed(plan.seed);
    let old = random_key(&mut random, "old");
    let new = random_key(&mut random, "new");
    let ports = ports::free(plan.replicas + WORKERS)?;
    let (serving, _) = ports.split_at(plan.replicas);
    let store = match store {
        "sqlite" => format!("sqlite:{}", scratch.path().join("tasks.db").display()),
        url => url.to_owned(),
    };
    let mut replicas = Vec::new();
    for &port in &ports {
        let arguments = arguments(port, scratch.path(), &store, 1);
        let mut replica = Replica::new(arguments, old.clone());
        replica.start().await?;
        replicas.push(replica);
    }
    let balancer = Arc::new(Balancer::start(plan.balancer, serving, scratch.path()).await?);
    let progress = Arc::new(Progress::new(plan.calls));
    let deployed = ports.iter();
    let deployed = deployed.map(|port| arguments(*port, scratch.path(), &store, 2));
    // The last one goes on with the older code, for the tasks that need it.
    let deployed = deployed.take(ports.len() - 1).collect();
    let mut chaos = Chaos {
        replicas: &mut replicas,
        random,
        progress: &progress,
        old,
        new,
        deploy: Some(deployed),
    };
    let started = Instant::now();
    let reports = tokio::select! {
        reports = timeout(Duration::from_secs(plan.limit), clients(plan, &balancer, &progress)) => {
            reports.map_err(|_| "the tasks are not done in time")??
        }
        failed = chaos.run() => match failed? {},
    };
    let duration = started.elapsed();
    for replica in &mut replicas {
        replica.kill().await?;
    }
    if let Some(balancer) = Arc::into_inner(balancer) {
        balancer.stop().await?;
    }
    let mut figures = Figures::of(&reports, effects::recorded(scratch.path())?);
    figures.demand(reports.len() == plan.calls, "tasks are missing");
    figures.demand(
        figures.of_both_versions(),
        "one of the versions ran nothing",
    );
    let kills = progress.kills.load(Ordering::Relaxed);
    crate::say(&format!(
        "{figures}\nprocesses killed          {kills}\nseconds                   {:.1}",
        duration.as_secs_f64()
    ))?;
    Ok(figures.violations.is_empty())
}

/// What a process is started with.
fn arguments(port: u16, effects: &Path, store: &str, version: u8) -> Vec<OsString> {
    vec![
        "work".into(),
        port.to_string().into(),
        effects.into(),
        store.into(),
        version.to_string().into(),
    ]
}

/// Makes all calls.
async fn clients(
    plan: &Plan,
    balancer: &Arc<Balancer>,
    progress: &Arc<Progress>,
) -> Result<Vec<Report>> {
    let http = reqwest::Client::builder()
        .no_proxy()
        .timeout(Duration::from_secs(20))
        .build()?;
    let mut running = JoinSet::<Result<_>>::new();
    for _ in 0..plan.clients {
        let (http, balancer, progress) = (http.clone(), balancer.clone(), progress.clone());
        let seed = plan.seed;
        running.spawn(async move {
            let client = Client {
                http: &http,
                balancer: &balancer,
            };
            let mut reports = Vec::new();
            while let Some(call) = progress.next_call().await {
                reports.push(client.call(Script::new(seed, call)).await?);
                progress.completed.fetch_add(1, Ordering::Relaxed);
            }
            Ok(reports)
        });
    }
    let mut reports = Vec::new();
    while let Some(done) = running.join_next().await {
        reports.extend(done??);
    }
    Ok(reports)
}

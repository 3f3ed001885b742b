//! The same with durable tasks: processes that serve and work, processes that only work, a store between them, and a
//! deploy with changed code on top.

mod check;
mod client;
mod tool;

use std::{ffi::OsString, path::Path, sync::atomic::Ordering, time::Duration};

pub(crate) use self::tool::serve;
use self::{
    check::Figures,
    client::{Client, Report, Script},
};
use crate::{
    Plan, Result, ports,
    running::{Around, Fleet},
};
use examples::Scratch;

/// Processes that nobody sends a request to.
const WORKERS: usize = 2;

/// Whether everything held.
pub(crate) async fn run(plan: &Plan, store: &str) -> Result<bool> {
    let scratch = Scratch::new()?;
    let ports = ports::free(plan.replicas + WORKERS)?;
    let (serving, _) = ports.split_at(plan.replicas);
    let store = match store {
        "sqlite" => format!("sqlite:{}", scratch.path().join("tasks.db").display()),
        url => url.to_owned(),
    };
    let program = |port: &u16, version| arguments(*port, scratch.path(), &store, version);
    let deployed = ports.iter().map(|port| program(port, 2));
    let fleet = Fleet {
        plan,
        scratch: &scratch,
        programs: ports.iter().map(|port| program(port, 1)).collect(),
        serving,
        // The last one goes on with the older code, for the tasks that need it.
        deploy: Some(deployed.take(ports.len() - 1).collect()),
    };
    let ran = fleet.run(Duration::from_secs(20), client).await?;
    let mut figures = Figures::of(&ran.reports, ran.effects);
    figures.demand(ran.reports.len() == plan.calls, "tasks are missing");
    figures.demand(
        figures.of_both_versions(),
        "one of the versions ran nothing",
    );
    let kills = ran.progress.kills.load(Ordering::Relaxed);
    crate::say(&format!(
        "{figures}\nprocesses killed          {kills}\nseconds                   {:.1}",
        ran.duration.as_secs_f64()
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

/// Makes the calls of one client.
async fn client(_: usize, around: Around) -> Result<Vec<Report>> {
    let client = Client {
        http: &around.http,
        balancer: &around.balancer,
    };
    let mut reports = Vec::new();
    while let Some(call) = around.progress.next_call().await {
        reports.push(client.call(Script::new(around.seed, call)).await?);
        around.progress.completed.fetch_add(1, Ordering::Relaxed);
    }
    Ok(reports)
}

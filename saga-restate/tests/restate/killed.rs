//! Restate is killed, and processes of the service are, while tasks wait, sleep and run: each ends as if nothing had been.

use std::{path::Path, time::Duration};

use futures_util::future::{join, join_all};
use serde_json::json;

use crate::{
    client::Client,
    process::{Balancer, Process},
    server::{Restate, until},
    studio::{effects, server},
};

const TASKS: usize = 4;
/// Tasks and kills where anything is killed at any time.
const STORM: usize = 24;
const KILLS: u64 = 6;

/// Each effect of each task was had: once, or again under the same key where its leg was killed; some of them once.
fn check(folder: &Path, tasks: usize, legs: usize, once: &[&str]) {
    let effects = effects(folder);
    let names = ["start", "slept", "worked", "end"].map(str::to_owned);
    let legs = (0..legs).map(|leg| format!("leg {leg}"));
    let names: Vec<_> = names.into_iter().chain(legs).collect();
    for name in &names {
        for task in 0..tasks {
            let name = format!("{task}:{name}");
            let done = effects
                .get(&name)
                .unwrap_or_else(|| panic!("`{name}` is missing"));
            let same = done.iter().all(|other| other.key == done[0].key);
            assert!(same, "{name}: {done:?}");
        }
    }
    assert_eq!(effects.len(), tasks * names.len());
    for (name, done) in effects {
        let (_, effect) = name.split_once(':').unwrap();
        assert!(
            done.len() == 1 || !once.contains(&effect),
            "{name}: {done:?}"
        );
    }
}

fn all(folder: &Path, name: &str) -> Option<()> {
    let effects = effects(folder);
    (0..TASKS)
        .all(|task| effects.contains_key(&format!("{task}:{name}")))
        .then_some(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn restate_is_killed_while_tasks_wait_sleep_and_run() {
    let mut restate = Restate::start();
    let folder = tempfile::tempdir().unwrap();
    let (folder, balancer) = (folder.path(), Balancer::default());
    let _works = Process::start(&restate, folder, &balancer).await;
    restate.register(balancer.listen().await).await;
    let client = Client(server(folder, restate.store(), 0));

    let mut ids = Vec::new();
    for task in 0..TASKS {
        ids.push(client.begin(&task.to_string()).await);
    }
    for id in &ids {
        client.asked(id, "amount").await;
    }
    // They wait.
    restate.kill();
    restate.resume();
    for id in &ids {
        client.answer(id, "amount", json!({ "n": 2 })).await;
    }
    until("asleep", async || all(folder, "leg 1")).await;
    // They sleep, or are about to.
    restate.kill();
    restate.resume();
    until("awake", async || all(folder, "slept")).await;
    // They run: with nobody to write to when they are done.
    restate.kill();
    std::fs::write(folder.join("go"), "").unwrap();
    until("worked", async || all(folder, "worked")).await;
    restate.resume();
    for id in &ids {
        client.asked(id, "sure").await;
        client.answer(id, "sure", json!({ "ok": true })).await;
    }
    for id in &ids {
        assert_eq!(client.result(id).await, "2 true");
    }
    check(folder, TASKS, 2, &["start"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn a_process_is_killed_in_the_middle_of_a_leg() {
    let restate = Restate::start();
    let folder = tempfile::tempdir().unwrap();
    let (folder, balancer) = (folder.path(), Balancer::default());
    let first = Process::start(&restate, folder, &balancer).await;
    restate.register(balancer.listen().await).await;
    let client = Client(server(folder, restate.store(), 0));

    let mut ids = Vec::new();
    for task in 0..TASKS {
        ids.push(client.begin(&task.to_string()).await);
    }
    for id in &ids {
        client.asked(id, "amount").await;
        client.answer(id, "amount", json!({ "n": 1 })).await;
    }
    until("awake", async || all(folder, "slept")).await;
    // It has the legs, and the handlers; both go on in another one.
    let killed = first.id;
    first.kill().await;
    let second = Process::start(&restate, folder, &balancer).await;
    let again = async || {
        let effects = effects(folder);
        let again = |task| {
            effects
                .get(&format!("{task}:slept"))
                .is_some_and(|done| done.len() > 1)
        };
        (0..TASKS).all(again).then_some(())
    };
    until("again", again).await;
    std::fs::write(folder.join("go"), "").unwrap();
    for id in &ids {
        client.asked(id, "sure").await;
        client.answer(id, "sure", json!({ "ok": false })).await;
    }
    for id in &ids {
        assert_eq!(client.result(id).await, "1 false");
    }
    check(folder, TASKS, 1, &["start", "leg 0", "worked"]);
    for task in 0..TASKS {
        let slept = &effects(folder)[&format!("{task}:slept")];
        assert_eq!((slept[0].by, slept[1].by), (killed, second.id));
    }
}

/// Whatever is killed, and whenever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn restate_and_processes_are_killed_at_any_time() {
    let mut restate = Restate::start();
    let folder = tempfile::tempdir().unwrap();
    let (folder, balancer) = (folder.path(), Balancer::default());
    std::fs::write(folder.join("go"), "").unwrap();
    let mut works = Process::start(&restate, folder, &balancer).await;
    restate.register(balancer.listen().await).await;
    let client = Client(server(folder, restate.store(), 0));
    let tasks = join_all((0..STORM).map(async |task| {
        let id = client.begin(&task.to_string()).await;
        client.asked(&id, "amount").await;
        client.answer(&id, "amount", json!({ "n": 3 })).await;
        client.asked(&id, "sure").await;
        client.answer(&id, "sure", json!({ "ok": true })).await;
        client.result(&id).await
    }));
    let kills = async {
        for kill in 0..KILLS {
            // Not to wait for anything: to have it happen anywhere.
            tokio::time::sleep(Duration::from_millis(400 + 370 * kill)).await;
            if kill % 3 != 1 {
                restate.kill();
            }
            if kill % 3 != 0 {
                let next = Process::start(&restate, folder, &balancer).await;
                std::mem::replace(&mut works, next).kill().await;
            }
            if kill % 3 != 1 {
                restate.resume();
            }
        }
    };
    let (results, ()) = join(tasks, kills).await;
    assert!(
        results.iter().all(|result| result == "3 true"),
        "{results:?}"
    );
    check(folder, STORM, 3, &[]);
}

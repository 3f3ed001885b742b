//! A process that is killed before or after any call of its store: the task ends as it would have.

use std::{collections::HashMap, sync::Arc};

use saga_tasks::MemoryStore;
use serde_json::{Value, json};
use tests::stored::{Clock, Fatal, Killed};
use tokio_util::sync::CancellationToken;

use super::{
    keys,
    process::{Process, accept, quick},
    text,
    world::World,
};

/// What the user answers.
fn answer(key: &str) -> Value {
    match key.split('-').next() {
        Some("amount") => accept(json!({ "n": 3 })),
        _ => accept(json!({ "ok": true })),
    }
}

/// The calls that a run made of the store of the process that is killed, and the effects of the run.
async fn run(killed: Killed) -> (usize, Vec<String>) {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let dead = CancellationToken::new();
    let clock = Clock::default();
    let fatal = Arc::new(Fatal::new(store.clone(), clock, killed, dead.clone()));
    let works = Process::start(&world, Arc::clone(&fatal));
    // The client's own requests go to a replica that works for nobody, and later to one that does.
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let id = front.begin("journey", json!({})).await;
    let mut works = Some(works);
    let mut second = None;
    let done = loop {
        let task = front.get(&id).await;
        for key in keys(&task) {
            front
                .answer(&id, json!({ key: answer(key) }))
                .await
                .unwrap();
        }
        if task["status"] == "completed" {
            break task;
        }
        assert_ne!(task["status"], "failed", "{killed:?}: {task}");
        if dead.is_cancelled()
            && let Some(killed) = works.take()
        {
            killed.kill();
            second = Some(Process::start(&world, store.clone()));
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    };
    assert_eq!(text(&done), "true 3", "{killed:?}");
    drop(second);
    (fatal.calls(), world.effects())
}

/// The effects without their keys, each once, in the order of their first time.
fn names(effects: &[String]) -> Vec<&str> {
    let mut names = Vec::new();
    for effect in effects {
        let (_, name) = effect.split_once(' ').unwrap();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_may_be_killed_at_every_call_of_its_store() {
    let (calls, effects) = run(Killed::Before(usize::MAX)).await;
    let plain: Vec<_> = names(&effects).into_iter().map(str::to_owned).collect();
    assert_eq!((plain.len(), effects.len()), (9, 9), "{effects:?}");
    assert!(calls > 10, "{calls} calls");
    let runs = (0..calls).flat_map(|call| [Killed::Before(call), Killed::After(call)]);
    let runs: Vec<_> = runs
        .map(|killed| (killed, tokio::spawn(run(killed))))
        .collect();
    for (killed, run) in runs {
        let (_, effects) = run.await.unwrap();
        assert_eq!(names(&effects), plain, "{killed:?}");
        let mut by_name: HashMap<&str, (&str, usize)> = HashMap::new();
        for effect in &effects {
            let (key, name) = effect.split_once(' ').unwrap();
            let (known, times) = by_name.entry(name).or_insert((key, 0));
            assert_eq!(*known, key, "{killed:?}: `{name}` has one key");
            *times += 1;
        }
        let twice = by_name.values().filter(|(_, times)| *times > 1).count();
        let most = by_name.values().map(|(_, times)| *times).max().unwrap();
        // One piece ran when it was killed: of that, what was done is done again.
        assert!(most <= 2 && twice <= 2, "{killed:?}: {effects:?}");
    }
}

//! Keys that are replaced while tasks wait.

use std::sync::Arc;

use saga_runtime::Keyring;
use saga_tasks::{MemoryStore, SqliteStore, TaskStore, Tasks};
use serde_json::json;

use super::{
    process::{Process, accept, quick},
    text,
    world::World,
};

fn old() -> Keyring {
    Keyring::new("old", [1; 32]).unwrap()
}

fn both() -> Keyring {
    Keyring::new("new", [2; 32])
        .unwrap()
        .and("old", [1; 32])
        .unwrap()
}

fn new() -> Keyring {
    Keyring::new("new", [2; 32]).unwrap()
}

async fn rotates(store: impl TaskStore + Clone) {
    let world = Arc::<World>::default();
    let before = Process::of(&world, quick(store.clone()), old());
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = before.begin("order", json!({})).await;
        before.until(&id, "input_required").await;
        ids.push(id);
    }
    let runs = before.begin("stuck", json!({})).await;
    before
        .until_it(&runs, |_| world.effects().len() == 4, "stuck")
        .await;
    let tasks = quick(store.clone()).workers(0);
    let between = Process::of(&world, tasks.clone(), both());
    let found = tasks.reseal().await.unwrap();
    assert_eq!(
        (found.resealed, found.newest, found.busy, found.unreadable),
        (3, 0, 1, 0)
    );
    assert!(!found.is_done());
    before.cancel(&runs).await;
    before.until(&runs, "cancelled").await;
    before.kill();
    let found = tasks.reseal().await.unwrap();
    assert_eq!((found.resealed, found.newest, found.busy), (1, 3, 0));
    assert!(found.is_done() && tasks.reseal().await.unwrap().resealed == 0);
    drop(between);

    let after = Process::of(&world, quick(store), new());
    for id in &ids {
        let amount = json!({ "amount": accept(json!({ "n": 2 })) });
        after.answer(id, amount).await.unwrap();
        assert_eq!(text(&after.until(id, "completed").await), "2 ordered");
    }
}

#[tokio::test]
async fn tasks_that_wait_outlive_their_key() {
    rotates(MemoryStore::new()).await;
    rotates(SqliteStore::in_memory().unwrap()).await;
}

#[tokio::test]
async fn rows_of_an_unknown_key_are_told_and_left() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let before = Process::of(&world, quick(store.clone()), old());
    let id = before.begin("order", json!({})).await;
    before.until(&id, "input_required").await;
    let tasks: Tasks = quick(store.clone()).workers(0);
    let _stranger = Process::of(&world, tasks.clone(), new());
    let found = tasks.reseal().await.unwrap();
    assert_eq!(
        (found.resealed, found.unreadable, found.is_done()),
        (0, 1, false)
    );
    before.until(&id, "input_required").await;
}

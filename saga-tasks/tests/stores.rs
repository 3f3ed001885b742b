//! The store suite on the stores of this crate.

#![cfg(feature = "suite")]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use saga_runtime::{CallId, Consumed, Guard, Leg, MemoryGuard};
use saga_tasks::{MemoryStore, suite};

#[tokio::test]
async fn the_guard_of_one_process() {
    let guard = Arc::new(MemoryGuard::new(1000).keeping(1000));
    suite::guard::run(&guard, &Arc::clone(&guard)).await;
}

#[tokio::test]
async fn memory() {
    let store = MemoryStore::new();
    suite::run(&store, &store.clone()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_of_two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let open = || saga_tasks::SqliteStore::open(&path).unwrap();
    suite::run(&open(), &open()).await;
    suite::guard::run(&open(), &open()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_in_memory() {
    let store = saga_tasks::SqliteStore::in_memory().unwrap();
    suite::run(&store, &store.clone()).await;
    suite::guard::run(&store, &store.clone()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_forgets_legs_whose_tokens_are_long_expired() {
    let now = Arc::new(Mutex::new(SystemTime::now()));
    let clock = Arc::clone(&now);
    let store = saga_tasks::SqliteStore::in_memory().unwrap();
    let store = store.with_clock(move || *clock.lock().unwrap());
    let until = SystemTime::now() + Duration::from_secs(60);
    let leg = Leg::new(CallId::from_bytes([1; 16]), 1, until, SystemTime::now());
    assert_eq!(store.consume(&leg).await, Ok(Consumed::First));
    *now.lock().unwrap() += Duration::from_secs(600);
    assert_eq!(store.consume(&leg).await, Ok(Consumed::Again));
    *now.lock().unwrap() += Duration::from_secs(61);
    assert_eq!(store.consume(&leg).await, Ok(Consumed::First));
}

#[cfg(feature = "sqlite")]
#[test]
fn a_file_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    std::fs::write(&path, vec![b'x'; 4096]).unwrap();
    assert!(saga_tasks::SqliteStore::open(&path).is_err());
    assert!(saga_tasks::SqliteStore::open(folder.path()).is_err());
}

/// `.ci/stores` starts a server of its own and names it.
#[cfg(feature = "postgres")]
#[tokio::test]
#[ignore = "needs PostgreSQL: .ci/stores"]
async fn postgres_of_two_replicas() {
    let url = std::env::var("SAGA_TEST_POSTGRES").unwrap();
    let one = saga_tasks::PostgresStore::connect(&url).await.unwrap();
    let other = saga_tasks::PostgresStore::connect(&url).await.unwrap();
    suite::run(&one, &other).await;
    suite::guard::run(&one, &other).await;
}

/// `.ci/stores` starts a server of its own and names it.
#[cfg(feature = "redis")]
#[tokio::test]
#[ignore = "needs Redis: .ci/stores"]
async fn redis_of_two_replicas() {
    let url = std::env::var("SAGA_TEST_REDIS").unwrap();
    let one = saga_tasks::RedisStore::connect(&url).await.unwrap();
    let other = saga_tasks::RedisStore::connect(&url).await.unwrap();
    suite::run(&one, &other).await;
    suite::guard::run(&one, &other).await;
}

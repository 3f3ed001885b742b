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
    suite::tasks_are_listed_by_age(&store, &store.clone()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_of_two_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let open = || saga_tasks::SqliteStore::open(&path).unwrap();
    suite::run(&open(), &open()).await;
    suite::tasks_are_listed_by_age(&open(), &open()).await;
    suite::guard::run(&open(), &open()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn sqlite_in_memory() {
    let store = saga_tasks::SqliteStore::in_memory().unwrap();
    suite::run(&store, &store.clone()).await;
    suite::tasks_are_listed_by_age(&store, &store.clone()).await;
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

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_file_of_the_first_form_is_migrated() {
    use saga_tasks::{CodeId, Owner, Page, TaskId, TaskRecord, TaskStore as _};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let open = || saga_tasks::SqliteStore::open(&path);
    let store = open().unwrap();
    let call = saga_runtime::CallId::from_bytes([1; 16]);
    let (id, owner) = (TaskId::named("one"), Owner::of(None));
    let now = store.now().await.unwrap();
    let mut record = TaskRecord::new(id, call, owner, "tool".to_owned(), now);
    record.code = CodeId(7);
    store.create(&record).await.unwrap();
    drop(store);
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute_batch(
        "DROP INDEX saga_task_created; DROP INDEX saga_task_state; PRAGMA user_version = 1;",
    )
    .unwrap();
    let store = open().unwrap();
    assert_eq!(store.list(Page::new(10)).await.unwrap(), [record]);
    let form = |pragma| file.query_row(pragma, [], |row| row.get::<_, i64>(0));
    assert_eq!(form("PRAGMA user_version").unwrap(), 2);
    let indexes =
        "SELECT count(*) FROM sqlite_master WHERE name IN ('saga_task_created', 'saga_task_state')";
    assert_eq!(form(indexes).unwrap(), 2);
    file.execute_batch("PRAGMA user_version = 3;").unwrap();
    assert!(open().is_err(), "of a newer version");
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
    suite::tasks_are_listed_by_age(&one, &other).await;
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
    suite::tasks_are_listed_by_age(&one, &other).await;
    suite::guard::run(&one, &other).await;
}

//! What the suite of every store does not ask for: timers, queues, services beside one another, and who may reach the handlers.

use std::{
    collections::HashSet,
    time::{Duration, SystemTime},
};

use futures_util::future::{join_all, try_join_all};
use saga_restate::RestateStore;
use saga_runtime::CallId;
use saga_tasks::{
    Claim, CodeId, Expect, Owner, State, Swap, TaskId, TaskRecord, TaskStore, WorkerId,
};
use serde_json::json;
use tokio::net::TcpListener;

use crate::server::{Restate, until};

const LEASE: Duration = Duration::from_secs(600);
const SOON: Duration = Duration::from_secs(2);
/// More than a few pieces of a queue.
const MANY: usize = 150;

fn task() -> TaskRecord {
    let id = TaskId::random().unwrap();
    let call = TaskId::random().unwrap();
    let call = CallId::from_bytes(call.as_str().as_bytes()[..16].try_into().unwrap());
    let owner = Owner::of(Some("alice"));
    TaskRecord::new(id, call, owner, "tool".to_owned(), SystemTime::now())
}

async fn serving(restate: &Restate) -> RestateStore {
    let store = restate.store();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let handlers = store.clone();
    tokio::spawn(async move { handlers.serve(listener).await });
    restate.register(port).await;
    // Every process may do so.
    restate.register(port).await;
    store
}

async fn claimed(store: &RestateStore, worker: &str, limit: usize) -> Vec<TaskRecord> {
    let worker = WorkerId::named(worker);
    let claimed = store.claim(Claim::new(&worker, limit, LEASE)).await;
    claimed.unwrap().records
}

async fn write(store: &RestateStore, record: &TaskRecord, fence: Option<u64>) {
    let version = record.version;
    let swapped = store.swap(record, Expect { version, fence }).await;
    assert_eq!(swapped.unwrap(), Swap::Done(version + 1));
}

/// A timer makes a task due; and another one removes it, its call and its owner's count.
async fn timers(store: &RestateStore) {
    let mut record = task();
    record.state = State::Sleeping;
    record.due = Some(record.created + SOON);
    store.create(&record).await.unwrap();
    assert_eq!(claimed(store, "early", 9).await, []);
    let mut due = until("due", async || claimed(store, "awake", 9).await.pop()).await;
    assert_eq!(due.id, record.id);
    assert_eq!(store.open(&due.owner).await.unwrap(), 1);

    let fence = Some(due.fence);
    (due.state, due.due) = (State::Completed, None);
    due.expires = Some(SystemTime::now() + SOON);
    write(store, &due, fence).await;
    assert!(store.get(&due.id).await.unwrap().is_some());
    let gone = async || store.get(&due.id).await.unwrap().is_none().then_some(());
    until("removed", gone).await;
    let free = async || store.find(&due.call).await.unwrap().is_none().then_some(());
    until("forgotten", free).await;
    assert_eq!(store.open(&due.owner).await.unwrap(), 0);
}

/// A lease that nobody renews ends, and the task is another's.
async fn leases(store: &RestateStore) {
    store.create(&task()).await.unwrap();
    let worker = WorkerId::named("dies");
    let claim = Claim::new(&worker, 9, SOON);
    let mine = store.claim(claim).await.unwrap().records.pop().unwrap();
    let theirs = until("theirs", async || claimed(store, "lives", 9).await.pop()).await;
    assert_eq!((theirs.id, theirs.fence), (mine.id, 2));
}

/// Who took a task out of its queue may not live to claim it.
async fn a_lost_task_is_found(store: &RestateStore, restate: &Restate) {
    let record = task();
    store.create(&record).await.unwrap();
    let claims = json!({ "worker": "w", "lease": 1, "unknown": [], "stale_after": 0, "now": 0 });
    let take = json!({ "limit": 9, "claims": claims }).to_string();
    let url = format!("{}/SagaQueue/saga%2F0/take", restate.ingress());
    let taken = reqwest::Client::new()
        .post(url)
        .header("content-type", "application/json")
        .body(take);
    let taken = taken.send().await.unwrap().text().await.unwrap();
    assert_eq!(taken, json!([record.id.as_str()]).to_string());
    assert_eq!(claimed(store, "none", 9).await, []);
    let found = until("found", async || claimed(store, "finds", 9).await.pop()).await;
    assert_eq!(found.id, record.id);
}

/// Each of many goes to one worker; code that a worker does not have is in nobody's way.
async fn queues(store: &RestateStore) {
    let mut ids = HashSet::new();
    let mut records: Vec<_> = (0..MANY).map(|_| task()).collect();
    for (number, record) in records.iter_mut().enumerate() {
        record.code = CodeId(u64::from(number >= MANY / 2));
        ids.insert(record.id.clone());
    }
    try_join_all(records.iter().map(|record| store.create(record)))
        .await
        .unwrap();
    let worker = WorkerId::named("new");
    let mut taken = Vec::new();
    for unknown in [&[CodeId(0)][..], &[]] {
        let before = taken.len();
        while taken.len() < before + MANY / 2 {
            let claim = Claim::new(&worker, 20, LEASE).without(unknown, LEASE);
            let claimed = store.claim(claim).await.unwrap().records;
            assert!(claimed.iter().all(|record| !unknown.contains(&record.code)));
            taken.extend(claimed.into_iter().map(|record| record.id));
        }
    }
    assert_eq!(claimed(store, "late", 9).await, []);
    assert_eq!((taken.len(), taken.into_iter().collect()), (MANY, ids));
}

/// A service claims its own tasks.
async fn services(store: &RestateStore) {
    let other = store.clone().with_service("another");
    other.create(&task()).await.unwrap();
    assert_eq!(claimed(store, "saga", 9).await, []);
    assert_eq!(claimed(&other, "another", 9).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn timers_queues_and_services() {
    let restate = Restate::start();
    let store = serving(&restate).await;
    timers(&store).await;
    leases(&store).await;
    a_lost_task_is_found(&store, &restate).await;
    queues(&store).await;
    services(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Restate: .ci/restate"]
async fn handlers_with_a_key_answer_nobody_else() {
    let restate = Restate::start();
    serving(&restate).await;
    let key = "publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f";
    let locked = restate.store().with_identity_key(key);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let handlers = locked.clone();
    tokio::spawn(async move { handlers.serve(listener).await });
    let refused = locked.register(&restate.admin(), &endpoint).await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("401"), "{why}");
}

#[tokio::test]
async fn what_is_not_there_is_an_error() {
    assert!(RestateStore::connect("nowhere").is_err());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let store = RestateStore::connect(&address).unwrap();
    let id = TaskId::named("nobody's");
    let asked = join_all([store.get(&id), store.get(&id)]).await;
    assert!(asked.iter().all(Result::is_err));
    assert!(store.register(&address, &address).await.is_err());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let locked = store.with_identity_key("no key");
    assert!(locked.serve(listener).await.is_err());
}

//! What went wrong when somebody tried: each of these once did.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use async_trait::async_trait;
use saga_runtime::{CallId, Keyring};
use saga_tasks::{
    Claim, Claimed, Created, Expect, MemoryStore, Owner, Renewal, SqliteStore, StoreError, Swap,
    TaskId, TaskRecord, TaskStore,
};
use serde_json::json;
use tests::stored::Clock;

use super::{
    keys,
    process::{Process, accept, quick, until_record},
    text,
    world::World,
};

/// A store whose calls fail, or whose answers are lost, as a test says.
#[derive(Default)]
struct Faults {
    /// `create` is made, and its answer is lost.
    create_unanswered: AtomicBool,
    /// Neither is made.
    no_swaps: AtomicBool,
    swaps: AtomicUsize,
    claim_panics: AtomicBool,
    gets: AtomicUsize,
    /// Neither a `get` nor a `swap` is answered.
    is_silent: AtomicBool,
}

impl Faults {
    async fn answer(&self) {
        if self.is_silent.load(Ordering::SeqCst) {
            std::future::pending().await
        }
    }
}

struct Faulty {
    store: MemoryStore,
    faults: Arc<Faults>,
}

impl Faulty {
    fn new(store: &MemoryStore) -> (Self, Arc<Faults>) {
        let faults = Arc::<Faults>::default();
        let faulty = Self {
            store: store.clone(),
            faults: Arc::clone(&faults),
        };
        (faulty, faults)
    }
}

#[async_trait]
impl TaskStore for Faulty {
    async fn now(&self) -> Result<SystemTime, StoreError> {
        self.store.now().await
    }

    async fn create(&self, record: &TaskRecord) -> Result<Created, StoreError> {
        let created = self.store.create(record).await;
        match self.faults.create_unanswered.swap(false, Ordering::SeqCst) {
            true => Err(StoreError::new("the answer is lost")),
            false => created,
        }
    }

    async fn get(&self, id: &TaskId) -> Result<Option<TaskRecord>, StoreError> {
        self.faults.gets.fetch_add(1, Ordering::SeqCst);
        self.faults.answer().await;
        self.store.get(id).await
    }

    async fn find(&self, call: &CallId) -> Result<Option<TaskId>, StoreError> {
        self.store.find(call).await
    }

    async fn swap(&self, next: &TaskRecord, expect: Expect) -> Result<Swap, StoreError> {
        self.faults.swaps.fetch_add(1, Ordering::SeqCst);
        self.faults.answer().await;
        match self.faults.no_swaps.load(Ordering::SeqCst) {
            true => Err(StoreError::new("the disk is full")),
            false => self.store.swap(next, expect).await,
        }
    }

    async fn claim(&self, claim: Claim<'_>) -> Result<Claimed, StoreError> {
        assert!(
            !self.faults.claim_panics.swap(false, Ordering::SeqCst),
            "as it is meant to"
        );
        self.store.claim(claim).await
    }

    async fn renew(
        &self,
        held: &[(TaskId, u64)],
        lease: Duration,
    ) -> Result<Vec<Renewal>, StoreError> {
        self.store.renew(held, lease).await
    }

    async fn note(&self, id: &TaskId, fence: u64, message: &str) -> Result<(), StoreError> {
        self.store.note(id, fence, message).await
    }

    async fn next_due(&self) -> Result<Option<SystemTime>, StoreError> {
        self.store.next_due().await
    }

    async fn open(&self, owner: &Owner) -> Result<u64, StoreError> {
        self.store.open(owner).await
    }

    async fn sweep(&self, limit: usize) -> Result<u64, StoreError> {
        self.store.sweep(limit).await
    }
}

/// The record as it is in the store, changed behind everybody's back.
async fn tamper(store: &MemoryStore, id: &str, change: impl FnOnce(&mut TaskRecord)) {
    let mut record = store.get(&TaskId::named(id)).await.unwrap().unwrap();
    let expect = Expect {
        version: record.version,
        fence: None,
    };
    change(&mut record);
    assert!(matches!(
        store.swap(&record, expect).await.unwrap(),
        Swap::Done(_)
    ));
}

#[tokio::test]
async fn an_answer_to_a_question_of_a_leg_that_runs_survives_its_process() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let first = Process::start(&world, store.clone());
    let id = first.begin("both", json!({})).await;
    first.until(&id, "input_required").await;
    first
        .answer(&id, json!({ "one": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    first.kill();
    world.gate.add_permits(1);
    let second = Process::start(&world, store);
    second
        .until_it(&id, |_| world.effects().len() == 3, "worked again")
        .await;
    let asked = second.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["two"], "an answer, once taken, stands");
    second
        .answer(&id, json!({ "two": accept(json!({ "ok": false })) }))
        .await
        .unwrap();
    assert_eq!(
        text(&second.until(&id, "completed").await),
        "true false true"
    );
}

#[tokio::test]
async fn an_answer_to_another_question_of_the_same_key_is_none() {
    let world = Arc::<World>::default();
    world.files.store(3, Ordering::SeqCst);
    let store = MemoryStore::new();
    let first = Process::start(&world, store.clone());
    let id = first.begin("cleanup", json!({})).await;
    let asked = first.until(&id, "input_required").await;
    assert_eq!(
        asked["inputRequests"]["sure"]["params"]["message"],
        "Delete 3 files?"
    );
    first.kill();
    world.files.store(3000, Ordering::SeqCst);
    let second = Process::start(&world, store);
    // Said of three.
    second
        .answer(&id, json!({ "sure": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    world.gate.add_permits(2);
    let asked = second
        .until_it(
            &id,
            |task| keys(task) == ["sure-2"],
            "asked anew, under another key",
        )
        .await;
    assert_eq!(
        asked["inputRequests"]["sure-2"]["params"]["message"],
        "Delete 3000 files?"
    );
    second
        .answer(&id, json!({ "sure-2": accept(json!({ "ok": false })) }))
        .await
        .unwrap();
    assert_eq!(text(&second.until(&id, "completed").await), "3000 false");
}

#[tokio::test]
async fn a_checkpoint_that_does_not_fit_is_the_end() {
    let world = Arc::<World>::default();
    let process = Process::with(&world, quick(MemoryStore::new()).max_bytes(12_000));
    let id = process.begin("grows", json!({})).await;
    let failed = process.until(&id, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "too_large");
    let effects = world.effects();
    let mut once = effects.clone();
    once.dedup();
    assert!(effects.len() > 1 && effects.len() < 20, "{effects:?}");
    once.sort();
    once.dedup();
    assert_eq!(
        once.len(),
        effects.len(),
        "nothing began again: {effects:?}"
    );
}

#[tokio::test]
async fn a_leg_that_asks_after_its_first_lease_is_run_once() {
    for tool in ["late", "late_in_the_call"] {
        let world = Arc::<World>::default();
        let process = Process::start(&world, MemoryStore::new());
        let id = process.begin(tool, json!({})).await;
        process.until(&id, "input_required").await;
        process
            .answer(&id, json!({ "sure": accept(json!({ "ok": true })) }))
            .await
            .unwrap();
        let done = process.until(&id, "completed").await;
        assert_eq!(text(&done), "true", "{tool}");
        assert_eq!(world.effects(), ["begun"], "{tool}");
    }
}

#[tokio::test]
async fn a_call_that_is_sent_again_is_the_task_that_is_there() {
    let world = Arc::<World>::default();
    let process = Process::with(&world, quick(MemoryStore::new()).max_open(1));
    for tool in ["slow", "order"] {
        let call = json!({ "name": tool, "arguments": {}, "key": tool });
        let first = process.named_call(&call).await;
        let again = process.named_call(&call).await;
        assert_eq!(first["taskId"], again["taskId"], "{tool}");
        let id = first["taskId"].as_str().unwrap();
        world.gate.add_permits(1);
        match tool {
            "slow" => process.until(id, "completed").await,
            _ => process.until(id, "input_required").await,
        };
        let again = process.named_call(&call).await;
        assert_eq!(first["taskId"], again["taskId"], "{tool}");
    }
    assert_eq!(world.effects(), ["slow", "before"]);
}

#[tokio::test]
async fn rows_of_another_key_are_left_to_who_has_it() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(front.begin("rests", json!({})).await);
    }
    let other = Keyring::new("other", [9; 32]).unwrap();
    let stranger = Process::of(&world, quick(store.clone()), other);
    let mine = stranger.begin("order", json!({})).await;
    stranger.until(&mine, "input_required").await;
    let works = Process::start(&world, store);
    works
        .until_it(&ids[0], |_| world.effects().len() == 11, "begun")
        .await;
    stranger.kill();
}

#[tokio::test]
async fn a_row_that_is_damaged_fails_and_the_others_go_on() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let bad = front.begin("order", json!({})).await;
    let good = front.begin("order", json!({})).await;
    tamper(&store, &bad, |record| {
        // It can be decoded still, whatever its length.
        record.sealed.truncate(record.sealed.len() / 8 * 4);
    })
    .await;
    // A key of the same id may be another one here: for a while it is left to others.
    let works = Process::with(
        &world,
        quick(store.clone()).stale_after(Duration::from_secs(600)),
    );
    works.until(&good, "input_required").await;
    let left = |record: &TaskRecord| record.status_message.is_some();
    let record = until_record(&store, &bad, left).await;
    assert!(!record.state.is_final(), "{record:?}");
    works.kill();
    let works = Process::with(&world, quick(store.clone()).stale_after(Duration::ZERO));
    until_record(&store, &bad, |record| record.state.is_final()).await;
    let failed = works.until(&bad, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "corrupt");
    assert_eq!(world.effects(), ["before"]);
}

#[tokio::test]
async fn columns_that_are_damaged_stop_no_worker() {
    let world = Arc::<World>::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let open = || SqliteStore::open(&path).unwrap();
    let front = Process::with(&world, quick(open()).workers(0));
    let mut bad = Vec::new();
    let file = rusqlite::Connection::open(&path).unwrap();
    for damage in [
        "call = x'00'",
        "sealed = 'text'",
        "attempts = -3",
        "state = 'odd', sealed = x''",
    ] {
        let id = front.begin("order", json!({})).await;
        let sql = format!("UPDATE saga_task SET {damage} WHERE id = ?");
        assert_eq!(file.execute(&sql, [&id]).unwrap(), 1);
        bad.push(id);
    }
    let good = front.begin("order", json!({})).await;
    let works = Process::start(&world, open());
    works.until(&good, "input_required").await;
    for (index, id) in bad.iter().enumerate() {
        // A number of attempts that is none is no damage to what is sealed.
        let status = if index == 2 {
            "input_required"
        } else {
            "failed"
        };
        works.until(id, status).await;
    }
}

#[tokio::test]
async fn a_task_whose_creation_was_not_answered_is_there_once() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let (faulty, faults) = Faulty::new(&store);
    let process = Process::start(&world, faulty);
    for tool in ["order", "slow"] {
        faults.create_unanswered.store(true, Ordering::SeqCst);
        let id = process.begin(tool, json!({})).await;
        process.get(&id).await;
    }
    world.gate.add_permits(1);
    assert_eq!(world.effects().len(), 2);
}

#[tokio::test]
async fn an_answer_that_nobody_has_taken_does_not_count_behind_a_cancellation() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let id = works.begin("order", json!({})).await;
    works.until(&id, "input_required").await;
    works.kill();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let answer = json!({ "amount": accept(json!({ "n": 2 })) });
    front.answer(&id, answer).await.unwrap();
    front.cancel(&id).await;
    let works = Process::start(&world, store);
    works.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["before", "undone"]);
}

#[tokio::test]
async fn once_it_is_cancelled_nobody_is_asked() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let id = works.begin("order", json!({})).await;
    works.until(&id, "input_required").await;
    works.kill();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    front.cancel(&id).await;
    assert!(keys(&front.get(&id).await).is_empty());
    front
        .answer(&id, json!({ "amount": accept(json!({ "n": 3 })) }))
        .await
        .unwrap();
    let works = Process::start(&world, store.clone());
    works.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["before", "undone"]);
    // One that was not begun, is not.
    works.kill();
    let id = front.begin("order", json!({})).await;
    front.cancel(&id).await;
    let works = Process::start(&world, store);
    works.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["before", "undone"]);
}

#[tokio::test]
async fn a_late_answer_to_a_question_of_a_leg_that_runs_is_late() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    // The lease is longer than the clock is turned by.
    let process = Process::with(&world, quick(store).lease(Duration::from_secs(600)));
    let id = process.begin("hurried", json!({})).await;
    process.until(&id, "input_required").await;
    clock.turn(Duration::from_secs(61));
    process
        .answer(&id, json!({ "sure": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    world.gate.add_permits(1);
    assert_eq!(
        text(&process.until(&id, "completed").await),
        "no answer within 60s"
    );
}

#[tokio::test]
async fn a_store_that_refuses_every_write_does_not_keep_its_worker() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let (faulty, faults) = Faulty::new(&store);
    let process = Process::with(&world, quick(faulty).workers(1));
    let id = process.begin("slow", json!({})).await;
    faults.no_swaps.store(true, Ordering::SeqCst);
    world.gate.add_permits(5);
    // Its lease is over: the leg is not its any more.
    process
        .until_it(&id, |_| world.effects().len() >= 2, "begun again")
        .await;
    assert!(
        faults.swaps.load(Ordering::SeqCst) < 200,
        "it rests between two attempts"
    );
    faults.no_swaps.store(false, Ordering::SeqCst);
    assert_eq!(text(&process.until(&id, "completed").await), "slowly");
}

#[tokio::test]
async fn a_store_that_panics_ends_no_worker() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let (faulty, faults) = Faulty::new(&store);
    faults.claim_panics.store(true, Ordering::SeqCst);
    let process = Process::with(
        &world,
        quick(faulty).look_interval(Duration::from_millis(1)),
    );
    let front = Process::with(&world, quick(store).workers(0));
    let id = front.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
}

#[tokio::test]
async fn nothing_begins_behind_a_stop() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let tasks = quick(store.clone());
    let process = Process::with(&world, tasks.clone());
    let id = process.begin("works", json!({})).await;
    process
        .until_it(&id, |_| world.effects().len() == 1, "working")
        .await;
    let stopped = Arc::new(Mutex::new(false));
    let told = Arc::clone(&stopped);
    let stopping = tokio::spawn(async move {
        tasks.stop(Duration::from_secs(600)).await;
        *told.lock().unwrap() = true;
    });
    tokio::task::yield_now().await;
    assert!(!*stopped.lock().unwrap(), "a leg runs");
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let waits = front.begin("order", json!({})).await;
    world.gate.add_permits(1);
    stopping.await.unwrap();
    // It stands at its checkpoint, and goes on elsewhere.
    assert_eq!(world.effects(), ["step 0"]);
    assert_eq!(front.get(&waits).await["status"], "working");
    let other = Process::start(&world, store);
    world.gate.add_permits(2);
    assert_eq!(text(&other.until(&id, "completed").await), "worked");
}

#[tokio::test]
async fn of_more_progress_than_is_written_the_newest_is() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("chatters", json!({})).await;
    process
        .until_it(&id, |task| task["statusMessage"].is_string(), "heard of")
        .await;
    world.gate.add_permits(1);
    let done = process.until(&id, "completed").await;
    assert_eq!(done["statusMessage"], text(&done));
}

#[tokio::test]
async fn who_waits_for_long_looks_rarely() {
    let world = Arc::<World>::default();
    let (store, faults) = Faulty::new(&MemoryStore::new());
    let process = Process::start(&world, store);
    let call = json!({ "name": "slow", "arguments": {} });
    let called = process.request("tools/async/call", call).await.unwrap();
    let get = json!({ "token": called["token"], "timeout": 1.5 });
    let pending = process.request("tools/async/get", get).await.unwrap();
    assert_eq!(pending["isPending"], true);
    let looks = faults.gets.load(Ordering::SeqCst);
    assert!(looks < 15, "{looks}");
    world.gate.add_permits(1);
    let get = json!({ "token": called["token"] });
    let done = process.request("tools/async/get", get).await.unwrap();
    assert_eq!(done["content"][0]["text"], "slowly");
}

#[tokio::test]
async fn a_store_is_asked_for_no_id_that_is_none_of_ours() {
    let world = Arc::<World>::default();
    let (store, faults) = Faulty::new(&MemoryStore::new());
    let process = Process::start(&world, store);
    for id in [
        "",
        ".",
        "..",
        "unknown",
        "a/b",
        "AAAAAAAAAAAAAAAAAAAAA\0",
        &"A".repeat(23),
    ] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let params = json!({ "taskId": id, "inputResponses": {} });
            let unknown = process.request(method, params).await.unwrap_err();
            assert_eq!(unknown["code"], -32602, "{method} of {id:?}");
        }
        let join = json!({ "token": id });
        let joined = process.request("tools/async/join", join).await.unwrap();
        assert_eq!(joined, json!({ "accepted": false }), "{id:?}");
    }
    assert_eq!(faults.gets.load(Ordering::SeqCst), 0);
    let ours = json!({ "taskId": "A".repeat(22) });
    let unknown = process.request("tasks/get", ours).await.unwrap_err();
    assert_eq!(unknown["code"], -32602);
    assert_eq!(faults.gets.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_sleep_that_its_request_has_the_time_for_makes_no_task() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let call = json!({ "name": "naps", "arguments": { "frames": 1 } });
    let done = process.request("tools/call", call).await.unwrap();
    assert_eq!(done["content"][0]["text"], "rested", "{done}");
    let id = process.begin("naps", json!({ "frames": 1000 })).await;
    assert_eq!(process.get(&id).await["status"], "working");
}

#[tokio::test]
async fn a_store_that_does_not_answer_is_one_that_fails() {
    let world = Arc::<World>::default();
    let (store, faults) = Faulty::new(&MemoryStore::new());
    let tasks = quick(store).store_timeout(Duration::from_millis(50));
    let process = Process::with(&world, tasks.lease(Duration::from_secs(15)));
    let id = process.begin("works", json!({})).await;
    process
        .until_it(&id, |_| world.effects().len() == 1, "in its first step")
        .await;
    faults.is_silent.store(true, Ordering::SeqCst);
    let get = process.request("tasks/get", json!({ "taskId": id })).await;
    let failed = get.unwrap_err();
    assert_eq!(
        (&failed["code"], &failed["data"]["reason"]),
        (&json!(-32603), &json!("store"))
    );
    // The leg tries again, and has not run again.
    world.gate.add_permits(3);
    while faults.swaps.load(Ordering::SeqCst) < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    faults.is_silent.store(false, Ordering::SeqCst);
    process.until(&id, "completed").await;
    assert_eq!(world.effects(), ["step 0", "step 1", "step 2"]);
}

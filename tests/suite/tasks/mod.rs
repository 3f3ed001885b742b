//! Tasks: calls that go on without a request, and survive the process that runs them.

mod async_calls;
mod client;
mod console;
mod crash;
mod hostile;
mod observed;
mod once;
mod process;
mod rotation;
mod stale;
mod strangers;
mod world;

use std::{sync::Arc, time::Duration};

use saga_runtime::{Keyring, Settings, serve::Http};
use saga_tasks::{MemoryStore, SqliteStore, State, TaskId, TaskStore};
use serde_json::{Value, json};
use tests::stored::Clock;

use self::{
    process::{Process, accept, quick},
    world::{Studio, World},
};

fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default()
}

fn keys(task: &Value) -> Vec<&str> {
    let asked = task["inputRequests"].as_object();
    asked
        .map(|asked| asked.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

#[tokio::test]
async fn a_call_becomes_a_task_asks_and_ends() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    let asked = process.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["amount"]);
    assert_eq!(
        asked["inputRequests"]["amount"]["method"],
        "elicitation/create"
    );
    assert!(asked.get("requestState").is_none());
    assert_eq!(world.effects(), ["before"]);
    let ack = process
        .answer(&id, json!({ "amount": accept(json!({ "n": 3 })) }))
        .await;
    assert_eq!(ack.unwrap(), json!({ "resultType": "complete" }));
    let done = process.until(&id, "completed").await;
    assert_eq!(
        (text(&done), done["resultType"].as_str()),
        ("3 ordered", Some("complete"))
    );
    assert_eq!(world.effects(), ["before", "after"]);
    // What was answered cannot be answered again, and is acknowledged.
    process
        .answer(&id, json!({ "amount": accept(json!({ "n": 9 })) }))
        .await
        .unwrap();
    assert_eq!(text(&process.get(&id).await), "3 ordered");
}

#[tokio::test]
async fn a_form_that_does_not_fit_is_asked_anew_under_another_key() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    process
        .answer(&id, json!({ "amount": accept(json!({ "n": 0 })) }))
        .await
        .unwrap();
    let asked = process.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["amount-2"]);
    process
        .answer(&id, json!({ "amount-2": accept(json!({ "n": 1 })) }))
        .await
        .unwrap();
    assert_eq!(text(&process.until(&id, "completed").await), "1 ordered");
    assert_eq!(world.effects(), ["before", "after"]);
}

#[tokio::test]
async fn what_is_no_answer_changes_nothing() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    // Nobody asked for it: whatever it is.
    process
        .answer(&id, json!({ "unknown-key": { "ignored": true } }))
        .await
        .unwrap();
    for wrong in [
        json!(7),
        json!({ "action": "perhaps" }),
        json!({ "roots": [] }),
        json!(null),
    ] {
        let error = process
            .answer(&id, json!({ "amount": wrong }))
            .await
            .unwrap_err();
        assert_eq!(
            (&error["code"], &error["data"]["reason"]),
            (&json!(-32602), &json!("answers"))
        );
    }
    assert_eq!(keys(&process.get(&id).await), ["amount"]);
    assert_eq!(world.effects(), ["before"]);
}

#[tokio::test]
async fn a_suspended_task_survives_its_process() {
    let world = Arc::<World>::default();
    let folder = tempfile::tempdir().unwrap();
    let open = || SqliteStore::open(folder.path().join("tasks.db")).unwrap();
    let first = Process::start(&world, open());
    let id = first.begin("order", json!({})).await;
    first.until(&id, "input_required").await;
    first.kill();
    let second = Process::start(&world, open());
    assert_eq!(keys(&second.get(&id).await), ["amount"]);
    second
        .answer(&id, json!({ "amount": accept(json!({ "n": 2 })) }))
        .await
        .unwrap();
    assert_eq!(text(&second.until(&id, "completed").await), "2 ordered");
    assert_eq!(world.effects(), ["before", "after"]);
}

#[tokio::test]
async fn what_is_behind_a_checkpoint_is_not_done_again() {
    let world = Arc::<World>::default();
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::default();
    let open = || {
        let clock = clock.clone();
        let store = SqliteStore::open(folder.path().join("tasks.db")).unwrap();
        store.with_clock(move || clock.now())
    };
    let first = Process::start(&world, open());
    let id = first.begin("film", json!({ "frames": 4 })).await;
    world.gate.add_permits(2);
    // It stands in its third frame.
    first
        .until_it(
            &id,
            |task| task["statusMessage"] == "rendering (2/4)" && world.effects().len() == 3,
            "in its third frame",
        )
        .await;
    first.kill();
    let second = Process::start(&world, open());
    world.gate.add_permits(2);
    second
        .until_it(&id, |_| world.effects().len() == 5, "at its end")
        .await;
    // It sleeps for a day, and nobody runs it.
    let sleeping = second
        .until_it(&id, |task| task["status"] == "working", "asleep")
        .await;
    assert!(sleeping.get("inputRequests").is_none());
    clock.turn(Duration::from_secs(86_400));
    second.until(&id, "input_required").await;
    second
        .answer(&id, json!({ "publish": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    assert_eq!(
        text(&second.until(&id, "completed").await),
        "4 frames, true"
    );
    let effects = world.effects();
    let frames: Vec<_> = effects
        .iter()
        .map(|effect| effect.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        frames,
        ["0", "1", "2", "2", "3", "slept"],
        "the piece that ran, ran again"
    );
    assert_eq!(effects[2], effects[3], "under the same key");
    let mut keys = effects;
    keys.dedup();
    assert_eq!(keys.len(), 5, "and every other piece has another");
}

#[tokio::test]
async fn questions_show_while_another_arm_works() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("both", json!({})).await;
    let asked = process.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["one", "two"]);
    assert_eq!(world.effects(), ["works"]);
    // The very next look does not show what was answered.
    process
        .answer(&id, json!({ "one": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    let asked = process.get(&id).await;
    assert_eq!(
        (asked["status"].as_str(), keys(&asked)),
        (Some("input_required"), vec!["two"])
    );
    world.gate.add_permits(1);
    process
        .until_it(&id, |_| world.effects().len() == 2, "worked")
        .await;
    let asked = process.get(&id).await;
    assert_eq!(
        (asked["status"].as_str(), keys(&asked)),
        (Some("input_required"), vec!["two"])
    );
    process
        .answer(&id, json!({ "two": accept(json!({ "ok": false })) }))
        .await
        .unwrap();
    assert_eq!(
        text(&process.until(&id, "completed").await),
        "true false true"
    );
    assert_eq!(world.effects(), ["works", "worked"]);
}

#[tokio::test]
async fn a_cancelled_task_is_told_so_where_it_asks() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    process.cancel(&id).await;
    let cancelled = process.until(&id, "cancelled").await;
    assert!(cancelled.get("inputRequests").is_none() && cancelled.get("result").is_none());
    assert_eq!(world.effects(), ["before", "undone"]);
    process.cancel(&id).await;
    assert_eq!(process.get(&id).await["status"], "cancelled");
}

#[tokio::test]
async fn a_cancelled_task_that_does_not_listen_is_dropped() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("stuck", json!({})).await;
    process
        .until_it(&id, |_| !world.effects().is_empty(), "stuck")
        .await;
    process.cancel(&id).await;
    process.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["stuck"]);
}

#[tokio::test]
async fn a_cancelled_sleep_is_no_end_of_a_sleep() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let rests = process.begin("rests", json!({})).await;
    process
        .until_it(&rests, |_| world.effects().len() == 1, "asleep")
        .await;
    process.cancel(&rests).await;
    process.until(&rests, "cancelled").await;
    assert_eq!(world.effects(), ["before"]);
    let holds = process.begin("holds", json!({})).await;
    process
        .until_it(&holds, |_| world.effects().len() == 2, "asleep")
        .await;
    process.cancel(&holds).await;
    process.until(&holds, "cancelled").await;
    assert_eq!(world.effects(), ["before", "held", "released true"]);
}

#[tokio::test]
async fn a_task_that_works_is_cancelled_at_its_next_checkpoint() {
    let world = Arc::<World>::default();
    let tasks = quick(MemoryStore::new()).cancel_grace(Duration::from_secs(600));
    let process = Process::with(&world, tasks);
    let id = process.begin("works", json!({})).await;
    world.gate.add_permits(1);
    process
        .until_it(&id, |_| world.effects().len() == 2, "in its second step")
        .await;
    process.cancel(&id).await;
    assert_eq!(process.get(&id).await["status"], "working");
    world.gate.add_permits(2);
    process.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["step 0", "step 1"]);
}

#[tokio::test]
async fn another_process_hears_of_a_cancellation() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let id = works.begin("stuck", json!({})).await;
    works
        .until_it(&id, |_| !world.effects().is_empty(), "stuck")
        .await;
    let other = Process::with(&world, quick(store).workers(0));
    other.cancel(&id).await;
    other.until(&id, "cancelled").await;
}

#[tokio::test]
async fn results_errors_and_panics_are_told_apart() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("failing", json!({})).await;
    let failed = process.until(&id, "completed").await;
    assert_eq!(
        (text(&failed), &failed["result"]["isError"]),
        ("no", &json!(true))
    );
    let id = process.begin("broken", json!({})).await;
    let broken = process.until(&id, "failed").await;
    assert_eq!(
        (&broken["error"]["code"], broken.get("result")),
        (&json!(-32002), None)
    );
    assert_eq!(broken["statusMessage"], "no such thing");
    let id = process.begin("panics", json!({})).await;
    let panicked = process.until(&id, "failed").await;
    assert_eq!(panicked["error"]["code"], -32603);
}

#[tokio::test]
async fn what_is_asked_first_is_asked_in_the_call() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let call = json!({ "name": "composed", "arguments": {} });
    let asked = process.request("tools/call", call.clone()).await.unwrap();
    assert_eq!(
        (&asked["resultType"], asked.get("taskId")),
        (&json!("input_required"), None)
    );
    let mut retry = call;
    retry["requestState"] = asked["requestState"].clone();
    retry["inputResponses"] = json!({ "amount": accept(json!({ "n": 5 })) });
    let task = process.request("tools/call", retry.clone()).await.unwrap();
    assert_eq!(
        (&task["resultType"], task.get("requestState")),
        (&json!("task"), None)
    );
    // A retry that was lost gives the task that is there.
    let again = process.request("tools/call", retry).await.unwrap();
    assert_eq!(again["taskId"], task["taskId"]);
    let id = task["taskId"].as_str().unwrap();
    let asked = process.until(id, "input_required").await;
    assert_eq!(keys(&asked), ["amount-2"]);
    process
        .answer(id, json!({ "amount-2": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    assert_eq!(text(&process.until(id, "completed").await), "5 true");
    let mut effects = world.effects();
    effects.sort();
    assert_eq!(effects, ["asked", "asked", "in the background"]);
}

#[tokio::test]
async fn a_call_that_is_over_soon_is_no_task() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let call = json!({ "name": "quick", "arguments": { "frames": 0 } });
    let done = process.request("tools/call", call).await.unwrap();
    assert_eq!(done["content"][0]["text"], "quickly");
    let id = process.begin("quick", json!({ "frames": 1 })).await;
    process.until(&id, "input_required").await;
    process
        .answer(&id, json!({ "sure": accept(json!({ "ok": true })) }))
        .await
        .unwrap();
    assert_eq!(text(&process.until(&id, "completed").await), "quickly");
    let id = process.begin("slow", json!({})).await;
    assert_eq!(process.get(&id).await["status"], "working");
    world.gate.add_permits(1);
    assert_eq!(text(&process.until(&id, "completed").await), "slowly");
    assert_eq!(world.effects(), ["quick", "quick", "slow"]);
}

#[tokio::test]
async fn who_does_not_know_tasks_is_served_in_the_call() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let plain = json!({ "elicitation": {} });
    let ask = async |method: &str, params: Value| {
        process
            .request_of("alice", plain.clone(), method, params)
            .await
    };
    let asked = ask("tools/call", json!({ "name": "order", "arguments": {} }))
        .await
        .unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let refused = ask("tools/call", json!({ "name": "failing", "arguments": {} })).await;
    let required = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let refused = refused.unwrap_err();
    assert_eq!(
        (&refused["code"], &refused["data"]["requiredCapabilities"]),
        (&json!(-32021), &required)
    );
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let params = json!({ "taskId": "any", "inputResponses": {} });
        assert_eq!(
            ask(method, params).await.unwrap_err()["code"],
            -32021,
            "{method}"
        );
    }
    for method in ["tasks/list", "tasks/result"] {
        let params = json!({ "taskId": "any" });
        assert_eq!(
            process.request(method, params).await.unwrap_err()["code"],
            -32601,
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_task_is_its_owners_alone() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let tasks = json!({ "io.modelcontextprotocol/tasks": {} });
    let capabilities = json!({ "elicitation": {}, "extensions": tasks });
    let unknown = process
        .request("tasks/get", json!({ "taskId": "unknown" }))
        .await
        .unwrap_err();
    assert_eq!(unknown["data"]["reason"], "not_found");
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params =
            json!({ "taskId": id, "inputResponses": { "amount": accept(json!({ "n": 1 })) } });
        let foreign = process.request_of("mallory", capabilities.clone(), method, params);
        assert_eq!(foreign.await.unwrap_err(), unknown, "{method}");
    }
    assert_eq!(keys(&process.get(&id).await), ["amount"]);
}

#[tokio::test]
async fn an_answer_counts_by_the_time_at_which_it_comes() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let works = Process::start(&world, store.clone());
    let early = works.begin("timed", json!({})).await;
    let late = works.begin("timed", json!({})).await;
    for id in [&early, &late] {
        works.until(id, "input_required").await;
    }
    works.kill();
    let answers = json!({ "sure": accept(json!({ "ok": true })) });
    // In time, and nobody has time for it.
    let idle = Process::with(&world, quick(store.clone()).workers(0));
    idle.answer(&early, answers.clone()).await.unwrap();
    clock.turn(Duration::from_secs(61));
    idle.answer(&late, answers).await.unwrap();
    let works = Process::start(&world, store);
    assert_eq!(text(&works.until(&early, "completed").await), "true");
    let late = works.until(&late, "completed").await;
    assert_eq!(text(&late), "no answer within 60s");
}

#[tokio::test]
async fn a_task_ends_with_its_time() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::with(&world, quick(store).ttl(Duration::from_secs(100)));
    let id = process.begin("order", json!({})).await;
    let asked = process.until(&id, "input_required").await;
    assert_eq!(asked["ttlMs"], 100_000);
    clock.turn(Duration::from_secs(101));
    let failed = process.until(&id, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "expired");
    clock.turn(Duration::from_secs(301));
    let gone = process
        .request("tasks/get", json!({ "taskId": id }))
        .await
        .unwrap_err();
    assert_eq!(gone["code"], -32602);
    assert_eq!(world.effects(), ["before"]);
}

#[tokio::test]
async fn what_does_not_fit_in_a_row_fails_its_task() {
    let world = Arc::<World>::default();
    let process = Process::with(&world, quick(MemoryStore::new()).max_bytes(6000));
    let id = process.begin("large", json!({})).await;
    let failed = process.until(&id, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "too_large");
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    let long = accept(json!({ "n": 1, "x": "x".repeat(6000) }));
    let refused = process
        .answer(&id, json!({ "amount": long }))
        .await
        .unwrap_err();
    assert_eq!(
        (&refused["code"], &refused["data"]["reason"]),
        (&json!(-32602), &json!("too_large"))
    );
    assert_eq!(keys(&process.get(&id).await), ["amount"]);
}

#[tokio::test]
async fn a_server_that_ends_lets_its_legs_end() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let first = Process::start(&world, store.clone());
    let id = first.begin("works", json!({})).await;
    first.kill();
    let studio = Studio(Arc::clone(&world));
    let settings = Settings::new(Keyring::new("test", [7; 32]).unwrap());
    let http = Http::new(move || Studio(Arc::clone(&studio.0)), settings);
    let bound = http.tasks(quick(store.clone())).bind(("127.0.0.1", 0));
    let bound = bound.await.unwrap();
    while world.effects() != ["step 0", "step 0"] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let (ended, ()) = tokio::join!(bound.run(std::future::ready(())), async {
        world.gate.add_permits(1);
    });
    ended.unwrap();
    let record = store.get(&TaskId::named(id)).await.unwrap().unwrap();
    // To its next checkpoint, and no further.
    assert_eq!(record.state, State::Ready);
    assert_eq!(world.effects(), ["step 0", "step 0"]);
}

#[tokio::test]
async fn the_rest_of_a_result_in_parts_becomes_a_task() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let call = async |arguments: Value| {
        let params = json!({ "name": "in_parts", "arguments": arguments });
        process.request("tools/call", params).await.unwrap()
    };
    let part = call(json!({})).await;
    let task = call(json!({ "resumeToken": part["nextResumeToken"] })).await;
    assert_eq!(task["resultType"], "task", "{task}");
    let id = task["taskId"].as_str().unwrap();
    process.until(id, "input_required").await;
    let sure = json!({ "sure": accept(json!({ "ok": true })) });
    process.answer(id, sure).await.unwrap();
    let done = process.until(id, "completed").await;
    assert_eq!(text(&done), "the rest, true");
    assert_eq!(world.effects(), ["first", "second"]);
}

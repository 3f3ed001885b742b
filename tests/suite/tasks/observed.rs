//! What an operator hears of a task: what they hear of a call in rounds.

use std::{sync::Arc, time::Duration};

use saga_tasks::MemoryStore;
use serde_json::{Value, json};
use tests::stored::Clock;

use super::{
    keys,
    process::{Process, accept, quick},
    text,
    world::World,
};
use crate::wire::client::Audit;

/// The events of one call, each with principal, wire and leg.
fn told(audit: &Audit) -> Vec<String> {
    let heard = audit.heard();
    let calls: Vec<_> = heard.iter().map(|heard| heard.call.clone()).collect();
    assert!(
        calls.iter().all(|call| *call == calls[0] && call.is_some()),
        "{calls:?}"
    );
    heard
        .iter()
        .map(|heard| {
            let principal = heard.principal.as_deref().unwrap_or("nobody");
            format!("{principal} {} {} {}", heard.wire, heard.leg, heard.event)
        })
        .collect()
}

/// A client can see a question a moment before its observer hears of it.
async fn until_told(audit: &Audit, events: usize) {
    for _ in 0..6000 {
        if audit.heard().len() >= events {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never {events} events: {:?}", audit.heard());
}

fn yes() -> Value {
    accept(json!({ "ok": true }))
}

#[tokio::test]
async fn each_question_each_answer_and_the_end_are_told() {
    let world = Arc::<World>::default();
    let audit = Audit::default();
    let process = Process::observed(&world, quick(MemoryStore::new()), &audit);
    let id = process.begin("order", json!({})).await;
    process.until(&id, "input_required").await;
    until_told(&audit, 1).await;
    let none = json!({ "amount": accept(json!({ "n": 0 })) });
    process.answer(&id, none).await.unwrap();
    until_told(&audit, 3).await;
    // What was answered, and what nobody has asked, is taken for nothing.
    for key in ["amount", "unknown"] {
        let ignored = json!({ key: accept(json!({ "n": 3 })) });
        process.answer(&id, ignored).await.unwrap();
    }
    let some = json!({ "amount-2": accept(json!({ "n": 3 })) });
    process.answer(&id, some).await.unwrap();
    process.until(&id, "completed").await;
    assert_eq!(
        told(&audit),
        [
            "alice mrtr 1 asked amount",
            "alice mrtr 1 answered amount",
            "alice mrtr 2 asked amount-2",
            "alice mrtr 2 answered amount-2",
            "alice mrtr 2 completed",
        ]
    );
}

#[tokio::test]
async fn a_question_that_is_shown_early_is_told_once() {
    let world = Arc::<World>::default();
    let audit = Audit::default();
    let process = Process::observed(&world, quick(MemoryStore::new()), &audit);
    let id = process.begin("both", json!({})).await;
    process.until(&id, "input_required").await;
    until_told(&audit, 1).await;
    process.answer(&id, json!({ "one": yes() })).await.unwrap();
    world.gate.add_permits(1);
    process
        .until_it(&id, |_| world.effects().len() == 2, "worked")
        .await;
    process.answer(&id, json!({ "two": yes() })).await.unwrap();
    process.until(&id, "completed").await;
    let told = told(&audit);
    assert_eq!(
        told[..2],
        ["alice mrtr 1 asked one two", "alice mrtr 1 answered one"]
    );
    assert!(told[2].ends_with(" answered two"), "{told:?}");
    assert!(told[3].ends_with(" completed"), "{told:?}");
    assert_eq!(told.len(), 4, "{told:?}");
}

#[tokio::test]
async fn a_pause_is_neither_a_question_nor_an_end() {
    let world = Arc::<World>::default();
    let audit = Audit::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::observed(&world, quick(store), &audit);
    world.gate.add_permits(2);
    let id = process.begin("film", json!({ "frames": 2 })).await;
    process
        .until_it(&id, |_| world.gate.available_permits() == 0, "at its end")
        .await;
    clock.turn(Duration::from_secs(2 * 86_400));
    process.until(&id, "input_required").await;
    until_told(&audit, 1).await;
    let publish = json!({ "publish": yes() });
    process.answer(&id, publish).await.unwrap();
    process.until(&id, "completed").await;
    assert_eq!(
        told(&audit),
        [
            "alice mrtr 4 asked publish",
            "alice mrtr 4 answered publish",
            "alice mrtr 4 completed",
        ]
    );
}

#[tokio::test]
async fn an_answer_that_comes_too_late_is_none() {
    let world = Arc::<World>::default();
    let audit = Audit::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::observed(&world, quick(store.clone()), &audit);
    let id = process.begin("timed", json!({})).await;
    process.until(&id, "input_required").await;
    until_told(&audit, 1).await;
    process.kill();
    // Nobody runs it, so it is open still.
    let idle = Process::observed(&world, quick(store).workers(0), &audit);
    clock.turn(Duration::from_secs(61));
    assert_eq!(keys(&idle.get(&id).await), ["sure"]);
    idle.answer(&id, json!({ "sure": yes() })).await.unwrap();
    assert_eq!(told(&audit), ["alice mrtr 1 asked sure"]);
}

#[tokio::test]
async fn a_call_ends_once_whatever_it_becomes() {
    let world = Arc::<World>::default();
    let audit = Audit::default();
    let process = Process::observed(&world, quick(MemoryStore::new()), &audit);
    let call = json!({ "name": "quick", "arguments": { "frames": 0 } });
    let done = process.request("tools/call", call).await.unwrap();
    assert_eq!(done["content"][0]["text"], "quickly");
    assert_eq!(told(&audit), ["alice mrtr 0 completed"]);

    // Its first question is of the call, the second of the task.
    let audit = Audit::default();
    let process = Process::observed(&world, quick(MemoryStore::new()), &audit);
    let mut call = json!({ "name": "composed", "arguments": {} });
    let asked = process.request("tools/call", call.clone()).await.unwrap();
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] = json!({ "amount": accept(json!({ "n": 5 })) });
    let task = process.request("tools/call", call).await.unwrap();
    let id = task["taskId"].as_str().unwrap();
    process.until(id, "input_required").await;
    until_told(&audit, 3).await;
    process
        .answer(id, json!({ "amount-2": yes() }))
        .await
        .unwrap();
    assert_eq!(text(&process.until(id, "completed").await), "5 true");
    assert_eq!(
        told(&audit),
        [
            "alice mrtr 1 asked amount",
            "alice mrtr 1 answered amount",
            "alice mrtr 3 asked amount-2",
            "alice mrtr 3 answered amount-2",
            "alice mrtr 3 completed",
        ]
    );
}

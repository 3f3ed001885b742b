//! Deploys: tasks whose code a process does not have.

use std::{sync::Arc, time::Duration};

use rmcp::{tool, tool_router};
use saga_runtime::{AskError, Cx, saga};
use saga_tasks::{MemoryStore, State};
use serde_json::json;
use tests::stored::Clock;

use super::{
    keys,
    process::{Process, accept, quick, until_record},
    text,
    world::{Sure, World},
};

/// None of the tools.
#[derive(Clone)]
struct Empty;

#[tool_router(server_handler)]
impl Empty {
    /// Another one.
    #[tool]
    async fn other(&self) -> String {
        String::new()
    }
}

/// The tools as they are after a deploy.
#[derive(Clone)]
struct Changed(Arc<World>);

#[tool_router(server_handler)]
impl Changed {
    /// Begins again.
    #[saga(task(stale = restart))]
    #[tool]
    async fn order(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("changed");
        let sure = cx.elicit::<Sure>("Sure?").key("amount").await?;
        self.0.trace.note("answered");
        Ok(format!("changed, {}", sure.ok))
    }

    /// Asks the same, not so early.
    #[saga(task(stale = restart))]
    #[tool]
    async fn early(&self, cx: Cx) -> Result<String, AskError> {
        self.0.trace.note("changed");
        cx.checkpoint().await;
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        Ok(format!("changed, {}", sure.ok))
    }

    /// Does not.
    #[saga(task)]
    #[tool]
    async fn timed(&self, cx: Cx) -> Result<String, AskError> {
        let sure = cx.elicit::<Sure>("Sure?").key("sure").await?;
        Ok(format!("changed, {}", sure.ok))
    }
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_left_to_who_has_it() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let id = works.begin("order", json!({})).await;
    works.until(&id, "input_required").await;
    works.kill();
    let other = Process::of_others(Empty, quick(store.clone()));
    let front = Process::with(&world, quick(store.clone()).workers(0));
    front
        .answer(&id, json!({ "amount": accept(json!({ "n": 1 })) }))
        .await
        .unwrap();
    // The one without the tool has looked at it, and gave it back.
    until_record(&store, &id, |record| {
        record.fence > 1 && record.state == State::Ready
    })
    .await;
    let works = Process::start(&world, store);
    assert_eq!(text(&works.until(&id, "completed").await), "1 ordered");
    drop(other);
}

#[tokio::test]
async fn how_long_a_task_has_slept_does_not_count() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let works = Process::start(&world, store.clone());
    let id = works.begin("film", json!({ "frames": 0 })).await;
    works.until(&id, "working").await;
    until_record(&store, &id, |record| record.state == State::Sleeping).await;
    works.kill();
    clock.turn(Duration::from_secs(2 * 86_400));
    let _other = Process::of_others(Empty, quick(store.clone()));
    let left = until_record(&store, &id, |record| {
        record.fence > 1 && record.state != State::Leased
    });
    assert_eq!(left.await.state, State::Ready, "it waits for who has it");
    let works = Process::start(&world, store.clone());
    works.until(&id, "input_required").await;
}

#[tokio::test]
async fn a_task_of_older_code_fails_or_begins_again_as_its_author_says() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let order = works.begin("order", json!({})).await;
    let timed = works.begin("timed", json!({})).await;
    works.until(&order, "input_required").await;
    works.until(&timed, "input_required").await;
    works.kill();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let amount = json!({ "amount": accept(json!({ "n": 1 })) });
    front.answer(&order, amount).await.unwrap();
    let sure = json!({ "sure": accept(json!({ "ok": true })) });
    front.answer(&timed, sure).await.unwrap();
    let tasks = quick(store.clone()).stale_after(Duration::from_millis(50));
    let _changed = Process::of_others(Changed(Arc::clone(&world)), tasks);

    let failed = front.until(&timed, "failed").await;
    assert_eq!(failed["error"]["data"]["reason"], "stale");
    let asked = front.until(&order, "input_required").await;
    let [key] = keys(&asked)[..] else {
        panic!("{asked}");
    };
    assert_ne!(key, "amount", "whose answer the client has given");
    let sure = json!({ key: accept(json!({ "ok": true })) });
    front.answer(&order, sure).await.unwrap();
    let done = front.until(&order, "completed").await;
    assert_eq!(text(&done), "changed, true");
    assert_eq!(world.effects(), ["before", "changed", "answered"]);
}

#[tokio::test]
async fn a_task_that_is_cancelled_does_not_begin_again() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let works = Process::start(&world, store.clone());
    let id = works.begin("order", json!({})).await;
    works.until(&id, "input_required").await;
    works.kill();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    front.cancel(&id).await;
    let tasks = quick(store.clone()).stale_after(Duration::from_millis(50));
    let _changed = Process::of_others(Changed(Arc::clone(&world)), tasks);
    front.until(&id, "cancelled").await;
    assert_eq!(world.effects(), ["before"]);
}

#[tokio::test]
async fn a_question_that_was_shown_early_has_another_key_in_the_next_code() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let former = Process::start(&world, store.clone());
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let id = front.begin("early", json!({})).await;
    front.until(&id, "input_required").await;
    let sure = json!({ "sure": accept(json!({ "ok": true })) });
    front.answer(&id, sure).await.unwrap();
    former.kill();
    let tasks = quick(store.clone()).stale_after(Duration::from_millis(50));
    let _changed = Process::of_others(Changed(Arc::clone(&world)), tasks);
    let asked = front.until(&id, "input_required").await;
    assert_eq!(keys(&asked), ["sure-2"]);
    let sure = json!({ "sure-2": accept(json!({ "ok": false })) });
    front.answer(&id, sure).await.unwrap();
    let done = front.until(&id, "completed").await;
    assert_eq!(text(&done), "changed, false");
}

#[tokio::test]
async fn time_with_a_worker_that_has_the_code_is_no_time_without_one() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let front = Process::with(&world, quick(store.clone()).workers(0));
    let works = Process::start(&world, store.clone());
    let id = front.begin("works", json!({})).await;
    while world.effects() != ["step 0"] {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    world.gate.add_permits(1);
    while world.effects() != ["step 0", "step 1"] {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    works.kill();
    let short = Duration::from_millis(200);
    let without = || Process::of_others(Empty, quick(store.clone()).stale_after(short));
    // Once one without the code has claimed it.
    let left = async || {
        let fence = until_record(&store, &id, |_| true).await.fence;
        let without = without();
        let left = until_record(&store, &id, |record| {
            record.fence > fence && record.state != State::Leased
        });
        let left = left.await;
        without.kill();
        left.state
    };
    assert_eq!(left().await, State::Ready);
    // The one that has the code runs it for longer than that, and is killed.
    let works = Process::start(&world, store.clone());
    while world.effects().len() < 3 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    tokio::time::sleep(short * 2).await;
    works.kill();
    assert_eq!(left().await, State::Ready, "nobody has waited yet");
}

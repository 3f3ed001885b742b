//! Tasks and async calls driven by `saga_runtime::client`.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use rmcp::{
    ServiceError,
    model::{CallToolResult, ProtocolVersion},
};
use saga_runtime::client::{AsyncCall, BegunCall, CallError, FollowedTask, JoinedCall, TaskCall};
use saga_tasks::MemoryStore;
use serde_json::json;

use super::{
    process::{Process, quick},
    world::World,
};
use crate::wire::answering::{Answering, Client, Manner};

const NEW: ProtocolVersion = ProtocolVersion::V_2026_07_28;
const OLD: ProtocolVersion = ProtocolVersion::V_2025_11_25;

fn process(world: &Arc<World>) -> Process {
    let tasks = quick(MemoryStore::new()).poll_interval(Duration::from_millis(5));
    Process::with(world, tasks)
}

async fn connect(process: &Process, version: ProtocolVersion, manner: Manner) -> Client {
    Answering::connect(process.server().extended(), version, manner).await
}

fn text(result: &CallToolResult) -> &str {
    let text = result.content[0].as_text();
    text.map(|text| text.text.as_str()).unwrap_or_default()
}

async fn begun(client: &Client, tool: &str) -> FollowedTask {
    match TaskCall::new(tool).begin(client).await.unwrap() {
        BegunCall::Task(task) => task,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_task_is_followed_to_its_result() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let client = connect(&process, NEW, Manner::Answers).await;
    let arguments = json!({ "frames": 2 });
    let call = TaskCall::new("film").arguments(arguments.as_object().unwrap().clone());
    let BegunCall::Task(task) = call.begin(&client).await.unwrap() else {
        panic!("no task");
    };
    world.gate.add_permits(2);
    // It sleeps for a day then.
    let mut told = Vec::new();
    let followed = task.result(&client, |task| {
        told.push((task.status, task.status_message.clone()));
    });
    let never = tokio::time::timeout(Duration::from_millis(300), followed).await;
    assert!(
        never.is_err(),
        "a future that is dropped takes nothing along"
    );
    let said = told.last().unwrap().1.clone();
    assert_eq!(said.as_deref(), Some("rendering (1/2)"));
    assert_eq!(world.effects().len(), 2);
    let order = TaskCall::new("order").run(&client).await.unwrap();
    assert_eq!(text(&order), "3 ordered");
    assert_eq!(world.effects()[2..], ["before", "after"]);
}

#[tokio::test]
async fn rounds_come_before_the_task_and_a_result_may_be_there_at_once() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let client = connect(&process, NEW, Manner::Answers).await;
    let composed = TaskCall::new("composed").run(&client).await.unwrap();
    assert!(
        client.service().asked.load(Ordering::SeqCst) > 1,
        "{composed:?}"
    );
    // A client from before is answered in the call.
    let old = connect(&process, OLD, Manner::Answers).await;
    let order = TaskCall::new("order").begin(&old).await.unwrap();
    assert!(matches!(order, BegunCall::Result(result) if text(&result) == "3 ordered"));
}

#[tokio::test]
async fn a_question_is_called_off_where_somebody_else_has_answered() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let slow = connect(&process, NEW, Manner::Hesitates).await;
    let quick = connect(&process, NEW, Manner::Answers).await;
    let task = begun(&slow, "order").await;
    let joined = FollowedTask::named(task.id());
    let (one, two) = tokio::join!(task.result(&slow, |_| {}), async {
        slow.service().asking.notified().await;
        joined.result(&quick, |_| {}).await
    });
    assert_eq!(
        (text(&one.unwrap()), text(&two.unwrap())),
        ("3 ordered", "3 ordered")
    );
    assert_eq!(slow.service().called_off.load(Ordering::SeqCst), 1);
    assert_eq!(world.effects(), ["before", "after"]);
}

#[tokio::test]
async fn a_refusal_leaves_the_task_to_others() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let refusing = connect(&process, NEW, Manner::Refuses).await;
    let task = begun(&refusing, "order").await;
    let refused = task.result(&refusing, |_| {}).await.unwrap_err();
    assert!(matches!(refused, CallError::Refused(error) if error.message == "not today"));
    let answering = connect(&process, NEW, Manner::Answers).await;
    let done = task.result(&answering, |_| {}).await.unwrap();
    assert_eq!(text(&done), "3 ordered");
}

#[tokio::test]
async fn a_task_is_cancelled_or_fails_with_its_error() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let client = connect(&process, NEW, Manner::Hesitates).await;
    let task = begun(&client, "order").await;
    let (ended, cancelled) = tokio::join!(task.result(&client, |_| {}), async {
        client.service().asking.notified().await;
        task.cancel(&client).await
    });
    cancelled.unwrap();
    assert!(matches!(ended, Err(CallError::Cancelled)), "{ended:?}");
    assert_eq!(world.effects(), ["before", "undone"]);
    let failed = TaskCall::new("broken").run(&client).await.unwrap_err();
    assert!(
        matches!(failed, CallError::Service(ServiceError::McpError(_))),
        "{failed:?}"
    );
    let unknown = FollowedTask::named("unknown")
        .state(&client)
        .await
        .unwrap_err();
    assert!(
        matches!(unknown, CallError::Service(ServiceError::McpError(_))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn an_async_call_is_answered_by_whoever_waits() {
    for version in [NEW, OLD] {
        let world = Arc::<World>::default();
        let process = process(&world);
        let client = connect(&process, version, Manner::Answers).await;
        let call = AsyncCall::new("order").keep_alive(Duration::from_secs(99));
        let call = call.begin(&client).await.unwrap();
        assert_eq!(call.keep_alive(), Duration::from_secs(99));
        assert_eq!(text(&call.result(&client).await.unwrap()), "3 ordered");
        assert_eq!(world.effects(), ["before", "after"]);
    }
}

#[tokio::test]
async fn an_async_call_is_joined_waited_for_and_cancelled() {
    for version in [NEW, OLD] {
        let world = Arc::<World>::default();
        let process = process(&world);
        let client = connect(&process, version.clone(), Manner::Answers).await;
        let call = AsyncCall::new("slow").begin(&client).await.unwrap();
        let other = connect(&process, version.clone(), Manner::Answers).await;
        let joined = JoinedCall::join(&other, call.token(), None).await.unwrap();
        let pending = joined
            .poll(&other, Duration::from_millis(20))
            .await
            .unwrap();
        assert_eq!(pending, None);
        world.gate.add_permits(1);
        assert_eq!(text(&joined.result(&other).await.unwrap()), "slowly");
        assert_eq!(text(&call.result(&client).await.unwrap()), "slowly");

        let call = AsyncCall::new("slow").begin(&client).await.unwrap();
        call.cancel(&client).await.unwrap();
        let cancelled = call.result(&client).await.unwrap();
        assert_eq!(
            (text(&cancelled), cancelled.is_error),
            ("cancelled", Some(true))
        );

        let nobody = JoinedCall::join(&client, "unknown", None)
            .await
            .unwrap_err();
        assert!(matches!(nobody, CallError::NotAccepted(_)), "{nobody:?}");
        let nothing = AsyncCall::new("nothing").begin(&client).await.unwrap_err();
        assert_eq!(nothing.to_string(), "not accepted: there is no such tool");
    }
}

#[tokio::test]
async fn progress_of_an_async_call_comes_to_the_handler_of_a_session() {
    let world = Arc::<World>::default();
    let process = process(&world);
    let client = connect(&process, OLD, Manner::Answers).await;
    let arguments = json!({ "frames": 2 });
    let call = AsyncCall::new("film").arguments(arguments.as_object().unwrap().clone());
    let call = call.begin(&client).await.unwrap();
    world.gate.add_permits(1);
    client.service().progress.notified().await;
    call.cancel(&client).await.unwrap();
}

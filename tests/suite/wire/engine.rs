//! The engine by itself, as those use it who have a wire of their own.

use std::time::{Duration, SystemTime};

use rmcp::{Peer, RoleServer, model::InputRequest};
use saga_runtime::{Answer, Answers, Cancelled, Client, Engine, Outcome, Suspended, saga};
use serde_json::{Value, json};
use tests::{
    answers::Confirm,
    live::{Connection, capable},
};
use tokio_util::sync::CancellationToken;

use super::client::{accept, reply};

const HOUR: Duration = Duration::from_secs(3600);

/// A question, and then a sleep that hears of a cancellation.
#[saga]
async fn asks_and_sleeps(peer: Peer<RoleServer>) -> String {
    let sure = peer.elicit::<Confirm>("Sure?").await;
    let slept = saga_runtime::try_sleep(HOUR).await;
    format!("{} {}", sure.is_ok(), slept == Err(Cancelled))
}

#[saga]
async fn sleeps(_peer: Peer<RoleServer>) -> bool {
    saga_runtime::try_sleep(HOUR).await == Err(Cancelled)
}

fn engine() -> Engine {
    Engine::new(Client::with_capabilities(capable()))
}

fn suspended(outcome: Outcome<String>) -> Suspended {
    match outcome {
        Outcome::Suspended(suspended) => suspended,
        other => panic!("{other:?}"),
    }
}

fn yes() -> Value {
    accept(json!({ "ok": true }))
}

#[tokio::test]
async fn an_answer_of_another_kind_is_none_though_it_is_there_at_once() {
    let connection = Connection::open(0).await;
    for (answer, asked) in [(yes(), false), (reply("yes"), true), (json!({}), true)] {
        let answering = move |_: &str, _: &InputRequest| Some(Answer::Result(answer.clone()));
        let engine = engine().answering(answering).suspending(|_| true);
        let call = asks_and_sleeps(connection.peer());
        let suspended = suspended(engine.start(call).await);
        assert_eq!(suspended.asks.len(), usize::from(asked));
    }
}

/// The call has not heard of it before it sleeps.
#[tokio::test]
async fn what_was_answered_before_a_cancellation_stands_and_what_comes_behind_it_is_over() {
    let connection = Connection::open(0).await;
    let asked = suspended(engine().start(asks_and_sleeps(connection.peer())).await);
    let mut continuation = asked.continuation;
    let key = continuation.keys().next().unwrap().to_owned();
    assert!(continuation.deliver(&key, &yes(), SystemTime::now()));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let round = engine().cancelled_by(cancelled).resume(
        continuation,
        Answers::new(),
        asks_and_sleeps(connection.peer()),
    );
    // Only so that a sleep that is not over fails the test instead of holding it.
    let ended = tokio::time::timeout(Duration::from_secs(60), round).await;
    match ended.expect("it does not sleep") {
        Outcome::Done(said) => assert_eq!(said, "true true"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_sleep_in_place_is_over_when_nobody_wants_the_call_any_more() {
    let connection = Connection::open(0).await;
    let cancelled = CancellationToken::new();
    let round = engine()
        .cancelled_by(cancelled.clone())
        .start(sleeps(connection.peer()));
    // It sleeps by then.
    let both = async { tokio::join!(round, async { cancelled.cancel() }) };
    let ended = tokio::time::timeout(Duration::from_secs(60), both).await;
    let (outcome, ()) = ended.expect("it does not sleep on");
    assert!(matches!(outcome, Outcome::Done(true)), "{outcome:?}");
}

#[saga]
async fn slept_under_another_name(peer: Peer<RoleServer>) -> String {
    use tokio::time::sleep as rest;
    tokio::select! {
        sure = peer.elicit::<Confirm>("Sure?") => format!("{}", sure.is_ok()),
        () = rest(HOUR) => "late".to_owned(),
    }
}

#[saga]
async fn limited_by_a_pinned_sleep(peer: Peer<RoleServer>) -> String {
    let hour = tokio::time::sleep(HOUR);
    tokio::pin!(hour);
    tokio::select! {
        sure = confirmed(&peer) => sure.to_string(),
        () = &mut hour => "late".to_owned(),
    }
}

#[saga]
async fn limited_by_an_instant(peer: Peer<RoleServer>) -> String {
    let end = tokio::time::Instant::now() + HOUR;
    let sure = tokio::time::timeout_at(end, confirmed(&peer)).await;
    sure.map_or_else(|_| "late".to_owned(), |sure| sure.to_string())
}

/// The inner time is over, the outer one is not, and not the other way round.
#[saga]
async fn limited_from_outside(peer: Peer<RoleServer>) -> String {
    match tokio::time::timeout(HOUR, has_a_day(&peer)).await {
        Ok(said) => said,
        Err(_) => "late".to_owned(),
    }
}

#[saga]
async fn has_a_day(peer: &Peer<RoleServer>) -> String {
    match tokio::time::timeout(24 * HOUR, confirmed(peer)).await {
        Ok(sure) => sure.to_string(),
        Err(_) => "a day".to_owned(),
    }
}

#[saga]
async fn confirmed(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<Confirm>("Sure?").await.is_ok()
}

type Asks = fn(Peer<RoleServer>) -> std::pin::Pin<Box<dyn Future<Output = String> + Send>>;

#[tokio::test]
async fn a_time_limit_of_any_form_is_when_the_call_goes_on_without_an_answer() {
    let all: &[Asks] = &[
        |peer| Box::pin(slept_under_another_name(peer)),
        |peer| Box::pin(limited_by_a_pinned_sleep(peer)),
        |peer| Box::pin(limited_by_an_instant(peer)),
        |peer| Box::pin(limited_from_outside(peer)),
    ];
    let connection = Connection::open(0).await;
    for asks in all {
        let begun = SystemTime::now();
        let asked = suspended(engine().at(begun).start(asks(connection.peer())).await);
        let due = asked.continuation.due().expect("it has a time limit");
        let hour = due.duration_since(begun).unwrap();
        assert!(hour.abs_diff(HOUR) < Duration::from_secs(60), "{hour:?}");
        for (after, said) in [(hour / 2, "true"), (hour, "late")] {
            let key = asked.continuation.keys().next().unwrap().to_owned();
            let answers = Answers::from([(key, Answer::Result(yes()))]);
            let engine = engine().at(begun + after);
            let round = engine.resume(asked.continuation.clone(), answers, asks(connection.peer()));
            match round.await {
                Outcome::Done(ended) => assert_eq!(ended, said),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[saga]
async fn stopped(peer: Peer<RoleServer>, stop: &CancellationToken) -> String {
    tokio::select! {
        biased;
        () = stop.cancelled() => {}
        sure = confirmed(&peer) => return sure.to_string(),
    }
    format!("stopped {}", confirmed(&peer).await)
}

/// What the client has answered is that helper's, and none of the next.
#[tokio::test]
async fn a_helper_that_is_cancelled_leaves_nothing_to_the_next_one() {
    let connection = Connection::open(0).await;
    let stop = CancellationToken::new();
    let first = suspended(engine().start(stopped(connection.peer(), &stop)).await);
    stop.cancel();
    let answered = |suspended: &Suspended| {
        let keys = suspended.continuation.keys();
        let answers = keys.map(|key| (key.to_owned(), Answer::Result(yes())));
        answers.collect::<Answers>()
    };
    let call = stopped(connection.peer(), &stop);
    let answers = answered(&first);
    let second = suspended(engine().resume(first.continuation, answers, call).await);
    assert_eq!(second.continuation.keys().count(), 1);
    let call = stopped(connection.peer(), &stop);
    let answers = answered(&second);
    match engine().resume(second.continuation, answers, call).await {
        Outcome::Done(said) => assert_eq!(said, "stopped true"),
        other => panic!("{other:?}"),
    }
}

#[saga]
async fn of_a_list(peer: Peer<RoleServer>) -> String {
    let all = futures::future::join_all([
        peer.elicit::<Confirm>("First?"),
        peer.elicit::<Confirm>("Second?"),
    ])
    .await;
    all.len().to_string()
}

#[saga]
async fn of_several(peer: Peer<RoleServer>) -> String {
    let all: [_; 2] = tokio::join!(
        peer.elicit::<Confirm>("First?"),
        peer.elicit::<Confirm>("Second?"),
    )
    .into();
    all.len().to_string()
}

/// A client may choose by them: what is generated has no part in it.
#[tokio::test]
async fn asks_of_a_list_have_the_keys_of_those_that_no_variable_is_named_for() {
    let connection = Connection::open(0).await;
    let keys = |suspended: Suspended| {
        let keys = suspended.continuation.keys().map(str::to_owned);
        keys.collect::<Vec<_>>()
    };
    let listed = suspended(engine().start(of_a_list(connection.peer())).await);
    let several = suspended(engine().start(of_several(connection.peer())).await);
    assert_eq!(keys(listed), keys(several));
}

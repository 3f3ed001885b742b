//! Single use: each leg of a call runs once.

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, tool, tool_router};
use saga_runtime::{
    Consumed, Guard, GuardError, Guarding, Keyring, Leg, MemoryGuard, SagaServer, Settings, saga,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tests::{Trace, answers::Confirm};

use super::client::{Replicas, Reply, Wire, accept, everything};

#[derive(Debug, Deserialize, JsonSchema)]
struct Amount {
    amount: u32,
}

#[derive(Clone)]
struct Till {
    world: Arc<Trace>,
}

#[tool_router(server_handler)]
impl Till {
    #[saga(once)]
    #[tool(description = "Charges once")]
    async fn charge(
        &self,
        peer: Peer<RoleServer>,
        Parameters(args): Parameters<Amount>,
    ) -> Result<String, rmcp::ErrorData> {
        self.world.note("opened");
        let (sure, really) = tokio::join!(
            peer.elicit::<Confirm>("Sure?"),
            peer.elicit::<Confirm>("Really?")
        );
        self.world.note("charged");
        if args.amount == 13 {
            return Err(rmcp::ErrorData::invalid_request("not that much", None));
        }
        let _ = peer.elicit::<Confirm>("A receipt?").await;
        self.world.note("printed");
        Ok(format!("{} {}", sure.is_ok(), really.is_ok()))
    }

    #[saga]
    #[tool(description = "Nobody minds how often")]
    async fn look(&self, peer: Peer<RoleServer>) -> String {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.world.note("looked");
        sure.is_ok().to_string()
    }
}

fn settings() -> Settings {
    Settings::new(Keyring::new("first", [1; 32]).unwrap())
}

struct Tills(Replicas);

impl Tills {
    fn with(settings: Settings) -> Self {
        Self(Replicas::with(settings))
    }

    fn guarded() -> Self {
        Self::with(settings().with_guard(MemoryGuard::new(100)))
    }

    async fn call(&self, tool: &str, token: Option<&str>, answers: Value) -> Reply {
        self.charge(tool, json!({ "amount": 5 }), token, answers)
            .await
    }

    /// A first request, which the client may name.
    async fn send(&self, params: Value, name: Option<&str>) -> Reply {
        let mut params = self.0.params(params);
        if let Some(name) = name {
            params["_meta"][saga_runtime::REQUEST_KEY] = json!(name);
        }
        let world = Arc::clone(&self.0.world);
        let server = SagaServer::new(Till { world }).with_settings(self.0.settings.clone());
        Reply(Wire::open(server).request("tools/call", params).await)
    }

    async fn charge(
        &self,
        tool: &str,
        arguments: Value,
        token: Option<&str>,
        answers: Value,
    ) -> Reply {
        let mut params = json!({ "name": tool, "arguments": arguments });
        if let Some(token) = token {
            params["requestState"] = json!(token);
            params["inputResponses"] = answers;
        }
        let world = Arc::clone(&self.0.world);
        let server = SagaServer::new(Till { world }).with_settings(self.0.settings.clone());
        let mut wire = Wire::open(server);
        Reply(wire.request("tools/call", self.0.params(params)).await)
    }
}

fn yes(keys: &[&str]) -> Value {
    let one = |key: &&str| ((*key).to_owned(), accept(json!({ "ok": true })));
    keys.iter().map(one).collect()
}

const BOTH: [&str; 2] = ["sure", "really"];

#[tokio::test]
async fn a_token_is_used_once() {
    let tills = Tills::guarded();
    let first = tills.call("charge", None, Value::Null).await;
    let second = tills.call("charge", Some(first.token()), yes(&BOTH)).await;
    let again = tills.call("charge", Some(first.token()), yes(&BOTH)).await;
    assert_eq!(again.refusal(), "used");
    assert_eq!(tills.0.effects(), ["opened", "charged"]);
    let keys = second.keys();
    tills
        .call("charge", Some(second.token()), yes(&keys))
        .await
        .text();
    let again = tills.call("charge", Some(second.token()), yes(&keys)).await;
    assert_eq!(again.refusal(), "used");
    assert_eq!(tills.0.effects(), ["opened", "charged", "printed"]);
}

#[tokio::test]
async fn what_carries_no_answer_uses_nothing() {
    let tills = Tills::guarded();
    let first = tills.call("charge", None, Value::Null).await;
    for _ in 0..3 {
        let answers = json!({ "elsewhere": accept(json!({})) });
        let again = tills.call("charge", Some(first.token()), answers).await;
        assert_eq!(again.result(), first.result());
    }
    tills
        .call("charge", Some(first.token()), yes(&BOTH))
        .await
        .token();
}

#[tokio::test]
async fn a_part_of_the_answers_is_a_use_and_the_rest_counts_with_the_next_token() {
    let tills = Tills::guarded();
    let first = tills.call("charge", None, Value::Null).await;
    let part = tills
        .call("charge", Some(first.token()), yes(&["sure"]))
        .await;
    assert_eq!(part.keys(), ["really"]);
    let again = tills
        .call("charge", Some(first.token()), yes(&["really"]))
        .await;
    assert_eq!(again.refusal(), "used");
    tills
        .call("charge", Some(part.token()), yes(&["really"]))
        .await
        .token();
    assert_eq!(tills.0.effects(), ["opened", "charged"]);
}

#[tokio::test]
async fn an_answer_that_is_none_does_not_end_the_call() {
    let tills = Tills::guarded();
    let first = tills.call("charge", None, Value::Null).await;
    for wrong in [
        json!(5),
        json!("rubbish"),
        json!({}),
        json!({ "roots": [] }),
    ] {
        let wrong = json!({ "sure": wrong });
        let again = tills.call("charge", Some(first.token()), wrong).await;
        assert_eq!(again.result(), first.result());
    }
    tills
        .call("charge", Some(first.token()), yes(&BOTH))
        .await
        .token();
    let heard = tills.0.audit.heard();
    assert_eq!(heard.last().unwrap().leg, 2);
}

#[tokio::test]
async fn of_many_at_once_one_goes_on() {
    let tills = Arc::new(Tills::guarded());
    let first = tills.call("charge", None, Value::Null).await;
    let token = first.token().to_owned();
    let presented: Vec<_> = (0..20)
        .map(|_| {
            let (tills, token) = (Arc::clone(&tills), token.clone());
            tokio::spawn(async move { tills.call("charge", Some(&token), yes(&BOTH)).await })
        })
        .collect();
    let mut went_on = 0;
    for reply in presented {
        match reply.await.unwrap() {
            Reply(Ok(_)) => went_on += 1,
            refused => assert_eq!(refused.refusal(), "used"),
        }
    }
    assert_eq!(went_on, 1);
    assert_eq!(tills.0.effects(), ["opened", "charged"]);
}

#[tokio::test]
async fn a_client_that_lost_an_answer_gets_it_again_where_it_is_kept() {
    let tills = Tills::with(settings().with_guard(MemoryGuard::new(100).keeping(1 << 20)));
    let first = tills.call("charge", None, Value::Null).await;
    let second = tills.call("charge", Some(first.token()), yes(&BOTH)).await;
    let lost = tills.call("charge", Some(first.token()), yes(&BOTH)).await;
    assert_eq!(lost.result(), second.result());
    let keys = second.keys();
    let last = tills.call("charge", Some(second.token()), yes(&keys)).await;
    let lost = tills.call("charge", Some(second.token()), yes(&keys)).await;
    assert_eq!(lost.text(), last.text());
    assert_eq!(lost.result(), last.result());
    assert_eq!(tills.0.effects(), ["opened", "charged", "printed"]);

    let arguments = json!({ "amount": 13 });
    let present = async |token: Option<&str>| {
        let answers = yes(&BOTH);
        tills
            .charge("charge", arguments.clone(), token, answers)
            .await
    };
    let first = present(None).await;
    let failed = present(Some(first.token())).await;
    assert_eq!(failed.error()["message"], "not that much");
    assert_eq!(present(Some(first.token())).await.error(), failed.error());
}

#[tokio::test]
async fn a_guard_can_be_for_marked_tools_alone() {
    let tills = Tills::with(settings().with_guard_for_marked(MemoryGuard::new(100)));
    let first = tills.call("look", None, Value::Null).await;
    for _ in 0..2 {
        let sure = yes(&["sure"]);
        tills.call("look", Some(first.token()), sure).await.text();
    }
    let first = tills.call("charge", None, Value::Null).await;
    let token = Some(first.token());
    tills.call("charge", token, yes(&BOTH)).await.token();
    let again = tills.call("charge", token, yes(&BOTH)).await;
    assert_eq!(again.refusal(), "used");
}

#[tokio::test]
async fn a_marked_tool_is_not_served_without_a_guard() {
    let tills = Tills::with(settings());
    let refused = tills.call("charge", None, Value::Null).await;
    assert_eq!(refused.error()["code"], -32603);
    assert_eq!(refused.error()["data"]["reason"], "unguarded");
    assert!(tills.0.effects().is_empty());
    tills.call("look", None, Value::Null).await.token();
}

/// A guard whose store fails, now and then.
#[derive(Default)]
struct Unsure {
    asked: AtomicUsize,
    kept: AtomicUsize,
}

impl Guard for Unsure {
    fn consume<'a>(&'a self, _: &'a Leg) -> Guarding<'a, Consumed> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(ready(match asked {
            0 => Err(GuardError::new("postgres://user:secret@store is down")),
            _ => Ok(Consumed::First),
        }))
    }

    fn keeps(&self) -> bool {
        true
    }

    fn keep<'a>(&'a self, _: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
        self.kept.fetch_add(outcome.len(), Ordering::Relaxed);
        Box::pin(ready(Err(GuardError::new("full"))))
    }
}

#[tokio::test]
async fn nothing_runs_where_the_guard_cannot_say() {
    let tills = Tills::with(settings().with_guard(Unsure::default()));
    let first = tills.call("charge", None, Value::Null).await;
    let refused = tills.call("charge", Some(first.token()), yes(&BOTH)).await;
    assert_eq!(refused.error()["code"], -32603);
    assert_eq!(refused.error()["data"]["reason"], "guard");
    assert!(!refused.error().to_string().contains("secret"));
    assert_eq!(tills.0.effects(), ["opened"]);
    // What cannot be kept is lost with its answer, and no more.
    tills
        .call("charge", Some(first.token()), yes(&BOTH))
        .await
        .token();
}

#[tokio::test]
async fn what_is_kept_is_sealed() {
    #[derive(Clone, Default)]
    struct Seen(Arc<std::sync::Mutex<Vec<u8>>>);

    impl Guard for Seen {
        fn consume<'a>(&'a self, _: &'a Leg) -> Guarding<'a, Consumed> {
            Box::pin(ready(Ok(Consumed::First)))
        }

        fn keeps(&self) -> bool {
            true
        }

        fn keep<'a>(&'a self, _: &'a Leg, outcome: Vec<u8>) -> Guarding<'a, ()> {
            self.0.lock().unwrap().extend(outcome);
            Box::pin(ready(Ok(())))
        }
    }

    let seen = Seen::default();
    let tills = Tills::with(settings().with_guard(seen.clone()));
    let arguments = json!({ "amount": 13 });
    let first = tills
        .charge("charge", arguments.clone(), None, Value::Null)
        .await;
    let token = Some(first.token());
    let failed = tills.charge("charge", arguments, token, yes(&BOTH)).await;
    assert_eq!(failed.error()["message"], "not that much");
    let kept = String::from_utf8(seen.0.lock().unwrap().clone()).unwrap();
    assert!(!kept.is_empty());
    assert!(!kept.contains("not that much"));
}

#[tokio::test]
async fn what_a_guard_holds_ends_with_its_token() {
    let clock = Arc::new(AtomicUsize::new(1_800_000_000));
    let told = Arc::clone(&clock);
    let now = move || UNIX_EPOCH + Duration::from_secs(told.load(Ordering::Relaxed) as u64);
    let guard = Arc::new(MemoryGuard::new(1));
    let settings = settings()
        .with_clock(now)
        .with_ttl(Duration::from_secs(600))
        .with_guard(Arc::clone(&guard));
    let tills = Tills::with(settings);
    let go_on = async |first: &Reply| {
        let token = Some(first.token());
        tills.call("charge", token, yes(&BOTH)).await
    };
    let first = tills.call("charge", None, Value::Null).await;
    go_on(&first).await.token();
    assert_eq!(guard.held(), 1);
    clock.fetch_add(599, Ordering::Relaxed);
    let second = tills.call("charge", None, Value::Null).await;
    assert_eq!(go_on(&second).await.error()["data"]["reason"], "guard");
    assert_eq!(go_on(&first).await.refusal(), "used");
    // A minute more, for clocks that differ.
    clock.fetch_add(60, Ordering::Relaxed);
    assert_eq!(go_on(&second).await.error()["data"]["reason"], "guard");
    clock.fetch_add(1, Ordering::Relaxed);
    go_on(&second).await.token();
    assert_eq!(guard.held(), 1);
    assert_eq!(go_on(&first).await.refusal(), "expired");
}

#[tokio::test]
async fn an_answer_that_was_not_asked_for_is_none_under_a_guard() {
    let tills = Tills::guarded();
    let mut params = json!({ "name": "charge", "arguments": { "amount": 5 } });
    params["inputResponses"] = yes(&BOTH);
    for _ in 0..2 {
        let first = tills.send(params.clone(), None).await;
        assert_eq!(first.keys(), ["really", "sure"]);
    }
    assert_eq!(tills.0.effects(), ["opened", "opened"]);
}

#[tokio::test]
async fn a_call_that_its_client_has_named_begins_once() {
    let tills = Tills::guarded();
    let params = json!({ "name": "charge", "arguments": { "amount": 5 } });
    let first = tills.send(params.clone(), Some("k")).await;
    let again = tills.send(params.clone(), Some("k")).await;
    assert_eq!(again.refusal(), "used");
    assert_eq!(tills.0.effects(), ["opened"]);
    tills.send(params.clone(), Some("l")).await.token();
    let token = Some(first.token());
    tills.call("charge", token, yes(&BOTH)).await.token();
    // Live, it is the same call.
    let world = Arc::clone(&tills.0.world);
    let server = SagaServer::new(Till { world }).with_settings(tills.0.settings.clone());
    let mut wire = Wire::session(server, everything()).await;
    let mut live = params.clone();
    live["_meta"] = json!({ saga_runtime::REQUEST_KEY: "k" });
    let refused = Reply(wire.request("tools/call", live).await);
    assert_eq!(refused.refusal(), "used");

    let kept = Tills::with(settings().with_guard(MemoryGuard::new(9).keeping(1 << 20)));
    let first = kept.send(params.clone(), Some("k")).await;
    let again = kept.send(params, Some("k")).await;
    assert_eq!(again.result(), first.result());
    assert_eq!(kept.0.effects(), ["opened"]);
}

#[tokio::test]
async fn a_live_client_does_not_get_round_the_guard() {
    let tills = Tills::with(settings());
    let world = Arc::clone(&tills.0.world);
    let server = SagaServer::new(Till { world }).with_settings(tills.0.settings.clone());
    let mut wire = Wire::session(server, everything()).await;
    let params = json!({ "name": "charge", "arguments": { "amount": 5 } });
    let refused = Reply(wire.request("tools/call", params).await);
    assert_eq!(refused.error()["data"]["reason"], "unguarded");
    assert!(tills.0.effects().is_empty());
}

/// The same tool, from before and after an edit.
mod versions {
    use super::*;

    macro_rules! version {
        ($name:ident, $text:literal) => {
            #[derive(Clone)]
            pub(super) struct $name;

            #[tool_router(server_handler)]
            impl $name {
                #[saga(once)]
                #[tool(description = "Edited")]
                async fn edited(&self, peer: Peer<RoleServer>) -> String {
                    let sure = peer.elicit::<Confirm>("Sure?").await;
                    format!($text, sure.is_ok())
                }
            }
        };
    }

    version!(Old, "{}");
    version!(New, "{}!");
}

#[tokio::test]
async fn a_replica_with_other_code_does_not_use_up_a_token() {
    let tills = Tills::guarded();
    let params = |token: Option<&str>| {
        let mut params = json!({ "name": "edited", "arguments": {} });
        if let Some(token) = token {
            params["requestState"] = json!(token);
            params["inputResponses"] = yes(&["sure"]);
        }
        tills.0.params(params)
    };
    let old = || SagaServer::new(versions::Old).with_settings(tills.0.settings.clone());
    let new = SagaServer::new(versions::New).with_settings(tills.0.settings.clone());
    let first = Reply(Wire::open(old()).request("tools/call", params(None)).await);
    let token = Some(first.token());
    let stale = Reply(Wire::open(new).request("tools/call", params(token)).await);
    assert_eq!(stale.refusal(), "stale");
    let last = Reply(Wire::open(old()).request("tools/call", params(token)).await);
    assert_eq!(last.text(), "true");
    let again = Reply(Wire::open(old()).request("tools/call", params(token)).await);
    assert_eq!(again.refusal(), "used");
}

#[tokio::test]
async fn on_the_saga_methods_too() {
    let tills = Tills::guarded();
    let world = Arc::clone(&tills.0.world);
    let send = async |method: &str, params: Value| {
        let world = Arc::clone(&world);
        let server = SagaServer::new(Till { world }).with_settings(tills.0.settings.clone());
        Reply(
            Wire::open(server)
                .request(method, tills.0.params(params))
                .await,
        )
    };
    let call = json!({ "name": "charge", "arguments": { "amount": 5 } });
    let first = send("tools/callSaga", call).await;
    let step = |id: &str| json!({ "stepId": id, "result": accept(json!({ "ok": true })) });
    let steps = json!({
        "sagaToken": first.result()["sagaToken"],
        "completedSteps": [step("sure"), step("really")],
    });
    let second = send("tools/resumeSaga", steps.clone()).await;
    assert_eq!(second.result()["state"], "suspended");
    assert_eq!(send("tools/resumeSaga", steps).await.refusal(), "used");
    assert_eq!(tills.0.effects(), ["opened", "charged"]);
}

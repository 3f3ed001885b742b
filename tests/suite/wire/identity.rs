//! The life of a call: its name, the names of its effects, its age, and whose it is.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use rmcp::{Peer, RoleServer, tool, tool_router};
use saga_runtime::{Keyring, SagaServer, Settings, call_id, idempotency_key_for, saga};
use serde_json::{Value, json};
use tests::{
    Trace,
    answers::{Confirm, Count},
};

use super::client::{Replicas, Reply, Wire, accept, everything};

/// A server that records under which key it does what.
#[derive(Clone)]
struct Ledger {
    world: Arc<Trace>,
}

impl Ledger {
    fn book(&self, name: &str) {
        let key = idempotency_key_for(name).unwrap_or_default();
        self.world.note(&format!("{name} {key}"));
    }
}

#[tool_router(server_handler)]
impl Ledger {
    #[saga]
    #[tool(description = "Effects before, between and after its asks")]
    async fn in_a_row(&self, peer: Peer<RoleServer>) -> String {
        self.book("opened");
        for turn in 0..3 {
            let _ = peer.elicit::<Count>(format!("How many {turn}?")).await;
            self.book(&format!("counted {turn}"));
            self.book(&format!("noted {turn}"));
        }
        let sure = self.confirm(&peer).await;
        self.book("closed");
        sure.to_string()
    }

    #[saga]
    async fn confirm(&self, peer: &Peer<RoleServer>) -> bool {
        let sure = peer.elicit::<Confirm>("Sure?").await;
        self.book("confirmed");
        matches!(sure, Ok(Some(Confirm { ok: true })))
    }

    #[saga]
    #[tool(description = "Effects in branches that run side by side")]
    async fn side_by_side(&self, peer: Peer<RoleServer>) -> String {
        self.book("opened");
        let (left, right) = tokio::join!(self.branch(&peer, "left"), self.branch(&peer, "right"));
        self.book("joined");
        let sure = self.confirm(&peer).await;
        format!("{left} {right} {sure}")
    }

    #[saga]
    async fn branch(&self, peer: &Peer<RoleServer>, side: &str) -> i64 {
        let mut sum = 0;
        for turn in 0..2 {
            let count = peer.elicit::<Count>(format!("{side} {turn}")).await;
            self.book(&format!("{side} {turn}"));
            sum += count.ok().flatten().map_or(0, |count| count.n);
        }
        sum
    }

    #[saga]
    #[tool(description = "The same effect in every piece")]
    async fn same_name(&self, peer: Peer<RoleServer>) -> String {
        self.book("effect");
        let _ = peer.elicit::<Count>("How many?").await;
        self.book("effect");
        let _ = peer.elicit::<Count>("How many more?").await;
        self.book("effect");
        "done".to_owned()
    }

    #[saga]
    #[tool(description = "Says which call it is")]
    async fn says_its_name(&self, peer: Peer<RoleServer>) -> String {
        self.world.note(&format!("{:?}", call_id()));
        let _ = peer.elicit::<Confirm>("Sure?").await;
        self.world.note(&format!("{:?}", call_id()));
        "done".to_owned()
    }

    #[saga]
    #[tool(description = "The same effect in branches that run side by side")]
    async fn twins(&self, peer: Peer<RoleServer>) -> String {
        let (one, other) = tokio::join!(self.twin(&peer), self.twin(&peer));
        format!("{one} {other}")
    }

    #[saga]
    async fn twin(&self, peer: &Peer<RoleServer>) -> bool {
        self.book("effect");
        let count = peer.elicit::<Count>("How many?").await;
        self.book("effect");
        count.is_ok()
    }
}

/// Replicas of the ledger whose clock a test moves.
struct Ledgers {
    replicas: Replicas,
    clock: Arc<AtomicU64>,
    meta: Value,
}

const BEGINNING: u64 = 1_800_000_000;
const MINUTE: u64 = 60;

fn keys() -> Settings {
    Settings::new(Keyring::new("first", [1; 32]).unwrap())
}

impl Ledgers {
    fn new() -> Self {
        Self::with(|settings| settings)
    }

    fn with(change: impl FnOnce(Settings) -> Settings) -> Self {
        let clock = Arc::new(AtomicU64::new(BEGINNING));
        let told = Arc::clone(&clock);
        let now = move || UNIX_EPOCH + Duration::from_secs(told.load(Ordering::Relaxed));
        Self {
            replicas: Replicas::with(change(keys().with_clock(now))),
            clock,
            meta: json!({}),
        }
    }

    fn pass(&self, seconds: u64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
    }

    fn set(&self, seconds: u64) {
        self.clock.store(seconds, Ordering::Relaxed);
    }

    fn server(&self) -> SagaServer<Ledger> {
        let world = Arc::clone(&self.replicas.world);
        SagaServer::new(Ledger { world }).with_settings(self.replicas.settings.clone())
    }

    async fn send(&self, method: &str, params: Value) -> Reply {
        let mut params = self.replicas.params(params);
        for (name, value) in self.meta.as_object().unwrap() {
            params["_meta"][name] = value.clone();
        }
        Reply(Wire::open(self.server()).request(method, params).await)
    }

    async fn call(&self, tool: &str, token: Option<&str>, answers: Value) -> Reply {
        let mut params = json!({ "name": tool, "arguments": {} });
        if let Some(token) = token {
            params["requestState"] = json!(token);
        }
        if !answers.is_null() {
            params["inputResponses"] = answers;
        }
        self.send("tools/call", params).await
    }

    /// Answers everything.
    async fn go_on(&self, tool: &str, reply: &Reply) -> Reply {
        let keys = reply.keys();
        self.call(tool, Some(reply.token()), answers(&keys)).await
    }

    fn effects(&self) -> Vec<String> {
        self.replicas.effects()
    }

    /// Each effect's keys.
    fn keys(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for effect in self.effects() {
            let (name, key) = effect.rsplit_once(' ').unwrap();
            keys.entry(name.to_owned())
                .or_default()
                .insert(key.to_owned());
        }
        keys
    }
}

fn answer(key: &str) -> Value {
    match key.starts_with("sure") {
        true => accept(json!({ "ok": true })),
        false => accept(json!({ "n": 2 })),
    }
}

fn answers(keys: &[&str]) -> Value {
    keys.iter()
        .map(|key| ((*key).to_owned(), answer(key)))
        .collect()
}

/// Makes a whole call as a client might that loses answers, comes back to earlier tokens and answers a part of
/// what it is asked; gives the keys of its effects.
async fn wander(tool: &str, seed: u64) -> BTreeMap<String, BTreeSet<String>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let ledgers = Ledgers::new();
    let first = ledgers.call(tool, None, Value::Null).await;
    let mut replies = vec![first];
    let mut completed = 0;
    for _ in 0..400 {
        let at = match random.u8(..4) {
            0 => random.usize(..replies.len()),
            _ => replies.len() - 1,
        };
        let reply = replies[at].clone();
        let mut chosen = reply.keys();
        random.shuffle(&mut chosen);
        match random.u8(..6) {
            0 => chosen.clear(),
            1 => chosen.truncate(1),
            _ => {}
        }
        let mut sent = answers(&chosen);
        if random.u8(..8) == 0 {
            sent["nobody-asked"] = accept(json!({}));
        }
        let next = ledgers.call(tool, Some(reply.token()), sent).await;
        match next.result()["resultType"].as_str() {
            Some("complete") => completed += 1,
            _ => replies.push(next),
        }
        if completed == 3 {
            return ledgers.keys();
        }
    }
    panic!("the call does not end");
}

#[tokio::test]
async fn an_effect_has_one_key_however_the_client_goes_through_the_call() {
    let mut known = BTreeSet::new();
    for seed in 0..20 {
        for tool in ["in_a_row", "side_by_side"] {
            let keys = wander(tool, seed).await;
            for (effect, keys) in &keys {
                assert_eq!(
                    keys.len(),
                    1,
                    "seed {seed}: {tool}: `{effect}` ran under {keys:?}"
                );
                // No other effect has it, of this call or another.
                assert!(known.insert(keys.clone()), "seed {seed}: {tool}: {effect}");
            }
            let effects = if tool == "in_a_row" { 9 } else { 7 };
            assert_eq!(keys.len(), effects, "{keys:?}");
        }
    }
}

#[tokio::test]
async fn each_piece_of_a_call_has_a_key_of_its_own() {
    let ledgers = Ledgers::new();
    let first = ledgers.call("same_name", None, Value::Null).await;
    let second = ledgers.go_on("same_name", &first).await;
    ledgers.go_on("same_name", &second).await.text();
    assert_eq!(ledgers.effects().len(), 3);
    assert_eq!(ledgers.keys()["effect"].len(), 3);
}

#[tokio::test]
async fn a_call_knows_its_name_in_each_of_its_legs() {
    let ledgers = Ledgers::new();
    let asked = ledgers.call("says_its_name", None, Value::Null).await;
    ledgers.go_on("says_its_name", &asked).await.text();
    let heard = ledgers.replicas.audit.heard();
    let name = format!("Some({})", heard[0].call.as_ref().unwrap());
    assert_eq!(ledgers.effects(), [name.clone(), name]);
    assert_eq!(call_id(), None);
}

#[tokio::test]
async fn each_branch_has_a_key_of_its_own() {
    let ledgers = Ledgers::new();
    let asked = ledgers.call("twins", None, Value::Null).await;
    ledgers.go_on("twins", &asked).await.text();
    assert_eq!(ledgers.effects().len(), 4);
    assert_eq!(ledgers.keys()["effect"].len(), 4);
}

#[tokio::test]
async fn the_same_question_is_the_same_token() {
    let ledgers = Ledgers::new();
    let first = ledgers.call("in_a_row", None, Value::Null).await;
    ledgers.pass(10 * MINUTE);
    let none = [
        Value::Null,
        json!({}),
        json!({ "elsewhere": answer("sure") }),
    ];
    for answers in none {
        let again = ledgers.call("in_a_row", Some(first.token()), answers).await;
        assert_eq!(again.result(), first.result());
    }
    let wrong = json!({ first.keys()[0]: 3 });
    let again = ledgers.call("in_a_row", Some(first.token()), wrong).await;
    assert_eq!(again.result(), first.result());
    assert_eq!(ledgers.effects().len(), 1);
}

#[tokio::test]
async fn putting_a_question_again_does_not_give_it_more_time() {
    let ledgers = Ledgers::new();
    let first = ledgers.call("side_by_side", None, Value::Null).await;
    ledgers.pass(50 * MINUTE);
    // One branch has its answer, and asks on; the other one's question is the same.
    let one = first.keys()[0];
    let second = ledgers
        .call("side_by_side", Some(first.token()), answers(&[one]))
        .await;
    assert_eq!(second.keys().len(), 2);
    let all = ledgers.go_on("side_by_side", &second).await;
    ledgers.pass(10 * MINUTE);
    for token in [first.token(), second.token()] {
        let late = ledgers.call("side_by_side", Some(token), Value::Null).await;
        assert_eq!(late.refusal(), "expired");
    }
    // Where all questions are new, so is their time.
    ledgers.pass(49 * MINUTE);
    let same = ledgers
        .call("side_by_side", Some(all.token()), Value::Null)
        .await;
    assert_eq!(same.result(), all.result());
    ledgers.pass(MINUTE);
    let late = ledgers
        .call("side_by_side", Some(all.token()), Value::Null)
        .await;
    assert_eq!(late.refusal(), "expired");
}

#[tokio::test]
async fn a_call_is_over_when_it_is_too_old_however_often_it_asked() {
    let ledgers = Ledgers::with(|settings| {
        settings
            .with_ttl(Duration::from_secs(60 * MINUTE))
            .with_max_call_age(Duration::from_secs(120 * MINUTE))
    });
    let mut reply = ledgers.call("in_a_row", None, Value::Null).await;
    for _ in 0..2 {
        ledgers.pass(50 * MINUTE);
        reply = ledgers.go_on("in_a_row", &reply).await;
    }
    // The question is 19 minutes old, the call 119.
    ledgers.pass(19 * MINUTE);
    let same = ledgers
        .call("in_a_row", Some(reply.token()), Value::Null)
        .await;
    assert_eq!(same.result(), reply.result());
    ledgers.pass(MINUTE);
    let before = ledgers.effects();
    let late = ledgers.go_on("in_a_row", &reply).await;
    assert_eq!(late.refusal(), "expired");
    assert_eq!(ledgers.effects(), before);
}

#[tokio::test]
async fn a_day_is_the_age_of_a_call_where_nothing_else_is_said() {
    let ledgers = Ledgers::with(|settings| settings.with_ttl(Duration::from_secs(1 << 20)));
    let first = ledgers.call("in_a_row", None, Value::Null).await;
    ledgers.pass(24 * 60 * MINUTE - 1);
    let last = ledgers
        .call("in_a_row", Some(first.token()), Value::Null)
        .await;
    assert_eq!(last.result(), first.result());
    ledgers.pass(1);
    let late = ledgers
        .call("in_a_row", Some(first.token()), Value::Null)
        .await;
    assert_eq!(late.refusal(), "expired");
}

#[tokio::test]
async fn a_token_from_the_future_is_refused() {
    let ledgers = Ledgers::new();
    ledgers.set(BEGINNING + 60);
    let a_little = ledgers.call("in_a_row", None, Value::Null).await;
    ledgers.set(BEGINNING + 61);
    let too_much = ledgers.call("in_a_row", None, Value::Null).await;
    ledgers.set(BEGINNING);
    ledgers
        .call("in_a_row", Some(a_little.token()), Value::Null)
        .await
        .token();
    let refused = ledgers
        .call("in_a_row", Some(too_much.token()), Value::Null)
        .await;
    assert_eq!(refused.refusal(), "invalid");
    assert_eq!(ledgers.replicas.audit.error().as_str(), "future");
}

#[tokio::test]
async fn two_services_that_share_keys_refuse_each_others_tokens() {
    let named = |name: &'static str| Ledgers::with(|settings| settings.with_audience(name));
    let (billing, shipping) = (named("billing"), named("shipping"));
    let first = billing.call("in_a_row", None, Value::Null).await;
    let refused = shipping
        .call("in_a_row", Some(first.token()), Value::Null)
        .await;
    assert_eq!(refused.refusal(), "invalid");
    assert_eq!(shipping.replicas.audit.error().as_str(), "mismatch");
    named("billing")
        .call("in_a_row", Some(first.token()), Value::Null)
        .await
        .token();

    let call = json!({ "name": "in_a_row", "arguments": {} });
    let suspended = billing.send("tools/callSaga", call).await;
    let token = &suspended.result()["sagaToken"];
    let steps = json!({ "sagaToken": token, "completedSteps": [] });
    let refused = shipping.send("tools/resumeSaga", steps.clone()).await;
    assert_eq!(refused.refusal(), "invalid");
    let again = billing.send("tools/resumeSaga", steps).await;
    assert_eq!(again.result()["sagaToken"], *token);
}

#[tokio::test]
async fn the_servers_name_is_the_audience_where_none_is_said() {
    use rmcp::{
        ServerHandler,
        model::{Implementation, ServerConfig},
        tool_handler,
    };

    #[derive(Clone)]
    struct Named(&'static str);

    #[tool_router]
    impl Named {
        #[saga]
        #[tool(description = "Asks")]
        async fn ask(&self, peer: Peer<RoleServer>) -> String {
            format!("{:?}", peer.elicit::<Confirm>("Sure?").await.is_ok())
        }
    }

    #[tool_handler]
    impl ServerHandler for Named {
        fn get_info(&self) -> ServerConfig {
            let mut info = ServerConfig::default();
            info.server_info = Implementation::new(self.0, "1");
            info
        }
    }

    let replicas = Replicas::new();
    let request = async |name: &'static str, token: Option<&str>| {
        let params = replicas.params(replicas.call("ask").params(token, Value::Null));
        let server = SagaServer::new(Named(name)).with_settings(replicas.settings.clone());
        Reply(Wire::open(server).request("tools/call", params).await)
    };
    let first = request("billing", None).await;
    request("billing", Some(first.token())).await.token();
    let refused = request("shipping", Some(first.token())).await;
    assert_eq!(refused.refusal(), "invalid");
}

fn requested(key: Value) -> Value {
    json!({ saga_runtime::REQUEST_KEY: key })
}

#[tokio::test]
async fn a_client_that_names_its_request_has_the_same_keys_when_it_is_sent_again() {
    let ledgers = Ledgers {
        meta: requested(json!("5f1c")),
        ..Ledgers::new()
    };
    let first = ledgers.call("in_a_row", None, Value::Null).await;
    let again = ledgers.call("in_a_row", None, Value::Null).await;
    assert_ne!(first.token(), again.token());
    for reply in [&first, &again] {
        ledgers.go_on("in_a_row", reply).await.token();
    }
    let call = json!({ "name": "in_a_row", "arguments": {} });
    ledgers.send("tools/callSaga", call).await;
    // Live, too.
    let mut wire = Wire::session(ledgers.server(), everything()).await;
    let params = json!({ "name": "in_a_row", "arguments": {}, "_meta": ledgers.meta });
    wire.put("tools/call", params).await;
    assert_eq!(wire.receive().await["method"], "elicitation/create");
    let keys = ledgers.keys();
    assert_eq!(ledgers.effects().len(), 8);
    assert_eq!(keys["opened"].len(), 1);
    assert_eq!(keys["counted 0"].len(), 1);
}

#[tokio::test]
async fn a_request_key_is_its_principals_its_tools_and_its_arguments() {
    let settings = keys().with_principal(|request| Some(request.client_info()?.name));
    let alice = Replicas::with(settings);
    let mallory = Replicas {
        user: "mallory",
        ..alice.clone()
    };
    let mut calls = BTreeSet::new();
    let mut put = async |replicas: &Replicas, key: &str, tool: &str, arguments: Value| {
        let mut params = replicas.params(json!({ "name": tool, "arguments": arguments }));
        params["_meta"][saga_runtime::REQUEST_KEY] = json!(key);
        let reply = Reply(
            Wire::open(replicas.server())
                .request("tools/call", params)
                .await,
        );
        reply.token();
        let heard = replicas.audit.heard();
        let call = heard.last().unwrap().call.clone().unwrap();
        calls.insert(call)
    };
    let arguments = json!({ "x": 1, "y": 2 });
    assert!(put(&alice, "k", "bound", arguments.clone()).await);
    assert!(!put(&alice, "k", "bound", arguments.clone()).await);
    assert!(put(&alice, "l", "bound", arguments.clone()).await);
    assert!(put(&alice, "k", "bound_too", arguments.clone()).await);
    assert!(put(&alice, "k", "bound", json!({ "x": 1, "y": 3 })).await);
    assert!(put(&mallory, "k", "bound", arguments.clone()).await);
}

#[tokio::test]
async fn a_request_key_that_is_none_is_refused_and_nothing_runs() {
    for key in [
        json!(5),
        json!(null),
        json!(""),
        json!("k".repeat(257)),
        json!({}),
    ] {
        let ledgers = Ledgers {
            meta: requested(key.clone()),
            ..Ledgers::new()
        };
        let reply = ledgers.call("in_a_row", None, Value::Null).await;
        assert_eq!(reply.refusal(), "answers", "{key}");
        assert!(ledgers.effects().is_empty());
    }
}

#[tokio::test]
async fn answers_to_what_was_not_asked_can_be_ignored() {
    let yes = json!({ "sure": accept(json!({ "ok": true })) });
    let lenient = Replicas::new();
    let reply = lenient.call("named").start_with(yes.clone()).await;
    reply.text();
    let strict = Replicas::with(keys().only_asked_answers());
    let reply = strict.call("named").start_with(yes.clone()).await;
    assert_eq!(reply.keys(), ["sure"]);
    assert_eq!(strict.effects(), ["before"]);
    strict.call("named").resume(reply.token(), yes).await.text();
}

//! The servers of `docs/porting.md`, before and after: the same answers, the same effects.

use std::sync::Arc;

use examples::ported::{before, confirm, confirm_cx, llm, wizard, world::World};
use rmcp::{Peer, RoleServer, ServerHandler, tool, tool_router};
use saga_runtime::{
    SagaServer, saga,
    testing::{Kit, QuestionKind, Ran, Reply, Scripted},
};
use serde_json::{Value, json};
use tests::answers::Confirm;

use super::client::{accept, reply};

/// What a client saw of a call, and what became of the world.
#[derive(Debug, PartialEq)]
struct Run {
    /// The questions, in order.
    asked: Vec<(QuestionKind, Value)>,
    messages: Vec<String>,
    text: String,
    failed: bool,
    effects: Vec<String>,
}

impl From<&Ran<Arc<World>>> for Run {
    fn from(ran: &Ran<Arc<World>>) -> Self {
        let asked = ran.asked().iter();
        Self {
            asked: asked.map(|it| (it.kind(), it.params().clone())).collect(),
            messages: ran.messages().into_iter().map(str::to_owned).collect(),
            text: ran.result().text().to_owned(),
            failed: ran.result().is_error(),
            effects: ran.world().effects(),
        }
    }
}

fn kit<S: ServerHandler>(
    server: impl Fn(Arc<World>) -> S + Send + Sync + 'static,
) -> Kit<Arc<World>> {
    let server = move |world: &Arc<World>| server(Arc::clone(world));
    Kit::with_world(Arc::default, server).comparing(|world| world.effects())
}

/// A tool, what it is called with, and the answers in their order.
struct Script<'s>(&'s str, Value, &'s [Value]);

impl Script<'_> {
    fn of(&self, kit: &Kit<Arc<World>>) -> Scripted<Arc<World>> {
        let replies = self.2.iter().cloned().map(Reply::result_of);
        kit.tool(self.0, self.1.clone()).answering_in_turn(replies)
    }

    async fn everywhere(&self, kit: &Kit<Arc<World>>) -> Run {
        let resumed = self.of(kit).resumed_everywhere().await.unwrap();
        assert!(resumed.was_live());
        resumed.ran().into()
    }
}

/// The same on either side of the port, and wherever the call is torn down behind it.
async fn agree<B: ServerHandler, A: ServerHandler>(
    before: impl Fn(Arc<World>) -> B + Send + Sync + 'static,
    after: fn(Arc<World>) -> A,
    script: &Script<'_>,
) -> Run {
    let plain = script.of(&kit(before)).run_live().await.unwrap();
    let plain = Run::from(&plain);
    assert_eq!(script.everywhere(&kit(after)).await, plain, "no wrapper");
    let wrapped = kit(move |world| SagaServer::new(after(world)));
    assert_eq!(script.everywhere(&wrapped).await, plain);
    plain
}

fn decline() -> Value {
    json!({ "action": "decline" })
}

fn sure(sure: bool) -> Value {
    accept(json!({ "sure": sure }))
}

async fn storage(tool: &str, arguments: Value, script: &[Value]) -> Run {
    let script = Script(tool, arguments, script);
    let run = agree(
        |world| before::confirm::Storage { world },
        |world| confirm::Storage { world },
        &script,
    )
    .await;
    // The forms of `Cx` say more, so that the questions are not the same to the letter.
    let later = kit(|world| confirm_cx::Storage { world });
    let later = script.everywhere(&later).await;
    assert_eq!(later.messages, run.messages);
    assert_eq!(
        (&later.text, later.failed, &later.effects),
        (&run.text, run.failed, &run.effects)
    );
    run
}

#[tokio::test]
async fn a_volume_goes_only_when_the_user_agrees() {
    let orders = json!({ "volume": "orders" });
    let name = |name: &str| accept(json!({ "name": name }));
    let run = storage(
        "delete_volume",
        orders.clone(),
        &[sure(true), name("orders")],
    )
    .await;
    assert_eq!(
        run.messages,
        [
            "Delete `orders` and 4 snapshots?",
            "Type `orders` to go on."
        ]
    );
    assert_eq!(run.effects, ["delete orders"]);
    for script in [
        vec![sure(false)],
        vec![decline()],
        vec![json!({ "action": "cancel" })],
        vec![sure(true), name("order")],
        vec![sure(true), decline()],
    ] {
        let run = storage("delete_volume", orders.clone(), &script).await;
        assert!(run.failed && run.effects.is_empty(), "{run:?}");
    }
    let run = storage(
        "delete_volume",
        json!({ "volume": "scratch" }),
        &[sure(true)],
    )
    .await;
    assert_eq!(run.effects, ["delete scratch"]);
    let run = storage("delete_volume", json!({ "volume": "none" }), &[]).await;
    assert_eq!(run.text, "There is no volume `none`.");
}

#[tokio::test]
async fn snapshots_are_pruned_one_by_one() {
    let script = [sure(true), decline(), sure(true)];
    let run = storage("prune_snapshots", json!({ "volume": "orders" }), &script).await;
    assert_eq!(run.effects, ["prune mon", "prune thu"]);
    assert_eq!(run.text, r#"Pruned 2 of 4: ["mon", "thu"]"#);
}

#[tokio::test]
async fn a_pool_is_wiped_in_time_or_not_at_all() {
    let run = storage("wipe_pool", json!({}), &[sure(true)]).await;
    assert_eq!(
        run.effects,
        ["stop replication", "wipe", "start replication"]
    );
    let run = storage("wipe_pool", json!({}), &[decline()]).await;
    assert_eq!(run.text, "Nothing was wiped.");
}

#[tokio::test]
async fn what_was_there_may_be_gone_after_the_answer() {
    let kit = kit(|world| confirm::Storage { world });
    let delete = kit.tool("delete_volume", json!({ "volume": "scratch" }));
    let mut call = delete.await.unwrap();
    kit.world().volumes.lock().await.clear();
    call.answer("sure", json!({ "sure": true })).await.unwrap();
    assert_eq!(call.result().unwrap().text(), "`scratch` was gone already.");
    assert!(kit.world().effects().is_empty());
}

async fn office(script: &[Value]) -> Run {
    agree(
        |world| before::wizard::Office { world },
        |world| wizard::Office { world },
        &Script("onboard", json!({ "manager": "Grace" }), script),
    )
    .await
}

fn person(name: &str, department: &str, contractor: bool) -> Value {
    accept(json!({ "name": name, "department": department, "contractor": contractor }))
}

fn role(role: &str) -> Value {
    accept(json!({ "role": role }))
}

fn next(next: &str) -> Value {
    accept(json!({ "next": next }))
}

#[tokio::test]
async fn a_wizard_goes_forth_and_back() {
    let run = office(&[
        person("Ada", "nowhere", false),
        person("Ada", "lab", true),
        decline(), // back from the contract
        person("Ada L", "lab", true),
        accept(json!({ "until": "May" })),
        role("user"),
        decline(),
        role("editor"),
        next("Back"),
        person("Ada L", "sales", false),
        role("agent"),
        role("none"),
        next("Hire"),
    ])
    .await;
    assert_eq!(
        run.effects,
        [
            "open a ticket for Grace",
            "enter Ada L",
            "grant agent in crm",
            "grant none in phone",
            "close HR-5",
        ]
    );
    assert_eq!(
        run.text,
        "HR-5: Ada L until further notice (crm: agent, phone: none)"
    );
    assert_eq!(run.messages[5], "Which role has Ada L in bench?");
}

#[tokio::test]
async fn a_wizard_can_be_left() {
    let left = ["open a ticket for Grace", "drop HR-5: nobody starts"];
    assert_eq!(office(&[decline()]).await.effects, left);
    let stopped = [
        person("Ada", "sales", false),
        decline(),
        decline(),
        next("Stop"),
    ];
    let run = office(&stopped).await;
    assert_eq!((run.text.as_str(), run.failed), ("not hired", true));
}

#[tokio::test]
async fn one_token_twice_does_once_what_has_a_key() {
    let kit = kit(|world| wizard::Office { world });
    let mut call = kit
        .tool("onboard", json!({ "manager": "Grace" }))
        .await
        .unwrap();
    for reply in [person("Ada", "sales", false), role("agent"), decline()] {
        let key = call.questions()[0].key().to_owned();
        call.answer(key, Reply::result_of(reply)).await.unwrap();
    }
    let review = call.questions()[0].key().to_owned();
    call.answer(review, json!({ "next": "Hire" }))
        .await
        .unwrap();
    let again = call.send_again().await.unwrap();
    assert_eq!(call.result().unwrap(), again.result().unwrap());
    let [first, second] = &call.idempotency_keys()[..] else {
        panic!("{:?}", call.idempotency_keys());
    };
    assert_eq!(first, second);
    let effects = kit.world().effects();
    let count = |effect: &str| effects.iter().filter(|other| *other == effect).count();
    // What comes before the token's question has happened once; behind it, only what has a key.
    assert_eq!(count("open a ticket for Grace"), 1);
    assert_eq!(count("enter Ada"), 1);
    assert_eq!(count("grant agent in crm"), 2);
}

async fn plant(script: &[Value]) -> Run {
    agree(
        |world| before::llm::Plant { world },
        |world| llm::Plant { world },
        &Script("triage", json!({ "symptom": "smoke" }), script),
    )
    .await
}

/// The model wants tools, each with a unit.
fn wants(calls: &[(&str, &str)]) -> Value {
    let call = |(place, (tool, unit)): (usize, &(&str, &str))| {
        json!({
            "type": "tool_use",
            "id": format!("call-{place}"),
            "name": tool,
            "input": { "unit": unit },
        })
    };
    let calls: Vec<_> = calls.iter().enumerate().map(call).collect();
    json!({ "role": "assistant", "content": calls, "model": "m", "stopReason": "toolUse" })
}

#[tokio::test]
async fn a_model_works_until_it_is_done() {
    let run = plant(&[
        wants(&[("read_log", "pump"), ("restart", "pump")]),
        sure(true),
        wants(&[("restart", "fan"), ("sing", "fan"), ("restart", "belt")]),
        decline(),
        sure(true),
        reply("The pump."),
    ])
    .await;
    assert_eq!(run.text, "The pump.");
    assert_eq!(
        run.effects,
        [
            "open smoke",
            "read pump",
            "restart pump",
            "restart belt",
            "file The pump.",
        ]
    );
    // The conversation grows by the model's calls and their results.
    let turns = run.asked.iter().map(|(_, params)| &params["messages"]);
    let lengths: Vec<_> = turns.filter_map(Value::as_array).map(Vec::len).collect();
    assert_eq!(lengths, [1, 3, 5]);
}

#[tokio::test]
async fn a_model_is_stopped_or_refuses() {
    let reads = || wants(&[("read_log", "pump")]);
    let run = plant(&[reads(), reads(), reads(), reads()]).await;
    assert_eq!(run.text, "The model came to no end.");
    assert_eq!(run.effects.len(), 6);
}

/// What a port is wrong without: `#[saga]` on the helper, or on the tool.
struct Forgetful;

async fn without(peer: &Peer<RoleServer>) -> String {
    format!("{:?}", peer.elicit::<Confirm>("Sure?").await)
}

#[saga]
async fn with(peer: &Peer<RoleServer>) -> String {
    format!("{:?}", peer.elicit::<Confirm>("Sure?").await)
}

#[tool_router(server_handler)]
impl Forgetful {
    #[saga]
    #[tool(description = "Calls a helper without the attribute")]
    async fn no_helper(&self, peer: Peer<RoleServer>) -> String {
        without(&peer).await
    }

    #[tool(description = "Has no attribute itself")]
    async fn no_tool(&self, peer: Peer<RoleServer>) -> String {
        with(&peer).await
    }
}

#[tokio::test]
async fn a_forgotten_attribute_shows_when_a_new_client_calls() {
    for (tool, outcome) in [
        ("no_helper", "server-to-client requests are not allowed"),
        ("no_tool", "Err("),
    ] {
        let call = Kit::of(|| Forgetful).tool(tool, Value::Null).await.unwrap();
        let text = call.result().unwrap().text();
        assert!(text.contains(outcome), "{text}");
    }
}

//! The servers of `docs/porting.md`, before and after: the same answers, the same effects.

use std::sync::Arc;

use examples::ported::{before, confirm, confirm_cx, llm, wizard, world::World};
use rmcp::{Peer, RoleServer, ServerHandler, tool, tool_router};
use saga_runtime::{Keyring, SagaServer, Settings, saga};
use serde_json::{Value, json};
use tests::answers::Confirm;

use super::client::{Replicas, Response, Wire, accept, everything, reply};

/// What a client saw of a call, and what became of the world.
#[derive(Debug, PartialEq)]
struct Run {
    /// The questions, in order.
    asked: Vec<Value>,
    text: String,
    failed: bool,
    effects: Vec<String>,
}

impl Run {
    fn new(asked: Vec<Value>, result: &Value, world: &World) -> Self {
        Self {
            asked,
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            failed: result["isError"].as_bool().unwrap_or_default(),
            effects: world.effects(),
        }
    }

    fn messages(&self) -> Vec<&str> {
        let messages = self.asked.iter().map(|ask| &ask["params"]["message"]);
        messages.filter_map(Value::as_str).collect()
    }
}

/// A question as both wires have it.
fn question(ask: &Value) -> Value {
    let mut params = ask["params"].clone();
    if let Some(params) = params.as_object_mut() {
        params.remove("_meta");
    }
    json!({ "method": ask["method"], "params": params })
}

fn settings() -> Settings {
    Settings::new(Keyring::new("shared", [7; 32]).unwrap())
}

/// One server for the whole call, which waits for each answer.
async fn live<S: ServerHandler>(
    server: impl Fn(Arc<World>) -> S,
    call: &Value,
    script: &[Value],
) -> Run {
    let world = Arc::default();
    let mut wire = Wire::session(server(Arc::clone(&world)), everything()).await;
    let id = wire.put("tools/call", call.clone()).await;
    let mut asked = Vec::new();
    loop {
        let message = wire.receive().await;
        if message.get("method").is_none() {
            assert_eq!(message["id"], id);
            assert_eq!(asked.len(), script.len(), "{message}");
            return Run::new(asked, &message["result"], &world);
        }
        let answer = &script[asked.len()];
        asked.push(question(&message));
        wire.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }))
            .await;
    }
}

/// A request of 2026-07-28, to a server that is made for it and gone after it.
async fn round(server: impl ServerHandler, params: Value) -> Response {
    let mut wire = Wire::open(server);
    wire.request("tools/call", Replicas::new().params(params))
        .await
}

/// The call with the answer to the question that `waits` put.
fn retry(call: &Value, waits: &Value, answer: &Value) -> Value {
    let mut params = call.clone();
    params["requestState"] = waits["requestState"].clone();
    let key = waits["inputRequests"].as_object().unwrap().keys().next();
    params["inputResponses"] = json!({ key.unwrap(): answer });
    params
}

/// A new server for every round.
async fn stateless<S: ServerHandler>(
    server: impl Fn(Arc<World>) -> S,
    call: &Value,
    script: &[Value],
) -> Run {
    let world = Arc::default();
    let replica = || SagaServer::new(server(Arc::clone(&world))).with_settings(settings());
    let mut result = round(replica(), call.clone()).await.unwrap();
    let mut asked = Vec::new();
    while result["resultType"] == "input_required" {
        let asks = result["inputRequests"].as_object().unwrap();
        assert_eq!(asks.len(), 1);
        let answer = script.get(asked.len()).expect("an answer");
        asked.extend(asks.values().map(question));
        result = round(replica(), retry(call, &result, answer))
            .await
            .unwrap();
    }
    assert_eq!(asked.len(), script.len());
    Run::new(asked, &result, &world)
}

/// The same on either side of the port, and on either wire behind it.
async fn agree<B: ServerHandler, A: ServerHandler>(
    before: impl Fn(Arc<World>) -> B,
    after: impl Fn(Arc<World>) -> A,
    call: Value,
    script: &[Value],
) -> Run {
    let plain = live(before, &call, script).await;
    let wrapped = |world| SagaServer::new(after(world)).with_settings(settings());
    assert_eq!(live(wrapped, &call, script).await, plain, "live");
    assert_eq!(live(&after, &call, script).await, plain, "live, no wrapper");
    assert_eq!(stateless(after, &call, script).await, plain, "stateless");
    plain
}

fn decline() -> Value {
    json!({ "action": "decline" })
}

fn sure(sure: bool) -> Value {
    accept(json!({ "sure": sure }))
}

async fn storage(tool: &str, arguments: Value, script: &[Value]) -> Run {
    let call = json!({ "name": tool, "arguments": arguments });
    let run = agree(
        |world| before::confirm::Storage { world },
        |world| confirm::Storage { world },
        call.clone(),
        script,
    )
    .await;
    // The forms of `Cx` say more, so that the questions are not the same to the letter.
    let later = |world| confirm_cx::Storage { world };
    for later in [
        live(later, &call, script).await,
        stateless(later, &call, script).await,
    ] {
        assert_eq!(later.messages(), run.messages());
        assert_eq!(
            (&later.text, later.failed, &later.effects),
            (&run.text, run.failed, &run.effects)
        );
    }
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
        run.messages(),
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
    let world: Arc<World> = Arc::default();
    let replica = || {
        let world = Arc::clone(&world);
        SagaServer::new(confirm::Storage { world }).with_settings(settings())
    };
    let call = json!({ "name": "delete_volume", "arguments": { "volume": "scratch" } });
    let asks = round(replica(), call.clone()).await.unwrap();
    world.volumes.lock().await.clear();
    let end = round(replica(), retry(&call, &asks, &sure(true))).await;
    assert_eq!(
        end.unwrap()["content"][0]["text"],
        "`scratch` was gone already."
    );
    assert!(world.effects().is_empty());
}

async fn office(script: &[Value]) -> Run {
    agree(
        |world| before::wizard::Office { world },
        |world| wizard::Office { world },
        json!({ "name": "onboard", "arguments": { "manager": "Grace" } }),
        script,
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
    assert_eq!(run.messages()[5], "Which role has Ada L in bench?");
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
    let world: Arc<World> = Arc::default();
    let replica = || {
        let world = Arc::clone(&world);
        SagaServer::new(wizard::Office { world }).with_settings(settings())
    };
    let call = json!({ "name": "onboard", "arguments": { "manager": "Grace" } });
    let mut asks = round(replica(), call.clone()).await.unwrap();
    for answer in [person("Ada", "sales", false), role("agent"), decline()] {
        let next = round(replica(), retry(&call, &asks, &answer)).await;
        asks = next.unwrap();
    }
    let last = retry(&call, &asks, &next("Hire"));
    let first = round(replica(), last.clone()).await.unwrap();
    let second = round(replica(), last).await.unwrap();
    assert_eq!(first["content"], second["content"]);
    let effects = world.effects();
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
        json!({ "name": "triage", "arguments": { "symptom": "smoke" } }),
        script,
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
    let turns = run.asked.iter().map(|ask| &ask["params"]["messages"]);
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
        let end = round(Forgetful, json!({ "name": tool })).await.unwrap();
        let text = end["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(outcome), "{text}");
    }
}

//! Async tool calls: a token at once, and the result for whoever asks with it.

use std::{sync::Arc, time::Duration};

use saga_tasks::MemoryStore;
use serde_json::{Value, json};
use tests::stored::Clock;

use super::{
    process::{Process, accept, quick, until_record},
    world::World,
};
use crate::wire::client::{Response, Wire};

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

async fn call(process: &Process, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "keepAlive": 100 });
    process.request("tools/async/call", params).await.unwrap()
}

async fn get(process: &Process, token: &Value, more: Value) -> Response {
    let mut params = json!({ "token": token });
    if let Some(more) = more.as_object() {
        for (name, value) in more {
            params[name] = value.clone();
        }
    }
    process.request("tools/async/get", params).await
}

#[tokio::test]
async fn a_call_gives_a_token_and_its_result_to_who_has_it() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let called = call(&process, "slow", json!({})).await;
    assert_eq!(
        (&called["accepted"], &called["keepAlive"]),
        (&json!(true), &json!(100))
    );
    let token = &called["token"];
    let pending = get(&process, token, json!({ "timeout": 0.05 }))
        .await
        .unwrap();
    let meta = json!({ "io.github.saga-rs/isPending": true });
    assert_eq!(
        pending,
        json!({ "content": [], "isPending": true, "_meta": meta })
    );
    world.gate.add_permits(1);
    // Without a time it waits.
    let done = get(&process, token, json!({})).await.unwrap();
    assert_eq!(
        (text(&done), done.get("isPending"), done.get("resultType")),
        ("slowly", None, None)
    );
    let again = get(&process, token, json!({ "timeout": 0 })).await.unwrap();
    assert_eq!(again, done);
    assert_eq!(world.effects(), ["slow"]);
}

#[tokio::test]
async fn what_is_no_call_is_not_accepted_and_says_why() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let refused = call(&process, "nobody", json!({})).await;
    assert_eq!(
        (&refused["accepted"], refused.get("token")),
        (&json!(false), None)
    );
    let why = &refused["_meta"]["io.github.saga-rs/reason"];
    assert_eq!(why, "there is no such tool");
    // Arguments are the tool's: whether they fit shows at once, or at the first look.
    let refused = call(&process, "film", json!({ "frames": "many" })).await;
    let why = get(&process, &refused["token"], json!({})).await.unwrap();
    assert_eq!(why["isError"], true, "{why}");
    for (method, params) in [
        ("tools/async/call", json!({ "arguments": {} })),
        (
            "tools/async/call",
            json!({ "name": "slow", "keepAlive": -1 }),
        ),
        ("tools/async/get", json!({})),
        ("tools/async/get", json!({ "token": [] })),
        ("tools/async/get", json!({ "token": "x", "timeout": -1 })),
    ] {
        let error = process.request(method, params).await.unwrap_err();
        assert_eq!(
            (&error["code"], &error["data"]["reason"]),
            (&json!(-32602), &json!("malformed"))
        );
    }
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn an_unknown_token_is_not_told_from_anothers() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let token = call(&process, "order", json!({})).await["token"].clone();
    let capabilities = json!({ "elicitation": {} });
    let mut answers = Vec::new();
    for (caller, token) in [
        ("mallory", token.clone()),
        ("alice", json!("unknown")),
        ("alice", json!(7)),
    ] {
        let ask = async |method: &str| {
            let params = json!({ "token": token });
            process
                .request_of(caller, capabilities.clone(), method, params)
                .await
                .unwrap()
        };
        let answer = [
            ask("tools/async/join").await,
            ask("tools/async/get").await,
            ask("tools/async/cancel").await,
        ];
        assert_eq!(answer[0], json!({ "accepted": false }));
        assert_eq!(answer[1]["isError"], true);
        answers.push(answer);
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]));
    let asked = get(&process, &token, json!({})).await.unwrap();
    assert_eq!(
        asked["resultType"], "input_required",
        "it was not cancelled"
    );
}

#[tokio::test]
async fn a_question_is_asked_of_who_waits() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let token = call(&process, "order", json!({})).await["token"].clone();
    let asked = get(&process, &token, json!({})).await.unwrap();
    assert_eq!(
        asked["inputRequests"]["amount"]["method"],
        "elicitation/create"
    );
    assert!(asked.get("requestState").is_none());
    let answers = json!({ "inputResponses": { "amount": accept(json!({ "n": 4 })) } });
    let done = get(&process, &token, answers).await.unwrap();
    assert_eq!(text(&done), "4 ordered");
    assert_eq!(world.effects(), ["before", "after"]);
}

#[tokio::test]
async fn a_client_with_a_session_is_asked_while_it_waits_and_told_of_the_progress() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::start(&world, store);
    let mut wire: Wire = process.session(json!({ "elicitation": {} })).await;
    let call =
        json!({ "name": "film", "arguments": { "frames": 2 }, "_meta": { "progressToken": "p" } });
    let called = wire.request("tools/async/call", call).await.unwrap();
    let token = called["token"].clone();
    world.gate.add_permits(2);
    // Told of it, without a request of its own.
    let mut told = wire.receive().await;
    while told["params"]["progress"] != 1.0 {
        assert_eq!(told["method"], "notifications/progress");
        told = wire.receive().await;
    }
    let params = &told["params"];
    assert_eq!(
        (&params["progressToken"], &params["total"]),
        (&json!("p"), &json!(2.0))
    );
    let uri = params["resourceUri"].clone();
    let read = wire
        .request("resources/read", json!({ "uri": uri }))
        .await
        .unwrap();
    assert_eq!(read["contents"][0]["text"], "rendering (1/2)");
    clock.turn(Duration::from_secs(2 * 86_400));
    let id = wire.put("tools/async/get", json!({ "token": token })).await;
    let question = wire.receive().await;
    assert_eq!(question["method"], "elicitation/create");
    let answer = accept(json!({ "ok": true }));
    wire.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }))
        .await;
    let done = wire.receive().await;
    assert_eq!(
        (&done["id"], text(&done["result"])),
        (&json!(id), "2 frames, true")
    );
}

#[tokio::test]
async fn all_who_joined_are_told_of_a_cancellation() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let token = call(&process, "order", json!({})).await["token"].clone();
    let mut one = process.session(json!({ "elicitation": {} })).await;
    let mut two = process.session(json!({})).await;
    let mut ids = Vec::new();
    for wire in [&mut one, &mut two] {
        let id = wire
            .put("tools/async/join", json!({ "token": token }))
            .await;
        let joined = wire.receive().await;
        assert_eq!(
            (&joined["id"], &joined["result"]["accepted"]),
            (&json!(id), &json!(true))
        );
        ids.push(id);
    }
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "tools/async/cancel", "params": { "token": token } });
    one.send(cancel).await;
    for (wire, id) in [&mut one, &mut two].into_iter().zip(ids) {
        let told = wire.receive().await;
        assert_eq!(told["method"], "notifications/cancelled");
        assert_eq!(told["params"]["requestId"], id);
        assert_eq!(
            told["params"]["_meta"]["io.github.saga-rs/asyncToken"],
            token
        );
    }
    let done = get(&process, &token, json!({})).await.unwrap();
    assert_eq!((text(&done), &done["isError"]), ("cancelled", &json!(true)));
    assert_eq!(world.effects(), ["before", "undone"]);
}

#[tokio::test]
async fn a_result_is_kept_for_as_long_as_somebody_wants_it() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::with(
        &world,
        quick(store).max_keep_alive(Duration::from_secs(300)),
    );
    world.gate.add_permits(1);
    let token = call(&process, "slow", json!({})).await["token"].clone();
    assert_eq!(
        text(&get(&process, &token, json!({})).await.unwrap()),
        "slowly"
    );
    for _ in 0..3 {
        clock.turn(Duration::from_secs(90));
        assert_eq!(
            text(&get(&process, &token, json!({})).await.unwrap()),
            "slowly"
        );
    }
    let join = json!({ "token": token, "keepAlive": 1000 });
    let joined = process.request("tools/async/join", join).await.unwrap();
    assert_eq!(joined["keepAlive"], 300, "no longer than the server says");
    clock.turn(Duration::from_secs(290));
    let join = json!({ "token": token, "keepAlive": 1 });
    let joined = process.request("tools/async/join", join).await.unwrap();
    assert_eq!(
        joined["keepAlive"], 300,
        "and no shorter than somebody else wants it"
    );
    clock.turn(Duration::from_secs(301));
    let gone = get(&process, &token, json!({})).await.unwrap();
    assert_eq!(gone["isError"], true);
    assert_eq!(world.effects(), ["slow"]);
}

#[tokio::test]
async fn a_named_call_whose_time_is_over_begins_anew() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::with(&world, quick(store));
    world.gate.add_permits(2);
    let named = json!({ saga_runtime::REQUEST_KEY: "order 17" });
    let params = json!({ "name": "slow", "arguments": {}, "keepAlive": 1, "_meta": named });
    for _ in 0..2 {
        let called = process.request("tools/async/call", params.clone()).await;
        let called = called.unwrap();
        assert_eq!(called["accepted"], true, "{called}");
        let done = get(&process, &called["token"], json!({})).await.unwrap();
        assert_eq!(text(&done), "slowly");
        // Nobody has swept it away yet.
        clock.turn(Duration::from_secs(5));
    }
    assert_eq!(world.effects(), ["slow", "slow"]);
}

#[tokio::test]
async fn a_call_survives_its_process_and_is_got_from_another() {
    let world = Arc::<World>::default();
    let store = MemoryStore::new();
    let first = Process::start(&world, store.clone());
    let token = call(&first, "slow", json!({})).await["token"].clone();
    first.kill();
    let second = Process::start(&world, store);
    world.gate.add_permits(1);
    assert_eq!(
        text(&get(&second, &token, json!({})).await.unwrap()),
        "slowly"
    );
    assert_eq!(world.effects(), ["slow", "slow"], "its only leg ran again");
}

#[tokio::test]
async fn errors_of_the_protocol_are_errors_of_the_get() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let token = call(&process, "broken", json!({})).await["token"].clone();
    let error = get(&process, &token, json!({})).await.unwrap_err();
    // As rmcp has it in this version of the protocol.
    assert_eq!(error["code"], -32602);
    let token = call(&process, "failing", json!({})).await["token"].clone();
    let failed = get(&process, &token, json!({})).await.unwrap();
    assert_eq!((text(&failed), &failed["isError"]), ("no", &json!(true)));
}

#[tokio::test]
async fn the_capability_is_where_the_proposal_has_it() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let found = process.request("server/discover", json!({})).await.unwrap();
    assert_eq!(
        found["capabilities"]["async"],
        json!({ "maxKeepAliveTime": 3600 })
    );
    assert_eq!(
        found["capabilities"]["extensions"]["io.modelcontextprotocol/tasks"],
        json!({})
    );
    let tools = process.request("tools/list", json!({})).await.unwrap();
    let tools = tools["tools"].as_array().unwrap();
    let preferred: Vec<_> = tools
        .iter()
        .filter(|tool| tool["annotations"]["preferAsync"] == true)
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(preferred, ["slow"]);
}

#[tokio::test]
async fn who_is_asked_hears_that_another_has_answered() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let token = call(&process, "order", json!({})).await["token"].clone();
    let mut wire: Wire = process.session(json!({ "elicitation": {} })).await;
    let id = wire.put("tools/async/get", json!({ "token": token })).await;
    assert_eq!(wire.receive().await["method"], "elicitation/create");
    let answers = json!({ "inputResponses": { "amount": accept(json!({ "n": 4 })) } });
    assert_eq!(
        text(&get(&process, &token, answers).await.unwrap()),
        "4 ordered"
    );
    let done = wire.receive().await;
    assert_eq!(
        (&done["id"], text(&done["result"])),
        (&json!(id), "4 ordered")
    );
}

#[tokio::test]
async fn a_call_that_is_named_again_is_kept_for_the_longest_time() {
    let world = Arc::<World>::default();
    let clock = Clock::default();
    let store = {
        let clock = clock.clone();
        MemoryStore::with_clock(move || clock.now())
    };
    let process = Process::with(&world, quick(store.clone()));
    let mut token = json!(null);
    for (asked, kept) in [(10, 10), (100, 100), (20, 100)] {
        let meta = json!({ saga_runtime::REQUEST_KEY: "again" });
        let params = json!({ "name": "slow", "arguments": {}, "keepAlive": asked, "_meta": meta });
        let called = process.request("tools/async/call", params).await.unwrap();
        assert_eq!(called["keepAlive"], kept);
        token = called["token"].clone();
    }
    world.gate.add_permits(1);
    let id = token.as_str().unwrap();
    until_record(&store, id, |record| record.state.is_final()).await;
    clock.turn(Duration::from_secs(90));
    let done = get(&process, &token, json!({})).await.unwrap();
    assert_eq!(text(&done), "slowly");
    assert_eq!(world.effects(), ["slow"]);
}

#[tokio::test]
async fn a_task_that_is_joined_is_kept_by_its_age() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let id = process.begin("order", json!({})).await;
    let join = json!({ "token": id, "keepAlive": 1 });
    let joined = process.request("tools/async/join", join).await.unwrap();
    assert_eq!(joined["keepAlive"], 3600, "{joined}");
}

#[tokio::test]
async fn a_call_that_its_client_names_is_one() {
    let world = Arc::<World>::default();
    let process = Process::start(&world, MemoryStore::new());
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let meta = json!({ saga_runtime::REQUEST_KEY: "once" });
        let params = json!({ "name": "slow", "arguments": {}, "keepAlive": 0, "_meta": meta });
        let called = process.request("tools/async/call", params).await.unwrap();
        assert_eq!(called["keepAlive"], 1, "who waits is to have it");
        tokens.push(called["token"].clone());
    }
    assert_eq!(tokens[0], tokens[1]);
    world.gate.add_permits(1);
    assert_eq!(
        text(
            &get(&process, &tokens[0], json!({ "timeout": 1e300 }))
                .await
                .unwrap()
        ),
        "slowly"
    );
    assert_eq!(world.effects(), ["slow"]);
}

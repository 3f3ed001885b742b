//! Multi Round-Trip Requests: the call is repeated, each time to another server.

use std::sync::Arc;

use rmcp::{
    ClientHandler, Peer, RoleClient, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, ProtocolVersion},
    service::{RunningService, serve_directly},
};
use saga_runtime::{
    Answer, Answers, Client, Continuation, Engine, Error, Keyring, Outcome, SagaServer, Settings,
    saga,
};
use serde_json::{Value, json};
use tests::{
    Trace,
    answers::{Confirm, Text},
    live::{Connection, capable},
};

use super::{
    client::{Replicas, Reply, Three, Wire, accept, reply},
    server::Fixture,
};

fn text(text: &str) -> Value {
    accept(json!({ "text": text }))
}

fn ok() -> Value {
    accept(json!({ "ok": true }))
}

#[tokio::test]
async fn each_effect_happens_once_though_every_round_goes_to_another_server() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let first = call.start().await;
    assert_eq!(replicas.effects(), ["7"]);
    let second = call
        .resume(first.token(), json!({ "user_name": text("Ada") }))
        .await;
    assert_eq!(replicas.effects(), ["7", "named"]);
    let third = call.resume(second.token(), json!({ "sure": ok() })).await;
    let last = call
        .resume(third.token(), json!({ "advice": reply("go") }))
        .await;
    assert_eq!(last.text(), r#"7 Some("Ada") Some(true) go"#);
    assert_eq!(replicas.effects(), ["7", "named", "confirmed", "advised"]);
}

#[tokio::test]
async fn arguments_that_are_handed_on_need_no_more_than_to_be_read() {
    let replicas = Replicas::new();
    let call = replicas.call_with("handed", json!({ "name": "n", "tags": ["a"] }));
    let first = call.start().await;
    assert_eq!(replicas.effects(), ["first", "n"]);
    let last = call.resume(first.token(), json!({ "sure": ok() })).await;
    assert_eq!(last.text(), r#"true n ["a"]"#);
    assert_eq!(replicas.effects(), ["first", "n"]);
}

/// rmcp alone refuses the form at every call: its schema has a `$ref`.
#[tokio::test]
async fn a_choice_that_is_a_type_of_its_own_stands_in_the_form() {
    let replicas = Replicas::new();
    let call = replicas.call("parcel");
    let first = call.start().await;
    let form = &first.result()["inputRequests"]["parcel"]["params"]["requestedSchema"];
    assert_eq!(form["properties"]["speed"]["enum"], json!(["slow", "fast"]));
    assert_eq!(
        form["properties"]["instead"]["enum"],
        json!(["slow", "fast"])
    );
    assert_eq!(form["required"], json!(["speed"]));
    let filled = accept(json!({ "speed": "fast" }));
    let last = call
        .resume(first.token(), json!({ "parcel": filled }))
        .await;
    assert_eq!(last.text(), "Fast None");
}

#[test]
fn a_client_that_never_comes_back_leaves_nothing() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.unwrap();
    let replicas = Replicas::new();
    // Without an observer, which would keep what it hears.
    let server = SagaServer::new(Fixture::new(Arc::clone(&replicas.world)))
        .with_settings(Settings::new(Keyring::random().unwrap()));
    let mut wire = runtime.block_on(async { Wire::open(server) });
    let mut calls = |count| {
        runtime.block_on(async {
            for _ in 0..count {
                let params = replicas.call("parcel").params(None, Value::Null);
                let first = Reply(wire.request("tools/call", replicas.params(params)).await);
                assert_eq!(first.keys(), ["parcel"]);
            }
        });
    };
    calls(50);
    let tasks = runtime.metrics().num_alive_tasks();
    // What a log holds for each thread is made once, whenever another test begins to log.
    let held = (0..3).map(|_| allocation_counter::measure(|| calls(200)).bytes_current);
    let least = held.min().unwrap();
    assert_eq!(runtime.metrics().num_alive_tasks(), tasks);
    // Less than one of them would take.
    assert!(least < 200, "{least} bytes");
}

#[tokio::test]
async fn every_round_has_a_token_of_its_own() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let first = call.start().await;
    let again = call.start().await;
    let second = call
        .resume(first.token(), json!({ "user_name": text("Ada") }))
        .await;
    assert_ne!(first.token(), second.token());
    assert_ne!(first.token(), again.token());
}

#[tokio::test]
async fn a_key_is_the_binding_then_the_answer_type_then_ask() {
    let replicas = Replicas::new();
    let call = replicas.call("keys");
    let rounds = [
        ("user_name", text("Ada")),
        ("k", accept(json!({ "n": 1 }))),
        ("k-2", accept(json!({ "n": 2 }))),
        ("k-3", accept(json!({ "n": 4 }))),
        ("host_name", accept(json!({ "host": "h" }))),
        ("ask", reply("r")),
    ];
    let mut last = call.start().await;
    for (key, answer) in rounds {
        assert_eq!(last.keys(), [key]);
        last = call.resume(last.token(), json!({ key: answer })).await;
    }
    assert_eq!(last.text(), "7");
}

#[tokio::test]
async fn a_plain_server_without_settings_uses_those_of_the_process() {
    let world = std::sync::Arc::new(Trace::default());
    let replicas = Replicas {
        world: world.clone(),
        ..Replicas::new()
    };
    let request = async |token: Option<&str>, answers| {
        let params = replicas.call("verdict").params(token, answers);
        let mut wire = Wire::open(Fixture::new(world.clone()));
        Reply(wire.request("tools/call", replicas.params(params)).await)
    };
    let first = request(None, Value::Null).await;
    let last = request(
        Some(first.token()),
        json!({ "count": accept(json!({ "n": 3 })) }),
    )
    .await;
    assert_eq!(last.text(), "Some(Count { n: 3 })");
    assert_eq!(replicas.effects(), ["before", "after"]);
}

#[tokio::test]
async fn answers_without_a_state_count_for_the_first_round_only() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let all = json!({ "user_name": text("Ada"), "sure": ok(), "advice": reply("go") });
    let first = call.start_with(all.clone()).await;
    assert_eq!(first.keys(), ["sure"]);
    assert_eq!(replicas.effects(), ["7", "named"]);
    let second = call.resume(first.token(), all).await;
    assert_eq!(second.keys(), ["advice"]);
}

#[tokio::test]
async fn an_answer_under_another_key_is_no_answer() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let first = call
        .start_with(json!({ "nobody_asked": text("Ada") }))
        .await;
    assert_eq!(first.keys(), ["user_name"]);
    let again = call
        .resume(
            first.token(),
            json!({ "user-name": text("Ada"), "sure": ok() }),
        )
        .await;
    assert_eq!(again.keys(), ["user_name"]);
    assert_eq!(replicas.effects(), ["7"]);
}

#[tokio::test]
async fn what_is_no_answer_is_asked_again_and_nothing_runs_again() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let mut last = call.start().await;
    let asked = last.result()["inputRequests"].clone();
    let no_answers = [
        Value::Null,
        json!({}),
        json!({ "user_name": null }),
        json!({ "user_name": 7 }),
        json!({ "user_name": "Ada" }),
        json!({ "user_name": [] }),
        json!({ "user_name": {} }),
        json!({ "user_name": { "action": "perhaps" } }),
        json!({ "user_name": reply("Ada") }),
    ];
    for no_answer in no_answers {
        last = call.resume(last.token(), no_answer.clone()).await;
        assert_eq!(last.result()["inputRequests"], asked, "after {no_answer}");
    }
    assert_eq!(replicas.effects(), ["7"]);
    let second = call
        .resume(last.token(), json!({ "user_name": text("Ada") }))
        .await;
    assert_eq!(second.keys(), ["sure"]);
    assert_eq!(replicas.effects(), ["7", "named"]);
}

#[tokio::test]
async fn what_is_no_answer_at_first_is_asked_for() {
    let replicas = Replicas::new();
    for no_answer in [Value::Null, json!(7), json!({})] {
        let first = replicas
            .call("verdict")
            .start_with(json!({ "count": no_answer }))
            .await;
        assert_eq!(first.keys(), ["count"]);
    }
}

#[tokio::test]
async fn refusals_of_the_user_reach_the_tool_as_rmcp_names_them() {
    let outcomes = [
        (json!({ "action": "decline" }), "UserDeclined"),
        (json!({ "action": "cancel" }), "UserCancelled"),
        (json!({ "action": "accept" }), "NoContent"),
        (accept(json!({ "n": "many" })), r#"ParseError {"n":"many"}"#),
        (accept(json!({ "n": 3 })), "Some(Count { n: 3 })"),
        // Content of a form that was not accepted means nothing.
        (
            json!({ "action": "decline", "content": { "n": 3 } }),
            "UserDeclined",
        ),
    ];
    for (answer, verdict) in outcomes {
        let replicas = Replicas::new();
        let call = replicas.call("verdict");
        let first = call.start().await;
        let last = call.resume(first.token(), json!({ "count": answer })).await;
        assert_eq!(last.text(), verdict);
        assert_eq!(replicas.effects(), ["before", "after"]);
    }
}

#[tokio::test]
async fn an_answer_after_its_time_is_a_timeout() {
    for (tool, verdict) in [
        ("hurried", "Timeout { timeout: 0ns }"),
        ("hurried_beside", "Timeout { timeout: 0ns }"),
        ("patient", "Some(Count { n: 3 })"),
    ] {
        let replicas = Replicas::new();
        let call = replicas.call(tool);
        let first = call.start().await;
        let answer = json!({ "count": accept(json!({ "n": 3 })) });
        assert_eq!(call.resume(first.token(), answer).await.text(), verdict);
    }
}

#[tokio::test]
async fn a_time_limit_is_an_expiry() {
    let replicas = Replicas::new();
    let call = replicas.call("limited");
    let first = call.start().await;
    let answer = json!({ "count": accept(json!({ "n": 3 })) });
    let last = call.resume(first.token(), answer).await;
    assert_eq!(last.text(), "deadline has elapsed");
}

#[tokio::test]
async fn a_time_limit_around_a_call_is_an_expiry_of_all_that_it_asks() {
    let replicas = Replicas::new();
    let call = replicas.call("limited_call");
    let first = call.start().await;
    assert_eq!(first.keys(), ["sure"]);
    // The helper is not looked at: nothing of it runs, and what comes behind the limit does.
    let second = call.resume(first.token(), json!({ "sure": ok() })).await;
    assert_eq!(second.keys(), ["count"]);
    assert_eq!(
        replicas.effects(),
        ["before", "\"late: deadline has elapsed\""]
    );
    let count = json!({ "count": accept(json!({ "n": 3 })) });
    let last = call.resume(second.token(), count).await;
    assert_eq!(last.text(), "Some(3)");
}

#[tokio::test]
async fn a_call_in_its_time_is_none() {
    let replicas = Replicas::new();
    let call = replicas.call("limited_in_time");
    let first = call.start().await;
    let second = call.resume(first.token(), json!({ "sure": ok() })).await;
    assert_eq!(second.keys(), ["sure-2"]);
    let last = call.resume(second.token(), json!({ "sure-2": ok() })).await;
    assert_eq!(last.text(), "true");
    assert_eq!(replicas.effects(), ["before", "0", "1"]);
}

/// One arm has asked by then, and the other is at work.
#[tokio::test]
async fn what_a_call_has_asked_is_withdrawn_when_its_time_is_over() {
    let replicas = Replicas::new();
    let first = replicas.call("limited_at_work").start().await;
    assert_eq!(first.text(), "deadline has elapsed");
}

#[tokio::test]
async fn asks_that_are_joined_come_in_one_round() {
    let replicas = Replicas::new();
    let call = replicas.call("pair");
    let first = call.start().await;
    assert_eq!(first.keys(), ["count", "sure"]);
    // One answer: the other question is put again, and with it the next one of the answered arm.
    let second = call.resume(first.token(), json!({ "sure": ok() })).await;
    assert_eq!(second.keys(), ["count", "sure-2"]);
    let count = accept(json!({ "n": 3 }));
    let third = call.resume(second.token(), json!({ "count": count })).await;
    assert_eq!(third.keys(), ["sure-2"]);
    // An answer that was taken stands.
    let other = accept(json!({ "n": 4 }));
    let answers = json!({ "sure-2": ok(), "count": other });
    let last = call.resume(third.token(), answers).await;
    assert_eq!(last.text(), "Some(3) true");
    assert_eq!(replicas.effects(), ["before", "0", "1", "after"]);
}

#[tokio::test]
async fn a_deep_answer_is_kept() {
    let replicas = Replicas::new();
    let call = replicas.call("keeps_an_answer");
    let first = call.start().await;
    for depth in [1, 64, 110] {
        let more = (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let answer = accept(json!({ "text": "Ada", "more": more }));
        let second = call.resume(first.token(), json!({ "text": answer })).await;
        let last = call
            .resume(second.token(), json!({ "confirm": ok() }))
            .await;
        assert_eq!(last.text(), r#"Some("Ada")"#, "{depth}");
    }
}

#[saga]
async fn keeps(peer: &Peer<RoleServer>) -> bool {
    let text = peer.elicit::<Text>("What?").await;
    let _ = peer.elicit::<Confirm>("Sure?").await;
    text.is_ok()
}

/// An answer nested so deeply, to a question whose answer is kept while the next one waits.
async fn kept(depth: usize) -> Result<bool, Error> {
    let connection = Connection::open(0).await;
    let peer = connection.peer();
    let engine = || Engine::new(Client::with_capabilities(capable()));
    let Outcome::Suspended(first) = engine().start(keeps(&peer)).await else {
        panic!("it asks");
    };
    let more = (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let answer = Answer::Result(accept(json!({ "text": "Ada", "more": more })));
    let answers = Answers::from([("text".to_owned(), answer)]);
    let second = engine().resume(first.continuation, answers, keeps(&peer));
    let second = match second.await {
        Outcome::Suspended(second) => second.continuation.encode()?,
        Outcome::Refused(error) => return Err(error),
        _ => panic!("it asks again"),
    };
    let second = Continuation::decode(&second)?;
    let answers = Answers::from([("confirm".to_owned(), Answer::Result(ok()))]);
    match engine().resume(second, answers, keeps(&peer)).await {
        Outcome::Done(kept) => Ok(kept),
        Outcome::Refused(error) => Err(error),
        _ => panic!("it asks no more"),
    }
}

#[tokio::test]
async fn one_that_is_too_deep_to_be_read_again_is_refused_when_it_is_written() {
    assert_eq!(kept(100).await, Ok(true));
    for depth in [150, 1_000] {
        let refused = kept(depth).await.unwrap_err();
        assert!(matches!(refused, Error::Store { .. }), "{refused}");
    }
}

#[tokio::test]
async fn an_answer_that_was_taken_cannot_be_changed() {
    let replicas = Replicas::new();
    let call = replicas.call("three");
    let first = call.start().await;
    let second = call
        .resume(first.token(), json!({ "user_name": text("staging") }))
        .await;
    let changed = json!({ "user_name": text("production"), "sure": ok() });
    let third = call.resume(second.token(), changed).await;
    let changed = json!({
        "user_name": text("production"),
        "sure": accept(json!({ "ok": false })),
        "advice": reply("go"),
    });
    let last = call.resume(third.token(), changed).await;
    assert_eq!(last.text(), r#"7 Some("staging") Some(true) go"#);
}

#[tokio::test]
async fn a_client_without_elicitation_is_asked_nothing() {
    for capabilities in [
        json!({}),
        json!({ "sampling": {} }),
        json!({ "elicitation": { "url": {} } }),
    ] {
        let replicas = Replicas::new().for_client(capabilities);
        let first = replicas.call("verdict").start().await;
        assert_eq!(first.text(), "CapabilityNotSupported");
        assert_eq!(replicas.effects(), ["before", "after"]);
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_does_not_answer_either() {
    let replicas = Replicas::new().for_client(json!({}));
    let answers = json!({ "count": accept(json!({ "n": 3 })) });
    let first = replicas.call("verdict").start_with(answers).await;
    assert_eq!(first.text(), "CapabilityNotSupported");
}

#[tokio::test]
async fn a_bare_elicitation_capability_means_forms_and_no_pages() {
    let replicas = Replicas::new().for_client(json!({ "elicitation": {} }));
    assert_eq!(replicas.call("verdict").start().await.keys(), ["count"]);
    assert_eq!(
        replicas.call("page").start().await.text(),
        "CapabilityNotSupported"
    );
}

#[tokio::test]
async fn a_page_is_asked_of_clients_that_show_pages() {
    let replicas = Replicas::new().for_client(json!({ "elicitation": { "url": {} } }));
    let call = replicas.call("page");
    let first = call.start().await;
    assert_eq!(
        first.result()["inputRequests"]["visit"],
        json!({
            "method": "elicitation/create",
            "params": {
                "mode": "url",
                "message": "Please sign",
                "url": "https://example.com/sign",
                "elicitationId": "e-1",
            },
        })
    );
    let last = call
        .resume(first.token(), json!({ "visit": { "action": "accept" } }))
        .await;
    assert_eq!(last.text(), "Accept");
}

#[tokio::test]
async fn sampling_and_roots_without_the_capability_give_the_tool_error_32021() {
    for (tool, required) in [
        ("sample", r#"{"sampling":{}}"#),
        ("roots", r#"{"roots":{}}"#),
    ] {
        let replicas = Replicas::new().for_client(json!({ "elicitation": {} }));
        let first = replicas.call(tool).start().await;
        let text = first.text();
        assert!(text.starts_with("McpError -32021 "), "{text}");
        assert!(
            text.ends_with(&format!(r#"{{"requiredCapabilities":{required}}}"#)),
            "{text}"
        );
    }
}

#[tokio::test]
async fn roots_are_asked_of_clients_that_have_them() {
    let replicas = Replicas::new().for_client(json!({ "roots": {} }));
    let call = replicas.call("roots");
    let first = call.start().await;
    assert_eq!(
        first.result()["inputRequests"],
        json!({ "roots": { "method": "roots/list" } })
    );
    let roots = json!({ "roots": { "roots": [{ "uri": "file:///a" }] } });
    assert_eq!(call.resume(first.token(), roots).await.text(), "file:///a");
}

#[tokio::test]
async fn what_the_client_can_do_is_read_from_each_request() {
    let both = Replicas::new();
    let forms = both.for_client(json!({ "elicitation": {}, "sampling": {} }));
    let first = both.call("abilities").start().await;
    let last = forms
        .call("abilities")
        .resume(first.token(), json!({ "confirm": ok() }))
        .await;
    assert_eq!(last.text(), r#"Form+Url true, Form false, Some("alice")"#);
}

#[tokio::test]
async fn a_tool_that_asks_nothing_completes_at_once() {
    assert_eq!(Replicas::new().call("plain").start().await.text(), "plain");
}

#[tokio::test]
async fn rmcps_own_client_drives_a_call_round_by_round() {
    let replicas = Replicas::new();
    let call = CallToolRequestParams::new("verdict");
    let (client, _server) = connect(&replicas);
    let CallToolResponse::InputRequired(first) = client.call_tool_once(call.clone()).await.unwrap()
    else {
        panic!("the first round asks");
    };
    let answers = json!({ "count": accept(json!({ "n": 3 })) });
    let retry = call
        .with_request_state(first.request_state.unwrap())
        .with_input_responses(serde_json::from_value(answers).unwrap());
    let (client, _server) = connect(&replicas);
    let CallToolResponse::Complete(last) = client.call_tool_once(retry).await.unwrap() else {
        panic!("the second round completes");
    };
    assert_eq!(
        last.content[0].as_text().unwrap().text,
        "Some(Count { n: 3 })"
    );
    assert_eq!(replicas.effects(), ["before", "after"]);
}

#[tokio::test]
async fn rmcps_own_client_drives_a_call_to_its_end() {
    let replicas = Replicas::new();
    let (client, _server) = connect(&replicas);
    let last = client
        .call_tool(CallToolRequestParams::new("verdict"))
        .await
        .unwrap();
    assert_eq!(
        last.content[0].as_text().unwrap().text,
        "Some(Count { n: 3 })"
    );
    assert_eq!(replicas.effects(), ["before", "after"]);
}

/// rmcp's client, connected to a new server.
fn connect(
    replicas: &Replicas,
) -> (
    RunningService<RoleClient, Three>,
    RunningService<RoleServer, SagaServer<Fixture>>,
) {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = replicas.server();
    let three = Three(ProtocolVersion::V_2026_07_28);
    let mut info = server.get_info();
    info.protocol_version = three.0.clone();
    let server = serve_directly(server, near, Some(three.get_info()));
    (serve_directly(three, far, Some(info.into())), server)
}

//! Streamable HTTP as `saga_runtime::serve` serves it: what it checks, and how much it takes.

mod served;

use std::time::Duration;

use saga_runtime::{
    OnDisconnect,
    serve::{Http, Limits},
};
use serde_json::{Value, json};
use tokio::{net::TcpStream, sync::Semaphore};

use super::client::{accept, everything, hello};

use self::served::{Served, World, call, settings};

#[tokio::test]
async fn a_call_goes_on_in_json_and_in_streams() {
    for streaming in [false, true] {
        let served = Served::with(World::default(), settings(), |http| {
            if streaming { http.streaming() } else { http }
        })
        .await;
        let first = served.call("order", None).await;
        let last = served.call("order", Some(first.token())).await;
        assert_eq!((last.status, last.text()), (200, "true true"));
        assert_eq!(served.effects(), ["before", "after"]);
    }
}

#[tokio::test]
async fn the_saga_methods_are_named_in_the_header() {
    let served = Served::new().await;
    let params = || json!({ "name": "order", "arguments": {} });
    let send = async |method: &str, name: Option<&str>, params: Value| {
        served.post(method, name, params).await
    };
    for name in [
        None,
        Some("slow"),
        Some("ORDER"),
        Some("=?base64?c2xvdw==?="),
    ] {
        let refused = send("tools/callSaga", name, params()).await;
        assert_eq!(refused.message["error"]["code"], -32020, "{name:?}");
        assert_eq!(refused.status, 400);
    }
    assert!(served.effects().is_empty());
    let encoded = send("tools/callSaga", Some("=?base64?b3JkZXI=?="), params()).await;
    assert_eq!(encoded.message["result"]["state"], "suspended");
    let first = send("tools/callSaga", Some("order"), params()).await;
    let steps = || {
        let step = json!({ "stepId": "sure", "result": accept(json!({ "ok": true })) });
        json!({ "sagaToken": first.message["result"]["sagaToken"], "completedSteps": [step] })
    };
    for name in [None, Some("slow")] {
        let refused = send("tools/resumeSaga", name, steps()).await;
        assert_eq!(refused.message["error"]["code"], -32020, "{name:?}");
    }
    assert_eq!(served.effects(), ["before", "before"]);
    let last = send("tools/resumeSaga", Some("order"), steps()).await;
    assert_eq!(last.text(), "true true");
    // Twice is not once.
    let mut headers = served.headers("tools/callSaga", Some("order"));
    headers.insert("mcp-name", "order".to_owned());
    let body = served.body("tools/callSaga", params());
    assert_eq!(served.post_with(&headers, &body).await.status, 400);
}

#[tokio::test]
async fn a_state_that_is_null_does_not_begin_the_call_anew() {
    let served = Served::new().await;
    for state in [json!(null), json!(5), json!({ "a": 1 })] {
        let mut params = call("order", None);
        params["requestState"] = state;
        let refused = served.post("tools/call", Some("order"), params).await;
        assert_eq!(refused.message["error"]["code"], -32602, "{refused:?}");
        assert_eq!(refused.reason(), "malformed");
        assert_eq!(refused.message["id"], 7);
    }
    assert!(served.effects().is_empty());
    // An argument of that name is the tool's own affair.
    let params = json!({ "name": "order", "arguments": { "requestState": null, "value": 1 } });
    let asked = served.post("tools/call", Some("order"), params).await;
    asked.token();
}

#[tokio::test]
async fn what_is_too_large_is_refused_before_it_is_parsed() {
    let limits = Limits::default().body_bytes(4096).json_nodes(100);
    let served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let with = |value: Value| json!({ "name": "order", "arguments": { "value": value } });
    let fits = served
        .post("tools/call", Some("order"), with(json!("x".repeat(3000))))
        .await;
    fits.token();
    for value in [
        json!("x".repeat(5000)),
        json!([0; 100].as_slice()),
        json!(vec![json!({ "": 0 }); 60]),
    ] {
        let refused = served.post("tools/call", Some("order"), with(value)).await;
        assert_eq!(refused.status, 413);
        assert_eq!(refused.reason(), "too_large");
    }
    assert_eq!(served.effects(), ["before"]);
}

#[tokio::test]
async fn pages_of_other_origins_and_requests_for_other_hosts_are_refused() {
    let served = Served::new().await;
    let body = served.body("tools/call", call("order", None));
    let with = |name: &'static str, value: &str| {
        let mut headers = served.headers("tools/call", Some("order"));
        headers.insert(name, value.to_owned());
        headers
    };
    for (name, value) in [
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost.evil.example"),
        ("Host", "evil.example"),
    ] {
        let refused = served.post_with(&with(name, value), &body).await;
        assert_eq!(refused.status, 403, "{name}: {value}");
    }
    assert!(served.effects().is_empty());
    for (name, value) in [
        ("Origin", "http://localhost:3000"),
        ("Origin", "http://127.0.0.1:8080"),
        ("Host", "127.0.0.1"),
    ] {
        served.post_with(&with(name, value), &body).await.token();
    }

    let elsewhere = Served::with(World::default(), settings(), |http| {
        http.hosts(["tools.example"])
            .origins(["https://app.example"])
    })
    .await;
    let mut headers = elsewhere.headers("tools/call", Some("order"));
    headers.insert("Host", "tools.example".to_owned());
    headers.insert("Origin", "https://app.example".to_owned());
    elsewhere.post_with(&headers, &body).await.token();
    headers.insert("Origin", "http://localhost:3000".to_owned());
    assert_eq!(elsewhere.post_with(&headers, &body).await.status, 403);

    let any = Served::with(World::default(), settings(), |http| http.any_host()).await;
    headers.insert("Host", "whatever.example:1".to_owned());
    any.post_with(&headers, &body).await.token();
    // An empty list is nobody, whatever it is to rmcp.
    let none = Vec::<String>::new();
    let none = Served::with(World::default(), settings(), |http| http.hosts(none)).await;
    for host in ["localhost", "127.0.0.1", "whatever.example"] {
        headers.insert("Host", host.to_owned());
        assert_eq!(none.post_with(&headers, &body).await.status, 403, "{host}");
    }
}

#[tokio::test]
async fn a_server_whose_hosts_are_none_does_not_start() {
    let served = || Http::new(|| Bare, settings());
    for host in ["https://tools.example", "tools.example/mcp", "*"] {
        let refused = served()
            .hosts([host])
            .bind("127.0.0.1:0")
            .await
            .unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
        assert!(refused.to_string().contains(host), "{refused}");
    }
    let refused = served().origins(["app.example"]).bind("127.0.0.1:0").await;
    assert_eq!(
        refused.unwrap_err().kind(),
        std::io::ErrorKind::InvalidInput
    );
}

#[derive(Debug)]
struct Bare;
impl rmcp::ServerHandler for Bare {}

#[tokio::test]
async fn who_sends_half_a_request_is_not_waited_for() {
    let brief = Duration::from_millis(50);
    let limits = Limits::default().header_timeout(brief).body_timeout(brief);
    let served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let mut silent = served.connect().await;
    let mut half = served.connect().await;
    half.write("POST /mcp HTTP/1.1\r\nHost: loc").await;
    let mut headers = served.connect().await;
    headers
        .write("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        .await;
    assert_eq!(silent.rest().await, "");
    assert!(!half.rest().await.contains("200 OK"));
    assert!(headers.rest().await.starts_with("HTTP/1.1 408"));
    served.call("order", None).await.token();
}

#[tokio::test]
async fn no_more_connections_are_served_than_there_may_be() {
    let limits = Limits::default().connections(2);
    let served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let first = served.connect().await;
    let second = served.connect().await;
    let mut third = served.connect().await;
    let headers = served.headers("tools/call", Some("order"));
    let body = served.body("tools/call", call("order", None));
    third.send(&headers, &body).await;
    {
        let mut answer = std::pin::pin!(third.answer());
        let waits = tokio::time::timeout(Duration::from_millis(100), answer.as_mut()).await;
        assert!(waits.is_err(), "{waits:?}");
        drop(first);
        answer.await.token();
    }
    drop(second);
}

/// Leaves in the midst of a call; gives what became of the tool.
async fn left(then: OnDisconnect, streaming: bool) -> Vec<String> {
    let world = World {
        go_on: (then == OnDisconnect::RunOn).then(|| Semaphore::new(0)),
        ..World::default()
    };
    let served = Served::with(world, settings().on_disconnect(then), |http| {
        if streaming { http.streaming() } else { http }
    })
    .await;
    let connection = served.under_way().await;
    drop(connection);
    // Another request shows that the server goes on, and has had the time to notice.
    served.call("order", None).await.token();
    if let Some(go_on) = &served.world.go_on {
        go_on.add_permits(1);
    }
    served.world.ended.notified().await;
    let mut effects = served.effects();
    effects.sort();
    effects
}

#[tokio::test]
async fn a_tool_whose_client_has_left_runs_on_or_stops() {
    for streaming in [false, true] {
        let on = left(OnDisconnect::RunOn, streaming).await;
        assert_eq!(on, ["before", "dropped", "worked"]);
        let stop = left(OnDisconnect::StopAtNextAwait, streaming).await;
        assert_eq!(stop, ["before", "dropped"]);
    }
}

#[tokio::test]
async fn what_is_under_way_when_the_server_stops_has_time_to_end() {
    let world = World {
        go_on: Some(Semaphore::new(0)),
        ..World::default()
    };
    let mut served = Served::with(world, settings(), |http| http).await;
    let mut connection = served.under_way().await;
    drop(served.stop.take());
    while TcpStream::connect(served.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    served.world.go_on.as_ref().unwrap().add_permits(1);
    assert_eq!(connection.answer().await.text(), "slow, but sure");
    drop(connection);
    served.running.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_does_not_end_is_ended_after_the_grace() {
    let limits = Limits::default().grace(Duration::from_millis(50));
    let mut served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let _connection = served.under_way().await;
    drop(served.stop.take());
    served.running.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_panic_is_answered() {
    let served = Served::new().await;
    let first = served.call("panicking", None).await;
    let failed = served.call("panicking", Some(first.token())).await;
    assert_eq!(failed.message["error"]["code"], -32603);
    assert_eq!(failed.reason(), "panic");
    assert!(!failed.message.to_string().contains("42"));
}

#[tokio::test]
async fn older_clients_have_a_session() {
    let served = Served::new().await;
    let mut headers = served.headers("initialize", None);
    headers.insert("MCP-Protocol-Version", "2025-11-25".to_owned());
    headers.remove("Mcp-Method");
    let hello = hello(everything());
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello });
    let greeted = served.post_with(&headers, &hello.to_string()).await;
    assert_eq!(greeted.message["result"]["protocolVersion"], "2025-11-25");
    headers.insert("Mcp-Session-Id", greeted.session.unwrap());
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    served.post_with(&headers, &initialized.to_string()).await;
    // They do not know of the header that names the tool.
    let params = json!({ "name": "order", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/callSaga", "params": params });
    let called = served.post_with(&headers, &call.to_string()).await;
    assert_eq!(called.message["result"]["state"], "suspended", "{called:?}");
}

#[tokio::test]
async fn there_are_no_more_sessions_than_there_may_be() {
    let limits = Limits::default().sessions(2);
    let served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let mut headers = served.headers("initialize", None);
    headers.remove("MCP-Protocol-Version");
    headers.remove("Mcp-Method");
    let hello = hello(json!({}));
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(served.post_with(&headers, &hello).await.status);
    }
    assert_eq!(statuses, [200, 200, 503, 503]);
    // Nor for one whose headers say that it needs none, or name none that can be.
    let mut newest = headers.clone();
    newest.insert("MCP-Protocol-Version", "2026-07-28".to_owned());
    let same = hello.replace("2025-11-25", "2026-07-28");
    assert_eq!(served.post_with(&newest, &same).await.status, 503);
    headers.insert("Mcp-Session-Id", "ÿ".to_owned());
    assert_eq!(served.post_with(&headers, &hello).await.status, 503);
    // Who needs none is served.
    served.call("order", None).await.token();
}

#[tokio::test]
async fn what_says_its_host_or_origin_twice_is_refused() {
    let served = Served::new().await;
    let body = served.body("tools/call", call("order", None));
    for (head, also) in [
        ("POST /mcp", "host: evil.example"),
        (
            "POST /mcp",
            "Origin: http://localhost\r\nOrigin: https://evil.example",
        ),
        ("POST http://evil.example/mcp", "X: y"),
    ] {
        let mut connection = served.connect().await;
        let mut text = format!("{head} HTTP/1.1\r\n{also}\r\n");
        for (name, value) in served.headers("tools/call", Some("order")) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        connection.write(&text).await;
        assert_eq!(connection.answer().await.status, 400, "{head} {also}");
    }
    assert!(served.effects().is_empty());
}

#[tokio::test]
async fn what_says_its_host_by_its_target_alone_is_served() {
    let served = Served::new().await;
    let body = served.body("tools/call", call("order", None));
    let headers = served.headers("tools/call", Some("order"));
    for (target, status) in [
        ("localhost", 200),
        ("evil.example", 403),
        ("a@localhost", 400),
    ] {
        let mut connection = served.connect().await;
        let mut text = format!("POST http://{target}/mcp HTTP/1.1\r\n");
        let others = headers.iter();
        for (name, value) in others.filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        connection.write(&text).await;
        assert_eq!(connection.answer().await.status, status, "{target}");
    }
}

#[tokio::test]
async fn who_does_not_read_its_answers_is_not_waited_for() {
    let brief = Duration::from_millis(100);
    let limits = Limits::default().connections(1).body_timeout(brief);
    let served = Served::with(World::default(), settings(), |http| http.limits(limits)).await;
    let mut deaf = served.connect().await;
    let headers = served.headers("tools/call", Some("verbose"));
    let body = served.body("tools/call", call("verbose", None));
    let asks = async {
        loop {
            deaf.send(&headers, &body).await;
            tokio::task::yield_now().await;
        }
    };
    // The only place is free again, though its client has not closed it.
    tokio::select! {
        () = asks => {}
        answer = served.call("order", None) => drop(answer.token().to_owned()),
    }
}

#[tokio::test]
async fn another_path_is_not_found() {
    let served = Served::with(World::default(), settings(), |http| http.at("/tools")).await;
    assert_eq!(served.call("order", None).await.status, 404);
}

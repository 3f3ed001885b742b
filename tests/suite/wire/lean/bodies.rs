//! Bodies that somebody has made up.

use axum::{
    body::Body,
    http::{HeaderValue, Request},
};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::json;

use super::{
    hostile::{calls, message, pair, server},
    pair::{Pair, headers, request},
};

/// Each member changed into something else.
fn changed(whole: &serde_json::Value) -> Vec<Vec<u8>> {
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    let pointers = [
        "/jsonrpc",
        "/id",
        "/method",
        "/params",
        "/params/name",
        "/params/arguments",
        "/params/_meta",
        "/params/requestState",
        "/params/inputResponses",
        "/params/resumeToken",
        "/params/unknown",
        "/result",
        "/error",
        "/unknown",
        "/params/task",
        "/params/_meta/io.modelcontextprotocol~1protocolVersion",
        "/params/_meta/io.modelcontextprotocol~1clientCapabilities",
        "/params/_meta/io.modelcontextprotocol~1clientInfo",
        "/params/_meta/progressToken",
        "/params/_meta/io.modelcontextprotocol~1logLevel",
    ];
    let values = [
        json!(null),
        json!(true),
        json!(5),
        json!(-5),
        json!(2.5),
        json!(u64::MAX),
        json!(""),
        json!("x"),
        json!("2.0"),
        json!("1.0"),
        json!("tools/list"),
        json!("2025-11-25"),
        json!("2026-07-29"),
        json!([]),
        json!({}),
        json!([{ "a": null }]),
        json!({ "a": { "b": [] } }),
    ];
    for pointer in pointers {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/");
        for value in &values {
            let mut changed = whole.clone();
            changed.pointer_mut(parent).unwrap()[&name] = value.clone();
            bodies.push(changed.to_string().into_bytes());
        }
        let mut without = whole.clone();
        without
            .pointer_mut(parent)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove(&name);
        bodies.push(without.to_string().into_bytes());
    }
    bodies
}

/// Bodies that are nearly a request.
fn bodies() -> Vec<Vec<u8>> {
    let whole = message(
        "tools/call",
        json!({ "name": "known", "arguments": { "a": 1 } }),
    );
    let text = whole.to_string();
    let mut bodies = changed(&whole);
    let mut add = |text: &str| bodies.push(text.as_bytes().to_vec());
    for (from, to) in [
        (r#""id":7"#, r#""id":7,"id":8"#),
        (r#""id":7"#, r#""id":7,"i\u0064":8"#),
        (r#""id":7"#, r#""\u0069d":7"#),
        (r#""id":7"#, r#""id":7.0"#),
        (r#""id":7"#, r#""id":1e3"#),
        (r#""id":7"#, r#""id":9223372036854775807"#),
        (r#""id":7"#, r#""id":9223372036854775808"#),
        (r#""id":7"#, r#""id":123456789012345678901234567890"#),
        (r#""id":7"#, r#""id":"\ud83d\ude00""#),
        (r#""id":7"#, r#""id":"\ud83d""#),
        (r#""method":"#, r#""method":"tools/list","method":"#),
        (r#""tools/call""#, r#""tools\/call""#),
        (r#""name":"known""#, r#""name":"known","name":"known""#),
        (r#""name":"known""#, r#""name":"\u006bnown""#),
        (r#""a":1"#, r#""a":1,"a":2"#),
        (r#""a":1"#, r#""a":1e999"#),
        (
            r#""a":1"#,
            r#""a":-0.0,"b":1.0000000000000001,"c":18446744073709551616"#,
        ),
        (r#""a":1"#, r#""a":"\u0000\ud800""#),
        (r#""_meta""#, r#""_meta":{},"_meta""#),
        (r#""_meta""#, r#""x":"\ud800","_meta""#),
        (r#"{"#, r#"{ "#),
    ] {
        add(&text.replacen(from, to, 1));
    }
    // By their places in place of their names.
    let params = &whole["params"];
    let placed = json!([params["_meta"], params["name"], params["arguments"]]);
    add(&json!(["2.0", 7, "tools/call", params]).to_string());
    add(
        &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": placed }).to_string(),
    );
    for text in [
        "",
        " ",
        "{}",
        "[]",
        "null",
        "5",
        "\"x\"",
        "{",
        "}",
        "[[[[",
        "{\"jsonrpc\":\"2.0\"}",
        "\u{feff}{}",
        "{} {}",
        "{\"id\":1}",
    ] {
        add(text);
    }
    add(&format!("[{text}]"));
    add(&format!("[{text},{text}]"));
    add(&format!("{text}\n \t"));
    add(&format!("{text}x"));
    add(&format!("{text}{text}"));
    add(&format!("\u{feff}{text}"));
    add(&text[..text.len() - 1]);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [100, 122, 123, 124, 125, 126, 127, 128, 129, 200, 10_000] {
        add(&text.replacen(r#""a":1"#, &format!(r#""a":{}"#, nested(depth)), 1));
    }
    add(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }).to_string());
    add(
        &json!({ "jsonrpc": "2.0", "method": "tools/call", "params": whole["params"] }).to_string(),
    );
    add(&json!({ "jsonrpc": "2.0", "id": 7, "result": {} }).to_string());
    add(&json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": 1, "message": "" } }).to_string());
    // What is no text, here and there.
    for place in [
        3,
        text.find("known").unwrap(),
        text.find("alice").unwrap(),
        text.len() - 4,
    ] {
        let mut bytes = text.clone().into_bytes();
        bytes[place] = 0xff;
        bodies.push(bytes);
    }
    bodies
}

#[tokio::test]
async fn bodies_lead_to_the_same() {
    let pair = pair();
    let headers = headers("tools/call", &json!({ "name": "known" }));
    for body in bodies() {
        pair.same(|| request(&headers, body.clone())).await;
    }
}

/// The same where they are called something else by their headers.
#[tokio::test]
async fn methods_that_are_not_the_bodys_lead_to_the_same() {
    let pair = pair();
    let names = calls();
    let mut methods: Vec<_> = names.iter().map(|(method, _)| *method).collect();
    methods.dedup();
    for named in methods {
        for (method, params) in &names {
            let body = message(method, params.clone()).to_string();
            let mut headers = headers(method, params);
            headers.insert("mcp-method", HeaderValue::from_static(named));
            pair.same(|| request(&headers, body.clone())).await;
        }
    }
}

#[tokio::test]
async fn bodies_are_as_long_as_they_may_be() {
    let mut config = StreamableHttpServerConfig::default().with_json_response(true);
    let params = json!({ "name": "known" });
    let body = message("tools/call", params.clone()).to_string();
    let headers = headers("tools/call", &params);
    for most in [0, 1, body.len() - 1, body.len(), body.len() + 1] {
        config.max_request_body_bytes = most;
        let pair = Pair::new(server, &config);
        let answer = pair.same(|| request(&headers, body.clone())).await;
        assert_eq!(answer.status, if most < body.len() { 413 } else { 200 });
        for piece in [1, 7, 100] {
            let in_pieces = || {
                let pieces: Vec<_> = body.as_bytes().chunks(piece).map(<[u8]>::to_vec).collect();
                let pieces = pieces.into_iter().map(Ok::<_, std::io::Error>);
                request(&headers, Body::from_stream(futures::stream::iter(pieces)))
            };
            assert_eq!(pair.same(in_pieces).await, answer);
        }
    }
    let broken = || -> Request<Body> {
        let pieces = [
            Ok(body.as_bytes()[..9].to_vec()),
            Err(std::io::Error::other("broken")),
        ];
        request(&headers, Body::from_stream(futures::stream::iter(pieces)))
    };
    config.max_request_body_bytes = 1000;
    assert_eq!(Pair::new(server, &config).same(broken).await.status, 500);
}

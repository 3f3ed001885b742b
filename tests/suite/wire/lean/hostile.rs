//! Requests that somebody has made up.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Request},
};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use saga_runtime::{Keyring, SagaServer, Settings};
use serde_json::{Value, json};

use super::{
    pair::{LONG_WAY, Pair, SHORT_WAY, headers, request},
    shop::Shop,
};

type Server = SagaServer<Shop>;

fn server() -> std::io::Result<Server> {
    let settings = Settings::new(Keyring::new("first", [1; 32]).unwrap());
    Ok(SagaServer::new(Shop::default()).with_settings(settings))
}

fn pair() -> Pair<Server> {
    let config = StreamableHttpServerConfig::default().with_json_response(true);
    Pair::new(server, &config)
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "alice", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
    })
}

fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        (
            "tools/call",
            json!({ "name": "known", "arguments": { "b": 1, "a": [1.0, 2e3, -5, u64::MAX] } }),
        ),
        ("tools/call", json!({ "name": "known" })),
        ("tools/call", json!({ "name": "known", "arguments": null })),
        (
            "tools/call",
            json!({ "name": "known", "inputResponses": { "k": {} }, "requestState": "x" }),
        ),
        ("tools/call", json!({ "name": "fails" })),
        ("tools/call", json!({ "name": "asks" })),
        ("tools/call", json!({ "name": "ask" })),
        ("tools/call", json!({ "name": "panics" })),
        ("tools/call", json!({ "name": "structured" })),
        ("tools/call", json!({ "name": "invalid" })),
        ("tools/call", json!({ "name": "lost" })),
        ("tools/call", json!({ "name": "mismatch" })),
        ("tools/call", json!({ "name": "missing" })),
        ("tools/call", json!({ "name": "incapable" })),
        ("tools/call", json!({ "name": "internal" })),
        ("tools/call", json!({ "name": "unknown" })),
        (
            "prompts/get",
            json!({ "name": "p", "arguments": { "a": "b" } }),
        ),
        ("prompts/get", json!({ "name": "lost" })),
        ("resources/read", json!({ "uri": "file:///a" })),
        ("resources/read", json!({ "uri": "lost" })),
        ("tasks/get", json!({ "taskId": "t" })),
        (
            "tasks/update",
            json!({ "taskId": "fine", "inputResponses": {} }),
        ),
        (
            "tasks/update",
            json!({ "taskId": "t", "inputResponses": { "k": { "action": "accept" } } }),
        ),
        ("tasks/update", json!({ "taskId": "t" })),
        ("tasks/cancel", json!({ "taskId": "fine" })),
        ("tasks/cancel", json!({ "taskId": "t" })),
        (
            "tools/callSaga",
            json!({ "name": "known", "arguments": {} }),
        ),
        (
            "tools/callSaga",
            json!({ "name": "unknown", "z": 1, "a": 2 }),
        ),
        (
            "tools/resumeSaga",
            json!({ "sagaToken": "x", "completedSteps": [] }),
        ),
        ("tools/resumeSaga", json!({ "requestState": null })),
        ("tools/list", json!({})),
        ("prompts/list", json!({})),
        ("server/discover", json!({})),
        ("ping", json!({})),
        ("tasks/list", json!({})),
        ("no/such", json!({ "name": "x" })),
    ]
}

#[tokio::test]
async fn what_is_called_answers_the_same() {
    for json in [true, false] {
        let config = StreamableHttpServerConfig::default().with_json_response(json);
        let pair = Pair::new(server, &config);
        for (method, params) in calls() {
            let body = message(method, params.clone()).to_string();
            let headers = headers(method, &params);
            pair.same(|| request(&headers, body.clone())).await;
            // The handler is told of what a layer has put there.
            let layered = || {
                let mut request = request(&headers, body.clone());
                request.extensions_mut().insert("added");
                request
                    .headers_mut()
                    .insert("x-own", HeaderValue::from_static("1"));
                *request.uri_mut() = "/elsewhere?a=b".parse().unwrap();
                request
            };
            pair.same(layered).await;
        }
    }
}

/// The handler runs in the task of its connection only where rmcp's service does not serve it.
#[tokio::test]
async fn the_short_way_is_taken() {
    let pair = pair();
    let params = json!({ "name": "task" });
    let body = message("tools/call", params.clone()).to_string();
    let mut headers = headers("tools/call", &params);
    for (accept, spawned) in [(SHORT_WAY, false), (LONG_WAY, true)] {
        headers.insert("accept", HeaderValue::from_static(accept));
        let answer = pair.lean(request(&headers, body.clone())).await;
        assert!(
            answer.body.contains(&format!("\"{spawned}\"")),
            "{answer:?}"
        );
        let answer = pair.rmcp(request(&headers, body.clone())).await;
        assert!(answer.body.contains("\"true\""), "{answer:?}");
    }
}

/// What may be said of a header: nothing, once, or twice.
type Said = Option<&'static [&'static [u8]]>;

fn changed(headers: &HeaderMap, name: &'static str, said: Said) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(name);
    for value in said.unwrap_or_default() {
        let value = HeaderValue::from_bytes(value).unwrap();
        headers.append(HeaderName::from_static(name), value);
    }
    headers
}

const VALUES: &[(&str, &[Said])] = &[
    (
        "accept",
        &[
            None,
            Some(&[b"application/json"]),
            Some(&[b"*/*"]),
            Some(&[b"TEXT/event-stream,Application/JSON"]),
            Some(&[b"text/event-stream", b"application/json"]),
            Some(&[b"application/json;q=0, text/event-stream"]),
            Some(&[b"application/json;q=0.5, text/event-stream;q=1"]),
            Some(&[b"text/plain;x=\", application/json, text/event-stream, \""]),
            Some(&[b"\"application/json, text/event-stream\""]),
            Some(&[b"application/json, text/event-stream, \xff"]),
            Some(&[b"application/json, text/event-stream", b"\xff"]),
        ],
    ),
    (
        "content-type",
        &[
            None,
            Some(&[b"text/plain"]),
            Some(&[b"APPLICATION/JSON ; charset=utf-8"]),
            Some(&[b"application/json, text/plain"]),
            Some(&[b"application/json", b"text/plain"]),
            Some(&[b"text/plain", b"application/json"]),
            Some(&[b"application/json\xff"]),
            Some(&[b""]),
        ],
    ),
    (
        "mcp-protocol-version",
        &[
            None,
            Some(&[b"2025-11-25"]),
            Some(&[b"2026-07-29"]),
            Some(&[b"9999-01-01"]),
            Some(&[b"2026-07-28 "]),
            Some(&[b"2026-07-28", b"2025-11-25"]),
            Some(&[b"2025-11-25", b"2026-07-28"]),
            Some(&[b"latest"]),
            Some(&[b"\xff"]),
        ],
    ),
    (
        "mcp-method",
        &[
            None,
            Some(&[b"tools/list"]),
            Some(&[b"TOOLS/CALL"]),
            Some(&[b"tools/call", b"tools/call"]),
            Some(&[b"prompts/get"]),
            Some(&[b"tools/call\xff"]),
            Some(&[b""]),
        ],
    ),
    (
        "mcp-name",
        &[
            None,
            Some(&[b"Known"]),
            Some(&[b"known "]),
            Some(&[b"known", b"known"]),
            Some(&[b"=?base64?a25vd24=?="]),
            Some(&[b"=?base64?a25vd24?="]),
            Some(&[b"=?base64?YW5vdGhlcg==?="]),
            Some(&[b"=?base64?known"]),
            Some(&[b"=?BASE64?a25vd24=?="]),
            Some(&[b"\xffknown"]),
            Some(&[b""]),
        ],
    ),
    (
        "host",
        &[
            None,
            Some(&[b"localhost"]),
            Some(&[b"LOCALHOST:1"]),
            Some(&[b"[::1]:8000"]),
            Some(&[b"127.0.0.1"]),
            Some(&[b"evil.example"]),
            Some(&[b"localhost.evil.example"]),
            Some(&[b"localhost@evil.example"]),
            Some(&[b"localhost", b"evil.example"]),
            Some(&[b"evil.example", b"localhost"]),
            Some(&[b"not a host"]),
            Some(&[b"\xff"]),
            Some(&[b""]),
        ],
    ),
    (
        "origin",
        &[
            Some(&[b"http://localhost:3000"]),
            Some(&[b"https://evil.example"]),
            Some(&[b"http://localhost.evil.example"]),
            Some(&[b"null"]),
            Some(&[b"http://localhost:3000", b"https://evil.example"]),
            Some(&[b"https://evil.example", b"http://localhost:3000"]),
            Some(&[b"localhost"]),
            Some(&[b"\xff"]),
            Some(&[b""]),
        ],
    ),
    (
        "mcp-session-id",
        &[Some(&[b"unknown"]), Some(&[b"a", b"b"])],
    ),
    ("last-event-id", &[Some(&[b"0"])]),
];

#[tokio::test]
async fn headers_lead_to_the_same() {
    let open = StreamableHttpServerConfig::default().with_json_response(true);
    let closed = open.clone().enforce_origin_validation();
    let one = open.clone().with_allowed_origins(["http://localhost:3000"]);
    let any = one.clone().disable_allowed_hosts();
    let strict = any.clone().with_stateless_protocol_metadata_required(true);
    for config in [open, closed, one, any, strict] {
        let pair = Pair::new(server, &config);
        let params = json!({ "name": "known" });
        let body = message("tools/call", params.clone()).to_string();
        let plain = headers("tools/call", &params);
        // Once it is not known, once it is.
        for _ in 0..2 {
            for (name, values) in VALUES {
                for said in *values {
                    let headers = changed(&plain, name, *said);
                    pair.same(|| request(&headers, body.clone())).await;
                }
            }
        }
        for method in ["GET", "DELETE", "PUT", "OPTIONS", "HEAD", "post"] {
            let request = || {
                let mut request = request(&plain, body.clone());
                *request.method_mut() = method.parse().unwrap();
                request
            };
            pair.same(request).await;
        }
    }
}

#[tokio::test]
async fn hosts_are_remembered_up_to_a_number() {
    let pair = pair();
    let params = json!({ "name": "known" });
    let body = message("tools/call", params.clone()).to_string();
    for port in 1..200 {
        for host in ["localhost", "evil.example"] {
            let mut headers = headers("tools/call", &params);
            let host = HeaderValue::try_from(format!("{host}:{port}")).unwrap();
            headers.insert("host", host);
            let answer = pair.same(|| request(&headers, body.clone())).await;
            assert!([200, 403].contains(&answer.status));
        }
    }
}

/// Bodies that are nearly a request.
fn bodies() -> Vec<Vec<u8>> {
    let whole = message(
        "tools/call",
        json!({ "name": "known", "arguments": { "a": 1 } }),
    );
    let text = whole.to_string();
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    // Each member changed into something else.
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

#[tokio::test]
async fn annotated_parameters_are_in_the_header() {
    let pair = pair();
    let with = |arguments: Value, named: &[(&'static str, &str)]| {
        let params = json!({ "name": "annotated", "arguments": arguments });
        let body = message("tools/call", params.clone()).to_string();
        let mut headers = headers("tools/call", &params);
        for (name, value) in named {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        (headers, body)
    };
    let region = json!({ "region": "eu" });
    let floor = json!({ "where": { "floor": 3 } });
    for (request_of, status) in [
        (with(json!({}), &[]), 200),
        (
            with(json!({ "empty": "x", "odd": "y", "plain": "z" }), &[]),
            200,
        ),
        (with(json!({ "region": null }), &[]), 200),
        (with(json!({ "region": ["eu"] }), &[]), 200),
        (with(region.clone(), &[("mcp-param-region", "eu")]), 200),
        (
            with(region.clone(), &[("mcp-param-region", "=?base64?ZXU=?=")]),
            200,
        ),
        (with(region.clone(), &[]), 400),
        (with(region.clone(), &[("mcp-param-region", "us")]), 400),
        (
            with(region.clone(), &[("mcp-param-region", "=?base64?Z?=")]),
            400,
        ),
        (
            with(
                region.clone(),
                &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")],
            ),
            400,
        ),
        (with(json!({}), &[("mcp-param-region", "eu")]), 400),
        (
            with(json!({ "region": null }), &[("mcp-param-region", "eu")]),
            400,
        ),
        (
            with(json!({ "region": true }), &[("mcp-param-region", "true")]),
            200,
        ),
        (with(floor.clone(), &[("mcp-param-floor", "3")]), 200),
        (with(floor.clone(), &[("mcp-param-floor", "4")]), 400),
        (with(floor.clone(), &[]), 400),
        (
            with(json!({ "where": 5 }), &[("mcp-param-floor", "3")]),
            400,
        ),
        (
            with(json!({ "where": 5 }), &[("mcp-param-other", "3")]),
            200,
        ),
    ] {
        let (headers, body) = request_of;
        let answer = pair.same(|| request(&headers, body.clone())).await;
        assert_eq!(answer.status, status, "{headers:?} {body}");
    }
}

#[tokio::test]
async fn a_handler_that_cannot_be_made_is_the_same_error() {
    let config = StreamableHttpServerConfig::default();
    let pair = Pair::<Server>::new(|| Err(std::io::Error::other("not now")), &config);
    let params = json!({ "name": "known" });
    let body = message("tools/call", params.clone()).to_string();
    let headers = headers("tools/call", &params);
    assert_eq!(
        pair.same(|| request(&headers, body.clone())).await.status,
        500
    );
}

//! Requests that somebody has made up.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use saga_runtime::{Keyring, SagaServer, Settings};
use serde_json::{Value, json};

use super::{
    pair::{LONG_WAY, Pair, SHORT_WAY, headers, request},
    shop::Shop,
};

type Server = SagaServer<Shop>;

pub(super) fn server() -> std::io::Result<Server> {
    let settings = Settings::new(Keyring::new("first", [1; 32]).unwrap());
    Ok(SagaServer::new(Shop::default()).with_settings(settings))
}

pub(super) fn pair() -> Pair<Server> {
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

pub(super) fn message(method: &str, mut params: Value) -> Value {
    params["_meta"] = meta();
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

pub(super) fn calls() -> Vec<(&'static str, Value)> {
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

/// The handler runs in the task of its connection only where rmcp's service does not serve it, and once it is known to be quiet.
#[tokio::test]
async fn the_short_way_is_taken() {
    let pair = pair();
    let params = json!({ "name": "task" });
    let body = message("tools/call", params.clone()).to_string();
    let mut headers = headers("tools/call", &params);
    let ways = [(SHORT_WAY, true); 16].into_iter();
    for (accept, spawned) in ways.chain([(SHORT_WAY, false), (LONG_WAY, true)]) {
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
async fn whatever_has_a_name_is_called_by_it() {
    let pair = pair();
    for (method, params) in calls() {
        let body = message(method, params.clone()).to_string();
        let plain = headers(method, &params);
        const SAID: [Said; 2] = [None, Some(&[b"another"])];
        for said in SAID {
            let headers = changed(&plain, "mcp-name", said);
            pair.same(|| request(&headers, body.clone())).await;
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

//! Handlers that notify, outlive their request, or are left by their client.

use std::{future::Future, pin::pin, sync::Arc, time::Duration};

use axum::{body::Body, http::Request};
use rmcp::transport::streamable_http_server::StreamableHttpServerConfig;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower::ServiceExt;

use saga_runtime::http::StreamableHttp;

use super::{
    pair::{Pair, Seen, headers, request},
    shop::{Shop, World},
};

fn config() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default().with_json_response(true)
}

fn call(tool: &str, asked: Value) -> Request<Body> {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    if let (Some(meta), Value::Object(asked)) = (meta.as_object_mut(), asked) {
        meta.extend(asked);
    }
    let params = json!({ "name": tool, "arguments": {}, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": params });
    request(&headers("tools/call", &params), body.to_string())
}

fn with_progress(tool: &str) -> Request<Body> {
    call(tool, json!({ "progressToken": "p" }))
}

fn with_level(tool: &str) -> Request<Body> {
    call(tool, json!({ "io.modelcontextprotocol/logLevel": "info" }))
}

fn plain(tool: &str) -> Request<Body> {
    call(tool, json!({}))
}

#[tokio::test]
async fn notifications_are_in_the_stream_of_their_request() {
    for json in [true, false] {
        let pair = Pair::new(|| Ok(Shop::default()), &config().with_json_response(json));
        for request in [with_progress, with_level, plain] {
            for tool in ["progress", "log", "known", "many"] {
                let answer = pair.same(|| request(tool)).await;
                let expected = match tool {
                    "known" => 1,
                    "many" => 101,
                    _ => 4,
                };
                assert_eq!(answer.messages().len(), expected, "{answer:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notifications_of_code_that_blocks_are_sent_meanwhile() {
    let pair = Pair::new(|| Ok(Shop::default()), &config());
    for request in [with_progress, plain] {
        let answer = pair.same(|| request("blocks")).await;
        assert_eq!(answer.messages().len(), 41, "{answer:?}");
    }
}

/// A tool that speaks unasked is told from others by its first calls.
#[tokio::test]
async fn who_notifies_unasked_is_known_by_its_name() {
    let pair = Pair::new(|| Ok(Shop::default()), &config());
    for _ in 0..40 {
        pair.same(|| plain("known")).await;
    }
    for _ in 0..40 {
        assert_eq!(pair.same(|| plain("log")).await.messages().len(), 4);
        assert_eq!(pair.same(|| plain("known")).await.messages().len(), 1);
    }
}

/// A tool that was quiet for long, and speaks unasked all the same.
#[tokio::test]
async fn who_was_quiet_and_notifies_unasked_is_told_once() {
    let lean = StreamableHttp::new(|| Ok(Shop::default()), sessions(), config());
    let steps = |steps: usize| {
        let params = json!({ "name": "log", "arguments": { "steps": steps }, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        request(&headers("tools/call", &params), body.to_string())
    };
    let ask = async |request| Seen::of(lean.clone().oneshot(request).await.unwrap()).await;
    for _ in 0..40 {
        assert_eq!(ask(steps(0)).await.messages().len(), 1);
    }
    // Who is asked is heard.
    let asked = ask(with_level("log")).await;
    assert_eq!(asked.messages().len(), 4, "{asked:?}");
    let told = ask(steps(2)).await;
    assert_eq!(told.messages()[0]["result"]["content"][0]["text"], "false");
    for _ in 0..2 {
        assert_eq!(ask(steps(2)).await.messages().len(), 3);
    }
}

/// Once in a while a tool has nothing to tell.
#[tokio::test]
async fn who_notifies_unasked_may_be_quiet_in_between() {
    let pair = Pair::new(|| Ok(Shop::default()), &config());
    let steps = |steps: usize| {
        let params = json!({ "name": "log", "arguments": { "steps": steps }, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        request(&headers("tools/call", &params), body.to_string())
    };
    for told in [2, 0, 2] {
        let answer = pair.same(|| steps(told)).await;
        assert_eq!(answer.messages().len(), told + 1, "{answer:?}");
    }
}

fn sessions() -> Arc<rmcp::transport::streamable_http_server::session::local::LocalSessionManager> {
    Arc::default()
}

/// A notification that comes late is nobody's: not even of the next request.
#[tokio::test]
async fn a_request_that_is_over_has_no_peer() {
    let world = Arc::new(World::default());
    let shop = Shop(Arc::clone(&world));
    let lean = StreamableHttp::new(move || Ok(shop.clone()), sessions(), config());
    let ask = async |request| Seen::of(lean.clone().oneshot(request).await.unwrap()).await;
    for request in [plain, with_progress] {
        for _ in 0..40 {
            assert_eq!(ask(request("after")).await.messages().len(), 1);
            assert_eq!(ask(request("known")).await.messages().len(), 1);
            world.ended.notified().await;
        }
    }
}

/// Polls until the handler has begun, and leaves.
async fn leave(answer: impl Future, world: &World) {
    let mut answer = pin!(answer);
    let mut started = pin!(world.started.notified());
    std::future::poll_fn(|context| {
        assert!(answer.as_mut().poll(context).is_pending());
        started.as_mut().poll(context)
    })
    .await;
}

#[tokio::test]
async fn who_is_left_runs_on_and_is_told() {
    let world = Arc::new(World {
        go_on: Some(Semaphore::new(0)),
        ..World::default()
    });
    let shop = Shop(Arc::clone(&world));
    let lean = StreamableHttp::new(move || Ok(shop.clone()), sessions(), config());
    for request in [plain("waits"), with_progress("waits")] {
        leave(lean.clone().oneshot(request), &world).await;
        world.go_on.as_ref().unwrap().add_permits(1);
        world.ended.notified().await;
    }
    // In the midst of a stream.
    for request in [
        plain("notifies and waits"),
        with_progress("notifies and waits"),
    ] {
        let answer = lean.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        world.started.notified().await;
        drop(answer);
        world.go_on.as_ref().unwrap().add_permits(1);
        world.ended.notified().await;
    }
    assert_eq!(*world.told.lock().unwrap(), [true; 4]);
}

/// Who does not read holds up a tool by what it has to say, and no longer than it is there.
#[tokio::test]
async fn who_reads_nothing_gets_no_more_than_fits() {
    let world = Arc::new(World::default());
    let shop = Shop(Arc::clone(&world));
    let lean = StreamableHttp::new(move || Ok(shop.clone()), sessions(), config());
    let answer = lean.clone().oneshot(with_progress("many")).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_millis(50), world.ended.notified()).await;
    assert!(ended.is_err());
    drop(answer);
    world.ended.notified().await;
}

#[tokio::test]
async fn a_server_that_stops_says_so_to_all() {
    for tool in ["waits", "notifies and waits"] {
        let mut answers = Vec::new();
        for long_way in [false, true] {
            let world = Arc::new(World::default());
            let shop = Shop(Arc::clone(&world));
            let config = config();
            let stop = config.cancellation_token.clone();
            let pair = Pair::new(move || Ok(shop.clone()), &config);
            let answer = async {
                match long_way {
                    true => pair.rmcp(plain(tool)).await,
                    false => pair.lean(plain(tool)).await,
                }
            };
            let mut answer = pin!(answer);
            let mut started = pin!(world.started.notified());
            std::future::poll_fn(|context| {
                assert!(answer.as_mut().poll(context).is_pending());
                started.as_mut().poll(context)
            })
            .await;
            stop.cancel();
            answers.push(answer.await);
        }
        assert_eq!(answers[0], answers[1]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_get_their_own() {
    let lean = StreamableHttp::new(|| Ok(Shop::default()), sessions(), config());
    let mut running = tokio::task::JoinSet::new();
    for place in 0..200 {
        let lean = lean.clone();
        running.spawn(async move {
            let asked = json!({ "progressToken": place });
            let request = match place % 3 {
                0 => plain("known"),
                _ => call("progress", asked),
            };
            let answer = Seen::of(lean.oneshot(request).await.unwrap()).await;
            let messages = answer.messages();
            let own = messages
                .iter()
                .filter(|message| message["params"]["progressToken"] == place);
            assert_eq!(
                own.count(),
                if place % 3 == 0 { 0 } else { 3 },
                "{answer:?}"
            );
            assert_eq!(messages.len(), if place % 3 == 0 { 1 } else { 4 });
        });
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
}

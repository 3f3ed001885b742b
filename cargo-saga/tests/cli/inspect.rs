//! `inspect` and `keygen`.

use rmcp::ServiceExt;
use saga_runtime::{Keyring, SagaServer, Settings};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::{
    desk::Desk,
    fixture::{Fixture, Run},
};

/// The workspace whose server it is.
fn workspace(name: &str) -> Fixture {
    Fixture::new(name).file("src/lib.rs", include_str!("desk.rs"))
}

/// The result of a request of 2026-07-28 to a server of these keys, of the service `desk`, on behalf of alice.
fn result(method: &str, mut params: Value) -> Value {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let keys = Keyring::new("2026-11", [7; 32]).expect("a key");
        let settings = Settings::new(keys)
            .with_audience("desk")
            .with_principal(|_| Some("alice".to_owned()));
        let server = SagaServer::new(Desk).with_settings(settings);
        let (near, far) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            if let Ok(running) = server.serve(near).await {
                let _ = running.waiting().await;
            }
        });
        let (reader, mut writer) = tokio::io::split(far);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "alice", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        writer
            .write_all(format!("{request}\n").as_bytes())
            .await
            .expect("it is sent");
        let line = BufReader::new(reader)
            .lines()
            .next_line()
            .await
            .expect("it is read");
        let message: Value = serde_json::from_str(&line.expect("an answer")).expect("JSON");
        assert!(message.get("error").is_none(), "{message}");
        message["result"].clone()
    })
}

fn token(result: &Value, name: &str) -> String {
    result[name].as_str().expect("a token").to_owned()
}

fn keys() -> String {
    format!("2026-11:{}", "07".repeat(32))
}

fn inspect(fixture: &Fixture, arguments: &[&str]) -> Run {
    let arguments = [&["inspect"], arguments].concat();
    fixture.saga_with(&arguments, &[("SAGA_KEYS", &keys())])
}

#[test]
fn what_is_named_is_read_or_refused() {
    let fixture = workspace("inspect_named");
    for (arguments, said) in [
        (
            &["t", "--manifest-path", "no/Cargo.toml"][..],
            "no/Cargo.toml",
        ),
        (&["t", "-p", "nobody"], "no package `nobody`"),
        (&["--request", "-", "-"], "can be read once"),
        (
            &["-", "--tool", "lend", "--arguments", "@-"],
            "can be read once",
        ),
    ] {
        let run = inspect(&fixture, arguments);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
    }
}

#[test]
fn a_request_state_shows_the_stack_and_values_only_when_asked() {
    let fixture = workspace("inspected");
    let call = json!({ "name": "lend", "arguments": { "title": "Emma" } });
    let token = token(&result("tools/call", call), "requestState");
    let bound = [
        "--tool",
        "lend",
        "--arguments",
        r#"{"title":"Emma"}"#,
        "--principal",
        "alice",
        "--audience",
        "desk",
    ];
    let run = inspect(&fixture, &[&[token.as_str()], &bound[..]].concat());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for part in [
        "requestState",
        "sealed with the key `2026-11`",
        "leg 1",
        "`sure` of inspected::Desk::lend (src/lib.rs:38)",
        "secret, 16 bytes",
        "`sure` of inspected::sure (src/lib.rs:24)",
        "length, 1 byte",
        "sure: form, put with",
        "in 59 min",
    ] {
        assert!(
            run.stdout.contains(part),
            "{part} is not in\n{}",
            run.stdout
        );
    }
    assert!(!run.stdout.contains("secret of"), "{}", run.stdout);

    let run = inspect(
        &fixture,
        &[&[token.as_str(), "--values"], &bound[..]].concat(),
    );
    assert!(
        run.stdout.contains(r#"= ["secret of Emma"]"#),
        "{}",
        run.stdout
    );

    // As the client sent it.
    let request = json!({ "method": "tools/call", "params":
        { "name": "lend", "arguments": { "title": "Emma" }, "requestState": token } });
    let fixture = fixture.file("request.json", request.to_string());
    let named = [
        "--request",
        "request.json",
        "--principal",
        "alice",
        "--audience",
        "desk",
        "--format",
        "json",
    ];
    let run = inspect(&fixture, &named);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let shown: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(shown["frames"][1]["label"], "sure");
    assert_eq!(shown["frames"][0]["values"][0].get("value"), None);
    assert_eq!(shown["expired"], false);

    for (wrong, said) in [
        (vec!["--tool", "lend"], "--principal"),
        (
            vec![
                "--principal",
                "bob",
                "--tool",
                "lend",
                "--arguments",
                r#"{"title":"Emma"}"#,
            ],
            "another tool",
        ),
    ] {
        let run = inspect(&fixture, &[&[token.as_str()], &wrong[..]].concat());
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(run.stdout.is_empty());
    }
}

#[test]
fn the_server_s_name_is_looked_for_in_the_source() {
    let call = json!({ "name": "lend", "arguments": { "title": "Emma" } });
    let saga = token(&result("tools/callSaga", call), "sagaToken");
    let of = |source: &str| {
        let fixture = Fixture::new("shop").file("src/lib.rs", source);
        inspect(&fixture, &[&saga, "--principal", "alice"])
    };
    let run = of(r#"pub fn name() -> &'static str { "desk" }"#);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("audience   desk"), "{}", run.stdout);
    let run = of(r#"pub fn name() -> &'static str { "desks" }"#);
    assert_eq!(run.code, 2, "{}", run.stdout);
}

#[test]
fn the_other_kinds_of_tokens_open() {
    let fixture = workspace("kinds");
    let call = json!({ "name": "lend", "arguments": { "title": "Emma" } });
    let saga = token(&result("tools/callSaga", call), "sagaToken");
    // The call is in it.
    let run = inspect(
        &fixture,
        &[&saga, "--principal", "alice", "--audience", "desk"],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("sagaToken") && run.stdout.contains("tools/callSaga lend"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("Emma"), "{}", run.stdout);

    let call = json!({ "name": "count", "arguments": { "title": "Emma" } });
    let answer = result("tools/call", call);
    let resume = token(&answer["_meta"], "nextResumeToken");
    let run = inspect(
        &fixture,
        &[
            &resume,
            "--tool",
            "count",
            "--arguments",
            r#"{"title":"Emma"}"#,
            "--principal",
            "alice",
            "--audience",
            "desk",
            "--values",
        ],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("resumeToken") && run.stdout.contains("first, 1 byte, = 4"),
        "{}",
        run.stdout
    );
}

#[test]
fn nothing_opens_without_the_keys() {
    let fixture = Fixture::empty();
    let run = fixture.saga_with(&["inspect", "abc"], &[]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("SAGA_KEYS_FILE"), "{}", run.stderr);
    let run = fixture.saga_with(&["inspect", "abc"], &[("SAGA_KEYS", "x:1")]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("64 hex digits") && !run.stderr.contains("x:1"),
        "{}",
        run.stderr
    );
    // No workspace is needed.
    let run = inspect(&fixture, &["abc"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("async call"), "{}", run.stderr);

    let call = json!({ "name": "lend", "arguments": { "title": "Emma" } });
    let token = token(&result("tools/callSaga", call), "sagaToken");
    let other = format!("2026-10:{}", "08".repeat(32));
    let run = fixture.saga_with(&["inspect", &token], &[("SAGA_KEYS", &other)]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("rotated out"), "{}", run.stderr);
    let keys_file = fixture.file("keys", keys());
    let path = keys_file.path("keys");
    let run = keys_file.saga_with(
        &[
            "inspect",
            &token,
            "--principal",
            "alice",
            "--audience",
            "desk",
        ],
        &[("SAGA_KEYS_FILE", &path.to_string_lossy())],
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("of other code"), "{}", run.stdout);
}

#[test]
fn keys_are_made() {
    let fixture = Fixture::empty();
    let made = fixture.saga(&["keygen", "2026-11"]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let entry = made.stdout.trim();
    assert!(
        entry.starts_with("2026-11:") && Keyring::parse(entry).is_ok(),
        "{entry}"
    );
    assert_ne!(fixture.saga(&["keygen", "2026-11"]).stdout, made.stdout);
    assert!(Keyring::parse(fixture.saga(&["keygen"]).stdout.trim()).is_ok());
    assert_eq!(fixture.saga(&["keygen", "not an id"]).code, 2);
}

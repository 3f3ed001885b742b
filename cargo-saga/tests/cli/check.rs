//! `cargo saga check`: how it is said; what is found is tested where it is found.

use crate::fixture::Fixture;

const SERVER: &str = r#"use rmcp::{Peer, RoleServer, tool};

struct Desk;

impl Desk {
    #[tool]
    async fn lend(&self, peer: Peer<RoleServer>) {
        sure(&peer).await;
    }
}

#[saga_runtime::saga]
async fn sure(peer: &Peer<RoleServer>) {
    let password = "swordfish".to_owned();
    peer.list_roots().await.ok();
    drop(password);
}
"#;

#[test]
fn people_and_machines_are_told_the_same() {
    let fixture = Fixture::new("desk").file("src/lib.rs", SERVER);
    let run = fixture.saga(&["check"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    for line in [
        "error[no-saga]: a tool that asks without `#[saga]`",
        "src/lib.rs:7:14",
        "warning[secret]: `password` looks like a secret",
        "1 error, 1 warning",
    ] {
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(line), "{line} is not in\n{said}");
    }

    let run = fixture.saga(&["check", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let findings: Vec<serde_json::Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let codes: Vec<_> = findings.iter().map(|finding| &finding["code"]).collect();
    assert_eq!(codes, ["no-saga", "secret"]);
    assert_eq!(findings[0]["places"][0]["line"], 7);
    assert_eq!(findings[0]["places"][0]["column"], 14);
    assert_eq!(findings[0]["severity"], "error");

    let quiet = SERVER
        .replace("    #[tool]", "    // saga: allow(no-saga)\n    #[tool]")
        .replace("_owned();", "_owned(); // saga: allow(other, secret)");
    let run = fixture.file("src/lib.rs", quiet).saga(&["check"]);
    assert_eq!((run.code, &run.stdout[..]), (0, ""), "{}", run.stderr);
}

/// A server that lists one tool, and refuses what it does not know.
const LISTS: &str = r#"
while read -r line; do
    id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *notifications/*) ;;
        *initialize*) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32602,"message":"only 2026-07-28"}}' ;;
        *tools/list*cursor*) echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"give","inputSchema":{"type":"object",
            "required":["n"]}}]}}' | tr -d '\n'; echo ;;
        *2026-07-28*tools/list* | *tools/list*2026-07-28*) echo 'a log'
            echo '{"jsonrpc":"2.0","id":'"$id"',"result":{"tools":[{"name":"lend","inputSchema":{"type":"object",'\
'"io.github.saga-rs/forms":["`n`"]}, "outputSchema":{"type":"text"}}],"nextCursor":"2"}}' ;;
        *) echo '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"unknown"}}' ;;
    esac
done
"#;

#[test]
fn what_a_server_lists_is_looked_at() {
    let fixture = Fixture::new("desk").file("src/lib.rs", "");
    let run = fixture.saga(&["check", "--", "sh", "-c", LISTS]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    for line in [
        "error[schema]: tool `lend`, `elicit`: it asks with a form that MCP does not allow: `n`",
        "error[schema]: tool `lend`, `outputSchema`: ",
        "error[schema]: tool `give`, `inputSchema`: `n` is required, and is not among its `properties`",
        "3 errors, 0 warnings",
    ] {
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    let source = "#[tool] fn lend() {}\n#[tool(title = \"Give\", name = \"give\", annotations(read_only_hint = true))]\nfn other() {}\n#[tool(name = \"x\")] fn give() {}\n";
    let fixture = fixture.file("src/lib.rs", source);
    let run = fixture.saga(&["check", "--format", "json", "--", "sh", "-c", LISTS]);
    let findings = run.stdout.lines();
    let findings =
        findings.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let places: Vec<_> = findings
        .map(|finding| {
            (
                finding["places"][0]["file"].clone(),
                finding["places"][0]["line"].clone(),
            )
        })
        .collect();
    let at = |line: u8| ("src/lib.rs".into(), line.into());
    assert_eq!(places, [at(1), at(1), at(3)]);
    for (server, what) in [
        (
            &["sh", "-c", "exit"][..],
            "`sh` ended without an answer, with the exit code 0",
        ),
        // What it has started holds its output open.
        (
            &["sh", "-c", "sleep 300 & exit 3"],
            "`sh` ended without an answer, with the exit code 3",
        ),
        (&["no-such-server"], "`no-such-server` could not be started"),
        (
            &[
                "sh",
                "-c",
                r#"echo '{"jsonrpc":"2.0","id":1,"result":{}}'; echo '{"jsonrpc":"2.0","id":2,"result":{}}'; cat > /dev/null"#,
            ],
            "answers `tools/list` without a list",
        ),
    ] {
        let arguments = [&["check", "--"], server].concat();
        let run = fixture.saga(&arguments);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
    }
}

/// What a server says that has none of what is looked for.
const NOTHING: &str = r#"
    echo '{"jsonrpc":"2.0","id":1,"result":{}}'
    for id in 2 3 4 5; do echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"there are none"}}'; done
"#;

#[test]
fn it_is_told_that_nothing_was_looked_at() {
    let fixture = Fixture::new("desk").file("src/lib.rs", "");
    let server = format!("{NOTHING} cat > /dev/null");
    let run = fixture.saga(&["check", "--", "sh", "-c", &server]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let said = format!("{}{}", run.stdout, run.stderr);
    let nothing =
        "warning[schema]: `sh` lists no tools, prompts or resources: nothing was looked at";
    assert!(said.contains(nothing), "{said}");
}

/// A server of a prompt and a resource, without tools.
const NO_TOOLS: &str = r#"
    answer() { echo '{"jsonrpc":"2.0","id":'$1',"result":{'"$2"'}}'; }
    answer 1
    echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there are none"}}'
    answer 3 '"prompts":[{"name":"ask","arguments":[{"name":"io.github.saga-rs/forms","description":"`n`"}]}]'
    answer 4 '"resources":[{"name":"shelf","uri":"desk://shelf","_meta":{"io.github.saga-rs/forms":["`m`"]}}]'
    answer 5 '"resourceTemplates":[]'
    cat > /dev/null
"#;

#[test]
fn prompts_and_resources_are_looked_at_without_tools() {
    let source = "#[prompt] fn ask() {}\n#[resource(\"desk://shelf\", name = \"shelf\")]\nfn books() {}\n#[resource(\"desk://x\", name = \"x\")] fn shelf() {}\n";
    let fixture = Fixture::new("desk").file("src/lib.rs", source);
    let run = fixture.saga(&["check", "--", "sh", "-c", NO_TOOLS]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let said = format!("{}{}", run.stdout, run.stderr);
    for line in [
        "error[schema]: prompt `ask`, `elicit`: it asks with a form that MCP does not allow: `n`",
        "src/lib.rs:1:14",
        "error[schema]: resource `shelf`, `elicit`: it asks with a form that MCP does not allow: `m`",
        "src/lib.rs:3:4",
        "2 errors, 0 warnings",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
}

/// A server that does not end with its input, and one that does, each with a program that it has started.
#[cfg(target_os = "linux")]
#[test]
fn what_a_server_has_started_ends_with_it() {
    for end in ["wait", "cat > /dev/null"] {
        what_was_started_ends(&format!("sleep 300 & echo $! > started {NOTHING} {end}"));
    }
}

#[cfg(target_os = "linux")]
fn what_was_started_ends(server: &str) {
    let fixture = Fixture::new("desk").file("src/lib.rs", "");
    let run = fixture.saga(&["check", "--", "sh", "-c", server]);
    assert_eq!(run.code, 1, "{}{}", run.stdout, run.stderr);
    let stat = format!("/proc/{}/stat", fixture.read("started").trim());
    // It may not have been collected yet by whoever took it over.
    let is_there = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while is_there() && std::time::Instant::now() < end {
        std::thread::yield_now();
    }
    assert!(!is_there(), "it still runs");
}

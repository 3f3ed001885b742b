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

//! The official clients, which need more than Rust.

use std::process::Command;

#[test]
#[ignore = "needs npm and Python, and installs packages: run .ci/clients"]
fn real_clients_get_what_they_should() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/clients");
    assert!(Command::new("bash").arg(script).status().unwrap().success());
}

//! What the compiler says to an author whose function cannot be continued.

use std::process::Command;

/// Messages are rustc's in part, so they are compared on one version of it.
const RUSTC: &str = "rustc 1.95.";

#[test]
fn every_refusal_says_what_and_why_and_what_instead() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().unwrap();
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(RUSTC) {
        println!("skipped: the messages are those of {RUSTC}x, this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}

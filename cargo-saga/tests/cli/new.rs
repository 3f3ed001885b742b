//! `cargo saga new`.

use std::process::Command;

use crate::fixture::{Fixture, target, workspace};

#[test]
fn a_new_server_compiles_with_its_test_and_has_nothing_to_find() {
    let fixture = Fixture::empty();
    let runtime = workspace().join("saga-runtime").display().to_string();
    let run = fixture.saga(&["new", "greeter", "--runtime", &runtime]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    std::fs::copy(
        workspace().join("Cargo.lock"),
        fixture.path("greeter/Cargo.lock"),
    )
    .expect("a lock file");

    for command in ["test", "build"] {
        let cargo = Command::new(env!("CARGO"))
            .args([
                command,
                "--quiet",
                "--config",
                "profile.dev.debug=\"line-tables-only\"",
            ])
            .current_dir(fixture.path("greeter"))
            .env("CARGO_TARGET_DIR", target())
            .output()
            .expect("cargo");
        let said = String::from_utf8_lossy(&cargo.stderr);
        let wrote = String::from_utf8_lossy(&cargo.stdout);
        assert!(cargo.status.success(), "{wrote}{said}");
        assert!(!said.contains("warning"), "{said}");
    }
    let run = fixture.saga(&["check", "--manifest-path", "greeter/Cargo.toml"]);
    assert_eq!(run.code, 0, "{}", run.stdout);

    // The server itself, too.
    let server = target().join("debug/greeter").display().to_string();
    let run = fixture.saga(&[
        "check",
        "--manifest-path",
        "greeter/Cargo.toml",
        "--",
        &server,
        "--stdio",
    ]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);

    let run = fixture.saga(&["new", "greeter"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("already exists"), "{}", run.stderr);
    let run = fixture.saga(&["new", "3rd"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(!fixture.path("3rd").exists());
}

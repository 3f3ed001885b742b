//! What is the same for all commands.

use crate::fixture::Fixture;

#[test]
fn it_runs_by_cargo_and_by_hand() {
    let fixture = Fixture::new("run");
    for line in [&["saga", "--help"][..], &["--help"]] {
        let run = fixture.saga(line);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(
            run.stdout.contains("cargo saga <COMMAND>"),
            "{}",
            run.stdout
        );
    }
}

#[test]
fn what_cannot_run_ends_with_2_and_says_why() {
    let fixture = Fixture::new("sample").file("src/lib.rs", "");
    let run = fixture.saga(&["check", "-p", "nobody"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no package `nobody`"), "{}", run.stderr);
    assert!(run.stderr.contains("one of sample"), "{}", run.stderr);

    let run = fixture.saga_with(&["check"], &[("CARGO", "/nonexistent/cargo")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("install Rust"), "{}", run.stderr);

    let fixture = fixture.file("Cargo.toml", "[package]\nname = 3\n");
    let run = fixture.saga(&["check"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("could not be read"), "{}", run.stderr);
}

//! `lock`.

use std::process::Command;

use crate::fixture::{Fixture, Run};

const SOURCE: &str = r#"
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
pub struct Sure { pub ok: bool }

fn parts(title: &str) -> Vec<u32> { vec![title.len() as _] }

#[saga]
pub async fn lend(cx: &Cx, title: &str) -> Result<usize, AskError> {
    println!("before");
    let parts = parts(title);
    let sure = cx.elicit::<Sure>("Lend it?").key("sure").await?;
    println!("between");
    let count = parts.len() + usize::from(sure.ok);
    let again = cx.elicit::<Sure>("Really?").key("really").await?;
    println!("after");
    Ok(count + usize::from(again.ok))
}

#[saga]
pub async fn other(cx: &Cx) -> Result<bool, AskError> {
    Ok(cx.elicit::<Sure>("?").key("other").await?.ok)
}
"#;

/// A crate whose lock is that of the source above, after some edits.
fn edited(name: &str, edits: &[(&str, &str)]) -> (Fixture, Run) {
    let fixture = Fixture::new(name).file("src/lib.rs", SOURCE);
    let run = fixture.saga(&["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let fixture = edit(fixture, edits);
    let run = fixture.saga(&["lock", "--check"]);
    (fixture, run)
}

fn edit(fixture: Fixture, edits: &[(&str, &str)]) -> Fixture {
    let mut source = fixture.read("src/lib.rs");
    for (from, to) in edits {
        assert!(source.contains(from), "{from} is not in\n{source}");
        source = source.replace(from, to);
    }
    fixture.file("src/lib.rs", source)
}

fn shown(run: &Run, parts: &[&str]) {
    for part in parts {
        let text = format!("{}{}", run.stdout, run.stderr);
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

/// The line that a finding offers.
fn offered(run: &Run) -> String {
    let (_, line) = run
        .stdout
        .split_once("`#[saga(")
        .expect("a line is offered");
    let (line, _) = line.split_once(")]`").expect("it ends");
    format!("#[saga({line})]")
}

#[test]
fn an_edit_before_the_question_strands_nobody() {
    let (fixture, run) = edited("lock_before", &[("\"before\"", "\"sooner\"")]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    shown(&run, &["no call under way is stranded"]);
    // The file is as it was, whoever writes it.
    let written = fixture.read("saga.lock");
    assert!(
        written.contains("    stores parts: Vec<u32>\n"),
        "{written}"
    );
    fixture.saga(&["lock"]);
    assert_eq!(fixture.read("saga.lock"), written);
}

#[test]
fn an_edit_between_two_questions_strands_those_at_the_first_one() {
    let (fixture, run) = edited("lock_between", &[("\"between\"", "\"amid\"")]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(
        &run,
        &[
            "calls that wait at `sure` of `lock_between::lend` would be stranded",
            "--> src/lib.rs:13",
            "the code that runs after it has changed",
        ],
    );
    assert!(!run.stdout.contains("wait at `really`"), "{}", run.stdout);
    for allowed in [
        &["lock", "--check", "--allow", "lend"][..],
        &["lock", "--check", "--allow-stranded"],
    ] {
        let run = fixture.saga(allowed);
        assert_eq!(run.code, 0, "{}", run.stdout);
        shown(&run, &["warning[stranded]"]);
    }
    for unknown in ["end", "another"] {
        let run = fixture.saga(&["lock", "--check", "--allow", unknown]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        assert!(
            run.stderr.contains("one of lock_between::lend"),
            "{}",
            run.stderr
        );
    }
    // What is meant for one function says nothing of another one.
    let more = SOURCE.replace("pub async fn other", "pub async fn third");
    let (_, third) = more.rsplit_once("#[saga]").expect("the last function");
    let source = fixture.read("src/lib.rs");
    let fixture = fixture.file("src/lib.rs", format!("{source}\n#[saga]{third}"));
    let run_of_two = fixture.saga(&["lock", "--check", "--allow", "lend"]);
    assert_eq!(run_of_two.code, 1, "{}", run_of_two.stdout);
    shown(
        &run_of_two,
        &["warning[stranded]", "error[outdated]", "::third"],
    );
    let fixture = fixture.file("src/lib.rs", source);
    // The line that it offers lets them go on; that is something to lock.
    let line = offered(&run);
    let fixture = edit(
        fixture,
        &[(
            "#[saga]\npub async fn lend",
            &format!("{line}\npub async fn lend"),
        )],
    );
    let run = fixture.saga(&["lock", "--check"]);
    assert!(!run.stdout.contains("stranded]"), "{}", run.stdout);
    shown(&run, &["error[outdated]", "`lock_between::lend`"]);
    assert_eq!(fixture.saga(&["lock"]).code, 0);
    assert_eq!(fixture.saga(&["lock", "--check"]).code, 0);
    // Who forgets those of code that is older still is told.
    let fixture = edit(fixture, &[(&line, "#[saga]")]);
    let run = fixture.saga(&["lock", "--check"]);
    shown(&run, &["warning[forgotten]"]);
}

#[test]
fn a_type_that_changes_elsewhere_strands_and_can_be_accepted() {
    let (fixture, run) = edited("lock_types", &[("-> Vec<u32>", "-> Vec<u64>")]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(
        &run,
        &[
            "wait at `sure`",
            "the type of `parts` was `Vec<u32>`, and is `Vec<u64>`",
        ],
    );
    assert!(!run.stdout.contains("wait at `really`"), "{}", run.stdout);
    let line = offered(&run);
    let fixture = edit(
        fixture,
        &[(
            "#[saga]\npub async fn lend",
            &format!("{line}\npub async fn lend"),
        )],
    );
    let run = fixture.saga(&["lock", "--check"]);
    assert!(!run.stdout.contains("stranded]"), "{}", run.stdout);
}

#[test]
fn what_has_changed_is_told() {
    let (_fixture, run) = edited(
        "lock_told",
        &[
            // One more variable at the first point, another key at the second.
            (
                "    let sure =",
                "    let more = parts.len();\n    let sure =",
            ),
            ("Ok(count", "Ok(more + count"),
            ("key(\"really\")", "key(\"truly\")"),
            // Renamed, and another signature.
            ("fn other(cx: &Cx)", "fn others(cx: &Cx, _all: bool)"),
        ],
    );
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(
        &run,
        &[
            "`more` is stored there, and was not",
            "they have not stored `more`",
            "its key was `really`, and is `truly`",
            "it seems to be `truly` now",
            "calls that wait at `other` of `lock_told::other`",
            "renamed to `lock_told::others`",
            "the signature was `async fn other(cx: &Cx)",
        ],
    );
}

#[test]
fn a_function_that_is_gone_and_one_that_moved() {
    let (start, end) = (SOURCE.find("#[saga]\npub async fn other"), SOURCE.len());
    let other = &SOURCE[start.expect("it is there")..end];
    let (fixture, run) = edited(
        "lock_moved",
        &[(
            other,
            &format!("pub mod inner {{ use super::*;\n{other}\n}}"),
        )],
    );
    // It is another path, and the same calls.
    assert!(!run.stdout.contains("stranded]"), "{}", run.stdout);
    shown(&run, &["error[outdated]", "`lock_moved::inner::other`"]);
    let fixture = edit(
        fixture,
        &[(&format!("pub mod inner {{ use super::*;\n{other}\n}}"), "")],
    );
    let run = fixture.saga(&["lock", "--check"]);
    shown(
        &run,
        &[
            "calls that wait at `other` of `lock_moved::other`",
            "the function is gone",
        ],
    );
}

#[test]
fn another_commit_s_file_is_compared_to() {
    let fixture = Fixture::new("lock_against").file("src/lib.rs", SOURCE);
    let git = |line: &str| {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "-c",
            "commit.gpgsign=false",
        ]);
        let run = git
            .args(line.split(' '))
            .current_dir(fixture.path(""))
            .output();
        assert!(run.expect("it runs").status.success(), "{line}");
    };
    git("init -q");
    git("commit -q --allow-empty -m begin");
    assert_eq!(fixture.saga(&["lock"]).code, 0);
    git("add .");
    git("commit -q -m deployed");
    git("tag deployed");
    let source = fixture.read("src/lib.rs").replace("\"after\"", "\"later\"");
    std::fs::write(fixture.path("src/lib.rs"), source).expect("a file");
    assert_eq!(fixture.saga(&["lock"]).code, 0);
    // Of the file that was written just now there is nothing to say.
    assert_eq!(fixture.saga(&["lock", "--check"]).code, 0);
    let run = fixture.saga(&["lock", "--check", "--against", "deployed"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(&run, &["wait at `sure`", "wait at `really`"]);
    for revision in ["deployed~1", "nowhere", "--help"] {
        let run = fixture.saga(&["lock", "--check", &format!("--against={revision}")]);
        assert_eq!(run.code, 2, "{}", run.stdout);
        shown(&run, &["there is no `saga.lock` at"]);
    }
}

#[test]
fn without_a_file_nothing_is_compared() {
    let fixture = Fixture::new("lock_none").file("src/lib.rs", SOURCE);
    let run = fixture.saga(&["lock", "--check"]);
    assert_eq!(run.code, 2);
    shown(&run, &["there is no `saga.lock`"]);
    let fixture = fixture.file("saga.lock", "version 1\n<<<<<<< ours\n");
    let run = fixture.saga(&["lock", "--check"]);
    assert_eq!(run.code, 2);
    shown(&run, &["merge conflict in line 2"]);
    // As the message says.
    for unreadable in ["version 1\n<<<<<<< ours\n", "", "\u{feff}version 1\n"] {
        let fixture = Fixture::new("lock_conflict")
            .file("src/lib.rs", SOURCE)
            .file("saga.lock", unreadable);
        assert_eq!(fixture.saga(&["lock"]).code, 0);
        assert_eq!(fixture.saga(&["lock", "--check"]).code, 0);
    }
    let fixture = Fixture::empty();
    let run = fixture.saga(&["lock"]);
    assert_eq!(run.code, 2);
    shown(&run, &["could not be read"]);
}

/// A crate's directory with others of that source in it, and the manifest of a workspace of some of them.
fn members(name: &str, members: &[&str]) -> (Fixture, impl Fn(&str) -> String) {
    let mut fixture = Fixture::new(name);
    let manifest = fixture.read("Cargo.toml");
    let (own, profile) = manifest.split_once("[profile.dev]").expect("a profile");
    let (head, dependencies) = own.split_once("[workspace]").expect("a workspace");
    for member in members {
        let manifest = head.replace(name, member) + dependencies;
        fixture = fixture
            .file(&format!("{member}/Cargo.toml"), manifest)
            .file(&format!("{member}/src/lib.rs"), SOURCE);
    }
    let profile = profile.to_owned();
    let workspace = move |members: &str| {
        format!("[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[profile.dev]{profile}")
    };
    (fixture, workspace)
}

#[test]
fn a_workspace_has_one_file() {
    let (fixture, workspace) = members("lock_workspace", &["lock_one", "lock_two"]);
    let fixture = fixture.file("Cargo.toml", workspace("\"lock_one\", \"lock_two\""));
    assert_eq!(fixture.saga(&["lock", "-p", "lock_two"]).code, 0);
    let run = fixture.saga(&["lock", "-p", "lock_one"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let written = fixture.read("saga.lock");
    let functions = written
        .lines()
        .filter_map(|line| line.strip_prefix("function "));
    let functions: Vec<_> = functions.collect();
    assert_eq!(
        functions,
        [
            "lock_one::lend",
            "lock_one::other",
            "lock_two::lend",
            "lock_two::other"
        ]
    );
    // What a package that is gone has left behind is stranded, whichever is looked at.
    let fixture = fixture.file("Cargo.toml", workspace("\"lock_two\""));
    let run = fixture.saga(&["lock", "--check", "-p", "lock_two"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(
        &run,
        &["`other` of `lock_one::other`", "the function is gone"],
    );
    assert!(!run.stdout.contains("of `lock_two"), "{}", run.stdout);
}

#[test]
fn what_a_package_needs_is_looked_at_with_it_and_the_rest_is_named() {
    let names = ["lock_server", "lock_tools", "lock_other"];
    let (fixture, workspace) = members("lock_needed", &names);
    let needs = "lock_tools = { path = \"../lock_tools\", features = [\"asks\"] }\n\n[features]\nextra = []\n";
    let server = fixture.read("lock_server/Cargo.toml") + needs;
    let tools = fixture.read("lock_tools/Cargo.toml") + "\n[features]\nasks = []\n";
    let fixture = fixture
        .file(
            "Cargo.toml",
            workspace(&names.map(|name| format!("{name:?}")).join(", ")),
        )
        .file("lock_server/Cargo.toml", server)
        .file(
            "lock_server/src/lib.rs",
            "pub use lock_tools::tools::lend;\n",
        )
        .file("lock_tools/Cargo.toml", tools)
        .file(
            "lock_tools/src/lib.rs",
            "#[cfg(feature = \"asks\")]\npub mod tools;\n",
        )
        .file("lock_tools/src/tools.rs", SOURCE);
    // What the others in the build ask of a package it is compiled with.
    let run = fixture.saga(&["lock", "--workspace"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(&run, &["4 functions, 6 suspension points"]);
    let check = ["lock", "--check", "-p", "lock_server", "-F", "extra"];
    let run = fixture.saga(&check);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    shown(
        &run,
        &[
            "not looked at: `lock_other`",
            "no call under way is stranded (3 suspension points)",
        ],
    );
    let edited = SOURCE.replace("\"between\"", "\"amid\"");
    let fixture = fixture.file("lock_tools/src/tools.rs", edited);
    let run = fixture.saga(&check);
    assert_eq!(run.code, 1, "{}", run.stderr);
    shown(&run, &["wait at `sure` of `lock_tools::tools::lend`"]);
}

/// What rustc does not tell is not taken from the text, which does not show the types.
#[test]
fn what_is_not_in_the_build_is_not_locked() {
    let fixture = Fixture::new("lock_untold");
    let manifest = fixture.read("Cargo.toml") + "\n[features]\nserver = []\n";
    let fixture = fixture
        .file("Cargo.toml", manifest)
        .file(
            "src/lib.rs",
            "#[cfg(feature = \"server\")]\npub mod desk;\n",
        )
        .file("src/desk.rs", SOURCE);
    assert_eq!(fixture.saga(&["lock", "-F", "server"]).code, 0);
    let written = fixture.read("saga.lock");
    for arguments in [&["lock"][..], &["lock", "--check"]] {
        let run = fixture.saga(arguments);
        assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
        shown(&run, &["rustc tells nothing of", "`--features`"]);
        assert_eq!(fixture.read("saga.lock"), written);
    }
    let run = fixture.saga(&["lock", "--check", "-F", "server"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    // Those of tests are in another build in any case.
    let fixture = fixture.file("src/lib.rs", "#[cfg(test)]\npub mod desk;\n");
    let run = fixture.saga(&["lock"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    shown(&run, &["0 functions"]);
}

/// What a line of `accepts` cannot say.
#[test]
fn places_in_a_loop_and_arms_are_not_known_by_names() {
    let more = r#"
#[saga]
pub async fn each(cx: &Cx, titles: &[String]) -> Result<(), AskError> {
    for title in titles.iter() { cx.elicit::<Sure>(title).key("each").await?; println!("after"); }
    Ok(())
}

#[saga]
pub async fn both(cx: &Cx) -> Result<(), AskError> {
    let (a, b) = saga_runtime::join!(other(cx), other(cx));
    println!("{} {}", a?, b?);
    Ok(())
}

#[saga]
pub async fn one(cx: &Cx) -> Result<bool, AskError> {
    let sure = other(cx).await?;
    println!("so");
    Ok(sure)
}
"#;
    let fixture = Fixture::new("lock_places").file("src/lib.rs", format!("{SOURCE}{more}"));
    assert_eq!(fixture.saga(&["lock"]).code, 0);
    let edits = [
        ("titles.iter()", "titles.iter().rev()"),
        ("{} {}", "{} and {}"),
        ("\"so\"", "\"thus\""),
    ];
    let fixture = edit(fixture, &edits);
    let run = fixture.saga(&["lock", "--check"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    shown(
        &run,
        &[
            "wait at `each`",
            "the loop's head, or the expression around the question, must be what it was",
            "the arms of a join go on by their places",
            "`other` waits, too: what it is given by reference is what the new code gives it",
        ],
    );
    assert_eq!(
        run.stdout.matches("#[saga(accepts(").count(),
        2,
        "{}",
        run.stdout
    );
}

/// What is not read has functions that nobody knows.
#[test]
fn what_is_not_utf_8_is_not_locked() {
    let (before, other) = SOURCE.split_once("#[saga]").expect("a function");
    let (_, other) = other.split_once("#[saga]").expect("another one");
    let source = format!("{before}#[saga]{other}").replace("fn parts", "pub fn parts");
    let fixture = Fixture::new("lock_bytes").file("src/lib.rs", &source);
    let run = fixture.saga(&["lock"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(&run, &["wrote saga.lock: 1 function, 1 suspension point"]);
    let written = fixture.read("saga.lock");
    let fixture = fixture.file("src/lib.rs", [source.as_bytes(), b"// \xff\n"].concat());
    for arguments in [&["lock"][..], &["lock", "--check"]] {
        let run = fixture.saga(arguments);
        assert_eq!(run.code, 2, "{}", run.stderr);
        shown(&run, &["`src/lib.rs` is not UTF-8", "cannot be locked"]);
        assert_eq!(fixture.read("saga.lock"), written);
    }
    let run = fixture
        .file("src/lib.rs", &source)
        .saga(&["lock", "--check"]);
    assert_eq!(run.code, 0, "{}", run.stdout);
    shown(
        &run,
        &["no call under way is stranded (1 suspension point)"],
    );
}

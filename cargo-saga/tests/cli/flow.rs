//! `flow`.

use std::process::Command;

use crate::fixture::{Fixture, target};

const SOURCE: &str = r#"
use std::collections::HashMap;
use saga_runtime::{AskError, Cx, Elicit, saga};

#[derive(serde::Deserialize, Elicit)]
pub struct Sure { pub ok: bool }

#[saga]
pub async fn sure(cx: &Cx, question: &str) -> Result<bool, AskError> {
    let words: HashMap<_, _> = question.split(' ').map(|word| (word.to_owned(), Some(word.len()))).collect();
    let sure = cx.elicit::<Sure>(question.to_owned()).key("sure").await?;
    let long = vec![(words.clone(), words.clone(), words.clone(), words.clone(), words.clone(), words.clone(), 1)];
    let again = cx.elicit::<Sure>("Again?").await?;
    Ok(sure.ok && again.ok && !words.is_empty() && !long.is_empty())
}

pub mod orders {
    use super::*;

    pub struct Desk;

    impl Desk {
        #[saga]
        pub async fn twice<T: serde::Serialize + serde::de::DeserializeOwned + Clone + Send + Sync>(&self, cx: &Cx, item: &T) -> Result<T, AskError> {
            let kept = vec![item.clone()];
            while !sure(cx, "Again?").await? {}
            #[cfg(debug_assertions)]
            let checked = sure(cx, "Checked?").await?;
            #[cfg(not(debug_assertions))]
            let checked = false;
            Ok(if checked { kept[0].clone() } else { item.clone() })
        }
    }

    #[cfg(feature = "nothing")]
    #[saga]
    pub async fn left_out(cx: &Cx) -> Result<bool, AskError> {
        Ok(cx.elicit::<Sure>("?").await?.ok)
    }
}

macro_rules! asking {
    ($name:ident, $count:expr) => {
        #[saga]
        pub async fn $name(cx: &Cx) -> Result<usize, AskError> {
            let count = $count * 2;
            let sure = cx.elicit::<Sure>("?").key("made").await?;
            Ok(if sure.ok { count } else { 0 })
        }
    };
}
asking!(made, 1usize + 2);
"#;

fn shown(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

/// rustc names the way that a `#[path]` takes.
#[test]
fn a_file_that_is_reached_by_a_detour_is_one_file() {
    let fixture = Fixture::new("detour").file("src/shared.rs", SOURCE).file(
        "src/bin/desk.rs",
        "#[path = \"../shared.rs\"]\nmod shared;\nfn main() {}\n",
    );
    let run = fixture.saga(&["flow", "sure"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(&run.stdout, &["at src/shared.rs:9", "words: HashMap<"]);
    let told = run.stderr.matches("[left-out]").count();
    assert_eq!(told, 1, "{}", run.stderr);
}

#[test]
fn functions_are_drawn_with_rustcs_types() {
    let fixture = Fixture::new("drawn").file("src/lib.rs", SOURCE);
    let check = || {
        let mut cargo = Command::new("cargo");
        cargo
            .args(["check"])
            .current_dir(fixture.path(""))
            .env("CARGO_TARGET_DIR", target());
        String::from_utf8_lossy(&cargo.output().expect("it runs").stderr).into_owned()
    };
    let compiled = check();
    assert!(compiled.contains("Finished"), "{compiled}");

    let run = fixture.saga(&["flow"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(
        &run.stdout,
        &[
            "sure  drawn::sure at src/lib.rs:9",
            "1 elicit::<Sure>  key `sure`  line 11",
            "words: HashMap<String, Option<usize>>",
            // A long one is not cut.
            &format!(
                "long: Vec<({}i32)>",
                "HashMap<String, Option<usize>>, ".repeat(6)
            ),
            "twice  drawn::orders::Desk::twice at src/lib.rs:24",
            "kept: Vec<T>",
            "then back to 1",
            "└─ sure  drawn::sure",
            // What a macro made, and what stands under a condition.
            "made  drawn::made at src/lib.rs:",
            "count: usize",
            "2 sure",
        ],
    );
    shown(&run.stderr, &["left-out", "left_out"]);
    assert!(!run.stdout.contains("left_out"), "{}", run.stdout);

    // The user's own build is as it was.
    let compiled = check();
    assert!(
        compiled.contains("Finished") && !compiled.contains("Checking"),
        "{compiled}"
    );

    let run = fixture.saga(&["flow", "Desk::twice", "--format", "mermaid"]);
    shown(
        &run.stdout,
        &["flowchart TD", "stored: kept: Vec&lt;T&gt;", "p1 --> p1"],
    );
    assert!(!run.stdout.contains("drawn::sure"), "{}", run.stdout);

    let run = fixture.saga(&["flow", "--format", "svg", "--out", "pictures"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let picture = fixture.read("pictures/drawn.sure.svg");
    shown(
        &picture,
        &[
            "<style>",
            "words: HashMap&lt;String, Option&lt;usize&gt;&gt;",
        ],
    );

    let run = fixture.saga(&["flow", "nobody"]);
    assert_eq!(run.code, 2);
    shown(
        &run.stderr,
        &["no saga function `nobody`", "drawn::orders::Desk::twice"],
    );
}

#[test]
fn functions_of_one_path_in_two_packages_have_a_file_each() {
    let package = |name: &str| {
        format!("[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n")
    };
    let asks = |name: &str| {
        format!(
            "#[saga] pub async fn {name}(cx: &Cx) -> Result<bool, AskError> {{ Ok(cx.elicit::<Sure>(\"?\").await?.ok) }}\n"
        )
    };
    let manifest = "[workspace]\nmembers = [\"shop\", \"desk\"]\nresolver = \"3\"\n";
    let fixture = Fixture::empty()
        .file("Cargo.toml", manifest)
        .file("shop/Cargo.toml", package("shop"))
        .file("shop/src/lib.rs", asks("alone") + &asks("Alone"))
        .file("shop/examples/demo.rs", asks("run"))
        .file("desk/Cargo.toml", package("desk"))
        .file("desk/src/lib.rs", "")
        .file("desk/examples/demo.rs", asks("run"));
    let run = fixture.saga(&[
        "flow",
        "--no-compile",
        "--workspace",
        "--all-targets",
        "--out",
        "flows",
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let entries = std::fs::read_dir(fixture.path("flows")).expect("a directory");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string()).collect();
    names.sort();
    let expected = [
        "desk.demo.run.txt",
        "shop.demo.run.txt",
        "shop.shop.Alone.txt",
        "shop.shop.alone-2.txt",
    ];
    assert_eq!(names, expected.map(|name| Ok(name.to_owned())));
}

#[test]
fn without_rustc_what_is_not_seen_is_told() {
    let fixture = Fixture::new("unseen").file("src/lib.rs", SOURCE);
    let run = fixture.saga(&["flow", "--no-compile"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(&run.stdout, &["words: HashMap<_, _>"]);
    shown(
        &run.stderr,
        &[
            "cannot be described",
            "under `#[cfg(..)]`",
            "saga functions in the macro `asking`",
        ],
    );
}

#[test]
fn a_crate_that_does_not_compile_is_drawn_as_far_as_it_goes() {
    let broken =
        SOURCE.to_owned() + "\nfn broken() -> u32 { \"no\" }\n#[saga]\nfn no_async(cx: &Cx) {}\n";
    let fixture = Fixture::new("broken").file("src/lib.rs", broken);
    let run = fixture.saga(&["flow"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    shown(
        &run.stderr,
        &[
            "`broken` does not compile",
            "no_async",
            "cannot be described",
        ],
    );
    shown(&run.stdout, &["words: HashMap<"]);
    let run = fixture.saga(&["lock"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    shown(&run.stderr, &["cannot be locked"]);
    assert!(!fixture.path("saga.lock").exists());
}

#[test]
fn a_helper_of_another_package_is_found() {
    let package = |name: &str, needs: &str| {
        format!(
            "[package]\nname = {name:?}\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\n{needs}"
        )
    };
    let asks = "#[saga] pub async fn confirm(cx: &Cx) -> Result<bool, AskError> { Ok(cx.elicit::<Sure>(\"?\").await?.ok) }";
    let plans = "#[saga] pub async fn plan(cx: &Cx) -> Result<bool, AskError> { shop_ask::confirm(cx).await }";
    let fixture = Fixture::empty()
        .file(
            "Cargo.toml",
            "[workspace]\nmembers = [\"shop\", \"ask\"]\nresolver = \"3\"\n",
        )
        .file("ask/Cargo.toml", package("shop-ask", ""))
        .file("ask/src/lib.rs", asks)
        .file(
            "shop/Cargo.toml",
            package("shop", "shop-ask = { path = \"../ask\" }\n"),
        )
        .file("shop/src/lib.rs", plans);
    let run = fixture.saga(&["flow", "--no-compile", "-p", "shop"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    shown(&run.stdout, &["└─ confirm  shop_ask::confirm"]);
    assert!(
        !run.stdout.contains("confirm  shop_ask::confirm at"),
        "{}",
        run.stdout
    );
    let run = fixture.saga(&["flow", "--no-compile", "-p", "shop", "confirm"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    shown(
        &run.stderr,
        &["the package `shop-ask` has it", "instead: `-p shop-ask`"],
    );
}

//! What `#[saga]` costs at compile time: `cargo check` of one function, or of a hundred tools, with the
//! attribute and without it; of a hundred tools after an edit of one; and how much machine code a suspension point is.
//! Prints ratios of one run: `cargo bench -p tests --bench compile`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark, which has nobody to report to"
)]

use object::{Object as _, ObjectSection as _, SectionKind};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// How often each text is checked; the shortest time counts.
const REPETITIONS: usize = 3;

const HEAD: &str = r#"#![allow(warnings)]
use rmcp::{Peer, RoleServer, handler::server::wrapper::Parameters, tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
#[derive(Deserialize, Serialize, JsonSchema)]
pub struct Count { n: i64 }
rmcp::elicit_safe!(Count);
pub struct Server;
"#;

/// A text with as many of its parts, with the attribute or without it.
type Text = fn(usize, &str) -> String;

const SAGA: &str = "#[saga_runtime::saga]";

fn main() {
    let project = Project::create();
    project.check(HEAD, Incremental(false));
    let bare = project.shortest(HEAD);
    println!("a crate without any: {bare:.2?}");
    println!("{:<44} {:>8} {:>8} {:>6}", "", "plain", "saga", "ratio");
    let rows: [(&str, Text, &[usize]); 4] = [
        ("asks in sequence, all answers kept", sequence, &[30, 60]),
        ("`if ask else match ask`", branches, &[30, 60]),
        ("nested loops around one ask", loops, &[10, 40]),
        ("small tools with one ask each", tools, &[100]),
    ];
    for (name, text, counts) in rows {
        for count in counts {
            let plain = project.shortest(&text(*count, ""));
            let saga = project.shortest(&text(*count, SAGA));
            row(&format!("{count} {name}"), plain, saga);
        }
    }
    let [plain, saga] = ["", SAGA].map(|attribute| project.after_an_edit(attribute));
    row("100 small tools, one of them edited", plain, saga);
    println!(
        "{:<44} {:>8} {:>8}",
        "machine code of a point, bytes", "plain", "saga"
    );
    for (name, text) in [("in sequence", sequence as Text), ("in branches", branches)] {
        let [plain, saga] = ["", SAGA].map(|attribute| project.code_of_a_point(text, attribute));
        println!("{name:<44} {plain:>8} {saga:>8}");
    }
}

fn row(name: &str, plain: Duration, saga: Duration) {
    let ratio = saga.as_secs_f64() / plain.as_secs_f64();
    println!("{name:<44} {plain:>8.2?} {saga:>8.2?} {ratio:>6.2}");
}

fn function(attribute: &str, body: &str) -> String {
    format!(
        "{HEAD}{attribute}\npub async fn f(peer: Peer<RoleServer>) -> Result<String, String> {{\n{body}\n}}\n\
         pub fn used(peer: Peer<RoleServer>) -> std::pin::Pin<Box<dyn Future<Output = Result<String, String>> + Send>> {{\n\
         Box::pin(f(peer))\n}}\n"
    )
}

const ASK: &str = r#"peer.elicit::<Count>("q").await.map_err(|e| e.to_string())?.ok_or("none")?.n"#;

fn sequence(count: usize, attribute: &str) -> String {
    let mut body = String::new();
    for n in 0..count {
        let _ = writeln!(body, "let a{n} = {ASK} + {n};");
    }
    let sum: Vec<_> = (0..count).map(|n| format!("a{n}")).collect();
    let _ = write!(body, "Ok(format!(\"{{}}\", {}))", sum.join(" + "));
    function(attribute, &body)
}

fn branches(count: usize, attribute: &str) -> String {
    let mut body = "let mut s = 0i64;\n".to_owned();
    for n in 0..count {
        let _ = writeln!(
            body,
            "if peer.elicit::<Count>(\"a\").await.is_ok() {{ s += {n}; }} else {{ \
             match peer.elicit::<Count>(\"b\").await {{ Ok(Some(c)) => s += c.n, _ => s -= 1 }} }}"
        );
    }
    body.push_str("Ok(s.to_string())");
    function(attribute, &body)
}

fn loops(count: usize, attribute: &str) -> String {
    let mut body = "let mut s = 0i64;\n".to_owned();
    for n in 0..count {
        let _ = write!(body, "for i{n} in 0..2i64 {{ ");
    }
    let sum: Vec<_> = (0..count).map(|n| format!("i{n}")).collect();
    let _ = write!(body, "s += {ASK} + {};", sum.join(" + "));
    body.push_str(&"}".repeat(count));
    body.push_str("\nOk(s.to_string())");
    function(attribute, &body)
}

fn tools(count: usize, attribute: &str) -> String {
    let mut text = format!("{HEAD}#[tool_router(server_handler)]\nimpl Server {{\n");
    for n in 0..count {
        let _ = writeln!(
            text,
            "{attribute}\n#[tool(description = \"t\")]\n\
             async fn tool{n}(&self, peer: Peer<RoleServer>, Parameters(args): Parameters<Count>) -> Result<String, String> {{\n\
             let n = args.n + {n};\nlet m = {ASK};\nOk((n + m).to_string())\n}}"
        );
    }
    text.push_str("}\n");
    text
}

/// A crate of its own.
struct Project(PathBuf);

impl Project {
    fn create() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile-time");
        fs::create_dir_all(folder.join("src")).unwrap();
        let manifest = format!(
            "[package]\nname = \"compile-time\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             saga-runtime = {{ path = {:?} }}\n\
             rmcp = {{ version = \"3\", default-features = false, features = [\"server\", \"macros\", \"elicitation\"] }}\n\
             schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n",
            root.join("saga-runtime")
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Self(folder)
    }

    fn check(&self, text: &str, incremental: Incremental) -> Duration {
        fs::write(self.0.join("src/lib.rs"), text).unwrap();
        let start = Instant::now();
        self.cargo("check", incremental, &[]);
        start.elapsed()
    }

    fn cargo(&self, command: &str, Incremental(incremental): Incremental, arguments: &[&str]) {
        let status = Command::new(env!("CARGO"))
            .args([command, "--quiet"])
            .args(arguments)
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .env("CARGO_INCREMENTAL", u8::from(incremental).to_string())
            .status();
        assert!(status.unwrap().success(), "the text does not compile");
    }

    fn shortest(&self, text: &str) -> Duration {
        let times = (0..REPETITIONS).map(|_| self.check(text, Incremental(false)));
        times.min().unwrap_or_default()
    }

    /// The shortest incremental check of a hundred tools of which one has just been edited.
    fn after_an_edit(&self, attribute: &str) -> Duration {
        let text = tools(100, attribute);
        let edits = (0..=REPETITIONS).map(|edit| {
            let edited = text.replace("args.n + 50;", &format!("args.n + 50 + {edit};"));
            assert_ne!(edited, text, "there is no such line");
            self.check(&edited, Incremental(true))
        });
        // Before the first of them nothing was known.
        let times: Vec<_> = edits.collect();
        times.into_iter().skip(1).min().unwrap_or_default()
    }

    /// By how much the code grows with each ask, in bytes.
    fn code_of_a_point(&self, text: Text, attribute: &str) -> u64 {
        let [few, many] = [20, 40].map(|count| {
            let text = text(count, attribute);
            fs::write(self.0.join("src/lib.rs"), &text).unwrap();
            let object = self.0.join("target/compile-time.o");
            let emitted = format!("obj={}", object.display());
            let rest = [
                "--release",
                "--lib",
                "--",
                "-C",
                "codegen-units=1",
                "--emit",
                &emitted,
            ];
            self.cargo("rustc", Incremental(false), &rest);
            (
                text.matches(".await").count() as u64,
                code(&fs::read(object).unwrap()),
            )
        });
        many.1.saturating_sub(few.1) / (many.0 - few.0)
    }
}

/// Whether rustc keeps what it learnt for the next time.
#[derive(Clone, Copy)]
struct Incremental(bool);

/// Bytes of machine code in an object file.
fn code(bytes: &[u8]) -> u64 {
    let file = object::File::parse(bytes).unwrap();
    let text = file
        .sections()
        .filter(|section| section.kind() == SectionKind::Text);
    text.map(|section| section.size()).sum()
}

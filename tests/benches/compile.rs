//! What `#[saga]` costs at compile time: `cargo check` of one function, or of a hundred tools, with the
//! attribute and without it. Prints ratios of one run: `cargo bench -p tests --bench compile`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark, which has nobody to report to"
)]

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

fn main() {
    let project = Project::create();
    project.check(HEAD);
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
            let saga = project.shortest(&text(*count, "#[saga_runtime::saga]"));
            let ratio = saga.as_secs_f64() / plain.as_secs_f64();
            let name = format!("{count} {name}");
            println!("{name:<44} {plain:>8.2?} {saga:>8.2?} {ratio:>6.2}");
        }
    }
}

fn function(attribute: &str, body: &str) -> String {
    format!(
        "{HEAD}{attribute}\npub async fn f(peer: Peer<RoleServer>) -> Result<String, String> {{\n{body}\n}}\n"
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

    fn check(&self, text: &str) -> Duration {
        fs::write(self.0.join("src/lib.rs"), text).unwrap();
        let start = Instant::now();
        let status = Command::new(env!("CARGO"))
            .args(["check", "--quiet"])
            .current_dir(&self.0)
            .env("CARGO_TARGET_DIR", self.0.join("target"))
            .env("CARGO_INCREMENTAL", "0")
            .status();
        assert!(status.unwrap().success(), "the text does not compile");
        start.elapsed()
    }

    fn shortest(&self, text: &str) -> Duration {
        let times = (0..REPETITIONS).map(|_| self.check(text));
        times.min().unwrap_or_default()
    }
}

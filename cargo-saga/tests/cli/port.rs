//! `cargo saga port`, on the servers of `docs/porting.md` as they were, and on one with everything that is in the way.

use crate::fixture::{Fixture, Run, manifest, workspace};

const ARGUMENTS: &[&str] = &["port", "--allow-no-vcs", "--format", "json"];

/// Each finding as its code, its file and the line that it is on, in order.
fn findings(fixture: &Fixture, run: &Run) -> Vec<String> {
    let mut found: Vec<_> = run
        .stdout
        .lines()
        .map(|line| finding(fixture, line))
        .collect();
    found.sort();
    found
}

fn finding(fixture: &Fixture, line: &str) -> String {
    let finding: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let (code, place) = (
        finding["code"].as_str().expect("a code"),
        &finding["places"][0],
    );
    let Some(file) = place["file"].as_str() else {
        return format!("{code} {}", finding["message"]);
    };
    let line = place["line"].as_u64().expect("a line");
    let text = fixture.read(file);
    let line = text
        .lines()
        .nth(line as usize - 1)
        .expect("the file has this line");
    format!("{code} {file} {}", line.trim())
}

#[test]
fn the_ported_servers() {
    let ported = workspace().join("examples/src/ported");
    let mut fixture = Fixture::new("ported")
        .file("src/lib.rs", "pub mod ported;\n")
        .file(
            "src/ported/mod.rs",
            "pub mod confirm;\npub mod llm;\npub mod wizard;\npub mod world;\n",
        );
    let world = std::fs::read_to_string(ported.join("world.rs")).expect("a file");
    fixture = fixture.file("src/ported/world.rs", world);
    for server in ["confirm", "llm", "wizard"] {
        let text =
            std::fs::read_to_string(ported.join(format!("before/{server}.rs"))).expect("a file");
        fixture = fixture.file(&format!("src/ported/{server}.rs"), text);
    }

    let run = fixture.saga(ARGUMENTS);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let expected = [
        "refused src/ported/confirm.rs let Some(volume) = volumes.get(name) else {",
        "refused src/ported/confirm.rs let mut volumes = self.world.volumes.lock().await;",
        // Twice: its head, and its items.
        "refused src/ported/llm.rs for call in reply",
        "refused src/ported/llm.rs for call in reply",
        "refused src/ported/llm.rs let Ok(_slot) = self.world.slots.try_acquire() else {",
    ];
    assert_eq!(findings(&fixture, &run), expected, "{}", run.stdout);
    assert!(
        run.stdout.contains("`drop(volumes);` before this"),
        "{}",
        run.stdout
    );

    // As a person has ported it, where that is mechanical.
    let wizard = fixture.read("src/ported/wizard.rs");
    for line in [
        "use saga_runtime::saga;\nuse schemars::JsonSchema;\nuse serde::{Deserialize, Serialize};\n",
        "#[derive(Default, Serialize, Deserialize)]\nstruct Draft {",
        "    #[saga]\n    #[tool(description = \"Take a new colleague on\")]\n",
        "/// Fills in a form; `None` where the user would rather not.\n#[saga]\nasync fn ask<",
    ] {
        assert!(wizard.contains(line), "{line} is not in\n{wizard}");
    }
    let confirm = fixture.read("src/ported/confirm.rs");
    assert_eq!(confirm.matches("#[saga").count(), 5, "{confirm}");
    assert!(
        confirm
            .contains("    #[saga(plain(progress))]\n    #[tool(description = \"Delete a volume"),
        "{confirm}"
    );
    let world = fixture.read("src/ported/world.rs");
    assert_eq!(
        world
            .matches("serde::Serialize, serde::Deserialize")
            .count(),
        1,
        "{world}"
    );

    // It goes on where it was: the first state no longer compiles, and the servers that are ported do.
    let run = fixture.saga(ARGUMENTS);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("does not compile as it is"),
        "{}",
        run.stderr
    );
    let fixture = fixture.file("src/ported/mod.rs", "pub mod wizard;\npub mod world;\n");
    let run = fixture.saga(ARGUMENTS);
    assert_eq!((run.code, &run.stdout[..]), (0, ""), "{}", run.stderr);
    assert!(run.stderr.contains("nothing to edit"), "{}", run.stderr);
}

/// The manifest of a crate that does not use Saga yet.
fn unported() -> String {
    let runtime = format!(
        "saga-runtime = {{ path = {:?} }}",
        workspace().join("saga-runtime")
    );
    manifest("obstacles", "").replace(
        "[workspace]\n",
        &format!("[workspace.dependencies]\n{runtime}\n"),
    )
}

const SERVER: &str = r#"//! A server.
#![allow(dead_code)]

mod bot;
mod gate;
#[cfg(any())]
mod latin;
mod saga;

use rmcp::{ErrorData, Peer, RoleServer, service::RequestContext, tool, tool_router};

include!("more.rs");

/// What was said.
struct Said {
    step: gate::Step,
}

#[derive(Clone)]
struct Server {
    gate: gate::Gate,
    bot: bot::Bot,
}

macro_rules! helper {
    ($($item:item)*) => { $($item)* };
}

helper! {
    async fn in_a_macro(peer: &Peer<RoleServer>) -> bool {
        gate::sure(peer, "macro").await
    }
}

#[tool_router(server_handler)]
impl Server {
    /// Asks by a field, and posts elsewhere.
    #[tool]
    async fn first(&self, context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let said = said();
        tell(&context.peer).await;
        if self.gate.hold("now").await && gate::sure(&context.peer, "really").await {
            self.bot.create_message("posted").await;
        }
        Ok(said.step.name().to_owned())
    }

    #[tool]
    async fn second(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let mut name = String::new();
        let guard = self.gate.lock.lock().await;
        tell(&peer).await;
        name.push_str(&guard);
        drop(guard);
        Ok(format!("{name} {} {}", self::gate::sure(&peer, "twice").await, peer.both().await))
    }

    #[tool]
    async fn third(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let connection = connection();
        let order = order();
        let note = order.note;
        let sure = gate::sure(&peer, "third").await;
        Ok(format!("{sure} {} {} {:?}", note.0, order.total, connection.0))
    }

    #[tool]
    async fn spawns(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        tokio::spawn(async move { gate::sure(&peer, "later").await });
        Ok(String::new())
    }

    #[tool]
    async fn quiet(&self) -> Result<String, ErrorData> {
        Ok("nothing is asked".to_owned())
    }
}

/// The handle's own.
trait Both {
    async fn both(&self) -> bool;
}

impl Both for Peer<RoleServer> {
    async fn both(&self) -> bool {
        // One, and then the other.
        let one = self.elicit::<gate::Sure>("one").await.is_ok();
        one && self
            .elicit::<gate::Sure>("other")
            .await
            .is_ok()
    }
}

/// Nothing leads to it.
async fn lonely(peer: &Peer<RoleServer>) -> bool {
    peer.elicit::<gate::Sure>("alone").await.is_ok()
}

/// Nor to it.
async fn as_lonely(peer: &Peer<RoleServer>) -> bool {
    lonely(peer).await
}

struct Connection(std::net::TcpListener);

struct Note(String);

#[derive(Debug)]
struct Order {
    note: Note,
    total: u8,
}

impl std::fmt::Debug for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn connection() -> Connection {
    Connection(std::net::TcpListener::bind("127.0.0.1:0").unwrap())
}

fn order() -> Order {
    Order { note: Note("soon".to_owned()), total: 3 }
}

fn said() -> Said {
    Said { step: gate::Step::One }
}

/// Asks nobody.
async fn tell(peer: &Peer<RoleServer>) {
    if let Err(error) = peer.notify_tool_list_changed().await {
        println!("{error}");
    }
}
"#;

const GATE: &str = "//! Lines that end as on Windows.\r
use rmcp::{Peer, RoleServer};\r
use schemars::JsonSchema;\r
use serde::Deserialize;\r
\r
#[derive(Deserialize, JsonSchema)]\r
pub struct Sure {\r
    sure: bool,\r
}\r
rmcp::elicit_safe!(Sure);\r
\r
/// Größe: a comment that is not ASCII.\r
// A comment that is none of the documentation.\r
pub enum Step {\r
    One,\r
}\r
\r
impl Step {\r
    pub fn name(&self) -> &'static str {\r
        \"one\"\r
    }\r
}\r
\r
#[derive(Clone)]\r
pub struct Gate {\r
    pub peer: Peer<RoleServer>,\r
    pub lock: std::sync::Arc<tokio::sync::Mutex<String>>,\r
}\r
\r
impl Gate {\r
    pub async fn hold(&self, what: &str) -> bool { sure(&self.peer, what).await } // on one line\r
}\r
\r
/// Asks.\r
#[allow(clippy::needless_pass_by_value)]\r
pub async fn sure(peer: &Peer<RoleServer>, what: &str) -> bool {\r
    peer.elicit::<Sure>(what).await.is_ok_and(|sure| sure.is_some_and(|sure| sure.sure))\r
}\r
";

#[test]
fn what_is_in_the_way_is_gone_round_or_said() {
    let bot = "#[derive(Clone)]\npub struct Bot;\nimpl Bot {\n    pub async fn create_message(&self, _: &str) {}\n}\n";
    let fixture = Fixture::new("obstacles")
        .file("Cargo.toml", unported())
        .file("src/lib.rs", SERVER)
        .file("src/gate.rs", GATE)
        .file("src/bot.rs", bot)
        .file("src/saga.rs", "//! A module of that name.\n")
        .file("src/more.rs", "const MORE: u8 = 1;\n")
        .file("src/latin.rs", b"// caf\xe9\n");

    let dry = fixture.saga(&["port", "--dry-run"]);
    assert_eq!(dry.code, 1, "{}", dry.stderr);
    assert_eq!(fixture.read("src/lib.rs"), SERVER);
    assert_eq!(fixture.read("src/gate.rs"), GATE);

    let run = fixture.saga(ARGUMENTS);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let expected = [
        "hidden src/lib.rs helper! {",
        // A derive was tried, and taken back: a listener has no serde.
        "refused src/lib.rs let connection = connection();",
        "unfollowed src/lib.rs tokio::spawn(async move { gate::sure(&peer, \"later\").await });",
        "unreached src/lib.rs async fn lonely(peer: &Peer<RoleServer>) -> bool {",
        "unread \"`src/latin.rs` is not UTF-8\"",
        "unread src/lib.rs include!(\"more.rs\");",
    ];
    assert_eq!(
        findings(&fixture, &run),
        expected,
        "{}\n{}",
        run.stdout,
        dry.stdout
    );

    let server = fixture.read("src/lib.rs");
    // A module has the name.
    assert!(!server.contains("use saga_runtime"), "{server}");
    for line in [
        "    /// Asks by a field, and posts elsewhere.\n    #[saga_runtime::saga(asks(hold), plain(create_message, tell))]\n    #[tool]\n",
        "    #[saga_runtime::saga(plain(tell))]\n    #[tool]\n    async fn second",
        "    #[saga_runtime::saga]\n    async fn both(&self) -> bool {\n        let peer: &Peer<RoleServer> = self;\n        // One, and then the other.\n        let one = peer.elicit",
        "one && peer\n            .elicit::<gate::Sure>(\"other\")\n",
        "/// What was said.\n#[derive(serde::Serialize, serde::Deserialize)]\nstruct Said {",
    ] {
        assert!(server.contains(line), "{line} is not in\n{server}");
    }
    for line in [
        "\nstruct Connection(",
        "\n#[derive(Clone, serde::Serialize, serde::Deserialize)]\nstruct Note(",
        "#[derive(Debug, serde::Serialize, serde::Deserialize)]\nstruct Order {",
    ] {
        assert!(server.contains(line), "{line} is not in\n{server}");
    }
    assert_eq!(server.matches("saga_runtime::saga").count(), 4, "{server}");
    let expected = GATE
        .replace("use schemars", "use saga_runtime::saga;\r\nuse schemars")
        .replace("serde::Deserialize;", "serde::{Deserialize, Serialize};")
        .replace(
            "// A comment",
            "#[derive(Serialize, Deserialize)]\r\n// A comment",
        )
        .replace(
            "    pub async fn hold",
            "    #[saga]\r\n    pub async fn hold",
        )
        .replace("#[allow(clippy", "#[saga]\r\n#[allow(clippy");
    assert_eq!(fixture.read("src/gate.rs"), expected);
    let manifest = fixture.read("Cargo.toml");
    assert!(
        manifest.contains("\nsaga-runtime.workspace = true\n"),
        "{manifest}"
    );
}

fn git(fixture: &Fixture, arguments: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(arguments);
    let done = git.current_dir(fixture.path("")).output().expect("git");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

const ASKS: &str = "use rmcp::{Peer, RoleServer, handler::server::router::tool::ToolRouter, tool, tool_router};\n\n\
    pub struct Server;\n\n#[tool_router]\nimpl Server {\n    #[tool]\n    \
    async fn ask(&self, peer: Peer<RoleServer>) -> String {\n        \
    format!(\"{:?}\", peer.list_roots().await.is_ok())\n    }\n}\n";

/// Of what it ignores git says that nothing is changed.
#[test]
fn what_git_ignores_is_not_edited() {
    let fixture = Fixture::new("ignored")
        .file("src/lib.rs", "mod made;\n")
        .file("src/made.rs", ASKS)
        .file(".gitignore", "made.rs\n");
    git(&fixture, &["init", "-q"]);
    git(&fixture, &["add", "-A"]);
    git(&fixture, &["commit", "-qm", "as it is"]);
    let run = fixture.saga(&["port"]);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("git ignores") && run.stderr.contains("\nsrc/made.rs\n"),
        "{}",
        run.stderr
    );
    assert_eq!(fixture.read("src/made.rs"), ASKS);
    // A machine is shown it, too.
    let dry = fixture.saga(&["port", "--dry-run", "--format", "json"]);
    let edits = dry.stdout.lines().map(|line| {
        let edit: serde_json::Value = serde_json::from_str(line).expect("JSON");
        (
            edit["code"].clone(),
            edit["file"].clone(),
            edit["diff"].to_string(),
        )
    });
    let edits: Vec<_> = edits.collect();
    assert_eq!(edits.len(), 1, "{}", dry.stdout);
    let (code, file, diff) = &edits[0];
    assert_eq!((code, file), (&"edit".into(), &"src/made.rs".into()));
    assert!(diff.contains("+    #[saga]\\n     #[tool]"), "{diff}");
    assert_eq!(fixture.read("src/made.rs"), ASKS);
    git(&fixture, &["add", "--force", "src/made.rs"]);
    git(&fixture, &["commit", "-qm", "this one, too"]);
    let run = fixture.saga(&["port"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(fixture.read("src/made.rs").contains("#[saga]"));
}

#[test]
fn nothing_is_edited_that_could_not_be_had_back_or_compiled() {
    let broken = "use rmcp::{Peer, RoleServer, tool};\n#[tool]\nasync fn a(peer: Peer<RoleServer>) { peer.list_roots().await; missing() }\n";
    let fixture = Fixture::new("guarded").file("src/lib.rs", broken);
    let git = |arguments: &[&str]| git(&fixture, arguments);

    let run = fixture.saga(&["port"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no version control"), "{}", run.stderr);

    git(&["init", "-q"]);
    let run = fixture.saga(&["port"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("not committed") && run.stderr.contains("src/"),
        "{}",
        run.stderr
    );

    git(&["add", "-A"]);
    git(&["commit", "-qm", "as it is"]);
    let run = fixture.saga(&["port"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("cannot find function `missing`"),
        "{}",
        run.stderr
    );
    assert_eq!(fixture.read("src/lib.rs"), broken);
}

#[test]
fn another_rmcp_is_to_be_moved_first() {
    let manifest = "[package]\nname = \"old\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\nrmcp = \"0.8\"\n";
    let text = "#[tool]\nasync fn a(peer: Peer<RoleServer>) { peer.list_roots().await; }\n";
    let run = Fixture::new("old")
        .file("Cargo.toml", manifest)
        .file("src/lib.rs", text)
        .saga(ARGUMENTS);
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(
        run.stderr.contains("rmcp ^0.8, and saga-runtime 3.9"),
        "{}",
        run.stderr
    );
    // The version is that of the workspace.
    let workspace = std::fs::read_to_string(workspace().join("Cargo.toml")).expect("a manifest");
    assert!(
        workspace.contains("rmcp = { version = \"3.9\""),
        "{workspace}"
    );
}

/// What stands elsewhere may be others', too; and edits that are only tried leave everything as it is.
#[cfg(unix)]
#[test]
fn a_file_that_a_link_or_a_path_leads_to_is_not_edited() {
    let shared = Fixture::empty().file("shared.rs", ASKS);
    let elsewhere = shared.path("shared.rs");
    let linked = |name: &str| {
        let fixture = Fixture::new(name).file("src/lib.rs", "pub mod shared;\n");
        std::os::unix::fs::symlink(&elsewhere, fixture.path("src/shared.rs")).expect("a link");
        fixture
    };
    let named = |name: &str| {
        let text = format!("#[path = {elsewhere:?}]\npub mod shared;\n");
        Fixture::new(name).file("src/lib.rs", text)
    };
    for (fixture, dry) in [
        (linked("linked"), true),
        (linked("linked-too"), false),
        (named("named"), true),
        (named("named-too"), false),
    ] {
        let dry = dry.then_some("--dry-run");
        let arguments: Vec<_> = ARGUMENTS.iter().copied().chain(dry).collect();
        let run = fixture.saga(&arguments);
        assert_eq!(run.code, 2, "{} {}", run.stdout, run.stderr);
        assert!(
            run.stderr.contains("is no file of this workspace"),
            "{}",
            run.stderr
        );
        assert_eq!(shared.read("shared.rs"), ASKS);
        let links = std::fs::symlink_metadata(fixture.path("src/shared.rs"));
        assert!(links.map_or(true, |link| link.is_symlink()));
    }
}

use super::*;
use crate::{
    source::tests::{index, index_with},
    workspace::Dependency,
};

/// Each finding as its code and the text that it is at.
fn check(text: &str) -> Vec<String> {
    let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
    assert!(index.problems.is_empty(), "{:?}", index.problems);
    told(&findings(&Graph::of(&index)))
}

fn findings_of(text: &str) -> Vec<Finding> {
    let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
    findings(&Graph::of(&index))
}

fn told(findings: &[Finding]) -> Vec<String> {
    let text = |finding: &Finding| {
        let label = finding.labels.first().expect("a place");
        format!("{} {}", finding.code, label.file.at(label.range.clone()))
    };
    findings.iter().map(text).collect()
}

#[test]
fn who_asks_without_saga_is_found_whatever_is_between() {
    let text = r#"
        impl S {
            #[tool] async fn bare(&self, peer: Peer<RoleServer>) { step(&peer).await }
            #[saga] #[tool] async fn half(&self, peer: Peer<RoleServer>) { step(&peer).await; self.held().await; }
            #[saga(asks(held))] #[tool] async fn said(&self, peer: Peer<RoleServer>) { self.held().await; }
            #[saga] async fn held(&self) { self.peer.list_roots().await; }
            #[tool] async fn live(&self, cx: Cx) { cx.elicit::<A>("?").live().await; }
        }
        async fn step(peer: &Peer<RoleServer>) { deep(peer).await }
        #[saga] async fn deep(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; }
        async fn test_helper(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; }
    "#;
    assert_eq!(
        check(text),
        ["no-saga bare", "no-asks self.held()", "no-saga step"]
    );
}

#[test]
fn a_resource_is_followed_and_so_is_what_has_saga_whoever_calls_it() {
    let text = r#"
        #[saga] #[resource("books://{title}")] async fn book(cx: Cx) { check_out(&cx).await; self::gate().await; }
        #[resource("shelf://")] async fn shelf(peer: Peer<RoleServer>) { deep(&peer).await }
        #[saga] async fn served_by_a_macro(peer: &Peer<RoleServer>) { check_in(peer).await; gate().await; }
        async fn check_out(cx: &Cx) { deep(cx).await }
        async fn check_in(peer: &Peer<RoleServer>) { deep(peer).await }
        #[saga] async fn gate() { PEER.get().list_roots().await; ask().await }
        #[saga(asks(pause))] async fn ask() { pause().await }
        #[saga] async fn pause() { saga_runtime::sleep(&cx(), DAY).await; }
        #[saga] async fn deep(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; }
        async fn lonely(peer: &Peer<RoleServer>) { peer.list_roots().await; }
    "#;
    assert_eq!(
        check(text),
        [
            "no-asks self::gate()",
            "no-saga shelf",
            "no-asks gate()",
            "no-saga check_out",
            "no-saga check_in",
            "no-asks ask()"
        ]
    );
}

/// Only rustc knows what a getter gives.
#[test]
fn what_may_be_an_ask_is_told_where_no_attribute_asks_rustc() {
    let text = r#"
        type Client = Peer<RoleServer>;
        impl S {
            #[tool] async fn alias(&self, client: Client) { client.elicit::<A>("?").await; }
            #[tool] async fn getter(&self, cx: RequestContext<RoleServer>) { handle_of(&cx).list_roots().await; }
            #[tool] async fn stored(&self) { if let Some(peer) = self.peers.values().next() { peer.elicit::<A>("?").await; } }
            #[saga] #[tool] async fn told(&self, client: Client) { client.elicit::<A>("?").await; }
            #[tool] async fn own(&self, desk: Desk) { desk.elicit().await; }
            #[tool] async fn both(&self) { for peer in self.all() { peer.elicit::<A>("?").await; } }
            #[tool] async fn model(&self) { self.llm.create_message("?").await; }
            #[tool] async fn renamed(&self, client: P<RoleServer>) { client.elicit::<A>("?").await; }
            #[tool] async fn typed(&self, peer: &Peer<RoleServer>) { <Gate>::pass(peer).await; Door::pass(peer).await; }
        }
        use rmcp::Peer as P;
        type Door = Gate;
        impl Gate { #[saga] async fn pass(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; } }
        impl Desk { async fn elicit(&self) {} }
        impl Oracle { async fn elicit(&self, text: &str) {} }
    "#;
    assert_eq!(
        check(text),
        [
            "no-saga alias",
            "perhaps list_roots",
            "perhaps elicit",
            "perhaps elicit",
            "perhaps create_message",
            "no-saga renamed",
            "no-saga typed"
        ]
    );
}

#[test]
fn one_key_twice_is_told_unless_only_one_of_them_is_put() {
    let text = r#"
        #[saga] #[tool] async fn twice(cx: Cx) { cx.elicit::<A>("?").key("a").await; cx.sample("?").timeout(t).key("a").await; cx.sample("?").key("b").await; }
        #[saga] #[tool] async fn joined(cx: Cx) { join!(cx.elicit::<A>("?").key("c"), cx.sample("?").key("c")); }
        #[saga] #[tool] async fn either(cx: Cx) {
            if x { cx.elicit::<A>("?").key("d").await; } else { cx.elicit::<B>("?").key("d").await; }
            match x { 1 => cx.elicit::<A>("?").key("e").await, _ => cx.elicit::<B>("?").key("e").await };
        }
        #[saga] #[tool] async fn early(cx: Cx) {
            if x { return cx.elicit::<A>("?").key("h").await; }
            let Some(y) = x else { cx.elicit::<A>("?").key("h").await; return };
            match y { 1 => { cx.elicit::<A>("?").key("h").await; return } _ => {} }
            cx.elicit::<A>("?").key("h").await;
        }
        #[saga] #[tool] async fn inside(cx: Cx) {
            let x = async { if y { cx.elicit::<A>("?").key("i").await; return 1; } 2 }.await;
            cx.elicit::<A>("?").key("i").await;
        }
        #[saga] #[tool] async fn after(cx: Cx) { if x { cx.elicit::<A>("?").key("f").await; } cx.elicit::<A>("?").key("f").await; }
        #[saga] #[tool] async fn chosen(cx: Cx) { cx.choose_by("?", all, shown).key("g").await; cx.choose_many("?", all).key("g").await; }
    "#;
    assert_eq!(
        check(text),
        [
            "same-key \"a\"",
            "same-key \"c\"",
            "same-key \"i\"",
            "same-key \"f\"",
            "same-key \"g\""
        ]
    );
}

#[test]
fn secrets_are_told_where_they_are_stored_and_not_elsewhere() {
    let text = r#"
        struct Login { user: String, password: String }
        struct Skips { #[serde(skip)] password: String, #[serde(skip_serializing)] token: String }
        struct Shows { #[serde(skip_serializing_if = "Option::is_none")] password: Option<String> }
        struct Session { user: User, logins: Vec<Login> }
        enum Access { Open, Signed { api_key: String }, Named(String) }
        type Key = Access;
        struct Deep { next: Option<Box<Deep>>, count: u32 }
        #[saga] #[tool] async fn nested(cx: Cx) {
            let session: Session = read().await;
            let access: Access = read().await;
            let key_of: Key = read().await;
            let deep: Deep = read().await;
            cx.elicit::<A>("?").await;
            send(session, access, key_of, deep);
        }
        #[saga] #[tool] async fn a(cx: Cx) {
            let password = load().await;
            let api_key = load().await;
            let login: Login = read().await;
            let skips: Skips = read().await;
            let made = Login { user: name(), password: read().await };
            let many: Option<Vec<Login>> = read().await;
            let shows: Shows = read().await;
            cx.elicit::<A>(api_key).await;
            let token = load().await;
            // saga: allow(secret)
            let secret = load().await;
            send(token);
            cx.elicit::<A>("?").await;
            send(password, login, skips, made, many, shows, secret);
        }
        // saga: allow(secret)
        #[saga] #[tool] async fn b(cx: Cx) { let password = load().await; cx.elicit::<A>("?").await; send(password); }
        async fn c(peer: Peer<RoleServer>) { let password = load().await; peer.notify().await; send(password); }
    "#;
    assert_eq!(
        check(text),
        [
            "secret session",
            "secret access",
            "secret key_of",
            "secret password",
            "secret login",
            "secret made",
            "secret many",
            "secret shows"
        ]
    );
}

#[test]
fn a_peer_of_a_session_is_not_to_be_kept() {
    let text = r#"
        impl ServerHandler for A {
            async fn on_initialized(&self, context: NotificationContext<RoleServer>) { let peer = context.peer.clone(); *self.peer.lock().await = Some(peer); }
            async fn initialize(&self, r: InitializeRequestParams, context: RequestContext<RoleServer>) { self.peer.set(context.peer); }
        }
        impl ServerHandler for B {
            async fn on_initialized(&self, context: NotificationContext<RoleServer>) { self.count.set(1); context.peer.notify_logging(1).await; }
        }
        impl ServerHandler for D {
            async fn on_initialized(&self, context: NotificationContext<RoleServer>) { PEER.set(context.peer); }
            async fn initialize(&self, r: InitializeRequestParams, context: RequestContext<RoleServer>) {
                let mut kept = self.peer.lock().unwrap();
                kept.replace(context.peer);
            }
        }
        impl ServerHandler for E {
            async fn on_initialized(&self, context: NotificationContext<RoleServer>) { self.peers.lock().await.entry(1).or_insert(context.peer); }
            async fn initialize(&self, r: InitializeRequestParams, context: RequestContext<RoleServer>) { if let Ok(mut slot) = self.peer.lock() { *slot = Some(context.peer.clone()); } }
            async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) { PEER.get_or_init(|| async { context.peer.clone() }).await; }
        }
        impl ServerHandler for F {
            async fn on_initialized(&self, context: NotificationContext<RoleServer>) { self.name.set(name_of(&context.peer)); self.log.push(Entry::new(describe(&context))); }
            async fn initialize(&self, r: InitializeRequestParams, context: RequestContext<RoleServer>) { self.sessions.lock().unwrap().push(Session { peer: context.peer }); }
        }
        impl Other for C { async fn on_initialized(&self, context: NotificationContext<RoleServer>) { self.peer.set(context.peer); } }
    "#;
    assert_eq!(
        check(text),
        [
            "kept-peer *self.peer.lock().await = Some(peer)",
            "kept-peer self.peer.set(context.peer)",
            "kept-peer PEER.set(context.peer)",
            "kept-peer kept.replace(context.peer)",
            "kept-peer self.peers.lock().await.entry(1).or_insert(context.peer)",
            "kept-peer *slot = Some(context.peer.clone())",
            "kept-peer PEER.get_or_init(|| async { context.peer.clone() })",
            "kept-peer self.sessions.lock().unwrap().push(Session { peer: context.peer })"
        ]
    );
}

#[test]
fn a_prompt_or_a_task_needs_its_server() {
    let parts = r#"
        #[saga] #[prompt] async fn plan(cx: Cx) { cx.elicit::<A>("?").await; }
        #[saga(task(after = "2s"))] #[tool] async fn render(cx: Cx) { cx.elicit::<A>("?").await; }
        #[saga] #[tool] async fn plain(cx: Cx) { cx.elicit::<A>("?").await; }
    "#;
    let serve = "async fn main() { Server.serve(stdio()).await; }";
    assert_eq!(
        check(&format!("{parts}{serve}")),
        ["no-server plan", "no-server render"]
    );
    assert!(
        check(&format!(
            "{parts}async fn main() {{ SagaServer::new(Server).serve(stdio()).await; }}"
        ))
        .is_empty()
    );
    assert!(check(parts).is_empty(), "a library is served elsewhere");
}

#[test]
fn a_server_of_rmcp_s_is_none_of_saga_s() {
    let prompt = r#"#[saga] #[prompt] async fn plan(cx: Cx) { cx.elicit::<A>("?").await; }"#;
    for (main, found) in [
        ("async fn main() { axum::serve(listener, app).await; }", 0),
        (
            "async fn main() { P.serve(x()).await; } #[cfg(test)] mod tests { use saga_runtime::SagaServer; }",
            1,
        ),
        (
            "#[tokio::test] async fn it_works() { P.serve(x()).await; }",
            0,
        ),
        (
            "use rmcp::transport::stdio; use saga_runtime::{Cx, saga}; async fn main() { P.serve(stdio()).await; }",
            1,
        ),
        (
            "async fn main() { P.serve(x()).await; saga_runtime::serve::stdio(P, s()).await; }",
            0,
        ),
        (
            "use saga_runtime as rt; async fn main() { P.serve(x()).await; rt::serve::stdio(P, s()).await; }",
            0,
        ),
        (
            "use saga_runtime::*; async fn main() { serve::stdio(P, s()).await; }",
            0,
        ),
        (
            "use saga_runtime::{Cx, serve::{self, Http}}; async fn main() { Http::new().serve(P).await; }",
            0,
        ),
    ] {
        assert_eq!(check(&format!("{prompt}{main}")).len(), found, "{main}");
    }
}

#[test]
fn a_renamed_dependency_is_known_by_its_name() {
    let text = r#"
        #[rt::saga] #[prompt] async fn plan(cx: Cx) { cx.elicit::<A>("?").await; }
        #[tool] async fn waits(cx: Cx) { pause(&cx).await; }
        #[rt::saga] async fn pause(cx: &Cx) { rt::sleep(cx, DAY).await; }
        async fn main() { P.serve(x()).await; SERVE }
    "#;
    for (serve, expected) in [
        ("", &["no-server plan", "no-saga waits"][..]),
        ("rt::serve::stdio(P, s()).await;", &["no-saga waits"]),
        (
            "use rt as again; again::serve::stdio(P, s()).await;",
            &["no-saga waits"],
        ),
    ] {
        let rename = Dependency {
            name: "saga-runtime".to_owned(),
            rename: Some("rt".to_owned()),
            reach: crate::workspace::Reach::All,
            requirement: "0.1".parse().expect("a requirement"),
        };
        let text = text.replace("SERVE", serve);
        let (index, _directory) = index_with(&[("src/lib.rs", text.as_bytes())], vec![rename]);
        assert_eq!(told(&findings(&Graph::of(&index))), expected, "{serve}");
    }
}

#[test]
fn what_a_body_brings_in_counts_there_alone() {
    let text = r#"
        mod gate {
            pub async fn confirm(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; }
        }
        impl S {
            #[tool] async fn named(&self, peer: Peer<RoleServer>) { use gate::confirm; confirm(&peer).await; }
            #[tool] async fn renamed(&self, peer: Peer<RoleServer>) { if x { use gate::confirm as sure; sure(&peer).await; } }
            #[tool] async fn globbed(&self, peer: Peer<RoleServer>) { use gate::*; confirm(&peer).await; }
            #[tool] async fn module(&self, peer: Peer<RoleServer>) { use gate as door; door::confirm(&peer).await; }
            #[tool] async fn other(&self, peer: Peer<RoleServer>) { { use gate::confirm; } confirm(&peer).await; }
            #[tool] async fn asks(&self, peer: Peer<RoleServer>) {
                ask(&peer).await;
                async fn ask(peer: &Peer<RoleServer>) { peer.elicit::<A>("?").await; }
            }
            #[tool] async fn looks(&self, peer: Peer<RoleServer>) {
                async fn ask(peer: &Peer<RoleServer>) { peer.peer_info(); }
                ask(&peer).await;
            }
            #[tool] async fn closes(&self, peer: Peer<RoleServer>) {
                let confirm = async |peer: &Peer<RoleServer>| peer.peer_info();
                confirm(&peer).await;
            }
            #[tool] async fn bound(&self, peer: Peer<RoleServer>) { let x = y.map(|confirm| confirm); use gate::confirm; }
            #[tool] async fn given(&self, peer: Peer<RoleServer>) { run(gate::confirm, &peer).await; }
        }
        trait Sure { async fn sure(&self); }
        impl Sure for Peer<RoleServer> { #[saga] async fn sure(&self) { let peer = self; peer.elicit::<A>("?").await; } }
    "#;
    let found = check(text);
    assert_eq!(
        found,
        [
            "no-saga confirm",
            "no-saga named",
            "no-saga renamed",
            "no-saga globbed",
            "no-saga module",
            "no-saga asks",
            "no-saga ask",
            "unfollowed gate::confirm",
        ]
    );
}

#[test]
fn what_is_joined_over_a_list_is_followed() {
    let text = r#"
        #[saga] #[tool] async fn all(peer: Peer<RoleServer>) { join_all(n.iter().map(|n| peer.elicit::<A>(n))).await; }
        #[tool] async fn bare(peer: Peer<RoleServer>) { join_all(n.iter().map(|n| peer.elicit::<A>(n))).await; }
        #[saga] #[tool] async fn each(peer: Peer<RoleServer>) { n.iter().for_each(|n| peer.elicit::<A>(n)); }
    "#;
    assert_eq!(
        check(text),
        ["no-saga bare", "unfollowed peer.elicit::<A>(n)"]
    );
}

#[test]
fn what_is_silenced_is_silenced_there_alone() {
    let text = r#"
        // saga: allow(secret)
        #[saga] #[tool] async fn a(cx: Cx) { let token = load().await; cx.elicit::<A>("?").await; send(token); }
        #[saga] #[tool] async fn b(cx: Cx) { let token = load().await; cx.elicit::<A>("?").await; send(token); }
    "#;
    assert_eq!(check(text), ["secret token"]);
}

#[test]
fn a_tool_that_no_toolbox_lists_is_told() {
    let tools = r#"
        #[saga] #[tool] async fn lend(cx: Cx) { cx.elicit::<A>("?").await; }
        #[saga] #[tool] async fn give(cx: Cx) { cx.elicit::<A>("?").await; }
        #[tool] fn plain() {}
        fn helper() {}
        mod ops { #[prompt] fn greet() {} #[resource(uri = "a:b")] fn book() {} #[tool] fn restart() {} }
        impl S { #[tool] fn method(&self) {} }
    "#;
    let all = ["unlisted give", "unlisted plain", "unlisted greet"];
    for (main, found) in [
        ("", &[][..]),
        (
            "fn main() { serve(toolbox![lend, ops::restart]); toolbox! { state: 1, tools: [lend], resources: [ops::book] }; }",
            &all,
        ),
        (
            "fn main() { saga_runtime::toolbox![lend, ops::restart, ops::book]?; plain(); }",
            &all,
        ),
        (
            "fn main() { toolbox![lend, give, plain, ops::restart, ops::greet, ops::book]; }",
            &[],
        ),
        (
            "fn main() { toolbox![lend, ops::restart, ops::greet, ops::book]; } mod a { fn router() { add(super::plain_tool_attr()); toolbox![give]; } }",
            &[],
        ),
        // A server of rmcp's, with a test of some of its tools.
        ("#[cfg(test)] mod tests { fn a() { toolbox![lend]; } }", &[]),
        (
            "macro_rules! all { ($($name:ident)*) => { toolbox![$($name),*] } } fn main() { toolbox![lend]; }",
            &[],
        ),
        (
            "// saga: allow(unlisted)\nmod more { #[tool]\n// saga: allow(unlisted)\nfn kept() {} } fn main() { toolbox![lend, give, plain, ops::restart, ops::greet, ops::book]; }",
            &[],
        ),
    ] {
        assert_eq!(check(&format!("{tools}{main}")), found, "{main}");
    }
    let found = findings_of(&format!(
        "{tools}static ALL: Server = f(|| toolbox![lend, give, plain, ops::restart, ops::book]);"
    ));
    let help = found.first().and_then(|finding| finding.help.as_deref());
    assert_eq!(
        help,
        Some("`ops::greet` among the `prompts` of the `toolbox!`; or without `#[prompt]`")
    );
}

use super::*;
use crate::source::tests::index;

/// Each finding as its code and the text that it is at.
fn check(text: &str) -> Vec<String> {
    let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
    assert!(index.problems.is_empty(), "{:?}", index.problems);
    let findings = findings(&index);
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

/// Only rustc knows what an alias is of, or a getter gives.
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
            #[tool] async fn model(&self) { self.llm.create_message("?").await; }
        }
        impl Desk { async fn elicit(&self) {} }
    "#;
    assert_eq!(
        check(text),
        [
            "perhaps elicit",
            "perhaps list_roots",
            "perhaps elicit",
            "perhaps create_message"
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
        #[saga] #[tool] async fn after(cx: Cx) { if x { cx.elicit::<A>("?").key("f").await; } cx.elicit::<A>("?").key("f").await; }
        #[saga] #[tool] async fn chosen(cx: Cx) { cx.choose_by("?", all, shown).key("g").await; cx.choose_many("?", all).key("g").await; }
    "#;
    assert_eq!(
        check(text),
        [
            "same-key \"a\"",
            "same-key \"c\"",
            "same-key \"f\"",
            "same-key \"g\""
        ]
    );
}

#[test]
fn secrets_are_told_where_they_are_stored_and_not_elsewhere() {
    let text = r#"
        struct Login { user: String, password: String }
        struct Skips { #[serde(skip)] password: String }
        #[saga] #[tool] async fn a(cx: Cx) {
            let password = load().await;
            let api_key = load().await;
            let login: Login = read().await;
            let skips: Skips = read().await;
            let made = Login { user: name(), password: read().await };
            cx.elicit::<A>(api_key).await;
            let token = load().await;
            // saga: allow(secret)
            let secret = load().await;
            send(token);
            cx.elicit::<A>("?").await;
            send(password, login, skips, made, secret);
        }
        // saga: allow(secret)
        #[saga] #[tool] async fn b(cx: Cx) { let password = load().await; cx.elicit::<A>("?").await; send(password); }
        async fn c(peer: Peer<RoleServer>) { let password = load().await; peer.notify().await; send(password); }
    "#;
    assert_eq!(
        check(text),
        ["secret password", "secret login", "secret made"]
    );
}

#[test]
fn what_grows_without_an_end_is_noted() {
    let text = r#"
        #[saga] #[tool] async fn a(cx: Cx) {
            let mut said = Vec::new();
            let mut few = Vec::new();
            loop {
                let mut own = Vec::new();
                own.push(1);
                let Ok(more) = cx.elicit::<A>("?").await else { break };
                said.push(more);
                send(own);
            }
            for n in 0..3 { few.push(cx.elicit::<A>("?").await); }
            send(said, few);
        }
    "#;
    assert_eq!(check(text), ["grows said"]);
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
        impl Other for C { async fn on_initialized(&self, context: NotificationContext<RoleServer>) { self.peer.set(context.peer); } }
    "#;
    assert_eq!(
        check(text),
        [
            "kept-peer *self.peer.lock().await = Some(peer)",
            "kept-peer self.peer.set(context.peer)"
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

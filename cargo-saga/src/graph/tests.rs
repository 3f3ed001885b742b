use super::*;
use crate::source::tests::index;

/// The names of the functions on the way from a tool to an ask, and of those that provably ask nothing.
fn graph(files: &[(&str, &[u8])]) -> (Vec<String>, Vec<String>) {
    let (index, _directory) = index(files);
    assert!(index.problems.is_empty(), "{:?}", index.problems);
    let graph = Graph::of(&index);
    let sorted = |ids: Vec<FunctionId>| {
        let mut names: Vec<_> = ids
            .into_iter()
            .map(|id| index.path_of(graph.function(id)))
            .collect();
        names.sort();
        names
            .iter()
            .map(|name| name.replace("sample::", ""))
            .collect()
    };
    let quiet = graph.ids().filter(|id| graph.is_quiet(*id)).collect();
    (
        sorted(graph.on_the_way().into_iter().collect()),
        sorted(quiet),
    )
}

#[test]
fn helpers_are_found_through_modules_and_imports() {
    let (asking, _) = graph(&[
        (
            "src/lib.rs",
            b"mod gate; mod deep { pub(crate) mod inner; } mod again { pub(crate) use crate::gate::confirm as sure; }
            use gate::{Gate, confirm}; use crate::deep as below; use deep::*;
            impl Server {
                #[tool] async fn one(&self, peer: Peer<RoleServer>) { if confirm(&peer).await {} }
                #[tool] async fn two(&self, context: RequestContext<RoleServer>) { self.step(&context).await; }
                #[tool] async fn three(&self) { self.gate.hold().await }
                #[tool] async fn four(&self, peer: Peer<RoleServer>) { again::sure(&peer).await; }
                #[tool] async fn six(&self, peer: Peer<RoleServer>) { below::inner::deepest(&peer).await; }
                #[tool] async fn five(&self) { progress().await }
                async fn step(&self, c: &RequestContext<RoleServer>) { inner::deepest(&c.peer).await; }
            }
            struct Server { gate: std::sync::Arc<Gate> }
            async fn progress() {}
            async fn nobody_calls(peer: &Peer<RoleServer>) { confirm(peer).await; }",
        ),
        (
            "src/gate.rs",
            b"pub(crate) async fn confirm(peer: &Peer<RoleServer>) -> bool { peer.elicit::<Sure>(\"?\").await.is_ok() }
            pub(crate) struct Gate { peer: Peer<RoleServer> }
            impl Gate { pub(crate) async fn hold(&self) { self.peer.list_roots().await; } }",
        ),
        (
            "src/deep/inner.rs",
            b"pub(crate) async fn deepest(p: &Peer<RoleServer>) { let q = p.clone(); q.create_message(m()).await; } fn m() {}",
        ),
    ]);
    assert_eq!(
        asking,
        [
            "Server::four",
            "Server::one",
            "Server::six",
            "Server::step",
            "Server::three",
            "Server::two",
            "deep::inner::deepest",
            "gate::Gate::hold",
            "gate::confirm",
        ]
    );
}

#[test]
fn a_method_of_that_name_on_something_else_asks_nobody() {
    let (asking, _) = graph(&[(
        "src/lib.rs",
        b"struct Bot { http: Http } struct Gate; struct Http;
        impl Gate { async fn run(&self, peer: &Peer<RoleServer>) { peer.elicit::<A>(\"?\").await; } }
        impl Http { async fn run(&self) {} }
        impl Bot {
            #[tool] async fn post(&self) { self.http.create_message(1).await; self.http.run().await; }
            #[tool] async fn other(&self, client: Client) { client.run().await; unknown().run().await; }
            #[tool] async fn given(&self, peer: Peer<RoleServer>) { gate().run(&peer).await; }
        }",
    )]);
    assert_eq!(asking, ["Bot::given", "Gate::run"]);
}

#[test]
fn asks_in_macros_boxes_and_traits_are_seen_and_those_in_closures_are_not_followed() {
    let (asking, _) = graph(&[(
        "src/lib.rs",
        b"#[tool] async fn joined(peer: Peer<RoleServer>) { tokio::join!(a(&peer), b()); }
        #[tool] async fn selected(peer: Peer<RoleServer>) { tokio::select! { x = peer.elicit::<A>(\"?\") => {}, _ = b() => {} } }
        #[tool] async fn spawned(peer: Peer<RoleServer>) { tokio::spawn(async move { a(&peer).await }); }
        #[tool] async fn closed(peer: Peer<RoleServer>) { let f = || a(&peer); }
        #[tool] async fn by_trait(peer: Peer<RoleServer>, gate: &dyn Gate) { gate.hold(&peer).await; }
        #[tool] async fn awaited(peer: Peer<RoleServer>) { async { a(&peer).await }.await }
        #[tool] async fn boxed(peer: Peer<RoleServer>) { async { a(&peer).await }.boxed().await }
        impl ServerHandler for S {
            fn read_resource(&self, r: ReadResourceRequestParams, c: RequestContext<RoleServer>) -> impl Future<Output = ()> { async move { a(&c.peer).await } }
        }
        async fn a(peer: &Peer<RoleServer>) { walk(peer, 1).await; }
        async fn b() {}
        fn walk(peer: &Peer<RoleServer>, n: u8) -> BoxFuture<'_, ()> { Box::pin(async move { peer.elicit::<A>(\"?\").await; walk(peer, n - 1).await }) }
        trait Gate { async fn hold(&self, peer: &Peer<RoleServer>); }
        impl Gate for Door { async fn hold(&self, peer: &Peer<RoleServer>) { a(peer).await } }",
    )]);
    assert_eq!(
        asking,
        [
            "Door::hold",
            "S::read_resource",
            "a",
            "awaited",
            "boxed",
            "by_trait",
            "joined",
            "selected",
            "walk"
        ]
    );
}

#[test]
fn only_what_is_followed_to_its_end_is_quiet() {
    let (_, quiet) = graph(&[(
        "src/lib.rs",
        b"async fn tell(peer: &Peer<RoleServer>) { peer.notify(1).await; note(&peer).await; }
        async fn note(peer: &Peer<RoleServer>) { foreign(1); }
        async fn away(peer: &Peer<RoleServer>) { foreign(peer).await; }
        async fn kept(peer: &Peer<RoleServer>) { Holder { peer: peer.clone() }; }
        async fn raw(peer: &Peer<RoleServer>) { peer.send_request(1).await; }
        async fn asks(peer: &Peer<RoleServer>) { peer.list_roots().await; }
        async fn calls(peer: &Peer<RoleServer>) { let f = || asks(peer); }
        async fn in_macro(peer: &Peer<RoleServer>) { whatever!(peer => 1); }
        async fn by_name(x: Unknown) { y().asks(); }
        trait T { async fn asks(&self); }",
    )]);
    assert_eq!(quiet, ["note", "tell"]);
}

/// Each of these puts the question to a handle that is not known to be one.
#[test]
fn a_handle_whose_way_is_not_followed_leaves_nothing_quiet() {
    let functions = [
        "fn client(c: &RequestContext<RoleServer>) -> &Peer<RoleServer> { &c.peer }",
        "fn found(c: &Context) -> &Peer<RoleServer> { c.extensions.get() }",
        "fn either(c: &RequestContext<RoleServer>) -> impl Handle + '_ { if c.is() { return c.peer.clone(); } other() }",
        "async fn asks(client: Client) { client.elicit::<A>(\"?\").await; }",
        "async fn got(c: &RequestContext<RoleServer>) { client(c).elicit::<A>(\"?\").await; }",
        "async fn given(c: &RequestContext<RoleServer>) { let p = client(c); foreign(p).await; }",
        "async fn listed(peer: &Peer<RoleServer>) { for p in [peer.clone()] { foreign(p).await; } }",
        "async fn repeated(peer: Peer<RoleServer>) { for p in [peer; 1] { foreign(p).await; } }",
        "async fn in_vec(peer: Peer<RoleServer>) { for p in vec![peer] { foreign(p).await; } }",
        "async fn in_arm(peer: &Peer<RoleServer>) { let p = match 1 { 1 => peer, _ => other() }; foreign(p).await; }",
        "async fn in_block(peer: &Peer<RoleServer>) { let p = if yes() { peer } else { other() }; foreign(p).await; }",
        "async fn left(peer: &Peer<RoleServer>) { let p = loop { break peer; }; foreign(p).await; }",
        "async fn in_closure(peer: &Peer<RoleServer>) { let p = || peer.clone(); foreign(p()).await; }",
        "async fn taken_out(peer: Option<Peer<RoleServer>>) { let p = peer.unwrap(); foreign(p).await; }",
        "async fn tells(peer: &Peer<RoleServer>) { let p = peer.clone(); p.notify(1).await; }",
    ];
    let (_, quiet) = graph(&[("src/lib.rs", functions.join("\n").as_bytes())]);
    assert_eq!(quiet, ["tells"]);
}

#[test]
fn a_method_of_two_types_is_told_of_and_not_guessed() {
    let text = b"struct Ui { peer: Peer<RoleServer> } struct Tx;
        impl Ui { #[saga] async fn confirm(&self) { self.peer.list_roots().await; } }
        impl Tx { async fn confirm(&self) {} }
        #[tool] async fn guessed(&self) { let tx = self.pool.begin().await; tx.confirm().await; }
        #[tool] async fn known(&self) { let ui: Ui = self.pool.ui(); ui.confirm().await; }
        #[tool] async fn other(&self) { let tx: Tx = self.pool.begin().await; tx.confirm().await; }
        #[saga(asks(confirm))] #[tool] async fn said(&self) { let tx = self.pool.begin().await; tx.confirm().await; }";
    let (index, _directory) = index(&[("src/lib.rs", text)]);
    let graph = Graph::of(&index);
    let on_the_way = graph.on_the_way();
    let names = on_the_way
        .into_iter()
        .map(|id| graph.function(id).sig.ident.to_string());
    let names: std::collections::BTreeSet<_> = names.collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["confirm", "known"]);
    let told: Vec<_> = unfollowed(&graph)
        .into_iter()
        .map(|finding| finding.message)
        .collect();
    assert_eq!(
        told,
        ["`confirm` may be `sample::Ui::confirm`, which asks, or that of another type"]
    );
}

#[test]
fn a_module_in_a_body_is_read() {
    let (asking, _) = graph(&[(
        "src/lib.rs",
        b"#[tool] async fn one(peer: Peer<RoleServer>) {
            mod gate {
                use super::Sure;
                pub(super) async fn confirm(peer: &Peer<RoleServer>) { inner::deep(peer).await }
                mod inner { pub(super) async fn deep(peer: &Peer<RoleServer>) { peer.elicit::<super::Sure>(\"?\").await; } }
            }
            gate::confirm(&peer).await;
        }",
    )]);
    assert_eq!(asking, ["gate::confirm", "gate::inner::deep", "one"]);
}

#[test]
fn blocks_are_scopes() {
    let asks = "pub(crate) async fn confirm(peer: &Peer<RoleServer>) { peer.elicit::<Sure>(\"?\").await; }
        pub(crate) async fn take(peer: &Peer<RoleServer>) { confirm(peer).await; }
        pub(crate) struct Gate; impl Gate { pub(crate) async fn pass(peer: &Peer<RoleServer>) { confirm(peer).await; } }";
    let text = format!(
        "mod gate {{ {asks} }} mod deep {{ pub(crate) mod gate {{ {asks} }} }} {asks}
        #[tool] async fn around(peer: Peer<RoleServer>) {{
            use gate::confirm as sure;
            async fn step(peer: &Peer<RoleServer>) {{ sure(peer).await }}
            step(&peer).await
        }}
        #[tool] async fn by_a_use(peer: Peer<RoleServer>) {{ use deep::gate as door; {{ use door::take; take(&peer).await; }} }}
        #[tool] async fn behind(peer: Peer<RoleServer>) {{
            {{ async fn confirm(_: &Peer<RoleServer>) {{}} confirm(&peer).await; }}
            confirm(&peer).await;
        }}
        #[tool] async fn renamed(peer: Peer<RoleServer>) {{ use gate::Gate as G; G::pass(&peer).await; }}
        #[tool] async fn first(peer: Peer<RoleServer>) {{ mod inner {{ pub(super) async fn go(_: &Peer<RoleServer>) {{}} }} inner::go(&peer).await; }}
        #[tool] async fn second(peer: Peer<RoleServer>) {{
            mod inner {{ pub(super) async fn go(peer: &Peer<RoleServer>) {{ super::gate::take(peer).await }} }}
            inner::go(&peer).await;
        }}
        #[tool] async fn elsewhere(peer: Peer<RoleServer>) {{ use std::mem::take; take(&peer).await; }}
        #[tool] async fn variable(peer: Peer<RoleServer>, take: impl Fn()) {{
            let confirm = make(); confirm(&peer).await; take(&peer).await;
            for confirm in all {{ confirm(&peer).await; }}
        }}"
    );
    let (asking, _) = graph(&[("src/lib.rs", text.as_bytes())]);
    let tools: Vec<_> = asking.iter().filter(|path| !path.contains("::")).collect();
    assert_eq!(
        tools,
        [
            "around", "behind", "by_a_use", "confirm", "renamed", "second", "step"
        ]
    );
}

/// Each of them brings all of the others in.
#[test]
fn globs_in_circles_are_followed_once() {
    let mut text = String::new();
    for n in 0..30 {
        text += &format!(
            "pub use m{n}::*; mod m{n} {{ use super::*; fn f{n}() {{ Some({n}); other(); }} }}\n"
        );
    }
    text += "#[tool] async fn one(peer: Peer<RoleServer>) { peer.list_roots().await; }";
    let (asking, _) = graph(&[("src/lib.rs", text.as_bytes())]);
    assert_eq!(asking, ["one"]);
}

#[test]
fn types_are_known_under_other_names() {
    let (index, _directory) = index(&[(
        "src/lib.rs",
        b"use rmcp::Peer as P; struct Gate; struct Failed;
        type Client = P<RoleServer>; type Held<'a, T> = Option<&'a T>; type Mine = Held<'static, Client>;
        type Result<T, E = Failed> = std::result::Result<T, E>; type Pair<A, B> = (B, Held<'static, A>);
        mod a { type Key = String; } mod b { type Key = u64; } mod c { type Id<T> = Vec<T>; } mod d { type Id<U> = Vec<U>; }",
    )]);
    let names = Names::of(&index);
    let known = |ty: &str| {
        let ty = names.unaliased(
            index.crates[0].root,
            &syn::parse_str(ty).expect("it is a type"),
        );
        quote::quote!(#ty).to_string().replace(' ', "")
    };
    for (ty, meant) in [
        ("Client", "Peer<RoleServer>"),
        ("Arc<Client>", "Arc<Peer<RoleServer>>"),
        ("Mine", "Option<&'aPeer<RoleServer>>"),
        ("Pair<Client, u8>", "(u8,Option<&'aPeer<RoleServer>>)"),
        (
            "Result<Mine>",
            "std::result::Result<Option<&'aPeer<RoleServer>>,Failed>",
        ),
        ("Key", "Key"),
        ("Id<Client>", "Vec<Peer<RoleServer>>"),
        ("Gate", "Gate"),
    ] {
        assert_eq!(known(ty), meant, "{ty}");
    }
}

#[test]
fn a_method_that_a_trait_adds_to_the_handle_is_followed() {
    let text = |body: &str| {
        format!(
            "use traits::Confirm as _; mod traits {{
                pub(crate) trait Confirm {{ async fn sure(&self, q: &str) -> bool; async fn twice(&self) {{ self.sure(\"?\").await; }} }}
                type Client = Peer<RoleServer>;
                impl Confirm for Client {{ async fn sure(&self, q: &str) -> bool {{ self.elicit::<A>(q).await.is_ok() }} }}
                pub(crate) trait Warn {{ async fn warn(&self, q: &str); }}
                impl<T: Confirm> Warn for T {{ async fn warn(&self, q: &str) {{ self.sure(q).await; }} }}
                pub(crate) trait OfCx {{ async fn sure(&self, q: &str); }}
                impl OfCx for Cx {{ async fn sure(&self, q: &str) {{}} }}
                pub(crate) trait Log {{ async fn log(&self, q: &str); }}
                impl Log for Peer<RoleServer> {{ async fn log(&self, q: &str) {{ self.notify(q).await; }} }}
            }}
            struct S {{ peer: Option<Peer<RoleServer>> }}
            impl S {{ #[tool] async fn tool(&self, peer: Peer<RoleServer>, context: RequestContext<RoleServer>, cx: Cx) {{ {body} }} }}"
        )
    };
    for (body, asks) in [
        ("peer.sure(\"x\").await;", true),
        ("context.peer.sure(\"x\").await;", true),
        (
            "let p = &context.peer; let q = p.clone(); q.sure(\"x\").await;",
            true,
        ),
        (
            "let RequestContext { peer, .. } = context; peer.sure(\"x\").await;",
            true,
        ),
        (
            "if let Some(kept) = &self.peer { kept.sure(\"x\").await; }",
            true,
        ),
        (
            "match &self.peer { Some(kept) => kept.sure(\"x\").await, None => false };",
            true,
        ),
        ("handle_of(&context).sure(\"x\").await;", true),
        ("peer.twice().await;", true),
        ("peer.warn(\"x\").await;", true),
        ("tokio::join!(peer.sure(\"x\"), b());", true),
        ("cx.sure(\"x\").await;", false),
        ("peer.sure().await;", false),
        ("peer.log(\"x\").await;", false),
    ] {
        let (asking, _) = graph(&[("src/lib.rs", text(body).as_bytes())]);
        let is_found = asking.contains(&"S::tool".to_owned());
        assert_eq!(is_found, asks, "{body}: {asking:?}");
    }
}

/// Whose method it is that is called on what a getter gives is not known: it is told of.
#[test]
fn a_method_of_the_handle_on_something_unknown_is_told_of() {
    for (others, told) in [
        ("", "S::tool"),
        ("impl Sure for Tx { async fn sure(&self) {} }", ""),
    ] {
        let text = format!(
            "trait Sure {{ async fn sure(&self); }} {others}
            impl Sure for Peer<RoleServer> {{ async fn sure(&self) {{ self.list_roots().await; }} }}
            impl S {{ #[tool] async fn tool(&self) {{ self.client().sure().await; }} }}"
        );
        let (index, _directory) = index(&[("src/lib.rs", text.as_bytes())]);
        let graph = Graph::of(&index);
        let mut on_the_way = graph.on_the_way().into_iter();
        let is_found = on_the_way.any(|id| graph.entry(id).is_some());
        assert_eq!(is_found, told == "S::tool", "{text}");
        assert_eq!(unfollowed(&graph).len(), usize::from(!is_found), "{text}");
    }
}

#[test]
fn a_glob_is_followed_whatever_stands_before_it() {
    let uses = [
        "use rmcp::{tool, model::*};",
        "use asks::deep::*;",
        "use again::*;",
    ];
    for (one, other, third) in [(0, 1, 2), (1, 0, 2), (2, 1, 0), (2, 0, 1)] {
        let (one, other, third) = (uses[one], uses[other], uses[third]);
        let text = format!(
            "{one} {other} {third}
            mod asks {{ pub(crate) mod deep {{ pub(crate) async fn globbed(peer: &Peer<RoleServer>) {{ peer.list_roots().await; }} }} }}
            mod again {{ pub(crate) use super::asks::*; pub(crate) use deep as below; }}
            #[tool] async fn one(peer: Peer<RoleServer>) {{ globbed(&peer).await }}
            #[tool] async fn two(peer: Peer<RoleServer>) {{ below::globbed(&peer).await }}
            #[tool] async fn three(peer: Peer<RoleServer>) {{ deep::globbed(&peer).await }}"
        );
        let (asking, _) = graph(&[("src/lib.rs", text.as_bytes())]);
        assert_eq!(
            asking,
            ["asks::deep::globbed", "one", "three", "two"],
            "{one} {other} {third}"
        );
    }
}

#[test]
fn a_bound_may_be_what_no_type_is() {
    let (asking, _) = graph(&[(
        "src/lib.rs",
        b"impl<F> Gate for F where F: AsyncFn(u8) -> bool {}
        #[tool] async fn one(peer: Peer<RoleServer>, f: impl AsyncFn(u8) -> bool + Clone) { f.clone().call(1).await; peer.list_roots().await; }",
    )]);
    assert_eq!(asking, ["one"]);
}

#[test]
fn types_of_one_name_are_told_apart_by_where_they_stand() {
    let (asking, _) = graph(&[(
        "src/lib.rs",
        b"mod gate { pub(crate) struct Job; impl Job { pub(crate) async fn run(&self) { self.peer.list_roots().await; } pub(crate) fn new() -> Self { Job } } }
        mod calm { pub(crate) struct Job; impl Job { pub(crate) async fn run(&self) {} } pub(crate) type Other = super::gate::Job; }
        use calm::Job; use gate::Job as Asks;
        #[tool] async fn local() { struct Job { n: u32 } impl Job { async fn run(&self) {} } Job { n: 3 }.run().await; }
        #[tool] async fn unit() { struct Job; impl Job { async fn run(&self) {} } let job = Job; job.run().await; }
        #[tool] async fn calm(job: Job) { job.run().await; Job::run(&job).await; }
        #[tool] async fn renamed(job: Asks) { job.run().await; }
        #[tool] async fn made() { Asks::new().run().await; }
        #[tool] async fn path(job: &gate::Job) { gate::Job::run(job).await; }
        #[tool] async fn alias(job: calm::Other) { job.run().await; }
        #[tool] async fn unknown(peer: Peer<RoleServer>) { job().hold(&peer).await; }
        fn other() { struct Job; impl Job { async fn run(&self, peer: &Peer<RoleServer>) { peer.list_roots().await; } async fn hold(&self, peer: &Peer<RoleServer>) { peer.list_roots().await; } } }",
    )]);
    assert_eq!(
        asking,
        ["alias", "gate::Job::run", "made", "path", "renamed"]
    );
}

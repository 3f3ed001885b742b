//! What ordinary and hostile functions do with own types.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `s += &ask` on a String, an own `AddAssign` on a field.
mod add_assign_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::ops::{AddAssign, MulAssign};
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct Sum {
        n: i64,
        times: u32,
    }
    impl AddAssign<i64> for Sum {
        fn add_assign(&mut self, n: i64) {
            self.n += n;
            self.times += 1;
        }
    }
    impl MulAssign<Sum> for Sum {
        fn mul_assign(&mut self, other: Sum) {
            self.n *= other.n;
        }
    }
    #[derive(Debug, Default, Serialize, Deserialize)]
    struct Total {
        text: String,
        sum: Sum,
    }

    tests::cases! {
        async fn add_assign_03(cx, t) {
            let mut total = Total::default();
            total.text += &cx.peer.elicit::<Text>("text?").await?.ok_or("none")?.text;
            total.sum += { t.note("before"); cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n };
            total.sum *= Sum { n: t.effect(3) + cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n, times: 0 };
            Ok(format!("{total:?}"))
        }
    }
}

/// `let cached = self.cfg.get();` of a `OnceLock` that is set while the user thinks.
mod lookup_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    mod plain {
        use super::*;

        use std::sync::OnceLock;
        pub struct Server {
            cfg: OnceLock<String>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    cfg: OnceLock::new(),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let cached = self.cfg.get();
                t.effect(cached);
                let _ = self.cfg.set("late".into());
                let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(cached);
                let now = self.cfg.get();
                let ok = cx
                    .peer
                    .elicit::<Confirm>(now.map(String::as_str).unwrap_or("none"))
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{cached:?} {now:?} {n} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    mod saga {
        use super::*;

        use std::sync::OnceLock;
        pub struct Server {
            cfg: OnceLock<String>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    cfg: OnceLock::new(),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let cached = self.cfg.get();
                t.effect(cached);
                let _ = self.cfg.set("late".into());
                let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(cached);
                let now = self.cfg.get();
                let ok = cx
                    .peer
                    .elicit::<Confirm>(now.map(String::as_str).unwrap_or("none"))
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{cached:?} {now:?} {n} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "lookup_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A lookup by `get` of one's own that may give something else later.
mod lookup_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    mod plain {
        use super::*;

        use std::sync::atomic::{AtomicUsize, Ordering};
        #[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
        pub struct Node {
            name: String,
        }
        pub struct Ring {
            nodes: Vec<Node>,
            next: AtomicUsize,
        }
        impl Ring {
            fn get(&self) -> Option<&Node> {
                self.nodes
                    .get(self.next.fetch_add(1, Ordering::SeqCst) % self.nodes.len())
            }
        }
        pub struct Server {
            ring: Ring,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    ring: Ring {
                        nodes: vec![
                            Node { name: "a".into() },
                            Node { name: "b".into() },
                            Node { name: "c".into() },
                        ],
                        next: AtomicUsize::new(0),
                    },
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let node = self.ring.get();
                let n = cx
                    .peer
                    .elicit::<Count>(format!("{node:?}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect(node);
                let other = self.ring.get().ok_or("none")?;
                let ok = cx
                    .peer
                    .elicit::<Confirm>(other.name.as_str())
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{node:?} {other:?} {n} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    mod saga {
        use super::*;

        use std::sync::atomic::{AtomicUsize, Ordering};
        #[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
        pub struct Node {
            name: String,
        }
        pub struct Ring {
            nodes: Vec<Node>,
            next: AtomicUsize,
        }
        impl Ring {
            fn get(&self) -> Option<&Node> {
                self.nodes
                    .get(self.next.fetch_add(1, Ordering::SeqCst) % self.nodes.len())
            }
        }
        pub struct Server {
            ring: Ring,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    ring: Ring {
                        nodes: vec![
                            Node { name: "a".into() },
                            Node { name: "b".into() },
                            Node { name: "c".into() },
                        ],
                        next: AtomicUsize::new(0),
                    },
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let node = self.ring.get();
                let n = cx
                    .peer
                    .elicit::<Count>(format!("{node:?}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect(node);
                let other = self.ring.get().ok_or("none")?;
                let ok = cx
                    .peer
                    .elicit::<Confirm>(other.name.as_str())
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{node:?} {other:?} {n} {ok}"))
            }
        }
        /// One server per run: all rounds of a call see the same one.
        fn server(t: &Trace) -> std::sync::Arc<Server> {
            static SERVER: std::sync::Mutex<Option<std::sync::Arc<Server>>> =
                std::sync::Mutex::new(None);
            let mut server = SERVER.lock().unwrap();
            if t.events().is_empty() {
                t.note("start");
                *server = Some(std::sync::Arc::new(Server::new()));
            }
            server.clone().unwrap()
        }

        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let server = server(t);
            server.serve(cx, t).await
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "lookup_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `first()`, `last()`, `len()` of one's own with effects.
mod lookup_03 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    pub struct Inbox<'t> {
        t: &'t Trace,
        mails: std::sync::Mutex<Vec<String>>,
    }
    impl Inbox<'_> {
        fn first(&self) -> Option<String> {
            self.t.note("first");
            self.mails.lock().unwrap().first().cloned()
        }
        fn len(&self) -> usize {
            self.t.note("len");
            self.mails.lock().unwrap().len()
        }
    }

    tests::cases! {
        async fn lookup_03(cx, t) {
            let first = { let inbox = Inbox { t, mails: std::sync::Mutex::new(vec!["m".into()]) }; let first = inbox.first(); t.effect(inbox.len()); first };
            let n = cx.peer.elicit::<Count>(format!("{first:?}")).await?.ok_or("none")?.n;
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{first:?} {n} {ok}"))
        }
    }
}

/// `keys()` and `iter()` of one's own with effects.
mod own_iter_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    pub struct Table {
        rows: Vec<(String, i64)>,
    }
    impl Table {
        fn keys<'a>(&'a self, t: &Trace) -> impl Iterator<Item = &'a str> + use<'a> {
            t.note("keys");
            self.rows.iter().map(|(k, _)| k.as_str())
        }
        fn iter(&self, t: &Trace) -> Vec<i64> {
            t.note("iter");
            self.rows.iter().map(|(_, v)| *v).collect()
        }
    }

    tests::cases! {
        async fn own_iter_02(cx, t) {
            let rows = vec![("a".to_string(), 1), ("b".to_string(), 2)];
            for value in (Table { rows: rows.clone() }).iter(t) {
                let n = cx.peer.elicit::<Count>(format!("{value}?")).await?.ok_or("none")?.n;
                t.effect(n);
            }
            let names: Vec<String> = Table { rows }.keys(t).map(str::to_owned).collect();
            for name in names.iter() { if cx.peer.elicit::<Confirm>(name.as_str()).await?.ok_or("none")?.ok { break; } }
            Ok("done".into())
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        add_assign_03::all(),
        lookup_01::all(),
        lookup_02::all(),
        lookup_03::all(),
        own_iter_02::all(),
    ];
    all.into_iter().flatten().collect()
}

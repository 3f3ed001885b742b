//! What ordinary and hostile functions do with own types.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `self.cache.trim()`, `as_str()`, `iter()` of one's own types with effects.
mod std_names_01 {
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
        pub struct Cache {
            trims: AtomicUsize,
        }
        impl Cache {
            fn trim(&self) -> usize {
                self.trims.fetch_add(1, Ordering::SeqCst) + 1
            }
            fn as_str(&self) -> &'static str {
                if self.trims.fetch_add(1, Ordering::SeqCst) % 2 == 0 {
                    "even"
                } else {
                    "odd"
                }
            }
            fn iter(&self) -> Vec<usize> {
                (0..self.trims.fetch_add(1, Ordering::SeqCst)).collect()
            }
        }
        pub struct Server {
            cache: Cache,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    cache: Cache {
                        trims: AtomicUsize::new(0),
                    },
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let freed = self.cache.trim();
                let word = self.cache.as_str();
                let list = self.cache.iter();
                let n = cx.peer.elicit::<Count>(word).await?.ok_or("none")?.n;
                t.effect((freed, word, &list));
                let ok = cx
                    .peer
                    .elicit::<Confirm>(format!("{freed}"))
                    .await?
                    .ok_or("none")?
                    .ok;
                t.effect((freed, word));
                Ok(format!(
                    "{freed} {word} {list:?} {n} {ok} {}",
                    self.cache.trims.load(Ordering::SeqCst)
                ))
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
        pub struct Cache {
            trims: AtomicUsize,
        }
        impl Cache {
            fn trim(&self) -> usize {
                self.trims.fetch_add(1, Ordering::SeqCst) + 1
            }
            fn as_str(&self) -> &'static str {
                if self.trims.fetch_add(1, Ordering::SeqCst) % 2 == 0 {
                    "even"
                } else {
                    "odd"
                }
            }
            fn iter(&self) -> Vec<usize> {
                (0..self.trims.fetch_add(1, Ordering::SeqCst)).collect()
            }
        }
        pub struct Server {
            cache: Cache,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    cache: Cache {
                        trims: AtomicUsize::new(0),
                    },
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let freed = self.cache.trim();
                let word = self.cache.as_str();
                let list = self.cache.iter();
                let n = cx.peer.elicit::<Count>(word).await?.ok_or("none")?.n;
                t.effect((freed, word, &list));
                let ok = cx
                    .peer
                    .elicit::<Confirm>(format!("{freed}"))
                    .await?
                    .ok_or("none")?
                    .ok;
                t.effect((freed, word));
                Ok(format!(
                    "{freed} {word} {list:?} {n} {ok} {}",
                    self.cache.trims.load(Ordering::SeqCst)
                ))
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
            name: "std_names_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `answer.to_string()`, `clone()`, `len()` of one's own `Display`/`Clone` with effects.
mod std_names_03 {
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
        static CLONES: AtomicUsize = AtomicUsize::new(0);
        #[derive(Debug, Serialize, Deserialize)]
        pub struct Ticket {
            id: u32,
        }
        impl Clone for Ticket {
            fn clone(&self) -> Self {
                CLONES.fetch_add(1, Ordering::SeqCst);
                Self { id: self.id + 1 }
            }
        }
        impl std::fmt::Display for Ticket {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "#{}-{}", self.id, CLONES.load(Ordering::SeqCst))
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            CLONES.store(0, Ordering::SeqCst);
            let ticket = Ticket { id: t.effect(7) };
            let copy = ticket.clone();
            let text = copy.to_string();
            let n = cx
                .peer
                .elicit::<Count>(text.as_str())
                .await?
                .ok_or("none")?
                .n;
            t.effect((copy.id, &text));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{text} {} {} {n} {ok}", copy.id, ticket.id))
        }
    }

    mod saga {
        use super::*;

        use std::sync::atomic::{AtomicUsize, Ordering};
        static CLONES: AtomicUsize = AtomicUsize::new(0);
        #[derive(Debug, Serialize, Deserialize)]
        pub struct Ticket {
            id: u32,
        }
        impl Clone for Ticket {
            fn clone(&self) -> Self {
                CLONES.fetch_add(1, Ordering::SeqCst);
                Self { id: self.id + 1 }
            }
        }
        impl std::fmt::Display for Ticket {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "#{}-{}", self.id, CLONES.load(Ordering::SeqCst))
            }
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            CLONES.store(0, Ordering::SeqCst);
            let ticket = Ticket { id: t.effect(7) };
            let copy = ticket.clone();
            let text = copy.to_string();
            let n = cx
                .peer
                .elicit::<Count>(text.as_str())
                .await?
                .ok_or("none")?
                .n;
            t.effect((copy.id, &text));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{text} {} {} {n} {ok}", copy.id, ticket.id))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "std_names_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A trait's `get`, `first`, `unwrap_or` with effects on a `Deref` of one's own.
mod std_names_04 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::{cell::Cell, ops::Deref};
    #[derive(Debug, Serialize, Deserialize)]
    struct Tracked {
        list: Vec<i64>,
        #[serde(skip)]
        reads: std::sync::Arc<()>,
    }
    impl Deref for Tracked {
        type Target = [i64];
        fn deref(&self) -> &[i64] {
            NOTES.lock().unwrap().push("deref");
            &self.list
        }
    }
    static NOTES: std::sync::Mutex<Vec<&str>> = std::sync::Mutex::new(Vec::new());

    tests::cases! {
        async fn std_names_04(cx, t) {
            NOTES.lock().unwrap().clear();
            let first = { let tracked = Tracked { list: vec![4, 5], reads: Default::default() }; tracked.first().copied() };
            let reads = NOTES.lock().unwrap().len();
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect((first, reads));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{first:?} {reads} {n} {ok}"))
        }
    }
}

/// An `Index` of one's own with effects.
mod std_names_05 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::ops::Index;
    #[derive(Serialize, Deserialize)]
    struct Log {
        rows: Vec<String>,
    }
    static READS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    impl Index<usize> for Log {
        type Output = String;
        fn index(&self, at: usize) -> &String {
            READS.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            &self.rows[at]
        }
    }

    tests::cases! {
        async fn std_names_05(cx, t) {
            READS.store(0, std::sync::atomic::Ordering::SeqCst);
            let log = Log { rows: vec!["a".into(), "b".into()] };
            let row = &log[1];
            let n = cx.peer.elicit::<Count>(row.as_str()).await?.ok_or("none")?.n;
            let ok = cx.peer.elicit::<Confirm>(format!("{row} {n}")).await?.ok_or("none")?.ok;
            t.effect(READS.load(std::sync::atomic::Ordering::SeqCst));
            Ok(format!("{row} {ok} {}", log.rows.len()))
        }
    }
}

/// `let boot = *BOOT_ID;` of a `LazyLock`.
mod upper_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::sync::LazyLock;
    static BOOT_ID: LazyLock<u64> = LazyLock::new(|| 7);
    static VERSION: std::sync::Mutex<u32> = std::sync::Mutex::new(1);

    tests::cases! {
        async fn upper_01(cx, t) {
            let boot = *BOOT_ID;
            let n = cx.peer.elicit::<Count>(format!("{boot}")).await?.ok_or("none")?.n;
            t.effect(boot);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{boot} {n} {ok}"))
        }
    }
}

/// An upper-case static whose value changes while the user thinks.
mod upper_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::sync::atomic::{AtomicI64, Ordering};
    static GENERATION: AtomicI64 = AtomicI64::new(0);

    tests::cases! {
        async fn upper_02(cx, t) {
            GENERATION.store(1, Ordering::SeqCst);
            let generation = GENERATION.load(Ordering::SeqCst);
            GENERATION.fetch_add(1, Ordering::SeqCst);
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(generation);
            GENERATION.fetch_add(1, Ordering::SeqCst);
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{generation} {} {n} {ok}", GENERATION.load(Ordering::SeqCst)))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        std_names_01::all(),
        std_names_03::all(),
        std_names_04::all(),
        std_names_05::all(),
        upper_01::all(),
        upper_02::all(),
    ];
    all.into_iter().flatten().collect()
}

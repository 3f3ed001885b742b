//! What ordinary and hostile functions do with ordinary.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `let mut reasons = vec!["list price"]` with pushes, by `if` and in a loop.
mod reasons_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn reasons_01(cx, t) {
            let mut reasons = vec!["list price"];
            let mut price = 100;
            for (question, reason, off) in [("student?", "student", 20), ("member?", "member", 10)] {
                if cx.peer.elicit::<Confirm>(question).await?.ok_or("none")?.ok { reasons.push(reason); price -= off; }
                t.effect(price);
            }
            let ok = cx.peer.elicit::<Confirm>(format!("{price} because {}?", reasons.join(", "))).await?.ok_or("none")?.ok;
            Ok(format!("{reasons:?} {ok}"))
        }
    }
}

/// `#[saga(crate = path)]`.
mod renamed_02 {
    // package: renamed
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

        async fn ask(peer: &Peer<RoleServer>, t: &Trace, what: &str) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>(what).await?.ok_or("none")?.n;
            Ok(t.effect(n))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list = vec![t.effect(1)];
            let n = ask(&cx.peer, t, "n?").await?;
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{list:?} {n} {ok}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga(crate = crate::elsewhere)]
        async fn ask(peer: &Peer<RoleServer>, t: &Trace, what: &str) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>(what).await?.ok_or("none")?.n;
            Ok(t.effect(n))
        }
        #[saga_runtime::saga(crate = crate::elsewhere)]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list = vec![t.effect(1)];
            let n = ask(&cx.peer, t, "n?").await?;
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{list:?} {n} {ok}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "renamed_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `rsplit('/').next().unwrap_or(&path)`.
mod rsplit_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn rsplit_01(cx, t) {
            let path = cx.peer.elicit::<Text>("path?").await?.ok_or("none")?.text + "/a/b.txt";
            let name = path.rsplit('/').next().unwrap_or(&path);
            let ext = name.rsplit_once('.').map_or("", |(_, ext)| ext);
            let ok = cx.peer.elicit::<Confirm>(format!("{name}?")).await?.ok_or("none")?.ok;
            t.effect(ext);
            let n = cx.peer.elicit::<Count>(ext).await?.ok_or("none")?.n;
            Ok(format!("{name} {ext} {ok} {n}"))
        }
    }
}

/// Variables called `__saga`, `__saga_state`, `slot`, `state`.
mod saga_names_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    tests::cases! {
        async fn saga_names_01(cx, t) {
            let __saga = t.effect(1);
            let __saga_state = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let __saga_call = __saga + 1;
            let (state, slot, frame, answer, this) = (1, String::from("slot"), 2, 3, 4);
            let __saga_0 = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            let __saga_frame = vec![__saga, __saga_call];
            let n = cx.peer.elicit::<Count>(slot.as_str()).await?.ok_or("none")?.n;
            Ok(format!("{__saga} {__saga_state} {__saga_call} {__saga_0} {__saga_frame:?} {state} {slot} {frame} {answer} {this} {n}"))
        }
    }
}

/// Extension traits with `ask` or `stop` (and std's names) for all `T`.
mod saga_names_02 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    trait Everywhere: Sized {
        fn ask(&self) -> i64 {
            41
        }
        fn stop(self) -> Self {
            self
        }
        fn keep(&self) -> &Self {
            self
        }
        fn store(&self) -> bool {
            true
        }
        fn restore(&self) -> i64 {
            42
        }
        fn poll(&self) -> i64 {
            43
        }
    }
    impl<T> Everywhere for T {}

    tests::cases! {
        async fn saga_names_02(cx, t) {
            let text = t.effect(String::from("x"));
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n.stop();
            t.effect((text.ask(), n.restore()));
            let ok = cx.peer.elicit::<Confirm>(text.keep().as_str()).await?.ok_or("none")?.ok;
            Ok(format!("{} {n} {} {}", text.ask(), ok.stop(), n.poll()))
        }
    }
}

/// Names of std shadowed by the author's items: `core`, `Vec`, `drop`, `Box`, `Default`.
mod saga_names_03 {
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

        mod core {}
        mod std {}
        pub struct Box;
        pub struct Default;
        pub struct Option2;
        type Vec<T> = ::std::collections::VecDeque<T>;
        trait Clone2 {
            fn clone(&self) -> i64 {
                5
            }
        }
        impl Clone2 for Option2 {}
        fn drop(n: i64) -> i64 {
            n + 1
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list: Vec<i64> = [1, 2].into_iter().collect();
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect((drop(n), Option2.clone(), list.len()));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{} {ok} {list:?}", drop(n)))
        }
    }

    mod saga {
        use super::*;

        mod core {}
        mod std {}
        pub struct Box;
        pub struct Default;
        pub struct Option2;
        type Vec<T> = ::std::collections::VecDeque<T>;
        trait Clone2 {
            fn clone(&self) -> i64 {
                5
            }
        }
        impl Clone2 for Option2 {}
        fn drop(n: i64) -> i64 {
            n + 1
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list: Vec<i64> = [1, 2].into_iter().collect();
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect((drop(n), Option2.clone(), list.len()));
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{} {ok} {list:?}", drop(n)))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "saga_names_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `self.find(id)`.
mod self_find_01 {
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

        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Book {
            id: i64,
            title: String,
        }
        pub struct Server {
            books: Vec<Book>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    books: (1..4)
                        .map(|id| Book {
                            id,
                            title: format!("book {id}"),
                        })
                        .collect(),
                }
            }
            fn find(&self, id: i64) -> Option<&Book> {
                self.books.iter().find(|book| book.id == id)
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let id = cx.peer.elicit::<Count>("id?").await?.ok_or("none")?.n;
                let Some(book) = self.find(id) else {
                    t.note("missing");
                    return Ok("missing".into());
                };
                let ok = cx
                    .peer
                    .elicit::<Confirm>(format!("lend {}?", book.title))
                    .await?
                    .ok_or("none")?
                    .ok;
                if !ok {
                    return Ok(format!("kept {}", book.title));
                }
                let days = cx.peer.elicit::<Count>("days?").await?.ok_or("none")?.n;
                t.effect((book.id, days));
                Ok(format!("{book:?} {days}"))
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

        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Book {
            id: i64,
            title: String,
        }
        pub struct Server {
            books: Vec<Book>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    books: (1..4)
                        .map(|id| Book {
                            id,
                            title: format!("book {id}"),
                        })
                        .collect(),
                }
            }
            fn find(&self, id: i64) -> Option<&Book> {
                self.books.iter().find(|book| book.id == id)
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let id = cx.peer.elicit::<Count>("id?").await?.ok_or("none")?.n;
                let Some(book) = self.find(id) else {
                    t.note("missing");
                    return Ok("missing".into());
                };
                let ok = cx
                    .peer
                    .elicit::<Confirm>(format!("lend {}?", book.title))
                    .await?
                    .ok_or("none")?
                    .ok;
                if !ok {
                    return Ok(format!("kept {}", book.title));
                }
                let days = cx.peer.elicit::<Count>("days?").await?.ok_or("none")?.n;
                t.effect((book.id, days));
                Ok(format!("{book:?} {days}"))
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
            name: "self_find_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        reasons_01::all(),
        renamed_02::all(),
        rsplit_01::all(),
        saga_names_01::all(),
        saga_names_02::all(),
        saga_names_03::all(),
        self_find_01::all(),
    ];
    all.into_iter().flatten().collect()
}

//! What ordinary and hostile functions do with state.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `self.http.clone()` of a client without Serialize.
mod clone_place_01 {
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

        #[derive(Clone)]
        pub struct Http {
            base: String,
            agent: Arc<()>,
        }
        use std::sync::Arc;
        impl Http {
            async fn get(&self, t: &Trace, path: &str) -> String {
                t.fetch(format!("{}/{path}", self.base)).await
            }
        }
        pub struct Server {
            http: Http,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    http: Http {
                        base: "http://x".into(),
                        agent: Arc::new(()),
                    },
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let http = self.http.clone();
                let a = http.get(t, "a").await;
                let n = cx.peer.elicit::<Count>(a).await?.ok_or("none")?.n;
                let b = http.get(t, &format!("{n}")).await;
                let ok = cx.peer.elicit::<Confirm>(b).await?.ok_or("none")?.ok;
                Ok(format!("{ok} {}", http.base))
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

        #[derive(Clone)]
        pub struct Http {
            base: String,
            agent: Arc<()>,
        }
        use std::sync::Arc;
        impl Http {
            async fn get(&self, t: &Trace, path: &str) -> String {
                t.fetch(format!("{}/{path}", self.base)).await
            }
        }
        pub struct Server {
            http: Http,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    http: Http {
                        base: "http://x".into(),
                        agent: Arc::new(()),
                    },
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let http = self.http.clone();
                let a = http.get(t, "a").await;
                let n = cx.peer.elicit::<Count>(a).await?.ok_or("none")?.n;
                let b = http.get(t, &format!("{n}")).await;
                let ok = cx.peer.elicit::<Confirm>(b).await?.ok_or("none")?.ok;
                Ok(format!("{ok} {}", http.base))
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
            name: "clone_place_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `let repo = Arc::clone(&self.repo)` of an `Arc<dyn Trait>`.
mod clone_place_02 {
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

        use std::sync::Arc;
        pub trait Repo: Send + Sync {
            fn load(&self, t: &Trace, id: i64) -> String;
        }
        pub struct Memory;
        impl Repo for Memory {
            fn load(&self, t: &Trace, id: i64) -> String {
                t.effect(id);
                format!("row {id}")
            }
        }
        pub struct Server {
            repo: Arc<dyn Repo>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    repo: Arc::new(Memory),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let repo = Arc::clone(&self.repo);
                let n = cx.peer.elicit::<Count>("id?").await?.ok_or("none")?.n;
                let row = repo.load(t, n);
                let ok = cx
                    .peer
                    .elicit::<Confirm>(row.as_str())
                    .await?
                    .ok_or("none")?
                    .ok;
                let again = if ok { repo.load(t, n + 1) } else { row };
                Ok(again)
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

        use std::sync::Arc;
        pub trait Repo: Send + Sync {
            fn load(&self, t: &Trace, id: i64) -> String;
        }
        pub struct Memory;
        impl Repo for Memory {
            fn load(&self, t: &Trace, id: i64) -> String {
                t.effect(id);
                format!("row {id}")
            }
        }
        pub struct Server {
            repo: Arc<dyn Repo>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    repo: Arc::new(Memory),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let repo = Arc::clone(&self.repo);
                let n = cx.peer.elicit::<Count>("id?").await?.ok_or("none")?.n;
                let row = repo.load(t, n);
                let ok = cx
                    .peer
                    .elicit::<Confirm>(row.as_str())
                    .await?
                    .ok_or("none")?
                    .ok;
                let again = if ok { repo.load(t, n + 1) } else { row };
                Ok(again)
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
            name: "clone_place_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [clone_place_01::all(), clone_place_02::all()];
    all.into_iter().flatten().collect()
}

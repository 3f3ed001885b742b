//! What ordinary and hostile functions do with state.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// Shared state of self through a place of it.
mod shared_11 {
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

        use std::sync::{
            Arc, Mutex,
            atomic::{AtomicU64, Ordering},
        };
        pub struct Server {
            lent: Arc<Mutex<Vec<String>>>,
            count: AtomicU64,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    lent: Arc::default(),
                    count: AtomicU64::new(0),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let (lent, count) = (&self.lent, &self.count);
                count.fetch_add(1, Ordering::SeqCst);
                let who = cx.peer.elicit::<Text>("who?").await?.ok_or("none")?.text;
                lent.lock().unwrap().push(who);
                count.fetch_add(1, Ordering::SeqCst);
                let ok = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                let all = self.lent.lock().unwrap().clone();
                t.effect(count.load(Ordering::SeqCst));
                Ok(format!("{all:?} {ok}"))
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

        use std::sync::{
            Arc, Mutex,
            atomic::{AtomicU64, Ordering},
        };
        pub struct Server {
            lent: Arc<Mutex<Vec<String>>>,
            count: AtomicU64,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    lent: Arc::default(),
                    count: AtomicU64::new(0),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let (lent, count) = (&self.lent, &self.count);
                count.fetch_add(1, Ordering::SeqCst);
                let who = cx.peer.elicit::<Text>("who?").await?.ok_or("none")?.text;
                lent.lock().unwrap().push(who);
                count.fetch_add(1, Ordering::SeqCst);
                let ok = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                let all = self.lent.lock().unwrap().clone();
                t.effect(count.load(Ordering::SeqCst));
                Ok(format!("{all:?} {ok}"))
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
            name: "shared_11",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `#[saga(with = arc)]` on what is shared and never changed.
mod shared_14 {
    // by hand: the halves differ
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
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list = vec![t.effect(1), 2];
            let shared = Arc::new(list);

            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = cx
                .peer
                .elicit::<Confirm>(format!("{shared:?}"))
                .await?
                .ok_or("none")?
                .ok;
            Ok(format!("{n} {ok} {}", shared.len()))
        }
    }

    mod saga {
        use super::*;

        use std::sync::Arc;
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let list = vec![t.effect(1), 2];
            #[saga(with = saga_runtime::with::arc)]
            let shared = Arc::new(list);
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = cx
                .peer
                .elicit::<Confirm>(format!("{shared:?}"))
                .await?
                .ok_or("none")?
                .ok;
            Ok(format!("{n} {ok} {}", shared.len()))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "shared_14",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [shared_11::all(), shared_14::all()];
    all.into_iter().flatten().collect()
}

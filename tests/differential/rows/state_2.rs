//! What ordinary and hostile functions do with state.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `self.lent.clone()` of an `Arc<Mutex<Vec<_>>>`: pushes must reach the server.
mod clone_place_03 {
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

        use std::sync::{Arc, Mutex};
        pub struct Server {
            lent: Arc<Mutex<Vec<String>>>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    lent: Arc::default(),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let lent = self.lent.clone();
                lent.lock().unwrap().push("before".into());
                let who = cx.peer.elicit::<Text>("who?").await?.ok_or("none")?.text;
                lent.lock().unwrap().push(who);
                let ok = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                if ok {
                    lent.lock().unwrap().push("sure".into());
                }
                let all = self.lent.lock().unwrap().clone();
                t.effect(&all);
                Ok(format!("{all:?}"))
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

        use std::sync::{Arc, Mutex};
        pub struct Server {
            lent: Arc<Mutex<Vec<String>>>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    lent: Arc::default(),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let lent = self.lent.clone();
                lent.lock().unwrap().push("before".into());
                let who = cx.peer.elicit::<Text>("who?").await?.ok_or("none")?.text;
                lent.lock().unwrap().push(who);
                let ok = cx.peer.elicit::<Confirm>("sure?").await?.ok_or("none")?.ok;
                if ok {
                    lent.lock().unwrap().push("sure".into());
                }
                let all = self.lent.lock().unwrap().clone();
                t.effect(&all);
                Ok(format!("{all:?}"))
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
            name: "clone_place_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The same in a plain field behind a lock's guard, `Serialize` type: the snapshot must be kept.
mod clone_place_06 {
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

        use std::sync::Mutex;
        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Config {
            version: u32,
        }
        pub struct Server {
            config: Mutex<Config>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    config: Mutex::new(Config { version: 1 }),
                }
            }

            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let config = self.config.lock().unwrap().clone();
                self.config.lock().unwrap().version += 1;
                let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(config.version);
                self.config.lock().unwrap().version += 1;
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                Ok(format!("{config:?} {n} {ok}"))
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

        use std::sync::Mutex;
        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct Config {
            version: u32,
        }
        pub struct Server {
            config: Mutex<Config>,
        }
        impl Server {
            fn new() -> Self {
                Self {
                    config: Mutex::new(Config { version: 1 }),
                }
            }

            #[saga_runtime::saga]
            async fn serve(
                &self,
                cx: RequestContext<RoleServer>,
                t: &Trace,
            ) -> Result<String, Failure> {
                let config = self.config.lock().unwrap().clone();
                self.config.lock().unwrap().version += 1;
                let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(config.version);
                self.config.lock().unwrap().version += 1;
                let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
                Ok(format!("{config:?} {n} {ok}"))
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
            name: "clone_place_06",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `Instant` without a word.
mod instant_01 {
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
        async fn instant_01(cx, t) {
            use std::time::{Duration, Instant};
            let started = Instant::now();
            let (again, deadline) = (Some(started), started + Duration::from_nanos(5_000_000_123));
            let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(again == Some(started));
            let first = started.elapsed();
            let ok = cx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            let total = started.elapsed();
            t.effect(total >= first);
            t.effect(format!("{:?}", deadline - started));
            Ok(format!("{n} {ok} {}", total < Duration::from_secs(60)))
        }
    }
}

/// Tokio's `Instant`, an `Option<Instant>`, a deadline.
mod instant_02 {
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
        async fn instant_02(cx, t) {
            use tokio::time::{Duration, Instant};
            let deadline = Instant::now() + Duration::from_secs(3600);
            let mut last: Option<std::time::Instant> = None;
            for i in 0..2 {
                let n = cx.peer.elicit::<Count>(format!("{i}?")).await?.ok_or("none")?.n;
                if let Some(last) = last { t.effect(last.elapsed() < Duration::from_secs(60)); }
                last = Some(std::time::Instant::now());
                t.effect(n);
            }
            Ok(format!("{}", deadline > Instant::now()))
        }
    }
}

/// `&mut` place: a field and an element.
mod mut_place_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Serialize, Deserialize)]
    struct Order {
        items: Vec<(String, i64)>,
        note: String,
    }

    tests::cases! {
        async fn mut_place_01(cx, t) {
            let mut order = Order { items: vec![("a".into(), 1), ("b".into(), 2)], note: String::new() };
            let item = &mut order.items[1];
            item.1 += cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(&*item);
            if cx.peer.elicit::<Confirm>("double?").await?.ok_or("none")?.ok { item.1 *= 2; }
            let note = &mut order.note;
            note.push_str("x");
            let text = cx.peer.elicit::<Text>(note.as_str()).await?.ok_or("none")?.text;
            note.push_str(&text);
            Ok(format!("{order:?}"))
        }
    }
}

/// `for item in &mut list`.
mod mut_place_06 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    #[derive(Debug, Serialize, Deserialize)]
    struct Line {
        text: String,
        n: i64,
    }

    tests::cases! {
        async fn mut_place_06(cx, t) {
            let mut lines = vec![Line { text: "a".into(), n: 0 }, Line { text: "b".into(), n: 0 }];
            for line in &mut lines {
                line.n = cx.peer.elicit::<Count>(line.text.as_str()).await?.ok_or("none")?.n;
                t.effect(line.n);
                if cx.peer.elicit::<Confirm>("more?").await?.ok_or("none")?.ok { line.text.push('+'); }
            }
            for (i, line) in lines.iter_mut().enumerate() { line.n += i as i64; }
            Ok(format!("{lines:?}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        clone_place_03::all(),
        clone_place_06::all(),
        instant_01::all(),
        instant_02::all(),
        mut_place_01::all(),
        mut_place_06::all(),
    ];
    all.into_iter().flatten().collect()
}

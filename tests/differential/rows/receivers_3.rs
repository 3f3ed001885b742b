//! What ordinary and hostile functions do with receivers.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `self.peer.as_ref()?` in a method that gives an Option.
mod receiver_05 {
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

        pub struct App {
            peer: Option<Peer<RoleServer>>,
            name: &'static str,
        }
        impl App {
            async fn ask(&self, t: &Trace) -> Option<i64> {
                t.note(self.name);
                let n = self.peer.as_ref()?.elicit::<Count>("n?").await.ok()??.n;
                let peer = self.peer.as_ref()?;
                let m = peer
                    .elicit::<Count>(format!("{} {n}", self.name))
                    .await
                    .ok()??
                    .n;
                Some(t.effect(n + m))
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App {
                peer: Some(cx.peer.clone()),
                name: "app",
            };
            Ok(format!("{:?}", app.ask(t).await))
        }
    }

    mod saga {
        use super::*;

        pub struct App {
            peer: Option<Peer<RoleServer>>,
            name: &'static str,
        }
        impl App {
            #[saga_runtime::saga]
            async fn ask(&self, t: &Trace) -> Option<i64> {
                t.note(self.name);
                let n = self.peer.as_ref()?.elicit::<Count>("n?").await.ok()??.n;
                let peer = self.peer.as_ref()?;
                let m = peer
                    .elicit::<Count>(format!("{} {n}", self.name))
                    .await
                    .ok()??
                    .n;
                Some(t.effect(n + m))
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App {
                peer: Some(cx.peer.clone()),
                name: "app",
            };
            Ok(format!("{:?}", app.ask(t).await))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_05",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `peer` of `let RequestContext { peer, .. } = &cx`.
mod receiver_06 {
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
        async fn receiver_06(cx, t) {
            let RequestContext { peer, .. } = &cx;
            t.note("taken apart");
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = peer.elicit::<Confirm>(format!("{n}")).await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
    }
}

/// `RequestContext { peer, ct, .. }` by value, in the parameter's place.
mod receiver_07 {
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
        async fn receiver_07(cx, t) {
            let RequestContext { peer, ct, .. } = cx;
            t.effect(ct.is_cancelled());
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = peer.clone().elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
    }
}

/// `app.peer.elicit(..)` of a local struct of the author's.
mod receiver_08 {
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

        pub struct App {
            peer: Peer<RoleServer>,
            name: String,
        }
        impl App {
            fn new(cx: &RequestContext<RoleServer>) -> Self {
                Self {
                    peer: cx.peer.clone(),
                    name: "app".into(),
                }
            }
        }
        async fn ask(app: &App, t: &Trace) -> Result<i64, Failure> {
            t.note(&app.name);
            let n = app.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            let m = app.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
            Ok(n + m)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App::new(&cx);
            let n = ask(&app, t).await?;
            Ok(format!("{n}"))
        }
    }

    mod saga {
        use super::*;

        pub struct App {
            peer: Peer<RoleServer>,
            name: String,
        }
        impl App {
            fn new(cx: &RequestContext<RoleServer>) -> Self {
                Self {
                    peer: cx.peer.clone(),
                    name: "app".into(),
                }
            }
        }
        #[saga_runtime::saga]
        async fn ask(app: &App, t: &Trace) -> Result<i64, Failure> {
            t.note(&app.name);
            let n = app.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            let m = app.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
            Ok(n + m)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App::new(&cx);
            let n = ask(&app, t).await?;
            Ok(format!("{n}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_08",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A newtype's `asking.0.as_ref()`.
mod receiver_09 {
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

        pub struct Asking(Option<Peer<RoleServer>>);
        async fn ask(asking: &Asking, t: &Trace) -> Result<i64, Failure> {
            t.note("ask");
            let Some(peer) = asking.0.as_ref() else {
                return Ok(-1);
            };
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            Ok(n + asking
                .0
                .as_ref()
                .ok_or("gone")?
                .elicit::<Count>("m?")
                .await?
                .ok_or("none")?
                .n)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            Ok(format!("{}", ask(&Asking(Some(cx.peer.clone())), t).await?))
        }
    }

    mod saga {
        use super::*;

        pub struct Asking(Option<Peer<RoleServer>>);
        #[saga_runtime::saga]
        async fn ask(asking: &Asking, t: &Trace) -> Result<i64, Failure> {
            t.note("ask");
            let Some(peer) = asking.0.as_ref() else {
                return Ok(-1);
            };
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            Ok(n + asking
                .0
                .as_ref()
                .ok_or("gone")?
                .elicit::<Count>("m?")
                .await?
                .ok_or("none")?
                .n)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            Ok(format!("{}", ask(&Asking(Some(cx.peer.clone())), t).await?))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_09",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// A lock's `self.peer.read().unwrap().clone()`.
mod receiver_10 {
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

        use std::sync::RwLock;
        pub struct App {
            peer: RwLock<Option<Peer<RoleServer>>>,
        }
        impl App {
            async fn ask(&self, t: &Trace) -> Result<i64, Failure> {
                t.note("ask");
                let Some(peer) = self.peer.read().unwrap().clone() else {
                    return Ok(-1);
                };
                let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                let again = self.peer.read().unwrap().clone().ok_or("gone")?;
                let m = again
                    .elicit::<Count>(format!("{n}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect(m);
                Ok(n + m)
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App {
                peer: RwLock::new(Some(cx.peer.clone())),
            };
            Ok(format!("{}", app.ask(t).await?))
        }
    }

    mod saga {
        use super::*;

        use std::sync::RwLock;
        pub struct App {
            peer: RwLock<Option<Peer<RoleServer>>>,
        }
        impl App {
            #[saga_runtime::saga]
            async fn ask(&self, t: &Trace) -> Result<i64, Failure> {
                t.note("ask");
                let Some(peer) = self.peer.read().unwrap().clone() else {
                    return Ok(-1);
                };
                let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                let again = self.peer.read().unwrap().clone().ok_or("gone")?;
                let m = again
                    .elicit::<Count>(format!("{n}"))
                    .await?
                    .ok_or("none")?
                    .n;
                t.effect(m);
                Ok(n + m)
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let app = App {
                peer: RwLock::new(Some(cx.peer.clone())),
            };
            Ok(format!("{}", app.ask(t).await?))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_10",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `Arc<Peer>` in a field, a tuple `(peer, name)`, a `Vec` of handles, a closure that gives the handle.
mod receiver_11 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use std::sync::Arc;

    tests::cases! {
        async fn receiver_11(cx, t) {
            let pair = (cx.peer.clone(), t.effect(String::from("n")));
            let n = pair.0.elicit::<Count>(pair.1.as_str()).await?.ok_or("none")?.n;
            let shared = Arc::new(cx.peer.clone());
            let m = Arc::clone(&shared).elicit::<Count>("m?").await?.ok_or("none")?.n;
            t.effect((n, m));
            let ok = [cx.peer.clone()][0].elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {m} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        receiver_05::all(),
        receiver_06::all(),
        receiver_07::all(),
        receiver_08::all(),
        receiver_09::all(),
        receiver_10::all(),
        receiver_11::all(),
    ];
    all.into_iter().flatten().collect()
}

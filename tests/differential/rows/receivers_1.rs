//! What ordinary and hostile functions do with receivers.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `.boxed()`, `Box::pin(..)` around an ask or a block that asks.
mod boxed_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    use futures::FutureExt;

    mod plain {
        use super::*;

        async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            Ok(t.effect(n))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = ask(&cx.peer, t).boxed().await?;
            let b = async {
                t.note("in");
                cx.peer.elicit::<Count>("b?").await.is_ok()
            }
            .boxed()
            .await;
            let c = Box::pin(cx.peer.elicit::<Count>("c?")).await.is_ok();
            Ok(format!("{a} {b} {c}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn ask(peer: &Peer<RoleServer>, t: &Trace) -> Result<i64, Failure> {
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            Ok(t.effect(n))
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = ask(&cx.peer, t).boxed().await?;
            let b = async {
                t.note("in");
                cx.peer.elicit::<Count>("b?").await.is_ok()
            }
            .boxed()
            .await;
            let c = Box::pin(cx.peer.elicit::<Count>("c?")).await.is_ok();
            Ok(format!("{a} {b} {c}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "boxed_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `plain(notify)`: given the handle, never asks.
mod given_handle_07 {
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

        async fn notify(peer: &Peer<RoleServer>, t: &Trace, what: &str) {
            let _ = peer.peer_info();
            t.note(what);
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            struct Unstorable(i64);
            let held = Unstorable(t.effect(3));
            notify(&cx.peer, t, "a").await;
            let n = cx
                .peer
                .elicit::<Count>(format!("{}", held.0))
                .await?
                .ok_or("none")?
                .n;
            notify(&cx.peer, t, "b").await;
            Ok(format!("{n}"))
        }
    }

    mod saga {
        use super::*;

        async fn notify(peer: &Peer<RoleServer>, t: &Trace, what: &str) {
            let _ = peer.peer_info();
            t.note(what);
        }
        #[saga_runtime::saga(plain(notify))]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            struct Unstorable(i64);
            let held = Unstorable(t.effect(3));
            notify(&cx.peer, t, "a").await;
            let n = cx
                .peer
                .elicit::<Count>(format!("{}", held.0))
                .await?
                .ok_or("none")?
                .n;
            notify(&cx.peer, t, "b").await;
            Ok(format!("{n}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "given_handle_07",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// No handle in the signature: it is in `&self`.
mod no_handle_needed_01 {
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

        pub struct Desk {
            peer: Peer<RoleServer>,
            name: &'static str,
        }
        impl Desk {
            async fn serve(&self, t: &Trace) -> Result<String, Failure> {
                let before = t.effect(self.name.len());
                let n = self.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                let ok = self
                    .peer
                    .elicit::<Confirm>(format!("{before}"))
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{before} {n} {ok}"))
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            Desk {
                peer: cx.peer.clone(),
                name: "d",
            }
            .serve(t)
            .await
        }
    }

    mod saga {
        use super::*;

        pub struct Desk {
            peer: Peer<RoleServer>,
            name: &'static str,
        }
        impl Desk {
            #[saga_runtime::saga]
            async fn serve(&self, t: &Trace) -> Result<String, Failure> {
                let before = t.effect(self.name.len());
                let n = self.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                let ok = self
                    .peer
                    .elicit::<Confirm>(format!("{before}"))
                    .await?
                    .ok_or("none")?
                    .ok;
                Ok(format!("{before} {n} {ok}"))
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            Desk {
                peer: cx.peer.clone(),
                name: "d",
            }
            .serve(t)
            .await
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "no_handle_needed_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// No handle's name in the signature: `type Ctx<'a> = Option<&'a RequestContext<RoleServer>>`.
mod no_handle_needed_02 {
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

        type Ctx<'a> = Option<&'a RequestContext<RoleServer>>;
        async fn step(ctx: Ctx<'_>, t: &Trace, n: i64) -> Result<i64, Failure> {
            let Some(ctx) = ctx else { return Ok(0) };
            let before = t.effect(n);
            let m = ctx
                .peer
                .elicit::<Count>(format!("{n}?"))
                .await?
                .ok_or("none")?
                .n;
            Ok(before + m)
        }
        async fn steps(ctx: Ctx<'_>, t: &Trace) -> Result<i64, Failure> {
            let mut sum = 0;
            for i in 0..3 {
                sum += step(ctx, t, i).await?;
            }
            Ok(sum)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = steps(Some(&cx), t).await?;
            let b = steps(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        type Ctx<'a> = Option<&'a RequestContext<RoleServer>>;
        #[saga_runtime::saga]
        async fn step(ctx: Ctx<'_>, t: &Trace, n: i64) -> Result<i64, Failure> {
            let Some(ctx) = ctx else { return Ok(0) };
            let before = t.effect(n);
            let m = ctx
                .peer
                .elicit::<Count>(format!("{n}?"))
                .await?
                .ok_or("none")?
                .n;
            Ok(before + m)
        }
        #[saga_runtime::saga]
        async fn steps(ctx: Ctx<'_>, t: &Trace) -> Result<i64, Failure> {
            let mut sum = 0;
            for i in 0..3 {
                sum += step(ctx, t, i).await?;
            }
            Ok(sum)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = steps(Some(&cx), t).await?;
            let b = steps(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "no_handle_needed_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The handle in an argument of a type of the author's.
mod no_handle_needed_03 {
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

        pub struct Session<'a> {
            cx: &'a RequestContext<RoleServer>,
            user: String,
        }
        async fn greet(session: &Session<'_>, t: &Trace) -> Result<String, Failure> {
            t.note(&session.user);
            let n = session
                .cx
                .peer
                .elicit::<Count>("n?")
                .await?
                .ok_or("none")?
                .n;
            let text = session
                .cx
                .peer
                .elicit::<Text>(session.user.as_str())
                .await?
                .ok_or("none")?
                .text;
            Ok(format!("{n} {text} {}", session.user))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            greet(
                &Session {
                    cx: &cx,
                    user: "u".into(),
                },
                t,
            )
            .await
        }
    }

    mod saga {
        use super::*;

        pub struct Session<'a> {
            cx: &'a RequestContext<RoleServer>,
            user: String,
        }
        #[saga_runtime::saga]
        async fn greet(session: &Session<'_>, t: &Trace) -> Result<String, Failure> {
            t.note(&session.user);
            let n = session
                .cx
                .peer
                .elicit::<Count>("n?")
                .await?
                .ok_or("none")?
                .n;
            let text = session
                .cx
                .peer
                .elicit::<Text>(session.user.as_str())
                .await?
                .ok_or("none")?
                .text;
            Ok(format!("{n} {text} {}", session.user))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            greet(
                &Session {
                    cx: &cx,
                    user: "u".into(),
                },
                t,
            )
            .await
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "no_handle_needed_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        boxed_01::all(),
        given_handle_07::all(),
        no_handle_needed_01::all(),
        no_handle_needed_02::all(),
        no_handle_needed_03::all(),
    ];
    all.into_iter().flatten().collect()
}

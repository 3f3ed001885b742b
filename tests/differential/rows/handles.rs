//! What ordinary and hostile functions do with handles.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// The handle behind a type alias.
mod handle_alias_01 {
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

        type Client = Peer<RoleServer>;
        type Ctx<'a> = Option<&'a RequestContext<RoleServer>>;
        async fn by_alias(client: &Client, t: &Trace) -> Result<i64, Failure> {
            let a = client.elicit::<Count>("a?").await?.ok_or("none")?.n;
            t.effect(a);
            Ok(a + client.elicit::<Count>("b?").await?.ok_or("none")?.n)
        }
        async fn optional(ctx: Ctx<'_>, t: &Trace) -> Result<bool, Failure> {
            let Some(ctx) = ctx else { return Ok(false) };
            let first = ctx.peer.elicit::<Confirm>("one?").await?.ok_or("none")?.ok;
            t.effect(first);
            Ok(first && ctx.peer.elicit::<Confirm>("two?").await?.ok_or("none")?.ok)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = by_alias(&cx.peer, t).await?;
            let b = optional(Some(&cx), t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        type Client = Peer<RoleServer>;
        type Ctx<'a> = Option<&'a RequestContext<RoleServer>>;
        #[saga_runtime::saga]
        async fn by_alias(client: &Client, t: &Trace) -> Result<i64, Failure> {
            let a = client.elicit::<Count>("a?").await?.ok_or("none")?.n;
            t.effect(a);
            Ok(a + client.elicit::<Count>("b?").await?.ok_or("none")?.n)
        }
        #[saga_runtime::saga]
        async fn optional(ctx: Ctx<'_>, t: &Trace) -> Result<bool, Failure> {
            let Some(ctx) = ctx else { return Ok(false) };
            let first = ctx.peer.elicit::<Confirm>("one?").await?.ok_or("none")?.ok;
            t.effect(first);
            Ok(first && ctx.peer.elicit::<Confirm>("two?").await?.ok_or("none")?.ok)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = by_alias(&cx.peer, t).await?;
            let b = optional(Some(&cx), t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "handle_alias_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The handle: an `Arc<Peer>`.
mod handle_arc_01 {
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
        async fn handle_arc_01(cx, t) {
            use std::sync::Arc;
            let peer = Arc::new(cx.peer.clone());
            let other = Arc::clone(&peer);
            t.note("shared");
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = other.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
    }
}

/// The handle: a reference to the whole context in a let.
mod handle_cx_ref_01 {
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
        async fn handle_cx_ref_01(cx, t) {
            let ctx = &cx;
            let id = format!("{:?}", ctx.id);
            let peer = &ctx.peer;
            let n = peer.elicit::<Count>(id.as_str()).await?.ok_or("none")?.n;
            let cancelled = ctx.ct.is_cancelled();
            let ok = ctx.peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            t.effect((n, cancelled));
            Ok(format!("{id} {ok} {}", ctx.ct.is_cancelled()))
        }
    }
}

/// The handle: `Option<&Peer>` as an argument, over two asks.
mod handle_opt_01 {
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

        async fn maybe(peer: Option<&Peer<RoleServer>>, t: &Trace) -> Result<String, Failure> {
            let Some(peer) = peer else {
                t.note("nobody");
                return Ok("nobody".into());
            };
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = maybe(Some(&cx.peer), t).await?;
            let b = maybe(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn maybe(peer: Option<&Peer<RoleServer>>, t: &Trace) -> Result<String, Failure> {
            let Some(peer) = peer else {
                t.note("nobody");
                return Ok("nobody".into());
            };
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = peer.elicit::<Confirm>("ok?").await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = maybe(Some(&cx.peer), t).await?;
            let b = maybe(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "handle_opt_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The handle: `Option<Peer>` in a field of self, `as_ref()`.
mod handle_opt_02 {
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

        pub struct Session {
            peer: Option<Peer<RoleServer>>,
            name: String,
        }
        impl Session {
            async fn confirm(&self, t: &Trace) -> Result<bool, Failure> {
                let Some(peer) = self.peer.as_ref() else {
                    return Ok(false);
                };
                t.note(&self.name);
                let ok = peer
                    .elicit::<Confirm>(format!("{}?", self.name))
                    .await?
                    .ok_or("none")?
                    .ok;
                let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                Ok(ok && n > 0)
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let session = Session {
                peer: Some(cx.peer.clone()),
                name: "s".into(),
            };

            let a = session.confirm(t).await?;
            let b = cx.peer.elicit::<Count>("b?").await?.ok_or("none")?.n;
            Ok(format!("{a} {b} {}", session.name))
        }
    }

    mod saga {
        use super::*;

        pub struct Session {
            peer: Option<Peer<RoleServer>>,
            name: String,
        }
        impl Session {
            #[saga_runtime::saga]
            async fn confirm(&self, t: &Trace) -> Result<bool, Failure> {
                let Some(peer) = self.peer.as_ref() else {
                    return Ok(false);
                };
                t.note(&self.name);
                let ok = peer
                    .elicit::<Confirm>(format!("{}?", self.name))
                    .await?
                    .ok_or("none")?
                    .ok;
                let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
                Ok(ok && n > 0)
            }
        }
        #[saga_runtime::saga(asks(confirm))]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            #[saga(remake)]
            let session = Session {
                peer: Some(cx.peer.clone()),
                name: "s".into(),
            };
            let a = session.confirm(t).await?;
            let b = cx.peer.elicit::<Count>("b?").await?.ok_or("none")?.n;
            Ok(format!("{a} {b} {}", session.name))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "handle_opt_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The handle in a field alone: a method of a struct of borrows asks, and is not given it otherwise.
mod handle_field_01 {
    use rmcp::{RoleServer, service::RequestContext};
    use tests::{Failure, Trace, answers::Count};

    macro_rules! text {
        ($module:ident $(#[$number:meta] #[$ask:meta] #[$run:meta])?) => {
            mod $module {
                use super::*;

                pub struct View<'a> {
                    cx: &'a RequestContext<RoleServer>,
                    t: &'a Trace,
                    n: i64,
                }

                $(#[$number])?
                async fn number(cx: &RequestContext<RoleServer>) -> Result<i64, Failure> {
                    Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |answer| answer.n))
                }

                impl View<'_> {
                    $(#[$ask])?
                    async fn ask(&self) -> Result<i64, Failure> {
                        let first = number(self.cx).await?;
                        self.t.note("asked");
                        let second = number(self.cx).await?;
                        Ok(first + second + self.n)
                    }
                }

                $(#[$run])?
                pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
                    let n = number(&cx).await?;
                    let made = View { cx: &cx, t, n }.ask().await?;
                    let view = View { cx: &cx, t, n: 5 };
                    let held = view.ask().await?;
                    let last = number(&cx).await?;
                    view.t.note("last");
                    Ok(format!("{made} {held} {last}"))
                }
            }
        };
    }

    text!(plain);
    text!(saga
        #[saga_runtime::saga]
        #[saga_runtime::saga(asks(number))]
        #[saga_runtime::saga(asks(ask))]
    );

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "handle_field_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// The handle: `&Peer` in a `let` and out of a function.
mod handle_peer_01 {
    use rmcp::{
        Peer, RoleServer,
        service::{ElicitationError, RequestContext},
    };
    use serde::{Deserialize, Serialize};
    use tests::{
        Failure, Trace,
        answers::{Confirm, Count, Text},
    };

    fn handle<'a>(t: &Trace, cx: &'a RequestContext<RoleServer>) -> &'a Peer<RoleServer> {
        t.note("handle");
        &cx.peer
    }

    tests::cases! {
        async fn handle_peer_01(cx, t) {
            let peer: &Peer<RoleServer> = handle(t, &cx);
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            let ok = peer.elicit::<Confirm>(format!("{n}")).await?.ok_or("none")?.ok;
            Ok(format!("{n} {ok}"))
        }
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        handle_alias_01::all(),
        handle_arc_01::all(),
        handle_cx_ref_01::all(),
        handle_opt_01::all(),
        handle_opt_02::all(),
        handle_field_01::all(),
        handle_peer_01::all(),
    ];
    all.into_iter().flatten().collect()
}

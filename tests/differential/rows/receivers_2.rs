//! What ordinary and hostile functions do with receivers.

#![allow(
    warnings,
    clippy::all,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

/// `plain(elicit)`, `plain(create_message)` on one's own methods.
mod not_a_handle_02 {
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

        struct Form {
            title: &'static str,
        }
        impl Form {
            async fn elicit(&self, t: &Trace) -> i64 {
                t.fetch(3).await
            }
            async fn create_message(&self, t: &Trace, n: i64) -> i64 {
                t.fetch(n + 1).await
            }
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let form = Form { title: "f" };
            let value = form.elicit(t).await + form.create_message(t, 5).await;
            let peer = &cx.peer;
            let ok = peer.create_elicitation(serde_json::from_value(serde_json::json!({ "mode": "form", "message": "ok?", "requestedSchema": { "type": "object", "properties": { "ok": { "type": "boolean" } } } }))?).await;
            t.effect(ok.is_ok());
            Ok(format!("{value}"))
        }
    }

    mod saga {
        use super::*;

        struct Form {
            title: &'static str,
        }
        impl Form {
            async fn elicit(&self, t: &Trace) -> i64 {
                t.fetch(3).await
            }
            async fn create_message(&self, t: &Trace, n: i64) -> i64 {
                t.fetch(n + 1).await
            }
        }
        #[saga_runtime::saga(plain(elicit, create_message))]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let form = Form { title: "f" };
            let value = form.elicit(t).await + form.create_message(t, 5).await;
            let peer = &cx.peer;
            let ok = peer.create_elicitation(serde_json::from_value(serde_json::json!({ "mode": "form", "message": "ok?", "requestedSchema": { "type": "object", "properties": { "ok": { "type": "boolean" } } } }))?).await;
            t.effect(ok.is_ok());
            Ok(format!("{value}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "not_a_handle_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `match peer { Some(p) => p.elicit(..) }`.
mod receiver_01 {
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

        async fn confirm(
            peer: Option<&Peer<RoleServer>>,
            t: &Trace,
            what: &str,
        ) -> Result<bool, Failure> {
            t.note(what);
            let sure = match peer {
                Some(p) => {
                    p.elicit::<Confirm>(format!("{what}?"))
                        .await?
                        .ok_or("none")?
                        .ok
                }
                None => {
                    t.note("assumed");
                    true
                }
            };
            t.effect(sure);
            Ok(sure)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = confirm(Some(&cx.peer), t, "a").await?;
            let b = confirm(None, t, "b").await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn confirm(
            peer: Option<&Peer<RoleServer>>,
            t: &Trace,
            what: &str,
        ) -> Result<bool, Failure> {
            t.note(what);
            let sure = match peer {
                Some(p) => {
                    p.elicit::<Confirm>(format!("{what}?"))
                        .await?
                        .ok_or("none")?
                        .ok
                }
                None => {
                    t.note("assumed");
                    true
                }
            };
            t.effect(sure);
            Ok(sure)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = confirm(Some(&cx.peer), t, "a").await?;
            let b = confirm(None, t, "b").await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_01",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `if let Some(p) = peer` with an owned `Option<Peer>`.
mod receiver_02 {
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

        async fn count(peer: Option<Peer<RoleServer>>, t: &Trace) -> Result<i64, Failure> {
            let mut sum = t.effect(1);
            if let Some(p) = peer {
                sum += p.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(sum);
                if let Some(more) = p.elicit::<Count>("m?").await? {
                    sum += more.n;
                }
            }
            Ok(sum)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = count(Some(cx.peer.clone()), t).await?;
            let b = count(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn count(peer: Option<Peer<RoleServer>>, t: &Trace) -> Result<i64, Failure> {
            let mut sum = t.effect(1);
            if let Some(p) = peer {
                sum += p.elicit::<Count>("n?").await?.ok_or("none")?.n;
                t.effect(sum);
                if let Some(more) = p.elicit::<Count>("m?").await? {
                    sum += more.n;
                }
            }
            Ok(sum)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = count(Some(cx.peer.clone()), t).await?;
            let b = count(None, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_02",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `a.unwrap_or(b)` of two handles.
mod receiver_03 {
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

        async fn either(
            first: Option<&Peer<RoleServer>>,
            second: &Peer<RoleServer>,
            t: &Trace,
        ) -> Result<i64, Failure> {
            t.note("either");
            let n = first
                .unwrap_or(second)
                .elicit::<Count>("n?")
                .await?
                .ok_or("none")?
                .n;
            let p = first.unwrap_or(second);
            let m = p.elicit::<Count>(format!("{n}")).await?.ok_or("none")?.n;
            Ok(n + m)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = either(None, &cx.peer, t).await?;
            let b = either(Some(&cx.peer), &cx.peer, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn either(
            first: Option<&Peer<RoleServer>>,
            second: &Peer<RoleServer>,
            t: &Trace,
        ) -> Result<i64, Failure> {
            t.note("either");
            let n = first
                .unwrap_or(second)
                .elicit::<Count>("n?")
                .await?
                .ok_or("none")?
                .n;
            let p = first.unwrap_or(second);
            let m = p.elicit::<Count>(format!("{n}")).await?.ok_or("none")?.n;
            Ok(n + m)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = either(None, &cx.peer, t).await?;
            let b = either(Some(&cx.peer), &cx.peer, t).await?;
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_03",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// `peer.ok_or(..)?`.
mod receiver_04 {
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

        async fn need(peer: Option<Peer<RoleServer>>, t: &Trace) -> Result<bool, Failure> {
            t.note("need");
            let ok = peer
                .as_ref()
                .ok_or("no client")?
                .elicit::<Confirm>("ok?")
                .await?
                .ok_or("none")?
                .ok;
            let peer = peer.ok_or("no client")?;
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            Ok(ok && n > 0)
        }
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = need(Some(cx.peer.clone()), t).await?;
            let b = need(None, t).await.is_ok();
            Ok(format!("{a} {b}"))
        }
    }

    mod saga {
        use super::*;

        #[saga_runtime::saga]
        async fn need(peer: Option<Peer<RoleServer>>, t: &Trace) -> Result<bool, Failure> {
            t.note("need");
            let ok = peer
                .as_ref()
                .ok_or("no client")?
                .elicit::<Confirm>("ok?")
                .await?
                .ok_or("none")?
                .ok;
            let peer = peer.ok_or("no client")?;
            let n = peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
            t.effect(n);
            Ok(ok && n > 0)
        }
        #[saga_runtime::saga]
        pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
            let a = need(Some(cx.peer.clone()), t).await?;
            let b = need(None, t).await.is_ok();
            Ok(format!("{a} {b}"))
        }
    }

    pub fn all() -> Vec<tests::Case> {
        vec![tests::Case {
            name: "receiver_04",
            plain: |cx, t| Box::pin(plain::run(cx, t)),
            saga: |cx, t| Box::pin(saga::run(cx, t)),
        }]
    }
}

/// All cases of this module.
pub(super) fn all() -> Vec<tests::Case> {
    let all = [
        not_a_handle_02::all(),
        receiver_01::all(),
        receiver_02::all(),
        receiver_03::all(),
        receiver_04::all(),
    ];
    all.into_iter().flatten().collect()
}

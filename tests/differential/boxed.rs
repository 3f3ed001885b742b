//! Helpers that return a boxed future: by hand for recursion, by `#[async_trait]` in a trait.

use std::{future::Future, pin::Pin};

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Result<T, E = Failure> = std::result::Result<T, E>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            struct Desk {
                name: String,
                peer: Peer<RoleServer>,
            }

            #[async_trait::async_trait]
            trait Gate {
                async fn confirm(&self, peer: &Peer<RoleServer>, t: &Trace, message: &str) -> Result<bool>;
                async fn sum(&self, t: &Trace, list: &mut Vec<i64>) -> Result<i64>;
            }

            #[async_trait::async_trait]
            impl Gate for Desk {
                $(#[$mark])?
                async fn confirm(&self, peer: &Peer<RoleServer>, t: &Trace, message: &str) -> Result<bool> {
                    t.note(&self.name);
                    let first = peer.elicit::<Confirm>(format!("{message} at {}?", self.name)).await?.ok_or("none")?;
                    if !first.ok {
                        return Ok(false);
                    }
                    let n = peer.elicit::<Count>("how often?").await?.ok_or("none")?.n;
                    t.effect(n);
                    Ok(first.ok && n > 0)
                }

                $(#[$mark])?
                async fn sum(&self, t: &Trace, list: &mut Vec<i64>) -> Result<i64> {
                    for i in 0..2 {
                        let n = self.peer.elicit::<Count>(format!("{i} {}", self.name)).await?.ok_or("none")?.n;
                        list.push(t.effect(n));
                    }
                    Ok(list.iter().sum())
                }
            }

            $(#[$mark])?
            fn descend<'a>(peer: &'a Peer<RoleServer>, t: &'a Trace, depth: i64) -> Pin<Box<dyn Future<Output = Result<i64>> + Send + 'a>> {
                Box::pin(async move {
                    t.effect(depth);
                    let n = peer.elicit::<Count>(format!("depth {depth}?")).await?.ok_or("none")?.n;
                    if depth == 0 || n == 0 {
                        return Ok(n);
                    }
                    let below = descend(peer, t, depth - 1).await?;
                    t.effect(below);
                    Ok(n * 10 + below)
                })
            }

            $(#[$mark])?
            async fn climb(peer: &Peer<RoleServer>, t: &Trace, height: i64) -> Result<i64> {
                let n = peer.elicit::<Count>(format!("height {height}?")).await?.ok_or("none")?.n;
                if height == 0 { return Ok(n); }
                Ok(n + Box::pin(climb(peer, t, t.effect(height - 1))).await?)
            }

            $(#[$mark])?
            fn later<'a>(peer: &'a Peer<RoleServer>, name: &'a str) -> impl Future<Output = bool> + Send + 'a {
                async move {
                    let ok = peer.elicit::<Confirm>(name).await;
                    matches!(ok, Ok(Some(Confirm { ok: true })))
                }
            }

            pub(super) async fn by_a_trait(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let desk = Desk { name: "front".to_owned(), peer: cx.peer.clone() };
                desk.run(&cx, t).await
            }

            impl Desk {
                $(#[$mark])?
                async fn run(&self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                    let mut list = vec![t.effect(1)];
                    let ok = self.confirm(&cx.peer, t, "open").await?;
                    if !ok { return Ok("closed".to_owned()); }
                    let again = gate(cx, self, t).await?;
                    list.push(2);
                    let other = confirm_all(&cx.peer, &[format!("a{ok}"), "b".to_owned()], &mut vec![t.effect(7)]).await;
                    Ok(format!("{ok} {again} {other} {list:?}"))
                }
            }

            $(#[$mark])?
            async fn gate(cx: &RequestContext<RoleServer>, desk: &(dyn Gate + Sync), t: &Trace) -> Result<bool> {
                desk.confirm(&cx.peer, t, &format!("{}", t.effect(3))).await
            }

            $(#[$mark])?
            async fn confirm_all(peer: &Peer<RoleServer>, names: &[String], seen: &mut Vec<i64>) -> i64 {
                for name in names {
                    let ok = peer.elicit::<Confirm>(name.as_str()).await.is_ok();
                    seen.push(i64::from(ok));
                }
                seen.iter().sum()
            }

            $(#[$mark])?
            pub(super) async fn recursion(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let a = descend(&cx.peer, t, 2).await?;
                let b = climb(&cx.peer, t, 1).await?;
                let c = later(&cx.peer, "late?").await;
                Ok(format!("{a} {b} {c}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

/// All cases of this module.
pub(super) fn all() -> Vec<Case> {
    vec![
        Case {
            name: "by_a_trait",
            plain: |cx, t| Box::pin(plain::by_a_trait(cx, t)),
            saga: |cx, t| Box::pin(saga::by_a_trait(cx, t)),
        },
        Case {
            name: "recursion",
            plain: |cx, t| Box::pin(plain::recursion(cx, t)),
            saga: |cx, t| Box::pin(saga::recursion(cx, t)),
        },
    ]
}

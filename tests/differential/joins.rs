//! Several asks in one round.

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Result<T, E = Failure> = std::result::Result<T, E>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn twice(peer: &Peer<RoleServer>, t: &Trace, label: &str) -> Result<i64, String> {
                t.note(label);
                let a = peer.elicit::<Count>(format!("{label} a")).await.map_err(|e| e.to_string())?.ok_or("none")?.n;
                t.note(&format!("{label} {a}"));
                if a == 0 { return Ok(7); }
                let b = peer.elicit::<Count>(format!("{label} b {a}")).await.map_err(|e| e.to_string())?.ok_or("none")?.n;
                Ok(a * 10 + b)
            }

            $(#[$mark])?
            async fn sure(peer: &Peer<RoleServer>, message: impl Into<String>) -> bool {
                matches!(peer.elicit::<Confirm>(message).await, Ok(Some(Confirm { ok: true })))
            }

            $(#[$mark])?
            pub(super) async fn two_asks(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let name = t.effect(String::from("x"));
                let (count, sure) = tokio::join!(cx.peer.elicit::<Count>(t.effect(format!("{name} n?"))), cx.peer.elicit::<Confirm>("ok?"));
                t.note("joined");
                let n = count?.ok_or("none")?.n;
                let last = cx.peer.elicit::<Text>(format!("{n}?")).await.is_ok();
                Ok(format!("{name} {n} {} {last}", sure.is_ok()))
            }

            $(#[$mark])?
            pub(super) async fn calls_and_asks(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let mut total = t.effect(1);
                let label = format!("l{total}");
                let (a, text, b) = tokio::join!(
                    twice(&cx.peer, t, &label),
                    cx.peer.elicit::<Text>(label.as_str()),
                    sure(&cx.peer, format!("{label} sure?"))
                );
                total += 1;
                let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
                Ok(format!("{a:?} {:?} {b} {ok} {total}", text.map(|t| t.map(|t| t.text)).map_err(|e| e.to_string())))
            }

            $(#[$mark])?
            pub(super) async fn with_other_work(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let mut all = Vec::new();
                for i in 0..2 {
                    let (n, fetched) = tokio::join!(cx.peer.elicit::<Count>(format!("{i}?")), t.fetch(i * 10));
                    let n = n?.ok_or("none")?.n;
                    all.push((n, fetched));
                }
                Ok(format!("{all:?}"))
            }

            $(#[$mark])?
            pub(super) async fn one_fails(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let before = t.effect(3);
                let (a, b) = tokio::try_join!(twice(&cx.peer, t, "p"), twice(&cx.peer, t, "q"))?;
                let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
                Ok(format!("{before} {a} {b} {ok}"))
            }

            $(#[$mark])?
            pub(super) async fn asks_that_fail(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                t.note("before");
                let (count, text) = tokio::try_join!(cx.peer.elicit::<Count>("n?"), cx.peer.elicit::<Text>("t?"))?;
                let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
                Ok(format!("{:?} {:?} {ok}", count.map(|c| c.n), text.map(|t| t.text)))
            }

            $(#[$mark])?
            pub(super) async fn all_of_a_list(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let hosts = vec![t.effect("a"), "b", "c"].into_iter().map(String::from).collect::<Vec<_>>();
                let counts = futures::future::join_all(hosts.iter().map(|host| cx.peer.elicit::<Count>(format!("{host}?")))).await;
                t.note("all");
                let sum: i64 = counts.iter().map(|n| match n { Ok(Some(n)) => n.n, _ => -1 }).sum();
                let ok = cx.peer.elicit::<Confirm>(format!("{sum} ok?")).await.is_ok();
                let sures = futures::future::join_all(hosts.iter().take(2).map(|host| sure(&cx.peer, host.clone()))).await;
                Ok(format!("{sum} {ok} {sures:?} {}", counts.len()))
            }

            $(#[$mark])?
            pub(super) async fn all_of_a_list_or_none(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let names = ["p", "q", "r"].map(String::from);
                let counts = futures::future::try_join_all(["count", "number", "size"].iter().map(|name| cx.peer.elicit::<Count>(format!("{name} of it?")))).await;
                let counts = match counts {
                    Ok(counts) => counts.into_iter().map(|c| c.map(|c| c.n)).collect::<Vec<_>>(),
                    Err(error) => { t.note(&error.to_string()); vec![Some(-3)] }
                };
                let sum: i64 = counts.iter().flatten().sum();
                let pairs = futures::future::try_join_all(names.iter().take(2).map(|name| twice(&cx.peer, t, name))).await?;
                let ok = cx.peer.elicit::<Confirm>(format!("{sum} ok?")).await.is_ok();
                let none = futures::future::try_join_all(names.iter().skip(3).map(|name| twice(&cx.peer, t, name))).await?;
                Ok(format!("{sum} {ok} {pairs:?} {}", none.len()))
            }

            $(#[$mark])?
            pub(super) async fn own_copy(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let mut a = 5i64;
                a += 1;
                let (n, b) = tokio::join!(cx.peer.elicit::<Count>("n?"), async move { a += 10; a });
                a += 1;
                t.effect(cx.peer.elicit::<Count>("m?").await?.map(|c| c.n));
                Ok(format!("{a} {b} {:?}", n?.map(|c| c.n)))
            }

            $(#[$mark])?
            pub(super) async fn nested(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String> {
                let pair = tokio::join!(both(&cx, t, "x"), both(&cx, t, "y"));
                t.note("done");
                Ok(format!("{pair:?}"))
            }

            $(#[$mark])?
            async fn both(cx: &RequestContext<RoleServer>, t: &Trace, label: &str) -> (bool, i64) {
                let (ok, n) = tokio::join!(sure(&cx.peer, label), cx.peer.elicit::<Count>(label));
                t.note(label);
                let again = cx.peer.elicit::<Count>("again?").await;
                let n = match n { Ok(Some(n)) => n.n, _ => 0 };
                (ok && again.is_ok(), n)
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

macro_rules! case {
    ($($name:ident)*) => {
        vec![$(Case {
            name: stringify!($name),
            plain: |cx, t| Box::pin(plain::$name(cx, t)),
            saga: |cx, t| Box::pin(saga::$name(cx, t)),
        }),*]
    };
}

/// All cases of this module.
pub(super) fn all() -> Vec<Case> {
    case! { two_asks calls_and_asks with_other_work one_fails asks_that_fail all_of_a_list all_of_a_list_or_none own_copy nested }
}

//! Saga functions that call saga functions.

use rmcp::{Peer, RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
};

/// Compiles the functions with and without the attribute; helpers come along.
macro_rules! helper_cases {
    ($( $(#[$kind:ident])? async fn $name:ident $(<$g:tt>)? ($($args:tt)*) -> $ret:ty { $($body:tt)* } )* cases: $($case:ident),*) => {
        #[allow(warnings, clippy::all)]
        mod plain { use super::*; $(pub async fn $name $(<$g>)? ($($args)*) -> $ret { $($body)* })* }
        #[allow(warnings, clippy::all)]
        mod saga { use super::*; $(#[saga_runtime::saga] pub async fn $name $(<$g>)? ($($args)*) -> $ret { $($body)* })* }
        /// All cases of this module.
        pub(crate) fn all() -> Vec<tests::Case> {
            vec![$(tests::Case {
                name: stringify!($case),
                plain: |cx, t| Box::pin(plain::$case(cx, t)),
                saga: |cx, t| Box::pin(saga::$case(cx, t)),
            }),*]
        }
    };
}

pub(super) use helper_cases;

/// Is given the handle, and never asks.
async fn only_notes(_: &RequestContext<RoleServer>, t: &Trace) -> usize {
    t.note("progress");
    0
}

helper_cases! {
    async fn confirm(peer: &Peer<RoleServer>, message: impl Into<String>) -> bool {
        matches!(peer.elicit::<Confirm>(message).await, Ok(Some(Confirm { ok: true })))
    }

    async fn ask_twice(cx: &RequestContext<RoleServer>, t: &Trace, label: &str, list: &[i64]) -> Result<i64, Failure> {
        t.note(label);
        let a = cx.peer.elicit::<Count>(format!("{label} a")).await?.ok_or("none")?.n;
        let base: i64 = list.iter().sum();
        let b = cx.peer.elicit::<Count>(format!("{label} b {base}")).await?.ok_or("none")?.n;
        t.effect((label, a, b));
        Ok(a + b + base)
    }

    async fn push_answer(peer: Peer<RoleServer>, out: &mut Vec<i64>) -> Result<(), Failure> {
        out.push(-1);
        let n = peer.elicit::<Count>("push").await?.ok_or("none")?.n;
        out.push(n);
        Ok(())
    }

    async fn owned_argument(cx: &RequestContext<RoleServer>, name: String, mut count: u32) -> Result<String, Failure> {
        count += 1;
        let n = cx.peer.elicit::<Count>(name.as_str()).await?.ok_or("none")?.n;
        count += n as u32;
        Ok(name + &format!(":{count}"))
    }

    async fn passes_on(cx: &RequestContext<RoleServer>, t: &Trace, out: &mut Vec<i64>) -> Result<i64, Failure> {
        push_to(cx.peer.clone(), t, out, vec![t.effect(1)]).await?;
        out.push(5);
        push_to(cx.peer.clone(), t, out, vec![2]).await
    }

    async fn push_to(peer: Peer<RoleServer>, t: &Trace, out: &mut Vec<i64>, more: Vec<i64>) -> Result<i64, Failure> {
        out.extend(&more);
        let n = peer.elicit::<Count>(format!("{}?", out.len())).await?.ok_or("none")?.n;
        out.push(n);
        Ok(n + more.len() as i64)
    }

    async fn asks_in_arguments(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut out = vec![t.effect(0)];
        let last = push_to(cx.peer.clone(), t, &mut out, Vec::from([t.effect(3), cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n])).await?;
        let text = owned_argument(&cx, t.effect(String::from("s")), cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n as u32).await?;
        let sum = passes_on(&cx, t, &mut out).await?;
        Ok(format!("{last} {text} {sum} {out:?}"))
    }

    async fn gate(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let id = t.effect(5);
        let name = String::from("prod");
        if !confirm(&cx.peer, format!("deploy {name}?")).await { return Ok("no".into()); }
        t.note("deploying");
        let sure = confirm(&cx.peer, "really?").await && confirm(&cx.peer, String::from("thrice?")).await;
        Ok(format!("{id} {name} {sure}"))
    }

    async fn nested(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let list = vec![1, 2];
        let mut total = 0;
        for label in ["x", "y"] {
            total += ask_twice(&cx, t, label, &list).await?;
        }
        only_notes(&cx, t).await;
        match ask_twice(&cx, t, "z", &[]).await { Ok(n) => Ok(format!("{total} {n}")), Err(e) => Ok(format!("{total} {e:?}")) }
    }

    async fn by_reference(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut out = vec![t.effect(0)];
        push_answer(cx.peer.clone(), &mut out).await?;
        push_answer(cx.peer.clone(), &mut out).await?;
        Ok(format!("{out:?}"))
    }

    async fn by_value(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let name = t.effect(String::from("n"));
        let a = owned_argument(&cx, name.clone(), 1).await?;
        let b = owned_argument(&cx, name, t.effect(7)).await?;
        Ok(format!("{a} {b}"))
    }

    async fn deep(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let a = level_one(&cx, t, 2).await?;
        let b = level_one(&cx, t, 0).await?;
        Ok(format!("{a} {b}"))
    }

    async fn level_one(cx: &RequestContext<RoleServer>, t: &Trace, n: i64) -> Result<i64, Failure> {
        let before = t.effect(n);
        let sum = level_two(cx, t, before + 1).await? + cx.peer.elicit::<Count>("one").await?.ok_or("none")?.n;
        Ok(sum * 10 + before)
    }

    async fn level_two(cx: &RequestContext<RoleServer>, t: &Trace, n: i64) -> Result<i64, Failure> {
        let mut sum = n;
        for i in 0..2 { sum += cx.peer.elicit::<Count>(format!("two {i} {n}")).await?.ok_or("none")?.n; t.effect(sum); }
        Ok(sum)
    }

    async fn optional_peer(peer: Option<&Peer<RoleServer>>, t: &Trace) -> Result<i64, Failure> {
        let Some(peer) = peer else { return Ok(0) };
        t.note("some");
        Ok(peer.elicit::<Count>("opt").await?.ok_or("none")?.n)
    }

    async fn some_peer(first: &Peer<RoleServer>, second: Option<Peer<RoleServer>>, t: &Trace) -> Result<i64, Failure> {
        let n = first.elicit::<Count>("first").await?.ok_or("none")?.n;
        if let Some(other) = &second {
            return Ok(n + optional_peer(Some(other), t).await?);
        }
        match second { Some(other) => Ok(1), None => Ok(n) }
    }

    async fn matched_peer(first: &Peer<RoleServer>, second: Option<&Peer<RoleServer>>, t: &Trace) -> Result<i64, Failure> {
        let n = first.elicit::<Count>("first").await?.ok_or("none")?.n;
        match second { Some(other) => Ok(n + optional_peer(Some(other), t).await?), None => Ok(n) }
    }

    async fn with_option(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let a = optional_peer(Some(&cx.peer), t).await?;
        let b = optional_peer(None, t).await?;
        let c = some_peer(&cx.peer, Some(cx.peer.clone()), t).await?;
        let d = matched_peer(&cx.peer, Some(&cx.peer), t).await?;
        Ok(format!("{a} {b} {c} {d}"))
    }

    async fn fails(cx: &RequestContext<RoleServer>, t: &Trace) -> Result<i64, Box<dyn std::error::Error>> {
        let n = cx.peer.elicit::<Count>("n").await.map_err(|_| "none")?.ok_or("nothing")?.n;
        t.effect(n);
        Ok(n)
    }

    // An error that is not `Send` is gone where the next question is put: the case is boxed as `Send`.
    async fn an_error_of_one_thread(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let n = fails(&cx, t).await.map_err(|error| Failure::from(error.to_string().as_str()))?;
        let ok = cx.peer.elicit::<Confirm>("ok").await?.is_some_and(|c| c.ok);
        Ok(format!("{n} {ok}"))
    }

    async fn ask_thrice(cx: &RequestContext<RoleServer>, list: &[i64], n: i64) -> Result<i64, Failure> {
        let a = cx.peer.elicit::<Count>(format!("{list:?} {n}")).await?.ok_or("none")?.n;
        Ok(a + n)
    }

    async fn lends_to_a_block(peer: &Peer<RoleServer>, t: &Trace, list: &mut Vec<i64>) -> Result<i64, Failure> {
        let mut sum = 0;
        if peer.elicit::<Confirm>("s").await?.is_some_and(|c| c.ok) {
            list.push(3);
            sum = ({ let peer = peer.clone(); async move { let _ = &peer; t.note(&format!("{list:?}")); Ok::<i64, Failure>(list.len() as i64) }.await }).unwrap_or(1i64);
        }
        Ok(sum)
    }

    async fn lender(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let mut list = vec![t.effect(1)];
        let n = lends_to_a_block(&cx.peer, t, &mut list).await?;
        Ok(format!("{n} {list:?}"))
    }

    async fn slices(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
        let name = String::from("abc");
        let list = vec![1i64, 2, 3];
        let n = 1usize;
        let parts: Vec<i64> = Vec::from([
            ask_twice(&cx, t, &name[..], &[n as i64, t.effect(2)]).await?,
            ask_twice(&cx, t, &name[n..], &list[..n]).await?,
            ask_twice(&cx, t, if matches!(cx.peer.elicit::<Confirm>("x").await, Ok(Some(_))) { "y" } else { "z" }, &[4, 2]).await?,
            ask_thrice(&cx, &[4, 2], cx.peer.elicit::<Count>("w").await?.ok_or("none")?.n).await?,
        ]);
        Ok(format!("{parts:?}"))
    }

    cases: lender, slices, gate, nested, by_reference, by_value, deep, with_option, an_error_of_one_thread, asks_in_arguments
}

//! Limits around calls that ask: time, sleeps by any name, cancellations.

use std::time::Duration;

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod answered_in_time {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let got = tokio::time::timeout(Duration::from_secs(60), both(&cx, t, "x")).await;
    let n = match got { Ok(n) => n?, Err(_) => return Ok("late".to_owned()) };
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

pub mod in_a_loop {
use super::*;
use tokio::time::timeout;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: String) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut all = Vec::new();
    for name in ["x", "y"] {
        let n = timeout(t.effect(Duration::from_secs(5)), both(&cx, t, t.effect(format!("{name}!")))).await??;
        all.push(n);
    }
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{all:?} {ok}"))
}
}

pub mod beside_a_sleep {
use super::*;
use tokio::time::sleep;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let limit = Duration::from_secs(90);
    let got = tokio::select! {
        n = both(&cx, t, "l") => Some(n?),
        _ = sleep(limit) => None,
    };
    t.effect(got);
    let again = tokio::select! {
        () = tokio::time::sleep(Duration::from_secs(9)) => -7,
        n = both(&cx, t, "m") => n?,
    };
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{got:?} {again} {ok}"))
}
}

pub mod beside_a_sleep_that_is_evaluated_behind {
use super::*;
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let seen = t;
    let n = tokio::select! {
        n = num(&cx, t.effect("n")) => n?,
        _ = tokio::time::sleep(seen.effect(Duration::from_secs(600))) => -4,
    };
    let m = tokio::select! {
        biased;
        _ = tokio::time::sleep(seen.effect(Duration::from_secs(700))) => -5,
        m = num(&cx, t.effect("m")) => m?,
    };
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {m} {ok}"))
}
}

pub mod until_an_instant {
use super::*;
use tokio::time::{timeout_at, Instant};
struct Desk { name: String }
impl Desk { $(#[$mark])? async fn ask(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, &self.name).await?; t.effect(n); Ok(n) } }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk_name = String::from("d");
    let end = Instant::now() + Duration::from_secs(100);
    let n = timeout_at(end, num(&cx, &desk_name)).await??;
    let m = timeout_at(end, cx.peer.elicit::<Count>("m")).await??.map_or(0, |c| c.n);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {m} {ok}"))
}
}

pub mod over_in_the_process {
use super::*;
$(#[$mark])? async fn slow(cx: &Context, t: &Trace) -> Result<i64, Failure> { let a = num(cx, "a").await?; t.effect(a); tokio::time::sleep(Duration::from_secs(3600)).await; t.effect("never"); Ok(a) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let got = tokio::time::timeout(Duration::from_millis(30), async { 1 }).await;
    t.effect(got.is_ok());
    let late = tokio::time::timeout(Duration::from_millis(40), slow(&cx, t)).await.is_err();
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{late} {ok}"))
}
}

pub mod nested {
use super::*;
$(#[$mark])? async fn inner(cx: &Context, t: &Trace) -> Result<i64, Failure> { let a = num(cx, "a").await?; t.effect(a); Ok(a) }
$(#[$mark])? async fn outer(cx: &Context, t: &Trace) -> Result<i64, Failure> { let a = tokio::time::timeout(Duration::from_secs(10), inner(cx, t)).await.unwrap_or(Ok(-5))?; let b = tokio::time::timeout(Duration::from_secs(7), inner(cx, t)).await.unwrap_or(Ok(-6))?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = tokio::time::timeout(Duration::from_secs(60), outer(&cx, t)).await??;
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

pub mod beside_a_cancellation {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let got = tokio::select! {
        n = both(&cx, t, "l") => Some(n?),
        _ = cx.ct.cancelled() => None,
    };
    t.effect(got);
    let again = tokio::select! {
        biased;
        () = cx.ct.cancelled() => -7,
        n = both(&cx, t, "m") => n?,
    };
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{got:?} {again} {ok}"))
}
}

pub mod sleeps_by_other_names {
use super::*;
use tokio::time::{self, sleep, sleep_until, Instant};
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let limit = Duration::from_secs(90);
    let got = tokio::select! {
        n = cx.peer.elicit::<Count>("n") => n?.map(|c| c.n),
        _ = sleep(limit) => None,
    };
    let m = tokio::select! {
        n = num(&cx, "m") => n?,
        _ = sleep_until(Instant::now() + limit) => -4,
    };
    let k = tokio::select! {
        n = num(&cx, "k") => n?,
        _ = time::sleep(limit) => -4,
    };
    t.effect(got);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{got:?} {m} {k} {ok}"))
}
}

pub mod lent_to_change {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

$(#[$mark])? async fn add(cx: &Context, t: &Trace, all: &mut Vec<i64>, name: String) -> Result<i64, Failure> { all.push(1); let a = num(cx, &name).await?; all.push(a); t.effect((&all, &name)); let b = num(cx, "more").await?; all.push(b); Ok(a) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut all = vec![];
    let names = vec!["x".to_owned(), "y".to_owned()];
    let mut got = 0;
    for name in names {
        got += match timeout(Duration::from_secs(60), add(&cx, t, &mut all, name)).await { Ok(Ok(n)) => n, Ok(Err(e)) => return Err(e), Err(_) => -1 };
        t.effect(&all);
    }
    Ok(format!("{got} {all:?}"))
}
}

pub mod methods {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

#[derive(Clone, Debug)] struct Desk { name: String, k: Vec<i64> }
impl Desk { $(#[$mark])? async fn ask(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, &self.name).await?; self.k.push(n); t.effect(&self.k); let m = num(cx, "m").await?; self.k.push(m); Ok(n) }
 $(#[$mark])? async fn gone(self, cx: &Context, t: &Trace) -> Result<i64, Failure> { let n = num(cx, &self.name).await?; t.effect(&self.k); Ok(n + self.k.len() as i64) } }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut desk = Desk { name: "d".into(), k: vec![] };
    let a = timeout(Duration::from_secs(60), desk.ask(&cx, t)).await.map_err(|_| "late")??;
    if let Ok(Ok(b)) = timeout(Duration::from_secs(60), desk.ask(&cx, t)).await { t.effect(b); } else { t.effect("none"); }
    let c = timeout(Duration::from_secs(60), desk.gone(&cx, t)).await??;
    Ok(format!("{a} {c}"))
}
}

pub mod boxed {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = timeout(Duration::from_secs(60), Box::pin(both(&cx, t, "x"))).await??;
    Ok(format!("{n}"))
}
}

pub mod pinned_sleep {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let sleep = tokio::time::sleep(Duration::from_secs(60));
    tokio::pin!(sleep);
    let n = tokio::select! { n = both(&cx, t, "x") => n?, _ = &mut sleep => -1 };
    Ok(format!("{n}"))
}
}

pub mod asked_in_an_argument {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = timeout(t.effect(Duration::from_secs(5)), both(&cx, t, &text(&cx, "label").await?)).await??;
    Ok(format!("{n}"))
}
}

pub mod cancellation_in_a_variable {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.effect("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
use tokio::time::timeout;

$(#[$mark])? async fn maybe(cx: &Context, t: &Trace, ask: bool) -> Option<String> { if !ask { return None; } cx.peer.elicit::<Text>("t").await.ok().flatten().map(|x| x.text) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ct = cx.ct.clone();
    let n = tokio::select! { n = maybe(&cx, t, false) => n, _ = ct.cancelled() => Some("c".to_owned()) };
    let m = tokio::select! { n = maybe(&cx, t, true) => n, _ = ct.cancelled() => Some("c".to_owned()) };
    Ok(format!("{n:?} {m:?}"))
}
}

pub mod asked_in_the_time {
use super::*;
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.note("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = tokio::time::timeout(Duration::from_secs(60 + num(&cx, "secs").await?.unsigned_abs()), both(&cx, t, "x")).await??;
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

pub mod over_before_it_begins {
use super::*;
use tokio::time::{sleep_until, Instant};
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.note("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    // The time is up already: with `biased`, plain Rust never polls the helper.
    let end = Instant::now() - Duration::from_secs(1);
    let n = tokio::select! {
        biased;
        _ = sleep_until(end) => -1,
        n = both(&cx, t, "x") => n?,
    };
    t.effect(n);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

pub mod cancelled_before_it_begins {
use super::*;
static STOP: std::sync::LazyLock<tokio_util::sync::CancellationToken> = std::sync::LazyLock::new(|| { let ct = tokio_util::sync::CancellationToken::new(); ct.cancel(); ct });
$(#[$mark])? async fn both(cx: &Context, t: &Trace, label: &str) -> Result<i64, Failure> { t.note("begins"); let a = num(cx, "a").await?; t.effect((label, a)); let b = num(cx, "b").await?; Ok(a + b) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = tokio::select! {
        biased;
        _ = STOP.cancelled() => -1,
        n = both(&cx, t, "x") => n?,
    };
    t.effect(n);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

pub mod tried_again {
use super::*;
use tokio::time::timeout;
$(#[$mark])? async fn flaky(cx: &Context, t: &Trace, name: String, all: &mut Vec<String>) -> Result<i64, Failure> {
    all.push(name.clone());
    if name.len() < 3 { let n = num(cx, &name).await.unwrap_or(-1); all.push(n.to_string()); std::future::pending::<()>().await; }
    let n = num(cx, &name).await?;
    all.push(n.to_string());
    Ok(n)
}
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut name = String::from("a");
    let mut all = Vec::new();
    let mut late = 0;
    let n = loop {
        match timeout(Duration::from_millis(if name.len() < 3 { 40 } else { 60_000 }), flaky(&cx, t, name, &mut all)).await {
            Err(_) => { late += 1; name = "b".repeat(late + 1); t.effect((&name, &all)); continue }
            Ok(n) => break n?,
        }
    };
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {late} {all:?} {ok}"))
}
}

pub mod in_conditions {
use super::*;
use tokio::time::timeout;
$(#[$mark])? async fn one(cx: &Context, t: &Trace, q: &str) -> Result<i64, Failure> { let a = num(cx, q).await?; t.effect((q, a)); Ok(a) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let long = Duration::from_secs(60);
    let n = match Some(4) {
        Some(k) if timeout(long, one(&cx, t, "guard")).await.is_ok_and(|n| n.is_ok_and(|n| n > 1)) => k,
        Some(_) => 1,
        None => 2,
    };
    let Ok(Ok(m)) = timeout(long, one(&cx, t, "else")).await else { return Ok(format!("no {n}")) };
    let c = if let Ok(Ok(a)) = timeout(long, one(&cx, t, "chain")).await && a > 0 && timeout(long, one(&cx, t, "chain 2")).await.is_ok() { a } else { -3 };
    let mut turns = 0;
    while let Ok(Ok(k)) = timeout(long, one(&cx, t, "while")).await { turns += 1; if k > 2 || turns > 1 { break } }
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {m} {c} {turns} {ok}"))
}
}

pub mod after_some_work {
use super::*;
use tokio::time::timeout;
$(#[$mark])? async fn rests(cx: &Context, t: &Trace) -> Result<i64, Failure> { t.note("begins"); saga_runtime::sleep(Duration::from_millis(30)).await; t.note("rested"); let a = num(cx, "a").await?; Ok(a) }
$(#[$mark])? pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    // Some work before: the limit is counted from the last whole second of the round.
    tokio::time::sleep(Duration::from_millis(250)).await;
    let n = match timeout(Duration::from_millis(200), rests(&cx, t)).await { Ok(n) => n?, Err(_) => -9 };
    t.effect(n);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{n} {ok}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    answered_in_time::run,
    in_a_loop::run,
    beside_a_sleep::run,
    beside_a_sleep_that_is_evaluated_behind::run,
    until_an_instant::run,
    over_in_the_process::run,
    nested::run,
    beside_a_cancellation::run,
    sleeps_by_other_names::run,
    lent_to_change::run,
    methods::run,
    boxed::run,
    pinned_sleep::run,
    asked_in_an_argument::run,
    cancellation_in_a_variable::run,
    asked_in_the_time::run,
    over_before_it_begins::run,
    cancelled_before_it_begins::run,
    tried_again::run,
    in_conditions::run,
    after_some_work::run
);

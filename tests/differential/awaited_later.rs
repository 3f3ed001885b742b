//! Futures that are made in one statement, or begun before their block, and awaited in another.

use futures::FutureExt as _;
use rmcp::{RoleServer, service::RequestContext};
use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};
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

pub mod kept {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ask = cx.peer.elicit::<Count>(t.effect(format!("q {}", 1)));
    t.note("between");
    let a = tokio::select! { _ = cx.ct.cancelled() => return Ok("d".into()), r = ask => r?.map(|c| c.n) };
    let name = t.effect("x".to_string()); let copy = name.clone();
    let ask = cx.peer.elicit::<Count>(copy.as_str());
    tokio::pin!(ask);
    t.note("pinned");
    let b = tokio::select! { () = cx.ct.cancelled() => return Ok("d".into()), r = &mut ask => r?.map(|c| c.n) };
    let late = Box::pin(cx.peer.elicit::<Text>(t.effect(name.clone())));
    let mid = sure(&cx, "mid").await?;
    let e = tokio::time::timeout(Duration::from_secs(3600), late).await;
    let last = cx.peer.elicit::<Text>(t.effect(name));
    let f = last.await?.map(|x| x.text);
    Ok(format!("{a:?} {b:?} {mid} {:?} {f:?}", e.is_ok()))
}
}
pub mod begun {
use super::*;
static DESK: std::sync::LazyLock<Desk> = std::sync::LazyLock::new(|| Desk { names: Arc::new(vec!["x".into()]), log: Arc::default() });
#[derive(Clone)] struct Desk { names: Arc<Vec<String>>, log: Arc<Mutex<Vec<bool>>> }
impl Desk {
    $(#[$mark])? fn later<'a>(&'a self, cx: &'a Context, t: &'a Trace, name: &'a str) -> impl Future<Output = Result<String, Failure>> + Send + 'a {
        let names = Arc::clone(&self.names);
        let log = self.log.clone();
        let name = name.to_owned();
        async move {
            t.note("later");
            let ok = sure(cx, &name).await?;
            log.lock().unwrap().insert(0, ok); t.effect(log.lock().unwrap()[0]);
            Ok(format!("{} {name} {ok}", names.len()))
        }
    }
    $(#[$mark])? fn boxed<'a>(&'a self, cx: &'a Context, t: &'a Trace, depth: i64) -> Pin<Box<dyn Future<Output = Result<i64, Failure>> + Send + 'a>> {
        let names = self.names.clone();
        Box::pin(async move {
            if depth == 0 { return Ok(0); }
            let n = num(cx, &names[0]).await?;
            t.effect(n);
            Ok(n.wrapping_add(self.boxed(cx, t, depth - 1).await?))
        })
    }
    $(#[$mark])? fn fut<'a>(&'a self, cx: &'a Context, t: &'a Trace) -> futures::future::BoxFuture<'a, Result<i64, Failure>> {
        let first = self.names.first().cloned();
        async move {
            t.note("fut");
            num(cx, first.as_deref().unwrap_or("none")).await
        }.boxed()
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk: &Desk = &*DESK;
    let a = desk.later(&cx, t, "y").await?;
    let b = desk.boxed(&cx, t, 3).await?;
    let c = desk.fut(&cx, t).await?;
    let d = desk.clone();
    Ok(format!("{a} {b} {c} {}", d.names.len()))
}
}
pub mod in_odd_places {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (mut out, ask_secs) = (vec![], 5);
    let ask = cx.peer.elicit::<Count>(t.effect("one"));
    t.note(&format!("{ask_secs}"));
    for i in 0..2 { out.push(num(&cx, &format!("r {i}")).await?); }
    let got = match out.len() { 2 => { t.note("in"); ask.await?.map(|c| c.n) } _ => None };
    let mut text = String::from("v");
    let ask = cx.peer.elicit::<Count>(text.clone());
    text.push('x');
    let closure = |n: i64| n + text.len() as i64;
    let other = 'b: { if out[0] > 3 { break 'b None; } ask.await?.map(|c| closure(c.n)) };
    let ask = cx.peer.elicit::<Text>(std::mem::take(&mut text));
    text.push_str("new");
    let x = ask.await?.map(|a| a.text);
    let ask = cx.peer.elicit::<Count>("w");
    let ask = ask.await?.map(|c| c.n);
    Ok(format!("{out:?} {got:?} {other:?} {x:?} {text} {ask:?}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(kept::run, begun::run, in_odd_places::run);

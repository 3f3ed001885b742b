//! What a helper is given by value and takes nowhere stays where it is, so that what is found in it is found again; and which of two aliases is the handle.

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

pub mod shared {
use super::*;
use std::sync::Arc;
pub struct Store; impl Store { async fn del(&self, s: &str, t: &Trace) { t.note(s); } }
$(#[$mark])?
async fn del(storage: Option<Arc<Store>>, names: Vec<String>, cx: &Context, t: &Trace) -> Result<i64, Failure> {
    let Some(st) = storage.as_ref() else { return Ok(0) };
    let mut k = 0;
    for name in &names {
        if !sure(cx, name).await? { continue; }
        st.del(name, t).await;
        k += 1;
    }
    Ok(k)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static S: std::sync::LazyLock<Option<Arc<Store>>> = std::sync::LazyLock::new(|| Some(Arc::new(Store)));
    let n = del(S.clone(), vec!["a".into(), "b".into()], &cx, t).await?;
    Ok(format!("{n}"))
}

}

pub mod looked_up {
use super::*;
use std::collections::HashMap;
#[derive(Clone)]
pub struct Cfg { url: String }
$(#[$mark])?
async fn go(all: HashMap<String, Cfg>, name: &str, cx: &Context, t: &Trace) -> Result<String, Failure> {
    let cfg = all.get(name).ok_or_else(|| Failure::from("none"))?;
    let first = &all["b"];
    let n = num(cx, &cfg.url).await?;
    Ok(format!("{} {n} {}", cfg.url, first.url))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static ALL: std::sync::LazyLock<HashMap<String, Cfg>> = std::sync::LazyLock::new(|| HashMap::from([("a".to_string(), Cfg { url: "ua".into() }), ("b".to_string(), Cfg { url: "ub".into() })]));
    go(ALL.clone(), "a", &cx, t).await
}

}

pub mod many_ways {
use super::*;
use std::collections::{BTreeMap, HashMap};
#[derive(Debug, Clone)]
pub struct Item { name: String, qty: i64 }
#[derive(Clone)]
pub struct Opt { dry: bool, limit: Option<i64>, pick: fn(i64) -> i64 }
$(#[$mark])?
async fn go(items: Vec<Item>, opt: Opt, by: BTreeMap<String, Item>, name: String, (a, b): (Item, String), cx: &Context, t: &Trace) -> Result<String, Failure> {
    let first = items.first().ok_or("none")?;
    let b1 = by.get("b");
    let mut s = String::new();
    for item in &items {
        let n = num(cx, &item.name).await?;
        if n > item.qty && !opt.dry { s += &item.name; }
        if let Some(l) = opt.limit && n > l { break; }
        s += &format!("{}", (opt.pick)(n));
    }
    let best = items.iter().max_by_key(|i| i.qty).ok_or("none")?;
    let ok = sure(cx, &name).await?;
    let m = num(cx, &b).await?;
    Ok(format!("{s} {} {:?} {} {ok} {m} {name} {}", first.name, b1.map(|i| i.qty), best.name, a.qty))
}
fn items() -> Vec<Item> { vec![Item { name: "x".into(), qty: 1 }, Item { name: "y".into(), qty: 3 }, Item { name: "z".into(), qty: 2 }] }
static ITEMS: std::sync::LazyLock<Vec<Item>> = std::sync::LazyLock::new(items);
static BY: std::sync::LazyLock<BTreeMap<String, Item>> = std::sync::LazyLock::new(|| BTreeMap::from([("b".to_string(), Item { name: "bb".into(), qty: 7 })]));
static OPT: Opt = Opt { dry: false, limit: Some(5), pick: |n| n.wrapping_mul(2) };
static PAIR: std::sync::LazyLock<(Item, String)> = std::sync::LazyLock::new(|| (Item { name: "p".into(), qty: 9 }, "bq".to_string()));
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    go(ITEMS.clone(), OPT.clone(), BY.clone(), "nm".to_string(), PAIR.clone(), &cx, t).await
}

}

pub mod boxed_moves {
use super::*;
#[derive(Clone)]
pub struct Order { n: i64 }
$(#[$mark])?
async fn go(o: Box<Order>, cx: &Context, t: &Trace) -> Result<String, Failure> {
    let n = num(cx, "a").await?;
    let o = *o;
    Ok(format!("{n}{}", o.n))
}
static ORDER: std::sync::LazyLock<Box<Order>> = std::sync::LazyLock::new(|| Box::new(Order { n: 3 }));
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    go(ORDER.clone(), &cx, t).await
}

}

pub mod of_an_alias {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ct = cx.ct.clone();
    let n = num(&cx, "n").await?;
    if ct.is_cancelled() { t.note("c"); }
    let m = num(&cx, "m").await?;
    Ok(format!("{n}{m}{}", ct.is_cancelled()))
}

}

pub mod cancelled {
use super::*;
use tokio_util::sync::CancellationToken;
$(#[$mark])?
async fn work(cx: &Context, cancel: CancellationToken, t: &Trace) -> Result<i64, Failure> {
    let mut s = 0;
    for i in 0..2 {
        if cancel.is_cancelled() { break; }
        s += num(cx, "n").await?;
    }
    Ok(s)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = work(&cx, cx.ct.clone(), t).await?;
    static STOP: std::sync::LazyLock<CancellationToken> = std::sync::LazyLock::new(CancellationToken::new);
    let m = work(&cx, STOP.clone(), t).await?;
    Ok(format!("{n}{m}"))
}

}

pub mod two_aliases {
use super::*;
#[derive(Clone, Copy)]
pub struct Ctx<'a> { name: &'a str }
pub struct Opt { n: i64 }
impl Opt { fn new() -> Self { Opt { n: 1 } } }
async fn edit(ctx: &Ctx<'_>, o: Opt) -> i64 { o.n + ctx.name.len() as i64 }
$(#[$mark])?
async fn go(ctx: Ctx<'_>, cx: &Context, t: &Trace) -> Result<i64, Failure> {
    let mut s = 0;
    for i in 0..2 {
        if !sure(cx, "q").await? { continue; }
        s += edit(&ctx, Opt::new()).await;
    }
    Ok(s)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = go(Ctx { name: "abc" }, &cx, t).await?;
    Ok(format!("{n}"))
}

}

pub mod called_once {
use super::*;
$(#[$mark])?
async fn with(cx: &Context, t: &Trace, make: impl FnOnce(i64) -> String + Send) -> Result<String, Failure> {
    let n = num(cx, "n").await?;
    t.effect(n);
    Ok(make(n))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let base = num(&cx, "base").await?;
    let made = with(&cx, t, move |n| format!("{}", n.wrapping_add(base))).await?;
    t.note(&made);
    Ok(made)
}

}

pub mod called_in_a_field {
use super::*;
struct Job { name: String, then: Box<dyn FnOnce(i64) -> i64 + Send + Sync> }
$(#[$mark])?
async fn work(cx: &Context, t: &Trace, job: Job) -> Result<i64, Failure> {
    let n = num(cx, "n").await?;
    t.note(&job.name);
    Ok((job.then)(n))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = work(&cx, t, Job { name: "j".into(), then: Box::new(|n| n.wrapping_add(1)) }).await?;
    Ok(format!("{n}"))
}

}

pub mod builder {
use super::*;
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Query { parts: Vec<String> }
impl Query {
    fn push(mut self, part: &str) -> Self { self.parts.push(part.into()); self }
    fn text(&self) -> String { self.parts.join("&") }
}
$(#[$mark])?
async fn search(cx: &Context, t: &Trace, query: Query) -> Result<String, Failure> {
    let n = num(cx, "limit").await?;
    let full = query.push(&format!("limit={n}"));
    t.note(&full.text());
    let ok = sure(cx, "ok").await?;
    t.effect(ok);
    Ok(full.text())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    search(&cx, t, Query { parts: vec!["a".into()] }).await
}

}

pub mod last {
use super::*;
$(#[$mark])?
async fn newest(cx: &Context, t: &Trace, names: std::vec::IntoIter<String>) -> Result<String, Failure> {
    let ok = sure(cx, "ok").await?;
    t.effect(ok);
    Ok(names.last().unwrap_or_default())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = text(&cx, "a").await?;
    newest(&cx, t, vec![a, "b".to_string()].into_iter()).await
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    shared::run,
    looked_up::run,
    many_ways::run,
    boxed_moves::run,
    of_an_alias::run,
    cancelled::run,
    two_aliases::run,
    called_once::run,
    called_in_a_field::run,
    builder::run,
    last::run
);

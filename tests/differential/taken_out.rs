//! Structs without serde that are put in lists in inner blocks, taken out and replaced; parts that have a form of their own.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
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

pub mod shared_text {
use super::*;
use std::sync::Arc;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s: Arc<str> = text(&cx, "n").await?.into(); let u = s.clone(); sure(&cx, &s).await?; let all: Vec<Arc<str>> = vec![s.clone(), u, "x".into()]; sure(&cx, "r").await?; Ok(format!("{s}{all:?}")) }

}
pub mod shared_keys {
use super::*;
use std::sync::Arc; use std::collections::HashMap;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)] struct Svc { n: i64 }
$(#[$mark])?
async fn one(cx: &Context, known: &HashMap<Arc<str>, Svc>) -> Result<(Arc<str>, Svc), Failure> { let name: Arc<str> = text(cx, "name").await?.into(); let n = num(cx, &format!("{}", known.len())).await?; Ok((name, Svc { n })) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut all: HashMap<Arc<str>, Svc> = HashMap::new(); for i in 0..2 { let (name, s) = one(&cx, &all).await?; all.insert(format!("{name}{i}").into(), s); if !sure(&cx, "more").await? { break; } } let mut v: Vec<_> = all.iter().collect(); v.sort_by_key(|(k, _)| k.to_string()); Ok(format!("{v:?}")) }

}
pub mod shared_part {
use super::*;
use std::sync::Arc;
#[derive(Debug, Clone, PartialEq)] struct Svc { name: Arc<str>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s = Svc { name: t.effect("x".to_string()).into(), n: 1 }; let list = vec![s.clone(), Svc { name: "k".into(), n: 2 }]; sure(&cx, &s.name).await?; sure(&cx, &list[1].name).await?; Ok(format!("{list:?}")) }

}
pub mod shared_option {
use super::*;
use std::sync::Arc;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s: Option<Arc<str>> = Some(t.effect("x".to_string()).into()); let r: &str = s.as_deref().unwrap_or("none"); sure(&cx, r).await?; let p: (Arc<str>, i64) = (s.clone().unwrap(), 2); sure(&cx, "y").await?; Ok(format!("{r}{p:?}")) }

}
pub mod written_parts {
use super::*;
use std::time::Instant;
struct Job { name: String, started: Instant, err: Option<std::num::ParseIntError> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut j = Job { name: t.effect("x".to_string()), started: Instant::now(), err: None }; if let Err(e) = "z".parse::<i64>() { j.err = Some(e); } sure(&cx, &j.name).await?; Ok(format!("{}{}{:?}", j.name, j.started.elapsed().as_secs() < 100, j.err.map(|e| e.to_string()))) }

}
pub mod written_results {
use super::*;
struct Job { name: String, out: std::result::Result<i64, std::io::Error>, kind: std::cmp::Ordering }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let j = Job { name: t.effect("x".to_string()), out: Err(std::io::Error::new(std::io::ErrorKind::NotFound, "gone")), kind: 1.cmp(&2) }; sure(&cx, &j.name).await?; Ok(format!("{}{:?}{:?}", j.name, j.out, j.kind)) }

}
pub mod replaced {
use super::*;
#[derive(Debug)] struct Page { title: String, lines: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut cur = Page { title: "one".into(), lines: vec![] }; let mut done = Vec::new(); for i in 0..2 { let l = text(&cx, "line").await?; cur.lines.push(l); if sure(&cx, "new page?").await? { let old = std::mem::replace(&mut cur, Page { title: format!("{i}"), lines: vec![] }); done.push(old); } } done.push(cur); Ok(format!("{done:?}")) }

}
pub mod field_taken {
use super::*;
#[derive(Debug)] struct Page { title: String, lines: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut cur = Page { title: "one".into(), lines: vec![] }; let mut done: Vec<Vec<String>> = Vec::new(); for i in 0..2 { let l = text(&cx, "line").await?; cur.lines.push(l); if sure(&cx, "new page?").await? { done.push(std::mem::take(&mut cur.lines)); } } done.push(cur.lines); Ok(format!("{done:?}{}", cur.title)) }

}
pub mod swapped {
use super::*;
#[derive(Debug)] struct P { n: i64, s: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut a = P { n: 1, s: "a".into() }; let mut b = P { n: num(&cx, "n").await?, s: "b".into() }; if sure(&cx, "swap").await? { std::mem::swap(&mut a, &mut b); } sure(&cx, &a.s).await?; Ok(format!("{a:?}{b:?}")) }

}
pub mod option_taken {
use super::*;
#[derive(Debug)] struct P { n: i64, s: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut o = Some(P { n: 1, s: "a".into() }); while let Some(p) = o.take() { if sure(&cx, &p.s).await? { o = Some(P { n: p.n + 1, s: format!("{}b", p.s) }); if p.n > 3 { break; } } } Ok(format!("{o:?}")) }

}
pub mod stack {
use super::*;
#[derive(Debug)] struct P { n: i64, s: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut stack = vec![P { n: 2, s: "root".into() }]; let mut seen = vec![]; while let Some(p) = stack.pop() { if p.n > 0 && sure(&cx, &format!("into {}", p.s)).await? { stack.push(P { n: p.n - 1, s: format!("{}l", p.s) }); stack.push(P { n: p.n - 1, s: format!("{}r", p.s) }); } seen.push(p); } Ok(format!("{seen:?}")) }

}
pub mod default_left {
use super::*;
#[derive(Default)] struct D { l: Vec<String>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut d = D { l: vec![t.effect("x".to_string())], n: 1 }; sure(&cx, "r").await?; let old = std::mem::take(&mut d); sure(&cx, "s").await?; d.l.push("k".into()); sure(&cx, &old.l[0]).await?; Ok(format!("{:?}{}{:?}", old.l, old.n, d.l)) }

}
pub mod list_taken {
use super::*;
struct P { s: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut l = vec![P { s: "a".into() }]; l.push(P { s: text(&cx, "s").await? }); let old = std::mem::take(&mut l); sure(&cx, &old[0].s).await?; l.push(P { s: "z".into() }); sure(&cx, "y").await?; let first = l.swap_remove(0); sure(&cx, &first.s).await?; Ok(format!("{}{}{}", old.len(), l.len(), first.s)) }

}
pub mod option_replaced {
use super::*;
#[derive(Debug)] struct P<'a> { s: &'a str, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let name = t.effect("q".to_string()); let mut o = Some(P { s: &name, n: 1 }); let old = o.replace(P { s: "lit", n: 2 }); sure(&cx, "a").await?; let gone = o.take(); sure(&cx, "b").await?; Ok(format!("{old:?}{o:?}{gone:?}")) }

}
pub mod in_a_branch {
use super::*;
#[derive(Debug)] struct Page { title: String, lines: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut cur = Page { title: "one".into(), lines: vec![] }; let mut done = Vec::new(); for i in 0..2 { if sure(&cx, "new page?").await? { let old = Page { title: format!("{i}"), lines: vec![] }; done.push(old); } } done.push(cur); Ok(format!("{done:?}")) }

}
pub mod in_two_branches {
use super::*;
#[derive(Debug)] struct Page<'a> { title: &'a str, lines: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let name = t.effect("n".to_string()); let mut done = Vec::new(); for i in 0..3 { if sure(&cx, "new page?").await? { let lines = vec![format!("{i}")]; let page = Page { title: &name, lines }; if i > 0 { done.push(page); } } else { let page = Page { title: "none", lines: vec![] }; done.push(page); } }  Ok(format!("{done:?}")) }

}
pub mod of_each_name {
use super::*;
#[derive(Debug)] struct Page<'a> { title: &'a str, n: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let names = vec![t.effect("n".to_string()), "m".into()]; let mut done: Vec<Page> = Vec::new(); for name in &names { let page = Page { title: name, n: done.len() }; done.push(page); } for p in &done { sure(&cx, p.title).await?; } Ok(format!("{done:?}")) }

}
pub mod shadowed {
use super::*;
#[derive(Debug, Clone)] struct Page { title: String, n: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let page = Page { title: "outer".into(), n: 9 }; let mut done = Vec::new(); if t.effect(true) { let page = Page { title: "inner".into(), n: 1 }; done.push(page); } done.push(page.clone()); sure(&cx, &page.title).await?; sure(&cx, &done[0].title).await?; Ok(format!("{done:?}{page:?}")) }

}
pub mod variants {
use super::*;
#[derive(Debug, Clone)] enum E { A(String), B { n: i64 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut all = Vec::new(); for k in ["x", "y"] { match num(&cx, k).await? { 0 => { let e = E::A(k.to_string()); all.push(e); } n => { let e = if n > 2 { E::B { n } } else { E::A("small".into()) }; all.push(e); } } } sure(&cx, "end").await?; Ok(format!("{all:?}")) }


}

pub mod lists_of_outcomes {
use super::*;
use std::num::ParseIntError; use std::cmp::Ordering; use std::time::Instant;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let words = [text(&cx, "a").await?, "7".into(), "x".into()];
    let parsed: Vec<Result<i64, ParseIntError>> = words.iter().map(|w| w.parse::<i64>()).collect();
    let rows: Vec<Result<Vec<u16>, ParseIntError>> = vec!["1,2", "3,z"].into_iter().map(|row| row.split(',').map(|n| n.parse::<u16>()).collect()).collect();
    let last = parsed.iter().rev().cloned().next();
    let orders: Vec<Ordering> = words.windows(2).map(|w| w[0].cmp(&w[1])).collect();
    let starts = vec![Instant::now()];
    let mut errors = vec![];
    for p in &parsed { if let Err(e) = p { errors.push(e.clone()); } }
    let n = num(&cx, "n").await?;
    t.effect((&parsed, &rows, &last, &orders, starts.len(), &errors, n));
    let s = sure(&cx, "s").await?;
    Ok(format!("{parsed:?} {rows:?} {last:?} {orders:?} {errors:?} {s}"))
}


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    shared_text::run,
    shared_keys::run,
    shared_part::run,
    shared_option::run,
    written_parts::run,
    written_results::run,
    replaced::run,
    field_taken::run,
    swapped::run,
    option_taken::run,
    stack::run,
    default_left::run,
    list_taken::run,
    option_replaced::run,
    in_a_branch::run,
    in_two_branches::run,
    of_each_name::run,
    shadowed::run,
    variants::run,
    lists_of_outcomes::run
);

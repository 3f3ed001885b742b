//! Functions that return references into what they were given, and structs that refer to what a `&mut` leads to.

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

pub mod filtered {
use super::*;
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [String], q: &str) -> Result<&'a String, Failure> { let hits: Vec<&'a String> = v.iter().filter(|x| x.contains(q)).collect(); if hits.len() == 1 { return Ok(hits[0]); } let n = num(cx, "which").await?; hits.get(n as usize).copied().ok_or_else(|| "none".into()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![t.effect("x".to_string()), "xy".into()]; let a = find(&cx, &v, "y").await?; let b = find(&cx, &v, "x").await; Ok(format!("{a:?}{b:?}")) }

}
pub mod own_type {
use super::*;
#[derive(Serialize, Deserialize, Debug, PartialEq)] struct S { id: String, n: i64 }
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [S], q: &str) -> Result<&'a S, Failure> { let hits: Vec<_> = v.iter().filter(|x| x.id.contains(q)).collect(); if hits.is_empty() { return Err("nothing".into()); } let n = num(cx, "which").await?; Ok(hits[n.rem_euclid(hits.len() as i64) as usize]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![S { id: t.effect("x".to_string()), n: 1 }, S { id: "xy".into(), n: 2 }]; let a = find(&cx, &v, "y").await?; let b = find(&cx, &v, "x").await?; Ok(format!("{a:?}{b:?}")) }

}
pub mod without_serde {
use super::*;
#[derive(Debug, PartialEq)] struct S { id: String, n: i64 }
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [S], q: &str) -> Result<&'a S, Failure> { let hits: Vec<_> = v.iter().filter(|x| x.id.contains(q)).collect(); if hits.is_empty() { return Err("nothing".into()); } let n = num(cx, "which").await?; Ok(hits[n.rem_euclid(hits.len() as i64) as usize]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![S { id: t.effect("x".to_string()), n: 1 }, S { id: "xy".into(), n: 2 }]; let a = find(&cx, &v, "y").await?.n; let b = find(&cx, &v, "x").await?.n; Ok(format!("{a:?}{b:?}")) }

}
pub mod first {
use super::*;
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [String]) -> Result<&'a str, Failure> { let first = v.first().ok_or("none")?; if sure(cx, first).await? { Ok(first) } else { Ok(&v[v.len() - 1]) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![t.effect("x".to_string()), "xy".into()]; let a = find(&cx, &v).await?; Ok(format!("{a:?}")) }

}
pub mod in_a_map {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a BTreeMap<String, Vec<String>>) -> Result<Option<&'a String>, Failure> { let name = text(cx, "name").await?; let Some(list) = v.get(&name).or_else(|| v.get("x")) else { return Ok(None) }; if sure(cx, "last?").await? { return Ok(list.last()); } Ok(list.iter().min()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = BTreeMap::from([("x".to_string(), vec!["b".to_string(), "a".to_string()])]); let a = find(&cx, &v).await?; Ok(format!("{a:?}")) }

}
pub mod of_self {
use super::*;
#[derive(Serialize, Deserialize, Debug, PartialEq)] struct S { id: String, n: i64 }
struct Reg { all: Vec<S> }
impl Reg {
$(#[$mark])?
async fn find(&self, cx: &Context, q: &str) -> Result<&S, Failure> { let hits: Vec<&S> = self.all.iter().filter(|x| x.id.contains(q)).collect(); let n = num(cx, "which").await?; Ok(hits[n.rem_euclid(hits.len() as i64) as usize]) }
$(#[$mark])?
async fn one(&self, cx: &Context, q: &str) -> Result<Option<&S>, Failure> { let hit = self.all.iter().find(|x| x.id.contains(q)); sure(cx, "ok").await?; Ok(hit) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let r = Reg { all: vec![S { id: t.effect("x".to_string()), n: 1 }, S { id: "xy".into(), n: 2 }] }; let a = r.find(&cx, "y").await?.n; let b = r.find(&cx, "x").await?.n; let c = r.one(&cx, "x").await?.map(|s| s.n); Ok(format!("{a:?}{b:?}{c:?}")) }

}
pub mod one_of_them {
use super::*;
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [String], q: &str) -> Result<Option<&'a String>, Failure> { let hit = v.iter().find(|x| x.contains(q)); if let Some(h) = hit { if sure(cx, h).await? { return Ok(Some(h)); } } Ok(None) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![t.effect("x".to_string()), "y".into()]; let a = find(&cx, &v, "y").await?; let b = find(&cx, &v, "x").await?; Ok(format!("{a:?}{b:?}")) }


}
pub mod twice {
use super::*;
struct S { v: Vec<String>, n: i64 }
struct D<'a> { v: &'a [String], k: &'a str }
$(#[$mark])?
async fn go(cx: &Context, s: &mut S) -> Result<(), Failure> { let d = D { v: &s.v, k: s.v[0].trim() }; sure(cx, &d.v[0]).await?; s.n += d.v.len() as i64; sure(cx, d.k).await?; s.v.clear(); let d = D { v: &s.v, k: "k" }; sure(cx, d.k).await?; s.v.push(d.k.to_string()); Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut s = S { v: vec!["a".into()], n: 1 }; go(&cx, &mut s).await?; Ok(format!("{}{:?}", s.n, s.v)) }

}
pub mod in_a_loop {
use super::*;
struct S { v: Vec<String>, seen: Vec<String> }
struct D<'a> { v: &'a str, n: usize }
impl S {
$(#[$mark])?
async fn go(&mut self, cx: &Context) -> Result<(), Failure> { for i in 0..self.v.len() { let d = D { v: &self.v[i], n: i }; if sure(cx, d.v).await? { let line = format!("{}{}", d.v, d.n); self.seen.push(line); self.v[i].push('!'); } } Ok(()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut s = S { v: vec!["a".into(), "b".into()], seen: vec![] }; s.go(&cx).await?; Ok(format!("{:?}{:?}", s.v, s.seen)) }

}
pub mod given_on {
use super::*;
struct S { v: Vec<String>, log: Vec<String> }
struct D<'a> { title: &'a str, items: &'a [String] }
$(#[$mark])?
async fn show(cx: &Context, d: &D<'_>) -> Result<i64, Failure> { let n = num(cx, d.title).await?; let m = num(cx, &d.items.join(",")).await?; Ok(n + m) }
$(#[$mark])?
async fn go(cx: &Context, s: &mut S) -> Result<(), Failure> { let k = show(cx, &D { title: "t", items: &s.v }).await?; s.log.push(k.to_string()); let d = D { title: &s.log[0], items: &s.v[1..] }; let k = show(cx, &d).await?; s.log.push(k.to_string()); Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut s = S { v: vec!["a".into(), "b".into()], log: vec![] }; go(&cx, &mut s).await?; Ok(format!("{:?}", s.log)) }

}
pub mod in_a_list {
use super::*;
struct S { v: Vec<String> }
struct Opt<'a> { name: &'a str, picked: bool }
impl S {
$(#[$mark])?
async fn go(&mut self, cx: &Context) -> Result<usize, Failure> { let mut opts = Vec::new(); for v in &self.v { opts.push(Opt { name: v, picked: false }); } for i in 0..opts.len() { opts[i].picked = sure(cx, opts[i].name).await?; } let keep: Vec<String> = opts.iter().filter(|o| o.picked).map(|o| o.name.to_string()).collect(); self.v = keep; sure(cx, "end").await?; Ok(self.v.len()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut s = S { v: vec!["a".into(), "b".into()] }; let n = s.go(&cx).await?; Ok(format!("{n}{:?}", s.v)) }

}
pub mod of_an_argument {
use super::*;
struct D<'a> { last: Option<&'a String>, n: usize }
$(#[$mark])?
async fn go(cx: &Context, v: &mut Vec<String>) -> Result<(), Failure> { let d = D { last: v.last(), n: v.len() }; let ok = sure(cx, d.last.map_or("none", |s| s)).await?; if ok && d.n > 0 { v.pop(); } sure(cx, "x").await?; v.push("z".into()); Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut v = vec!["a".to_string()]; go(&cx, &mut v).await?; go(&cx, &mut v).await?; Ok(format!("{v:?}")) }


}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    filtered::run,
    own_type::run,
    without_serde::run,
    first::run,
    in_a_map::run,
    of_self::run,
    one_of_them::run,
    twice::run,
    in_a_loop::run,
    given_on::run,
    in_a_list::run,
    of_an_argument::run
);

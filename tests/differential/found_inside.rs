//! References to what a block's own variables have in them: they are found again there, and what changes behind them is seen by all.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

/// What changes behind a reference, and is not stored: a copy would show that it is one.
#[derive(Debug, Serialize, Deserialize)]
struct Host {
    name: String,
    #[serde(skip)]
    hits: std::sync::Mutex<u32>,
}

fn host(name: &str) -> Host {
    Host {
        name: name.into(),
        hits: Default::default(),
    }
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod first_of_a_list {
use super::*;
#[derive(Serialize, Deserialize)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut hosts = Vec::new();
    hosts.push(host("a")); hosts.push(host("b"));
    let first = hosts.first().unwrap();
    sure(&cx, "hit?").await?;
    *first.hits.lock().unwrap() += 1;
    let n = *hosts[0].hits.lock().unwrap();
    Ok(format!("{} {n}", first.name))
}

}
pub mod by_own_functions {
use super::*;
fn pick<'a>(a: &'a Host, b: &'a Host) -> &'a Host { if a.name > b.name { a } else { b } }
fn busiest(hosts: &[Host]) -> Option<&Host> { hosts.iter().max_by_key(|h| h.name.len()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = host("a"); let b = host("b");
    let hosts = vec![host("x"), host("yy"), host("z")];
    let one = pick(&a, &b);
    let other = busiest(&hosts);
    sure(&cx, "hit?").await?;
    *one.hits.lock().unwrap() += 1;
    if let Some(o) = other { *o.hits.lock().unwrap() += 3; }
    let (x, y, z) = (*a.hits.lock().unwrap(), *b.hits.lock().unwrap(), *hosts[1].hits.lock().unwrap());
    Ok(format!("{} {x} {y} {z}", one.name))
}

}
pub mod assigned_in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![host("x"), host("yy"), host("z")];
    let mut best: Option<&Host> = None;
    for h in &hosts {
        if sure(&cx, &h.name).await? { best = Some(h); }
    }
    sure(&cx, "hit?").await?;
    if let Some(b) = best { *b.hits.lock().unwrap() += 1; }
    let all: Vec<u32> = hosts.iter().map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{all:?}"))
}

}
pub mod collected_in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![host("x"), host("yy"), host("z")];
    let mut best = None;
    let mut all = Vec::new();
    for h in hosts.iter() {
        if sure(&cx, &h.name).await? { best = Some(h); all.push(h); }
    }
    sure(&cx, "hit?").await?;
    if let Some(b) = best { *b.hits.lock().unwrap() += 1; }
    for h in &all { *h.hits.lock().unwrap() += 10; }
    let all: Vec<u32> = hosts.iter().map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{all:?}"))
}

}
pub mod values_of_maps {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut by = std::collections::BTreeMap::new();
    by.insert("x".to_string(), host("x")); by.insert("y".to_string(), host("y"));
    let hash: std::collections::HashMap<u32, Host> = [(1, host("p")), (2, host("q"))].into_iter().collect();
    let got = by.get("y").unwrap();
    let (key, low) = by.iter().next().unwrap();
    let p = hash.values().find(|h| h.name == "p").unwrap();
    sure(&cx, "hit?").await?;
    *got.hits.lock().unwrap() += 1; *low.hits.lock().unwrap() += 2; *p.hits.lock().unwrap() += 4;
    let all: Vec<u32> = by.values().chain(hash.values()).map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{} {key}", all.iter().sum::<u32>()))
}

}
pub mod other_containers {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let maybe = Some(host("x"));
    let boxed = Box::new(host("b"));
    let spare = host("s");
    let q: std::collections::VecDeque<Host> = [host("q"), host("r")].into();
    let arr = [host("1"), host("2")];
    let it = maybe.as_ref().filter(|h| h.name.len() == 2).unwrap_or(&spare);
    let r = q.back().unwrap();
    let two = arr.iter().rev().next().unwrap();
    let b: &Host = &boxed;
    sure(&cx, "hit?").await?;
    for (i, h) in [it, r, two, b].iter().enumerate() { *h.hits.lock().unwrap() += 1 + i as u32; }
    let all: Vec<u32> = [maybe.as_ref().unwrap(), &spare, &q[0], &q[1], &arr[0], &arr[1], &boxed].iter().map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{all:?}"))
}

}
pub mod assigned_twice {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut hosts = vec![host("x"), host("yy"), host("z")];
    let mut total = 0;
    let mut cur = &hosts[0];
    if sure(&cx, "second?").await? { cur = &hosts[1]; }
    sure(&cx, "hit?").await?;
    *cur.hits.lock().unwrap() += 1;
    for h in &hosts { total += *h.hits.lock().unwrap(); }
    hosts.push(host("w"));
    for h in &hosts { *h.hits.lock().unwrap() = 0; }
    sure(&cx, "go?").await?;
    let cur = hosts.last().unwrap();
    sure(&cx, "hit?").await?;
    *cur.hits.lock().unwrap() += 7;
    Ok(format!("{total} {}", *hosts[3].hits.lock().unwrap()))
}

}
pub mod in_an_inner_block {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut out = String::new();
    for round in 0..2 {
        let hosts = vec![host("x"), host("yy"), host("z")];
        let pick = match num(&cx, "which?").await? { n if n >= 0 && (n as usize) < hosts.len() => &hosts[n as usize], _ => &hosts[0] };
        while sure(&cx, "hit?").await? { *pick.hits.lock().unwrap() += 1; if *pick.hits.lock().unwrap() > 1 { break; }
          for h in &hosts { *h.hits.lock().unwrap() %= 1; } }
        let all: Vec<u32> = hosts.iter().map(|h| { let n = *h.hits.lock().unwrap(); n }).collect();
        out += &format!("{all:?}");
    }
    Ok(out)
}


}
pub mod found {
use super::*;
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, hits: std::sync::atomic::AtomicU32 }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![host("a"), host("b"), host("c")];
    let chosen = hosts.iter().find(|h| h.name == "b").ok_or("none")?;
    if sure(&cx, "hit?").await? { chosen.hits.fetch_add(1, std::sync::atomic::Ordering::SeqCst); }
    sure(&cx, "more?").await?;
    chosen.hits.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    Ok(format!("{} {}", chosen.name, hosts.iter().map(|h| h.hits.load(std::sync::atomic::Ordering::SeqCst)).sum::<u32>()))
}


}
pub mod by_index {
use super::*;
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
#[derive(Serialize, Deserialize)]
struct Team { hosts: Vec<Host>, lead: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let team = Team { hosts: vec![host("x"), host("yy"), host("z")], lead: 1 };
    let lead = &team.hosts[team.lead];
    let last = team.hosts.last();
    sure(&cx, "hit?").await?;
    *lead.hits.lock().unwrap() += 1;
    sure(&cx, "again?").await?;
    if let Some(l) = last { *l.hits.lock().unwrap() += 5; }
    let all: Vec<u32> = team.hosts.iter().map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{} {all:?}", lead.name))
}


}
pub mod collected {
use super::*;
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![host("x"), host("yy"), host("z")];
    let short: Vec<&Host> = hosts.iter().filter(|h| h.name.len() == 1).collect();
    let one = short[0];
    sure(&cx, "hit?").await?;
    for h in &short { *h.hits.lock().unwrap() += 1; }
    *one.hits.lock().unwrap() += 10;
    sure(&cx, "again?").await?;
    *short[1].hits.lock().unwrap() += 100;
    let all: Vec<u32> = hosts.iter().map(|h| *h.hits.lock().unwrap()).collect();
    Ok(format!("{all:?} {}", short.len()))
}

}
pub mod outlives_the_list {
use super::*;
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
struct Row { name: String, n: u32 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let rows = vec![Row { name: "a".into(), n: 1 }, Row { name: "b".into(), n: 2 }];
    let best = rows.iter().max_by_key(|r| r.n).unwrap();
    sure(&cx, "one?").await?;
    let n = rows.len();
    sure(&cx, "two?").await?;
    t.note(&best.name);
    let mut again = 0;
    while again < 2 { if sure(&cx, &best.name).await? { break; } again += 1; }
    Ok(format!("{n} {best:?} {again}"))
}

}
pub mod outlives_it_in_a_branch {
use super::*;
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
struct Row { name: String, n: u32 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let rows = vec![Row { name: "a".into(), n: 1 }, Row { name: "b".into(), n: 2 }];
    let mut best = &rows[0];
    let mut seen = Vec::new();
    for round in 0..3 {
        if sure(&cx, "other?").await? {
            for r in &rows { if r.n > best.n { best = r; } }
            seen.push(best);
        }
        sure(&cx, &format!("{} {}", best.name, seen.len())).await?;
    }
    sure(&cx, "end?").await?;
    Ok(format!("{best:?} {seen:?}"))
}

}
pub mod given_away {
use super::*;
#[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
struct Row { name: String, n: u32 }
$(#[$mark])?
async fn show(cx: &Context, row: &Row, all: &[&Row]) -> Result<usize, Failure> { sure(cx, &row.name).await?; sure(cx, "all").await?; Ok(all.len()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let rows = vec![Row { name: "a".into(), n: 1 }, Row { name: "b".into(), n: 2 }];
    let some: Vec<&Row> = rows.iter().filter(|r| r.n > 0).collect();
    let first = some.first().copied().unwrap();
    let k = show(&cx, first, &some).await?;
    let m = show(&cx, some[1], &[first]).await?;
    let owned = rows.clone();
    drop(some);
    let moved = rows;
    Ok(format!("{k} {m} {} {}", owned.len(), moved.len()))
}


}
pub mod shadowed_by_a_closure {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)] struct Plan { name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plan = Some(Plan { name: "a".into() });
    let name = plan.as_ref().map_or(String::new(), |plan| plan.name.clone());
    sure(&cx, "q").await?;
    Ok(format!("{name}{plan:?}"))
}

}
pub mod shadowed_by_patterns {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)] struct Plan { n: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let b = Some(Plan { n: "a".into() });
    sure(&cx, if let Some(b) = &b { &b.n } else { "none" }).await?;
    sure(&cx, match &b { Some(b) if b.n.len() > 1 => &b.n, _ => "short" }).await?;
    sure(&cx, { let b = b.as_ref().unwrap(); &b.n }).await?;
    sure(&cx, b.as_ref().map_or("none", |b| &b.n)).await?;
    let n = match &b { Some(b) => b.n.len(), None => 0 };
    let name = if let Some(b) = &b { b.n.clone() } else { "x".into() };
    let x = vec![(1, "a".to_string())];
    let names: Vec<&str> = x.iter().map(|x| x.1.as_str()).collect();
    let c = b.as_ref();
    let m = c.map_or("none", |c| &c.n);
    sure(&cx, "q").await?;
    Ok(format!("{n} {name} {names:?} {m} {b:?} {x:?}"))
}

}
pub mod shadowed_in_loops {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)] struct User { name: String, tags: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let user = Some(User { name: "u".into(), tags: vec!["a".into(), "b".into()] });
    let mut best = None;
    for tag in user.iter().flat_map(|user| &user.tags) { if sure(&cx, tag).await? { best = Some(tag); } }
    let name = { let Some(user) = &user else { return Ok("no".into()) }; let user = user.clone(); user.name };
    while let Some(user) = &user { if sure(&cx, &user.name).await? { break; } t.effect(&user.tags.len()); break; }
    sure(&cx, "end").await?;
    Ok(format!("{best:?} {name} {user:?}"))
}

}
pub mod listed {
use super::*;
#[derive(Debug, Default, Serialize, Deserialize)] struct P { n: u32, #[serde(skip)] hits: std::sync::atomic::AtomicU32 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    use std::sync::atomic::Ordering::SeqCst;
    let s = "a".to_string(); let out = vec![&s];
    let v = vec![P::default(), P::default()];
    let o: Vec<Option<&P>> = vec![v.first(), None];
    let pair = [&v[0], &v[1]];
    sure(&cx, "q").await?;
    t.effect(&std::ptr::eq(out[0], &s));
    o[0].unwrap().hits.fetch_add(1, SeqCst);
    pair[1].hits.fetch_add(5, SeqCst);
    t.effect(&v[0].hits.load(SeqCst));
    t.effect(&v[1].hits.load(SeqCst));
    Ok(s.clone())
}

}
pub mod put_by_a_helper {
use super::*;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
#[derive(Debug, Default, Serialize, Deserialize)] struct P { n: u32, #[serde(skip)] hits: AtomicU32 }
$(#[$mark])?
async fn put<'a>(cx: &Context, s: &'a P, out: &mut Vec<&'a P>) -> Result<(), Failure> { out.push(s); sure(cx, "q").await?; Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let s = P::default();
    let mut out = vec![];
    put(&cx, &s, &mut out).await?;
    out[0].hits.fetch_add(1, SeqCst);
    t.effect(&s.hits.load(SeqCst));
    Ok("".into())
}

}
pub mod of_a_reference_that_is_replaced {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (v, w) = (vec![1], vec![2]);
    let mut list = &v;
    let r = &list[0];
    if sure(&cx, "q").await? { list = &w; }
    t.effect(r);
    Ok(format!("{list:?}"))
}

}
pub mod of_a_list_that_is_shadowed {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![host("a"), host("b")];
    let first = &hosts[0];
    let hosts = vec![host("c")];
    let second = &hosts[0];
    let first = if sure(&cx, "second?").await? { second } else { first };
    sure(&cx, "more?").await?;
    *first.hits.lock().unwrap() += 1;
    Ok(format!("{} {}", first.name, *hosts[0].hits.lock().unwrap()))
}

}
pub mod of_one_of_two_lists {
use super::*;
fn pick<'a>(a: &'a [Host], b: &'a [Host], first: bool) -> &'a Host { if first { &a[0] } else { &b[0] } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = vec![host("a")]; let b = vec![host("b")];
    let got = pick(&a, &b, sure(&cx, "a?").await?);
    sure(&cx, "1").await?;
    t.effect(&a.len());
    sure(&cx, "2").await?;
    *got.hits.lock().unwrap() += 1;
    let n = *b[0].hits.lock().unwrap();
    Ok(format!("{} {n}", got.name))
}

}
pub mod of_a_list_that_moves {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Row { n: u32 }
fn total(rows: Vec<Row>) -> u32 { rows.iter().map(|r| r.n).sum() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1 }, Row { n: 5 }];
    let mut out = String::new();
    for i in 0..2 {
        let top = rows.iter().max_by_key(|r| r.n).unwrap();
        if sure(&cx, &format!("{top:?}")).await? { out += &format!("{}", top.n); }
        let n = top.n;
        rows.push(Row { n: n + 1 });
        sure(&cx, "go").await?;
    }
    let last = rows.last().cloned();
    let sum = total(rows);
    Ok(format!("{out} {sum} {last:?}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    first_of_a_list::run,
    by_own_functions::run,
    assigned_in_a_loop::run,
    collected_in_a_loop::run,
    values_of_maps::run,
    other_containers::run,
    assigned_twice::run,
    in_an_inner_block::run,
    found::run,
    by_index::run,
    collected::run,
    outlives_the_list::run,
    outlives_it_in_a_branch::run,
    given_away::run,
    shadowed_by_a_closure::run,
    shadowed_by_patterns::run,
    shadowed_in_loops::run,
    listed::run,
    put_by_a_helper::run,
    of_a_reference_that_is_replaced::run,
    of_a_list_that_is_shadowed::run,
    of_one_of_two_lists::run,
    of_a_list_that_moves::run
);

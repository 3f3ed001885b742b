//! References to what a block's own variables have in them: they are found again there, and what changes behind them is seen by all.

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

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn num(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            $(#[$mark])?
            async fn text(cx: &Context, question: &str) -> Result<String, Failure> {
                Ok(cx.peer.elicit::<Text>(question).await?.map_or_else(String::new, |answer| answer.text))
            }

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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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
#[derive(Serialize, Deserialize, Debug)]
struct Host { name: String, #[serde(skip)] hits: std::sync::Mutex<u32> }
fn host(n: &str) -> Host { Host { name: n.into(), hits: Default::default() } }
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

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

pub(super) fn all() -> Vec<Case> {
    macro_rules! cases {
        ($($name:ident),*) => {
            vec![$(Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name::run(cx, t)),
                saga: |cx, t| Box::pin(saga::$name::run(cx, t)),
            }),*]
        };
    }
    cases!(
        first_of_a_list,
        by_own_functions,
        assigned_in_a_loop,
        collected_in_a_loop,
        values_of_maps,
        other_containers,
        assigned_twice,
        in_an_inner_block,
        found,
        by_index,
        collected,
        outlives_the_list,
        outlives_it_in_a_branch,
        given_away
    )
}

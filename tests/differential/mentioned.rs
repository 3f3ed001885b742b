//! What a macro of the body mentions, what is returned as it is, and values of std without serde.

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

pub mod by_macros {
use super::*;
$(#[$mark])?
async fn go(cx: &Context, t: &Trace, limit: i64, mut log: Vec<i64>, names: &[String]) -> Result<i64, Failure> {
    macro_rules! log { () => { t.note("logged") }; }
    macro_rules! first { () => { names.first().map_or("none", String::as_str) }; }
    let y = num(&cx, "y").await?;
    log!(); t.note(first!());
    t.effect(y);
    log.push(y);
    let n = num(&cx, "n").await?;
    log.push(n + limit);
    log!(); t.note(first!());
    Ok(log.iter().sum())
}
struct Srv { name: String, n: u8 }
impl Srv {
$(#[$mark])?
async fn go(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
    macro_rules! me { () => { t.note(&format!("{}", self.name)) }; }
    let y = num(&cx, "y").await?;
    me!();
    let n = num(&cx, "n").await?;
    me!();
    Ok(y + n)
}
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = [text(&cx, "n").await?];
    let a = go(&cx, t, 3, vec![1], &names).await?;
    static S: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { name: "s".into(), n: 1 });
    let b = S.go(&cx, t).await?;
    Ok(format!("{a} {b}"))
}

}

pub mod by_value {
use super::*;
$(#[$mark])?
async fn go(cx: &Context, t: &Trace, limit: i64, name: String) -> Result<i64, Failure> {
    macro_rules! over { () => { limit > 1 || name.len() > 3 }; }
    let y = num(&cx, "y").await?;
    t.effect(over!());
    let n = num(&cx, "n").await?;
    t.effect(over!());
    Ok(n)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = go(&cx, t, 3, "x".into()).await?;
    Ok(format!("{a}"))
}

}

pub mod returned {
use super::*;
use std::collections::BTreeMap;
#[derive(serde::Serialize, serde::Deserialize, Debug, Clone)]
pub struct Component { name: String, on: bool }
fn defaults(c: &[Component]) -> BTreeMap<usize, &Component> { c.iter().enumerate().filter(|(_, c)| c.on).collect() }
$(#[$mark])?
async fn pick<'c>(components: &'c [Component], cx: &Context) -> Result<BTreeMap<usize, &'c Component>, Failure> {
    let choice = num(cx, "q").await?;
    let selection = match choice {
        1 => defaults(components),
        2 => components.iter().enumerate().filter(|(_, c)| !c.on).collect(),
        _ => {
            let k = num(cx, "k").await?;
            components.iter().enumerate().filter(|(i, c)| *i as i64 == k || c.on).collect()
        }
    };
    Ok(selection)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static C: std::sync::LazyLock<Vec<Component>> = std::sync::LazyLock::new(|| vec![Component { name: "a".into(), on: true }, Component { name: "b".into(), on: false }]);
    let c: &Vec<Component> = &C;
    let p = pick(c, &cx).await?;
    t.effect(p.values().map(|c| &c.name).collect::<Vec<_>>());
    Ok(format!("{}", p.len()))
}

}

pub mod of_none {
use super::*;
use std::collections::BTreeMap;
pub struct Component { name: String, on: bool }
fn defaults(c: &[Component]) -> BTreeMap<usize, &Component> { c.iter().enumerate().filter(|(_, c)| c.on).collect() }
$(#[$mark])?
async fn pick<'c>(components: &'c [Component], cx: &Context) -> Result<BTreeMap<usize, &'c Component>, Failure> {
    let choice = num(cx, "q").await?;
    let selection = match choice {
        1 => defaults(components),
        2 => components.iter().enumerate().filter(|(_, c)| !c.on).collect(),
        _ => {
            let k = num(cx, "k").await?;
            components.iter().enumerate().filter(|(i, c)| *i as i64 == k || c.on).collect()
        }
    };
    Ok(selection)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static C: std::sync::LazyLock<Vec<Component>> = std::sync::LazyLock::new(|| vec![Component { name: "a".into(), on: true }, Component { name: "b".into(), on: false }]);
    let c: &Vec<Component> = &C;
    let p = pick(c, &cx).await?;
    t.effect(p.values().map(|c| &c.name).collect::<Vec<_>>());
    Ok(format!("{}", p.len()))
}

}

pub mod kinds {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let s = text(&cx, "k").await?;
    let kind = match s.parse::<i64>() { Ok(_) => None, Err(e) => Some(e.kind().clone()) };
    let io = std::io::ErrorKind::NotFound;
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{kind:?} {io:?} {ok}"))
}

}

pub mod grids {
use super::*;
$(#[$mark])?
async fn grid<const W: usize, const H: usize>(cx: &Context, t: &Trace) -> Result<i64, Failure> {
    let mut g = [[0i64; W]; H];
    for y in 0..H { for x in 0..W { let n = num(cx, "n").await?; g[y][x] = n; if n > 2 { break; } } }
    t.effect(g);
    let rows = g.map(|row| row.iter().sum::<i64>());
    let ok = sure(cx, "ok").await?;
    Ok(rows.iter().sum::<i64>() + ok as i64)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = grid::<2, 3>(&cx, t).await?;
    Ok(format!("{n}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_macros::run,
    by_value::run,
    returned::run,
    of_none::run,
    kinds::run,
    grids::run
);

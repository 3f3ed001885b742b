//! What a `match` gives back as it is, what is imported elsewhere in the function, lists that the name of a constructor makes,
//! and parts of what is awaited in the arguments of a call.

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

pub mod state_that_stays {
use super::*;
#[derive(Debug, Clone, PartialEq)] enum Mode { Fast, Slow(u32), Named { n: String } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {

    let mut m = if sure(&cx, "fast").await? { Mode::Fast } else { Mode::Slow(2) };
    num(&cx, "n").await?;
    m = match m { Mode::Fast => Mode::Slow(1), other => other };
    num(&cx, "m").await?;
    Ok(format!("{m:?}"))
}

}
pub mod other_as_it_is {
use super::*;
#[derive(Debug, Clone, PartialEq)] enum Mode { Fast, Slow(u32), Named { n: String } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {

    let mut m = if sure(&cx, "fast").await? { Mode::Fast } else { Mode::Slow(2) };
    num(&cx, "n").await?;
    let m = match m { Mode::Fast => Mode::Slow(1), Mode::Slow(n) => Mode::Named { n: n.to_string() }, other => other };
    num(&cx, "m").await?;
    Ok(format!("{m:?}"))
}

}
pub mod given_round {
use super::*;
#[derive(Debug)] enum Mode { Fast, Slow(u32), Named { n: String }, Extra }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut a = if sure(&cx, "fast").await? { Mode::Fast } else { Mode::Extra };
    let mut b = Mode::Named { n: "b".to_string() };
    for turn in 0..3 {
        let kept = match a { Mode::Fast => Mode::Slow(9), other => other };
        num(&cx, "k").await?;
        a = match b { Mode::Named { n } => Mode::Slow(n.len() as u32), other => other };
        b = match kept { Mode::Slow(n) => Mode::Slow(n + 1), other => other };
        sure(&cx, "x").await?;
        t.effect(format!("{turn}{a:?}{b:?}"));
    }
    Ok(format!("{a:?}{b:?}"))
}

}
pub mod imported_before {
use super::*;
#[derive(Debug, Clone, PartialEq)] enum Mode { Fast, Slow(u32), Named { n: String } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    { use Mode::*; let m = Slow(2); t.effect(format!("{m:?}")); sure(&cx, "in").await?; use std::fmt::Write as _; let mut s = String::new(); write!(s, "x").unwrap(); t.effect(s); }
    let mut m = if sure(&cx, "fast").await? { Mode::Fast } else { Mode::Slow(2) };
    num(&cx, "n").await?;
    m = match m { Mode::Fast => Mode::Slow(1), Mode::Slow(n) => Mode::Named { n: n.to_string() }, other => other };
    num(&cx, "m").await?;
    Ok(format!("{m:?}"))
}

}
pub mod trait_imported {
use super::*;
#[derive(Debug, Clone, PartialEq)] enum Mode { Fast, Slow(u32), Named { n: String } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    { use std::fmt::Write as _; let mut s = String::new(); sure(&cx, "in").await?; write!(s, "x").unwrap(); t.effect(s); }
    let mut m = if sure(&cx, "fast").await? { Mode::Fast } else { Mode::Slow(2) };
    num(&cx, "n").await?;
    m = match m { Mode::Fast => Mode::Slow(1), Mode::Slow(n) => Mode::Named { n: n.to_string() }, other => other };
    num(&cx, "m").await?;
    Ok(format!("{m:?}"))
}

}
pub mod made_by_a_name {
use super::*;
#[derive(Debug, Clone)] struct Row(String);
#[derive(Debug)] struct Shown<'a>(&'a str);
#[derive(Debug)] enum Step { Say(i64), Stop }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = vec!["a".to_string(), "b".into()];
    let rows = names.iter().cloned().map(Row).collect::<Vec<_>>();
    let shown: Vec<Shown> = names.iter().map(String::as_str).map(Shown).collect();
    let mut steps: Vec<Step> = (0..2).map(Step::Say).collect();
    steps.push(Step::Stop);
    let n = num(&cx, "n").await?;
    t.effect(format!("{rows:?}{shown:?}{n}"));
    for step in steps { if let Step::Say(n) = step { sure(&cx, &format!("{n}")).await?; } }
    let some: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    sure(&cx, "end").await?;
    Ok(format!("{some:?}"))
}

}
pub mod parts_of_what_is_awaited {
use super::*;
struct Loaded { name: String, size: i64 }
async fn open(t: &Trace) -> Result<Loaded, Failure> { t.fetch("open").await; Ok(Loaded { name: "n".into(), size: 2 }) }
fn parse(s: &str) -> Result<Loaded, Failure> { Ok(Loaded { name: s.into(), size: 3 }) }
async fn load(name: String, n: i64) -> Result<String, Failure> { Ok(format!("{name}{n}")) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = load(cx.peer.elicit::<Text>("ask 3").await?.ok_or("none")?.text, 3).await?;
    let b = load(open(t).await?.name, open(t).await?.size).await?;
    let c = load(parse(&a)?.name, num(&cx, "k").await?).await?;
    Ok(format!("{a:?}{b}{c}"))
}

}

pub mod pieces_of_an_argument {
use super::*;
$(#[$mark])?
async fn select<'a>(cx: &Context, q: &str, options: Vec<&'a str>) -> Result<&'a str, Failure> {
    let n = num(cx, q).await?;
    options.get(n.rem_euclid(options.len() as i64) as usize).copied().ok_or_else(|| "none".into())
}
$(#[$mark])?
async fn pick<'a>(cx: &Context, q: &str, options: Vec<&'a String>, t: &Trace) -> Result<&'a String, Failure> {
    let n = num(cx, q).await?;
    t.effect(&options);
    match n { n if n >= 0 => Ok(options[n as usize % options.len()]), _ => Err("none".into()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let list = vec![text(&cx, "a").await?, text(&cx, "b").await?];
    let one = select(&cx, "which", list.iter().map(|s| s.as_str()).collect()).await?;
    let two = select(&cx, "which2", vec!["x", "y"]).await?;
    let options: Vec<&String> = list.iter().collect();
    let three = pick(&cx, "which3", options, t).await?;
    let four = pick(&cx, "which4", list.iter().rev().collect(), t).await?;
    let s = sure(&cx, "s").await?;
    Ok(format!("{one} {two} {three} {four} {s}"))
}

}
pub mod items_of_an_argument {
use super::*;
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, Serialize, Deserialize)] struct Plan { name: String, n: i64 }
$(#[$mark])?
async fn choose<'a, T: std::fmt::Debug>(cx: &Context, q: &str, options: Vec<&'a T>) -> Result<Option<&'a T>, Failure> {
    if options.is_empty() { return Ok(None); }
    let n = num(cx, q).await?;
    Ok(options.into_iter().nth(n.unsigned_abs() as usize % 3))
}
$(#[$mark])?
async fn best<'a>(cx: &Context, pair: (&'a Plan, &'a Plan), t: &Trace) -> Result<&'a Plan, Failure> {
    let first = sure(cx, "first").await?;
    t.effect((pair.0.n, pair.1.n));
    Ok(if first { pair.0 } else { pair.1 })
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), n: 1 }, Plan { name: "b".into(), n: num(&cx, "n").await? }];
    let one = choose(&cx, "which", plans.iter().filter(|p| p.n > 0).collect()).await?;
    let two = best(&cx, (&plans[0], &plans[1]), t).await?;
    let s = sure(&cx, "s").await?;
    Ok(format!("{one:?} {two:?} {s}"))
}


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    state_that_stays::run,
    other_as_it_is::run,
    given_round::run,
    imported_before::run,
    trait_imported::run,
    made_by_a_name::run,
    parts_of_what_is_awaited::run,
    pieces_of_an_argument::run,
    items_of_an_argument::run
);

//! Answers that are only `Deserialize`: as operands, and as values of blocks, branches and loops.

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

pub mod operand_of_an_async_block {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = (async { cx.peer.elicit::<Text>("a").await }.await)?.ok_or("none")?.text == text(&cx, "b").await?;
    Ok(format!("end {a}"))
}

}

pub mod operand {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = cx.peer.elicit::<Text>("a").await?.ok_or("none")?.text == text(&cx, "b").await?;
    Ok(format!("end {a}"))
}

}

pub mod operand_in_time {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = tokio::time::timeout(std::time::Duration::from_secs(3600), cx.peer.elicit::<Text>("a")).await.map_err(|_| "late")??.ok_or("none")?.text == text(&cx, "b").await?;
    Ok(format!("end {a}"))
}

}

pub mod operand_of_a_match {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = (match tokio::time::timeout(std::time::Duration::from_secs(3600), cx.peer.elicit::<Text>("x")).await { Ok(answer) => answer, Err(_) => Ok(None) })?.ok_or("none")?.text == text(&cx, "b").await?;
    let b = tokio::time::timeout(std::time::Duration::from_secs(3600), cx.peer.elicit::<Text>("y")).await??.ok_or("none")?.text == cx.peer.elicit::<Text>("z").await?.ok_or("none")?.text;
    Ok(format!("end {a} {b}"))
}

}

pub mod operands_looked_at {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = cx.peer.elicit::<Text>("x").await?.ok_or("none")?.text.trim() == text(&cx, "b").await?.trim();
    let b = cx.peer.elicit::<Text>("x2").await?.ok_or("none")?.text; let b = b.eq_ignore_ascii_case(&text(&cx, "b2").await?);
    let c = cx.peer.elicit::<Count>("n").await?.ok_or("none")?.n < num(&cx, "b3").await?;
    Ok(format!("end {a} {b} {c}"))
}

}

pub mod of_async_blocks {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = async { cx.peer.elicit::<Text>("a").await }.await?.ok_or("none")?;
    let n = num(&cx, "n").await?;
    let second = (async { cx.peer.elicit::<Text>("a2").await }).await?.ok_or("none")?.text;
    let s = sure(&cx, "s").await?;
    Ok(format!("end {} {n} {second} {s}", first.text))
}

}

pub mod of_a_block {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = { let q = t.effect("q"); cx.peer.elicit::<Text>(q).await?.ok_or("none")? };
    let n = num(&cx, "n").await?;
    Ok(format!("end {} {n}", a.text))
}

}

pub mod of_a_branch {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let a = if n > 1 { cx.peer.elicit::<Text>("many").await?.ok_or("no")? } else { return Ok("end".into()) };
    let m = num(&cx, "m").await?;
    Ok(format!("end {:?} {n} {m}", a.text))
}

}

pub mod of_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut got = vec![];
    let a = loop { let a = cx.peer.elicit::<Text>(format!("again {}", got.len())).await?.ok_or("no")?; got.push(a.text.len()); if a.text.len() > 2 || got.len() > 2 { break a; } };
    let m = num(&cx, "m").await?;
    Ok(format!("end {:?} {m} {got:?}", a.text))
}

}

pub mod of_a_break_behind_a_continue {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = 0;
    let form = loop {
        let form = cx.peer.elicit::<Text>(format!("again {n}")).await?.ok_or("no")?;
        n += 1;
        if form.text.len() < 3 && n < 3 { t.note("short"); continue; }
        break form;
    };
    let m = num(&cx, "m").await?;
    let again = { t.note("inner"); let form = cx.peer.elicit::<Text>("other").await?.ok_or("no")?; form };
    let s = sure(&cx, "s").await?;
    Ok(format!("end {:?} {m} {n} {:?} {s}", form.text, again.text))
}

}

pub mod of_a_block_in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut all = vec![];
    let form = cx.peer.elicit::<Text>("outer").await?.ok_or("no")?;
    for i in 0..2 {
        let both = { let other = cx.peer.elicit::<Text>(format!("g{i}")).await?.ok_or("no")?; t.note("x"); other };
        let pair = (both,);
        let m = num(&cx, "m").await?;
        all.push(format!("{} {} {} {m}", form.text, pair.0.text, i));
    }
    Ok(format!("end {all:?}"))
}

}

pub mod of_a_label {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let form = 'found: { for i in 0..3 { let form = cx.peer.elicit::<Text>(format!("f{i}")).await?.ok_or("no")?; if form.text.len() > 3 { break 'found form; } } return Ok("none".into()); };
    let m = num(&cx, "m").await?;
    Ok(format!("end {} {m}", form.text))
}

}

pub mod in_time_or_none {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let answer = match tokio::time::timeout(std::time::Duration::from_secs(3600), cx.peer.elicit::<Text>("x")).await { Ok(answer) => answer, Err(_) => Ok(None) };
    let m = num(&cx, "m").await?;
    let form = match answer { Ok(Some(form)) => form, Ok(None) => return Ok("none".into()), Err(e) => return Ok(format!("{e}")) };
    let k = num(&cx, "k").await?;
    Ok(format!("end {} {m} {k}", form.text))
}

}

pub mod of_one_name {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let form = cx.peer.elicit::<Text>("outer").await?.ok_or("no")?;
    let other = { let form = cx.peer.elicit::<Text>("inner").await?.ok_or("no")?; t.note("x"); form };
    let last = loop { let form = cx.peer.elicit::<Text>("last").await?.ok_or("no")?; if form.text.len() < 100 { break form; } };
    let m = num(&cx, "m").await?;
    let all = (other, form, last);
    let m2 = num(&cx, "m2").await?;
    Ok(format!("end {} {} {} {m} {m2}", all.0.text, all.1.text, all.2.text))
}


}

pub mod beside_an_import {
use super::*;
#[derive(Debug, Clone, PartialEq)] pub enum Level { Low, Mid(i64), High { label: String } }
#[derive(Debug)] pub struct Job { title: String, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut jobs = vec![]; for i in 0..2 { jobs.push(Job { title: t.fetch(String::from("")).await, n: i }); num(&cx, "w").await?; }
    t.effect(&jobs);
    { use Level::*; match Level::Mid(4) { Low => { num(&cx, "x").await?; } Mid(1) => t.note("one"), _ => { num(&cx, "y").await?; } } }
    Ok(format!("{jobs:?}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    operand_of_an_async_block::run,
    operand::run,
    operand_in_time::run,
    operand_of_a_match::run,
    operands_looked_at::run,
    of_async_blocks::run,
    of_a_block::run,
    of_a_branch::run,
    of_a_loop::run,
    of_a_break_behind_a_continue::run,
    of_a_block_in_a_loop::run,
    of_a_label::run,
    in_time_or_none::run,
    of_one_name::run,
    beside_an_import::run
);

//! Lists of functions, which are made again in each block that uses them.

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

pub mod by_index {
use super::*;
struct Cmd { name: &'static str, run: fn(i64) -> i64 }
fn push(n: i64) -> i64 { n + 1 }
fn sum(n: i64) -> i64 { n * 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let cmds = [Cmd { name: "push", run: push }, Cmd { name: "sum", run: sum }];
    let n = num(&cx, "which").await?;
    let cmd = &cmds[n.rem_euclid(2) as usize];
    let arg = num(&cx, cmd.name).await?;
    let r = (cmd.run)(arg);
    t.effect((cmd.name, r));
    Ok(format!("{n}"))
}

}

pub mod in_a_loop {
use super::*;
struct Cmd { name: &'static str, run: fn(i64) -> i64 }
fn push(n: i64) -> i64 { n + 1 }
fn sum(n: i64) -> i64 { n * 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let cmds = [Cmd { name: "push", run: push }, Cmd { name: "sum", run: |n| -n }];
    for i in 0..2 {
    let n = num(&cx, "which").await?;
    let at = n.rem_euclid(2) as usize;
    let cmd = &cmds[at];
    let arg = num(&cx, cmd.name).await?;
    let r = (cmd.run)(arg);
    t.effect((cmd.name, r));
    }
    Ok(format!("x"))
}

}

pub mod in_a_vec {
use super::*;
struct Cmd { name: &'static str, run: fn(i64) -> i64 }
fn push(n: i64) -> i64 { n + 1 }
fn sum(n: i64) -> i64 { n * 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let cmds = vec![Cmd { name: "push", run: push }, Cmd { name: "sum", run: sum }];
    let names: Vec<&str> = cmds.iter().map(|c| c.name).collect();
    t.effect(&names);
    let n = text(&cx, "which").await?;
    let Some(cmd) = cmds.iter().find(|c| c.name.len() > n.len()) else { return Ok("no".into()) };
    let arg = num(&cx, cmd.name).await?;
    let r = (cmd.run)(arg);
    t.effect((cmd.name, r));
    Ok(format!("{n}"))
}

}

pub mod searched {
use super::*;
struct Cmd { name: &'static str, run: fn(i64) -> i64 }
fn push(n: i64) -> i64 { n + 1 }
fn sum(n: i64) -> i64 { n * 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let cmds = [Cmd { name: "push", run: push }, Cmd { name: "sum", run: sum }];
    let names: Vec<&str> = cmds.iter().map(|c| c.name).collect();
    t.effect(&names);
    let n = text(&cx, "which").await?;
    let Some(cmd) = cmds.iter().find(|c| c.name.len() > n.len()) else { return Ok("no".into()) };
    let arg = num(&cx, cmd.name).await?;
    let r = (cmd.run)(arg);
    t.effect((cmd.name, r));
    Ok(format!("{n}"))
}

}

pub mod of_pairs {
use super::*;
fn push(v: &mut Vec<i64>, n: i64) -> i64 { v.push(n); n }
fn clear(v: &mut Vec<i64>, _: i64) -> i64 { let n = v.len(); v.clear(); n as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let commands: [(&str, fn(&mut Vec<i64>, i64) -> i64); 3] = [("alpha", push), ("be ta", clear), ("", |v, n| { v.reverse(); -n })];
    let mut stack = vec![1];
    for _ in 0..2 {
        let word = text(&cx, "which").await?;
        let Some((name, run)) = commands.iter().find(|(name, _)| *name == word) else { t.note("unknown"); continue };
        let arg = num(&cx, name).await?;
        t.effect(run(&mut stack, arg));
        let again = sure(&cx, "again").await?;
        if again { t.effect(run(&mut stack, 7)); }
    }
    let names: Vec<&str> = commands.iter().map(|(name, _)| *name).collect();
    let n = num(&cx, "n").await?;
    for (name, run) in &commands { let k = num(&cx, name).await?; t.effect(run(&mut stack, k)); }
    let last = commands[n.rem_euclid(3) as usize].0;
    let k = num(&cx, last).await?;
    t.effect(commands[0].1(&mut stack, k));
    for (name, op) in commands { if sure(&cx, name).await? { op(&mut stack, 1); } }
    Ok(format!("{names:?} {stack:?}"))
}

}

pub mod lent {
use super::*;
struct Step { title: &'static str, ok: fn(i64) -> bool, next: Option<usize> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let steps = &[Step { title: "a", ok: |n| n > 1, next: Some(1) }, Step { title: "b", ok: i64::is_positive, next: None }];
    let mut at = Some(0);
    let mut done = vec![];
    while let Some(i) = at {
        let step = &steps[i];
        let n = num(&cx, step.title).await?;
        if !(step.ok)(n) && sure(&cx, "stop").await? { break; }
        done.push(step.title);
        at = step.next;
    }
    let best = steps.iter().max_by_key(|s| s.title);
    let n = num(&cx, "n").await?;
    t.effect(best.map(|b| (b.title, (b.ok)(n))));
    Ok(format!("{done:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_index::run,
    in_a_loop::run,
    in_a_vec::run,
    searched::run,
    of_pairs::run,
    lent::run
);

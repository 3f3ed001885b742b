//! Branches that stay whole are made into what is wanted of them; what is left from inside is dropped there.

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

pub mod lists_of_two_lengths {
use super::*;
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let steps: &[&str] = match level(first) {
        Some(n) => if n > 2 { &["check", "build", "deploy"] } else { &["build"] },
        None => {
            let ok = sure(&cx, "ok").await?;
            t.effect(ok);
            &["ask", "build"]
        }
    };
    t.effect(steps);
    Ok(format!("{first} {}", steps.join("+")))
}

}

pub mod boxes_of_a_trait {
use super::*;
trait Rule: Send + Sync { fn cost(&self, n: i64) -> i64; }
struct Flat;
struct Double;
impl Rule for Flat { fn cost(&self, _: i64) -> i64 { 5 } }
impl Rule for Double { fn cost(&self, n: i64) -> i64 { n * 2 } }
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let rule: Box<dyn Rule> = if let Some(n) = level(first) {
        t.effect(n);
        if n > 2 { Box::new(Flat) } else { Box::new(Double) }
    } else {
        let ok = sure(&cx, "ok").await?;
        t.effect(ok);
        Box::new(Flat)
    };
    let cost = rule.cost(first);
    t.effect(cost);
    Ok(format!("{first} {cost}"))
}

}

pub mod a_closure_of_a_type {
use super::*;
type Measure = Box<dyn Fn(&str) -> i64 + Send + Sync>;
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let measure: Measure = match level(first) {
        Some(n) => Box::new(move |word| word.len() as i64 + n),
        None => {
            let more = num(&cx, "more").await?;
            t.effect(more);
            Box::new(move |word| more - word.len() as i64)
        }
    };
    let measured = measure(&name);
    t.effect(measured);
    Ok(format!("{first} {measured}"))
}

}

pub mod a_temporary_that_stays {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Plan { seats: i64 }
impl Plan { fn of(n: i64) -> Self { Plan { seats: n * 2 } } }
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let spare = Plan { seats: 1 };
    let plan = match level(first) {
        Some(n) => &Plan::of(n),
        None => {
            let ok = sure(&cx, "ok").await?;
            t.effect(ok);
            &spare
        }
    };
    t.effect(plan);
    Ok(format!("{first} {} {}", plan.seats, spare.seats))
}

}

pub mod a_text_or_another {
use super::*;
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let first = num(&cx, "first").await?;
    let label: &str = match level(first) {
        Some(n) => if n > 2 { &name } else { "small" },
        None => {
            let ok = sure(&cx, "ok").await?;
            t.effect(ok);
            "none"
        }
    };
    t.effect(label);
    let again = sure(&cx, "again").await?;
    t.effect((label, again));
    Ok(format!("{label} {name} {again}"))
}

}

pub mod a_list_or_none {
use super::*;
fn level(n: i64) -> Option<i64> { if n > 0 { Some(n) } else { None } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let list = vec![first, 2, 3];
    let rows: &[i64] = if let Some(n) = level(first) {
        t.effect(n);
        if n > 2 { &list } else { &[] }
    } else {
        let ok = sure(&cx, "ok").await?;
        if ok { &list[1..] } else { &[7] }
    };
    t.effect(rows);
    Ok(format!("{rows:?} {}", list.len()))
}

}

pub mod a_boxed_closure {
use super::*;
struct Row { n: i64, name: String }
fn limit(n: i64) -> Option<i64> { (n > 0).then_some(n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let rated: Vec<i64> = {
        let rate: Box<dyn Fn(&Row) -> i64 + Send> = match limit(first) {
            Some(most) => Box::new(move |row| row.n.min(most) + i64::from(row.name.is_empty())),
            None => {
                let ok = sure(&cx, "without").await?;
                t.effect(ok);
                return Ok("without".into());
            }
        };
        let rows = [Row { n: first + 3, name }, Row { n: -2, name: String::new() }];
        rows.iter().map(|row| rate(row)).collect()
    };
    t.effect(&rated);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{rated:?} {ok}"))
}

}

pub mod a_text_made_there {
use super::*;
fn limit(n: i64) -> Option<i64> { (n > 0).then_some(n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let label: &str = match limit(first) {
        Some(most) => &format!("at most {most}"),
        None => {
            let other = text(&cx, "other").await?;
            t.note(&other);
            return Ok(other);
        }
    };
    t.note(label);
    let shown = label.to_uppercase();
    let ok = sure(&cx, "ok").await?;
    t.effect((&shown, ok));
    Ok(shown)
}

}

pub mod a_function_or_a_closure {
use super::*;
fn limit(n: i64) -> Option<i64> { (n > 0).then_some(n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let step: fn(i64) -> i64 = match limit(first) {
        Some(n) if n > 2 => |x| x.pow(2),
        Some(_) => |x| x + 1,
        None => {
            let ok = sure(&cx, "without").await?;
            t.effect(ok);
            return Ok("without".into());
        }
    };
    let stepped = step(first);
    t.effect(stepped);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{stepped} {ok}"))
}

}

pub mod a_labelled_block {
use super::*;
struct Gate<'t>(&'t Trace, i64);
impl Drop for Gate<'_> {
    fn drop(&mut self) { self.0.note(&format!("closed {}", self.1)); }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sum = 0;
    'work: {
        if first > 0 {
            sum += num(&cx, "more").await?;
            let gate = Gate(t, first);
            sum += gate.1;
            t.note("in");
            break 'work;
        }
        t.note("nothing to do");
        return Ok("none".into());
    }
    t.note("behind");
    t.effect(sum);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{sum} {ok}"))
}

}

pub mod with_a_value {
use super::*;
struct Gate<'t>(&'t Trace, i64);
impl Drop for Gate<'_> {
    fn drop(&mut self) { self.0.note(&format!("closed {}", self.1)); }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let got = 'found: {
        match first {
            0 => {
                t.note("zero");
                return Ok("zero".into());
            }
            n if n < 0 => return Err("negative".into()),
            n => {
                let ok = sure(&cx, "ok").await?;
                let gate = Gate(t, n + i64::from(ok));
                t.note("in");
                break 'found gate.1;
            }
        }
    };
    t.effect(("behind", got));
    let name = text(&cx, "name").await?;
    Ok(format!("{got} {name}"))
}

}

pub mod an_async_block {
use super::*;
struct Gate<'t>(&'t Trace, i64);
impl Drop for Gate<'_> {
    fn drop(&mut self) { self.0.note(&format!("closed {}", self.1)); }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut round = 0;
    let got = async {
        loop {
            round += 1;
            if round > 2 {
                let ok = sure(&cx, "ok").await.unwrap_or(false);
                let gate = Gate(t, first + i64::from(ok));
                t.note("in");
                return gate.1;
            }
            t.effect(round);
        }
    }
    .await;
    t.effect(("behind", got));
    let name = text(&cx, "name").await?;
    Ok(format!("{got} {round} {name}"))
}

}

pub mod a_lock {
use super::*;
static GATE: std::sync::Mutex<i64> = std::sync::Mutex::new(0);
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    'work: {
        if first > 0 {
            let more = num(&cx, "more").await?;
            let mut total = GATE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            *total = first + more;
            t.effect(*total);
            break 'work;
        }
        t.note("nothing to do");
        return Ok("none".into());
    }
    let is_free = GATE.try_lock().is_ok();
    t.effect(("free", is_free));
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{is_free} {ok}"))
}

}

pub mod in_a_helper {
use super::*;
struct Gate<'t>(&'t Trace, i64);
impl Drop for Gate<'_> {
    fn drop(&mut self) { self.0.note(&format!("closed {}", self.1)); }
}
$(#[$mark])?
async fn visit(cx: &Context, t: &Trace, n: i64) -> Result<i64, Failure> {
    let got = 'one: {
        if let Some(half) = n.checked_div(2) {
            let more = num(cx, "more").await?;
            {
                let gate = Gate(t, half + more);
                t.effect(gate.1);
                break 'one gate.1;
            }
        }
        t.note("never");
        return Err("no half".into());
    };
    t.effect(("got", got));
    Ok(got)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut sum = 0;
    for n in [4, 6] {
        sum += visit(&cx, t, n).await?;
        t.effect(sum);
    }
    Ok(format!("{sum}"))
}

}

pub mod an_arm_that_is_lent_a_list {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn audit<'a>(cx: &'a Context, t: &'a Trace, steps: &'a [&'a str]) -> impl Future<Output = i64> + Send + 'a {
    t.effect(("audit", steps.len()));
    let _ = cx;
    async move { i64::try_from(steps.len()).unwrap_or(0) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (steps, n, m) = tokio::join!(audit(&cx, t, &["start", "stop"]), asked(&cx, "n"), asked(&cx, "m"));
    t.effect((steps, n, m));
    Ok(format!("{first} {steps} {n} {m}"))
}

}

pub mod an_arm_that_is_given_an_option {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn limit<'a>(cx: &'a Context, t: &'a Trace, most: Option<i64>) -> impl Future<Output = i64> + Send + 'a {
    t.effect(("limit", most));
    let _ = cx;
    async move { most.unwrap_or(1) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (n, most) = tokio::join!(asked(&cx, "n"), limit(&cx, t, Some(3)));
    t.effect((n, most));
    let (again, none) = tokio::join!(asked(&cx, "again"), limit(&cx, t, None));
    t.effect((again, none));
    Ok(format!("{n} {most} {again} {none}"))
}

}

pub mod an_arm_that_is_given_a_closure {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn rated<'a>(cx: &'a Context, t: &'a Trace, (a, b): (i64, i64), rate: fn(i64) -> i64) -> impl Future<Output = i64> + Send + 'a {
    t.effect(("rated", a, b));
    let _ = cx;
    async move { rate(a) + b }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (rate, n) = tokio::join!(rated(&cx, t, (1, 2), |n| n * 2), asked(&cx, "n"));
    t.effect((first, rate, n));
    Ok(format!("{first} {rate} {n}"))
}

}

pub mod by_a_label {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, spare: &mut &'a Node, other: &'a Node, back: bool) -> Result<i64, Failure> {
    let name = &cur.name;
    let at = 'pick: {
        if !back { break 'pick cur; }
        spare
    };
    *at = other;
    let more = num(cx, "more").await?;
    t.effect((name, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (Node { name: format!("a{n}") }, Node { name: format!("other{n}") });
    let mut cur = &all;
    let mut spare = &others;
    let more = turn(&cx, t, &mut cur, &mut spare, &others, n > 90).await?;
    t.effect((&cur.name, &spare.name));
    Ok(format!("{more} {}", cur.name))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    lists_of_two_lengths::run,
    boxes_of_a_trait::run,
    a_closure_of_a_type::run,
    a_temporary_that_stays::run,
    a_text_or_another::run,
    a_list_or_none::run,
    a_boxed_closure::run,
    a_text_made_there::run,
    a_function_or_a_closure::run,
    a_labelled_block::run,
    with_a_value::run,
    an_async_block::run,
    a_lock::run,
    in_a_helper::run,
    an_arm_that_is_lent_a_list::run,
    an_arm_that_is_given_an_option::run,
    an_arm_that_is_given_a_closure::run,
    by_a_label::run
);

//! An arm of a join that is over is not called again, and what a method takes is given once what was lent of it is over.

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

pub mod given_a_range {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn schedule<'a>(cx: &'a Context, t: &'a Trace, days: std::ops::Range<i64>) -> impl Future<Output = i64> + Send + 'a {
    t.effect(("schedule", days.start, days.end));
    let _ = cx;
    async move { days.end - days.start }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (days, n) = tokio::join!(schedule(&cx, t, 0..3), asked(&cx, "n"));
    t.effect((first, days, n));
    Ok(format!("{first} {days} {n}"))
}

}

pub mod given_a_slice {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn audit<'a>(cx: &'a Context, t: &'a Trace, steps: &'a [String]) -> impl Future<Output = usize> + Send + 'a {
    t.effect(("audit", steps));
    let _ = cx;
    async move { steps.len() }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let steps = vec!["build".to_string(), "test".to_string(), format!("deploy {first}")];
    let (audited, n) = tokio::join!(audit(&cx, t, &steps[..2]), asked(&cx, "n"));
    t.effect((first, audited, n));
    Ok(format!("{first} {audited} {n} {}", steps.len()))
}

}

pub mod given_one_of_two {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn audit<'a>(cx: &'a Context, t: &'a Trace, queue: &'a Vec<i64>) -> impl Future<Output = usize> + Send + 'a {
    t.effect(("audit", queue));
    let _ = cx;
    async move { queue.len() }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let urgent = sure(&cx, "urgent").await?;
    let fast = vec![1, 2];
    let slow = vec![3];
    let (audited, n) = tokio::join!(audit(&cx, t, if urgent { &fast } else { &slow }), asked(&cx, "n"));
    t.effect((urgent, audited, n, &fast, &slow));
    Ok(format!("{urgent} {audited} {n}"))
}

}

pub mod given_a_closure {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn rated<'a>(cx: &'a Context, t: &'a Trace, rate: &'a (dyn Fn(i64) -> i64 + Sync)) -> impl Future<Output = i64> + Send + 'a {
    t.effect("rated");
    let _ = cx;
    async move { rate(3) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (rate, n) = tokio::join!(rated(&cx, t, &|n| n * 2), asked(&cx, "n"));
    t.effect((first, rate, n));
    Ok(format!("{first} {rate} {n}"))
}

}

pub mod a_method {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
struct Desk { name: String }
impl Desk {
    fn book<'a>(&'a self, cx: &'a Context, t: &'a Trace, days: std::ops::RangeInclusive<i64>) -> impl Future<Output = i64> + Send + 'a {
        t.effect((&self.name, *days.start(), *days.end()));
        let _ = cx;
        async move { days.count() as i64 }
    }
    $(#[$mark])?
    async fn plan(&self, cx: &Context, t: &Trace, from: i64) -> Result<i64, Failure> {
        let (days, a, b) = tokio::join!(self.book(cx, t, from..=from + 2), asked(cx, "a"), asked(cx, "b"));
        t.effect((days, a, b));
        Ok(days + a + b)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let desk = Desk { name: format!("desk {first}") };
    let n = desk.plan(&cx, t, first).await?;
    t.effect(n);
    Ok(format!("{first} {n}"))
}

}

pub mod a_receiver {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order { title: String, n: i64 }
impl Order {
    $(#[$mark])?
    async fn place(self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let more = num(cx, "more").await?;
        t.effect((&self, more));
        Ok(self.n + more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let order = Order { title: "tea".into(), n: first };
    let title = &order.title;
    t.effect(title.len());
    let placed = order.place(&cx, t).await?;
    t.effect(placed);
    Ok(format!("{first} {placed}"))
}

}

pub mod a_receiver_behind_a_loop {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order { lines: Vec<String>, n: i64 }
impl Order {
    $(#[$mark])?
    async fn place(self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let more = num(cx, "more").await?;
        t.effect((&self, more));
        Ok(self.n + more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let order = Order { lines: vec!["tea".into(), "milk".into()], n: 3 };
    let mut kept = 0;
    for line in &order.lines {
        if sure(&cx, line).await? {
            kept += 1;
        }
    }
    t.effect(kept);
    let placed = order.place(&cx, t).await?;
    t.effect((placed, kept));
    Ok(format!("{kept} {placed}"))
}

}

pub mod a_mutable_receiver {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order { lines: Vec<String>, n: i64 }
impl Order {
    fn add(&mut self, line: String) { self.lines.push(line); self.n += 1; }
    $(#[$mark])?
    async fn place(self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let more = num(cx, "more").await?;
        t.effect((&self, more));
        Ok(self.n + more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut order = Order { lines: Vec::new(), n: 0 };
    order.add(text(&cx, "line").await?);
    order.add("milk".to_string());
    let lines = &order.lines;
    t.effect(lines);
    let placed = order.place(&cx, t).await?;
    t.effect(placed);
    Ok(format!("{placed}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    given_a_range::run,
    given_a_slice::run,
    given_one_of_two::run,
    given_a_closure::run,
    a_method::run,
    a_receiver::run,
    a_receiver_behind_a_loop::run,
    a_mutable_receiver::run
);

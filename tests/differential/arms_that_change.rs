//! Arms of a `join!` that are no calls and change what is theirs.

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

pub mod pops {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut queue = vec![first, first + 1, first + 2];
    let (done, n) = tokio::join!(
        match queue.pop() {
            Some(job) => t.fetch(job),
            None => t.fetch(0),
        },
        asked(&cx, 2),
    );
    t.effect((done, n, &queue));
    Ok(format!("{done} {n} {queue:?}"))
}

}

pub mod counts {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut count = num(&cx, "first").await?;
    let (done, n) = tokio::join!({ count += 1; t.fetch(count) }, asked(&cx, 2));
    t.effect((done, n, count));
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{done} {n} {count} {ok}"))
}

}

pub mod counts_by_key {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut seen: BTreeMap<i64, i64> = BTreeMap::new();
    for key in [first, first, 3] {
        let (done, n) = tokio::join!(
            {
                let times = seen.entry(key).or_insert(0);
                *times += 1;
                t.fetch(*times)
            },
            asked(&cx, 2),
        );
        t.effect((done, n, &seen));
    }
    Ok(format!("{seen:?}"))
}

}

pub mod fields {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Plan { name: String, steps: i64 }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut plan = Plan { name: format!("p{first}"), steps: first };
    let (done, n) = tokio::join!({ plan.steps += 1; t.fetch(plan.steps) }, asked(&cx, 2));
    t.effect((done, n, &plan));
    Ok(format!("{done} {n} {plan:?}"))
}

}

pub mod steps {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut jobs = vec![first, first + 10, first + 20].into_iter();
    for round in 0..2 {
        let (done, n) = tokio::join!(
            match jobs.next() {
                Some(job) => t.fetch(job),
                None => t.fetch(-1),
            },
            asked(&cx, round),
        );
        t.effect((done, n));
    }
    let left: Vec<i64> = jobs.collect();
    t.effect(&left);
    Ok(format!("{left:?}"))
}

}

pub mod looks_at_a_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Plan { name: String, fast: bool, steps: i64 }
async fn quick(t: &Trace, plan: &Plan, by: i64) -> i64 { t.effect((&plan.name, by)); plan.steps * by }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let plan = Plan { name: format!("p{first}"), fast: first > 2, steps: first };
    let (done, n) = tokio::join!(
        if plan.fast { quick(t, &plan, 2) } else { quick(t, &plan, 3) },
        asked(&cx, 2),
    );
    t.effect((done, n, &plan));
    Ok(format!("{done} {n}"))
}

}

pub mod looks_by_a_method {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Plan { name: String, fast: bool, steps: i64 }
impl Plan { fn is_large(&self) -> bool { self.steps > 2 } }
async fn quick(t: &Trace, plan: &Plan, by: i64) -> i64 { t.effect((&plan.name, by)); plan.steps * by }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let plan = Plan { name: format!("p{first}"), fast: false, steps: first };
    let (done, n) = tokio::join!(
        if plan.is_large() { quick(t, &plan, 2) } else { quick(t, &plan, 3) },
        asked(&cx, 2),
    );
    t.effect((done, n, &plan));
    Ok(format!("{done} {n}"))
}

}

pub mod waits_and_changes {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Plan { name: String, fast: bool, steps: i64 }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
async fn worked(cx: &Context, t: &Trace, mut plan: Plan) -> Plan {
    let (done, n) = tokio::join!(
        async {
            plan.steps += 5;
            t.fetch(plan.steps).await
        },
        asked(cx, 2),
    );
    t.effect((done, n));
    plan
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let plan = worked(&cx, t, Plan { name: format!("p{first}"), fast: true, steps: first }).await;
    t.effect(&plan);
    Ok(format!("{} {} {}", plan.name, plan.fast, plan.steps))
}

}

pub mod finds {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Team { names: Vec<String> }
impl Team { fn best(&self) -> Option<&str> { self.names.first().map(String::as_str) } }
async fn greet(t: &Trace, name: &str) -> usize { t.effect(("greet", name)); name.len() }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut team = Team { names: Vec::new() };
    if first > 2 { team.names.push(format!("m{first}")); }
    let (length, n) = tokio::join!(
        match team.best() {
            Some(member) => greet(t, member),
            None => greet(t, "nobody"),
        },
        asked(&cx, 2),
    );
    t.effect((length, n, &team));
    Ok(format!("{length} {n}"))
}

}

pub mod sorts {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut names = vec!["z".to_owned(), name, "a".to_owned()];
    let (many, n) = tokio::join!({ names.sort(); t.fetch(names.len()) }, asked(&cx, 2));
    t.effect((many, n, &names));
    Ok(format!("{many} {n} {names:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    pops::run,
    counts::run,
    counts_by_key::run,
    fields::run,
    steps::run,
    looks_at_a_field::run,
    looks_by_a_method::run,
    waits_and_changes::run,
    finds::run,
    sorts::run
);

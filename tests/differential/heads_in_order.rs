//! In the head of a loop, what stands first is evaluated first.

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

pub mod a_method_before_a_range {
use super::*;
struct Desk { seats: i64 }
impl Desk {
    fn names(&self, t: &Trace) -> Vec<String> { t.note("names"); vec!["ann".into(), "bob".into(), "cid".into()] }
    fn limit(&self, t: &Trace) -> i64 { t.note("limit"); self.seats }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { seats: 2 };
    let mut seen = Vec::new();
    for (name, seat) in desk.names(t).into_iter().zip(1..=desk.limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((&name, seat, ok));
        seen.push(format!("{name}{seat}{ok}"));
    }
    Ok(seen.join(","))
}

}

pub mod split_before_its_length {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 20, 30, 40];
    let mut sum = 0;
    for (item, at) in list.split_off(2).into_iter().zip(1..list.len()) {
        let more = num(&cx, "more").await?;
        sum += item + more;
        t.effect((item, at, more));
    }
    t.effect((&list, sum));
    Ok(format!("{list:?} {sum}"))
}

}

pub mod popped_before_its_length {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut queue = vec![first, 20];
    let mut sum = 0;
    for n in queue.pop().into_iter().chain(0..queue.len() as i64) {
        let more = num(&cx, "more").await?;
        sum += n + more;
        t.effect((n, more));
    }
    t.effect((&queue, sum));
    Ok(format!("{queue:?} {sum}"))
}

}

pub mod names_before_a_limit {
use super::*;
struct Shelf { sizes: Vec<i64> }
impl Shelf {
    fn names(&self, t: &Trace) -> Vec<String> { t.note("names"); self.sizes.iter().map(|n| format!("n{n}")).collect() }
    fn limit(&self, t: &Trace) -> i64 { t.note("limit"); 2 }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let shelf = Shelf { sizes: vec![first, first + 1, first + 2] };
    let mut seen = Vec::new();
    for (name, at) in shelf.names(t).into_iter().zip(1..=shelf.limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((&name, at, ok));
        seen.push(name);
    }
    Ok(format!("{seen:?}"))
}

}

pub mod a_call_before_a_range {
use super::*;
fn load(n: &mut i64) -> Vec<i64> {
    *n += 2;
    (0..*n).map(|at| at * 10).collect()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut n = first.clamp(0, 2);
    let mut sum = 0;
    for (item, at) in load(&mut n).into_iter().zip(0..n) {
        let ok = sure(&cx, "ok").await?;
        t.effect((item, at, n, ok));
        sum += item + at;
    }
    t.effect((sum, n));
    Ok(format!("{sum} {n}"))
}

}

pub mod a_page_before_its_end {
use super::*;
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Queue { left: Vec<i64>, pulled: i64 }
impl Queue {
    fn pull(&mut self, most: usize) -> Vec<i64> {
        let rest = self.left.split_off(most.min(self.left.len()));
        let all = std::mem::replace(&mut self.left, rest);
        self.pulled += all.len() as i64;
        all
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut queue = Queue { left: vec![first, 7, 8, 9], pulled: 0 };
    let mut sum = 0;
    for (item, at) in queue.pull(3).into_iter().zip(0..queue.pulled) {
        let ok = sure(&cx, "ok").await?;
        t.effect((item, at, ok));
        sum += item * (at + 1);
    }
    t.effect((sum, queue.pulled, &queue.left));
    Ok(format!("{sum}"))
}

}

pub mod in_a_helper {
use super::*;
#[derive(serde::Serialize, serde::Deserialize)]
struct Desk { saved: Vec<i64>, most: i64 }
impl Desk {
    fn saved(&self, t: &Trace) -> Vec<i64> { t.effect(("saved", self.saved.len())); self.saved.clone() }
    fn most(&self, t: &Trace) -> i64 { t.effect(("most", self.most)); self.most }
}
$(#[$mark])?
async fn review(cx: &Context, t: &Trace, desk: &Desk) -> Result<i64, Failure> {
    let mut sum = 0;
    for id in desk.saved(t).into_iter().chain(1..=desk.most(t)) {
        if sure(cx, "keep").await? {
            sum += t.effect(id);
        }
    }
    Ok(sum)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { saved: vec![10, 20], most: 1 };
    let sum = review(&cx, t, &desk).await?;
    t.effect(sum);
    Ok(format!("{sum}"))
}

}

pub mod a_call_before_a_chain {
use super::*;
fn next(page: &mut i64) -> Option<i64> {
    *page += 1;
    Some(*page * 100)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut page = first.clamp(0, 3);
    let mut seen = Vec::new();
    for item in next(&mut page).into_iter().chain(page..page + 2) {
        let ok = sure(&cx, "ok").await?;
        t.effect((item, page, ok));
        seen.push(item);
    }
    Ok(format!("{seen:?} {page}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_method_before_a_range::run,
    split_before_its_length::run,
    popped_before_its_length::run,
    names_before_a_limit::run,
    a_call_before_a_range::run,
    a_page_before_its_end::run,
    in_a_helper::run,
    a_call_before_a_chain::run
);

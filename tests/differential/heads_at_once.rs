//! What runs at once is no adapter, and what a range changes stands before it.

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

pub mod a_list_of_copies {
use super::*;
fn take_two(n: &mut i64) -> i64 { *n += 10; 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut first = num(&cx, "first").await?;
    let second = first + 1;
    let mut sum = 0;
    for (id, place) in [first, second].into_iter().zip(1..=take_two(&mut first)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((id, place, ok));
        sum += id;
    }
    t.effect((first, sum));
    Ok(format!("{sum} {first}"))
}

}

pub mod taken_out {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut backlog = Some(vec![first, first + 1, first + 2]);
    let mut done = Vec::new();
    for (job, slot) in backlog.take().into_iter().flatten().zip(0..backlog.iter().flatten().count()) {
        let ok = sure(&cx, "ok").await?;
        t.effect((job, slot, ok));
        done.push(job);
    }
    t.effect(&done);
    Ok(format!("{done:?} {}", backlog.is_some()))
}

}

pub mod an_option {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let last = Some(first).filter(|n| *n != 0);
    let mut seen = 0;
    let mut sum = 0;
    for n in last.map(|n| { seen += 2; n * 10 }).into_iter().chain(0..seen) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        sum += n;
    }
    t.effect((seen, sum));
    Ok(format!("{sum}"))
}

}

pub mod an_array {
use super::*;
fn limit(t: &Trace) -> i64 { t.effect(("limit", 5i64)).1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let second = num(&cx, "second").await?;
    let mut sum = 0;
    for (id, place) in [first, second].map(|id| t.effect(id * 2)).into_iter().zip(1..limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((id, place, ok));
        sum += id * place;
    }
    Ok(format!("{sum}"))
}

}

pub mod a_result {
use super::*;
fn page(first: i64) -> std::result::Result<i64, String> { if first < 0 { Err("no page".to_owned()) } else { Ok(first) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let loaded = page(first);
    let mut pages = 0i64;
    let mut all = Vec::new();
    for n in loaded.map(|n| { pages = n.clamp(0, 3) + 1; n }).into_iter().chain(100..100 + pages) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        all.push(n);
    }
    t.effect((&all, pages));
    Ok(format!("{all:?}"))
}

}

pub mod a_method_called_take {
use super::*;
struct Queue { jobs: Vec<i64>, taken: i64 }
impl Queue {
    fn take(&mut self, n: usize) -> Vec<i64> {
        let rest = self.jobs.split_off(n.min(self.jobs.len()));
        let jobs = std::mem::replace(&mut self.jobs, rest);
        self.taken += jobs.len() as i64;
        jobs
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut queue = Queue { jobs: vec![first, first + 1, first + 2], taken: 0 };
    let mut sum = 0;
    for (job, at) in queue.take(2).into_iter().zip(0..queue.taken) {
        sum += job;
        let ok = sure(&cx, "ok").await?;
        t.effect((job, at, ok));
    }
    t.effect(sum);
    Ok(format!("{sum}"))
}

}

pub mod a_method_called_lines {
use super::*;
struct Desk { rows: Vec<i64> }
impl Desk {
    fn lines(&self, t: &Trace) -> Vec<i64> { t.note("lines"); self.rows.clone() }
    fn limit(&self, t: &Trace) -> i64 { t.note("limit"); self.rows.len() as i64 }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let desk = Desk { rows: vec![first, first + 1, first + 2] };
    let mut sum = 0;
    for (n, place) in desk.lines(t).into_iter().zip(1..desk.limit(t)) {
        sum += n * place;
        let ok = sure(&cx, "ok").await?;
        t.effect((sum, ok));
    }
    Ok(format!("{sum}"))
}

}

pub mod a_cursor {
use super::*;
fn read(row: &mut &[i64]) -> usize { let all = row.len(); *row = &row[all.min(1)..]; all }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let list = vec![first, first + 1, first + 2];
    let mut row: &[i64] = &list;
    let mut sum = 0;
    for (n, at) in row.iter().copied().zip(0..read(&mut row)) {
        sum += n;
        let ok = sure(&cx, "ok").await?;
        t.effect((n, at, ok));
    }
    t.effect((sum, row.len()));
    Ok(format!("{sum}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_list_of_copies::run,
    taken_out::run,
    an_option::run,
    an_array::run,
    a_result::run,
    a_method_called_take::run,
    a_method_called_lines::run,
    a_cursor::run
);

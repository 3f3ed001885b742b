//! What a search has found to change something by is no longer what it was once that is changed.

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

pub mod by_a_key {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { id: i64, at: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut cuts = vec![Cut { id: 1, at: 0 }, Cut { id: 2, at: 1 }];
    let mut rows = vec![first, 20, 30];
    let cut = cuts.iter_mut().find(|cut| cut.id == 1).ok_or("no cut")?;
    let row = rows.get_mut(cut.at).ok_or("no row")?;
    cut.at = 2;
    let n = num(&cx, "n").await?;
    *row += n + 1000;
    let last = num(&cx, "last").await?;
    t.effect((&rows, &cuts, last));
    Ok(format!("{rows:?}"))
}

}

pub mod by_a_condition {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Side { id: i64, left: bool }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sides = vec![Side { id: 1, left: true }, Side { id: 2, left: false }];
    let (mut a, mut b) = (vec![first], vec![2i64]);
    let Some(side) = sides.iter_mut().max_by_key(|side| -side.id) else { return Ok("none".to_owned()) };
    let list = if side.left { &mut a } else { &mut b };
    side.left = false;
    let n = num(&cx, "n").await?;
    list.push(n);
    t.effect((&a, &b));
    let last = num(&cx, "last").await?;
    t.effect((&a, &b, &sides, last));
    Ok(format!("{a:?} {b:?}"))
}

}

pub mod by_a_separator {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { id: i64, by: char }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut cuts = vec![Cut { id: 1, by: ',' }, Cut { id: 2, by: '.' }];
    let line = format!("a,b;{first},c;d");
    let cut = cuts.iter_mut().find(|cut| cut.id == 1).ok_or("no cut")?;
    for part in line.split(cut.by) {
        cut.by = ';';
        let ok = sure(&cx, "ok").await?;
        t.effect((part, ok));
    }
    t.effect(&cuts);
    Ok(line)
}

}

pub mod by_a_split {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Mark { id: i64, at: usize }
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Desk { marks: Vec<Mark>, rows: Vec<i64> }
impl Desk {
    $(#[$mark])?
    async fn cut(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
        let mark = self.marks.iter_mut().find(|mark| mark.id == 1).ok_or("no mark")?;
        let (left, right) = self.rows.split_at_mut(mark.at);
        mark.at += 1;
        let n = num(cx, "n").await?;
        left[0] += n;
        right[0] += 100;
        t.effect((left.len(), right.len()));
        Ok(())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut desk = Desk { marks: vec![Mark { id: 1, at: 1 }], rows: vec![first, 2, 3, 4] };
    desk.cut(&cx, t).await?;
    t.effect(&desk);
    Ok(format!("{desk:?}"))
}

}

pub mod by_a_range {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { id: i64, at: usize }
$(#[$mark])?
async fn show(cx: &Context, t: &Trace, rows: &[i64], cuts: &mut Vec<Cut>) -> Result<i64, Failure> {
    let Some(cut) = cuts.iter_mut().find(|cut| cut.id == 1) else { return Ok(0) };
    let part = &rows[cut.at..];
    cut.at = 2;
    let n = num(cx, "n").await?;
    t.effect((part, n));
    for row in &rows[cut.at..] {
        cut.at = 0;
        let ok = sure(cx, "ok").await?;
        t.effect((row, ok));
    }
    Ok(n)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut cuts = vec![Cut { id: 1, at: 0 }, Cut { id: 2, at: 1 }];
    let rows = vec![first, 20, 30, 40];
    let n = show(&cx, t, &rows, &mut cuts).await?;
    t.effect((&rows, &cuts, n));
    Ok(format!("{cuts:?}"))
}

}

pub mod in_its_items {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { at: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut groups = vec![vec![Cut { at: 0 }], vec![Cut { at: 1 }, Cut { at: 0 }]];
    let mut rows = vec![first, 20, 30];
    let group = groups.iter_mut().find(|group| group.len() == 2).ok_or("none")?;
    for cut in group {
        let row = rows.get_mut(cut.at).ok_or("no row")?;
        cut.at = 2;
        let n = num(&cx, "n").await?;
        *row += n + 1000;
    }
    t.effect((&rows, &groups));
    Ok(format!("{rows:?}"))
}

}

pub mod from_behind {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Job { key: i64, tries: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut jobs = vec![Job { key: 7, tries: first }, Job { key: 1, tries: 0 }];
    let mut totals = std::collections::BTreeMap::from([(1i64, 0i64), (2, 0)]);
    if let Some(job) = jobs.iter_mut().rev().next() {
        let current = job;
        if let Some(total) = totals.get_mut(&current.key) {
            current.key = 2;
            current.tries += 1;
            let n = num(&cx, "n").await?;
            *total += n + 1000;
        }
    }
    let last = num(&cx, "last").await?;
    t.effect((&totals, &jobs, last));
    Ok(format!("{totals:?}"))
}

}

pub mod by_a_match {
use super::*;
use std::collections::VecDeque;
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Side { Left, Right }
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Job { id: i64, side: Side }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut jobs = VecDeque::from([Job { id: 1, side: Side::Left }, Job { id: 2, side: Side::Right }]);
    let (mut left, mut right) = (vec![first], vec![2i64]);
    if let Some(job) = jobs.iter_mut().find(|job| job.side == Side::Left) {
        let list = match job.side { Side::Left => &mut left, Side::Right => &mut right };
        job.side = Side::Right;
        let n = num(&cx, "n").await?;
        list.push(n + job.id);
    }
    t.effect((&left, &right, &jobs));
    Ok(format!("{left:?} {right:?}"))
}

}

pub mod in_a_chain {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { at: usize, on: bool }
$(#[$mark])?
async fn trim_row(cx: &Context, t: &Trace, cuts: &mut [Cut], row: &mut Vec<i64>) -> Result<i64, Failure> {
    if let Some((i, cut)) = cuts.iter_mut().enumerate().rev().find(|(_, cut)| cut.on)
        && let Some(item) = row.get_mut(cut.at)
    {
        cut.at = 0;
        let n = num(cx, "n").await?;
        *item += n + 1000;
        return Ok(i as i64);
    }
    t.note("none");
    Ok(-1)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut cuts = vec![Cut { at: 1, on: true }, Cut { at: 2, on: true }, Cut { at: 0, on: false }];
    let mut row = vec![first, 20, 30];
    let at = trim_row(&cx, t, &mut cuts, &mut row).await?;
    t.effect((&row, &cuts, at));
    Ok(format!("{row:?}"))
}

}

pub mod in_a_parameter {
use super::*;
struct Desk<'a> { rows: &'a mut Vec<i64>, limit: i64 }
impl<'a> Desk<'a> {
    $(#[$mark])?
    async fn raise(cx: &Context, t: &Trace, desk: Self) -> Result<i64, Failure> {
        for &n in desk.rows.iter() {
            if n > -5 {
                desk.rows[0] = 100;
                let more = num(cx, "more").await?;
                t.effect((n, more, &desk.limit));
                return Ok(n);
            }
        }
        Ok(-7)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let n = Desk::raise(&cx, t, Desk { rows: &mut list, limit: 3 }).await?;
    t.effect((n, &list));
    Ok(format!("{n} {list:?}"))
}

}

pub mod by_a_key_in_a_parameter {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct State { at: usize }
struct Desk<'a> { state: &'a mut State, rows: &'a mut Vec<i64> }
impl<'a> Desk<'a> {
    $(#[$mark])?
    async fn raise(cx: &Context, t: &Trace, desk: Self) -> Result<i64, Failure> {
        let row = desk.rows.get_mut(desk.state.at).ok_or("no such row")?;
        desk.state.at = 1;
        *row += 5;
        let more = num(cx, "more").await?;
        *row += 100;
        t.effect((*row, more));
        Ok(more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut state = State { at: 0 };
    let mut list = vec![first, 50];
    let n = Desk::raise(&cx, t, Desk { state: &mut state, rows: &mut list }).await?;
    t.effect((n, &list, &state));
    Ok(format!("{n} {list:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_a_key::run,
    by_a_condition::run,
    by_a_separator::run,
    by_a_split::run,
    by_a_range::run,
    in_its_items::run,
    from_behind::run,
    by_a_match::run,
    in_a_chain::run,
    in_a_parameter::run,
    by_a_key_in_a_parameter::run
);

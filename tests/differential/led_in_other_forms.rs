//! Other names by closures, fields and macros, and heaps of references.

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

pub mod by_a_closure {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, spare: &mut &'a Node, other: &'a Node, back: Option<i64>) -> Result<i64, Failure> {
    let name = &cur.name;
    if let Some(at) = back.map(|back| { if back < 90 { return cur; } spare }) {
        *at = other;
    }
    let more = num(cx, "more").await?;
    t.effect((name, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (Node { name: format!("a{n}") }, Node { name: format!("other{n}") });
    let mut cur = &all;
    let mut spare = &all;
    let more = turn(&cx, t, &mut cur, &mut spare, &others, Some(n)).await?;
    t.effect((&cur.name, &spare.name));
    Ok(format!("{more} {}", cur.name))
}

}

pub mod of_an_associated_type {
use super::*;
trait Room<'a> { type Rows; }
struct Big;
impl<'a> Room<'a> for Big { type Rows = (&'a mut Vec<i64>, i64); }
$(#[$mark])?
async fn raise<'a>(cx: &Context, t: &Trace, desk: <Big as Room<'a>>::Rows) -> Result<i64, Failure> {
    for &n in desk.0.iter() {
        if n > -5 {
            desk.0[0] = 100;
            let more = num(cx, "more").await?;
            t.effect((n, more, desk.1));
            return Ok(n);
        }
    }
    Ok(-7)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let n = raise(&cx, t, (&mut list, 3)).await?;
    t.effect((n, &list));
    Ok(format!("{n} {list:?}"))
}

}

pub mod a_closures_own_name {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let rows = vec![Row { n: first }, Row { n: 3 }];
    let mut row = Row { n: 2 };
    row.n += first;
    let most = row.n.max(rows.iter().map(|row| row.n).sum::<i64>() + num(&cx, "more").await?);
    row.n += most;
    t.effect((most, &row, rows.len()));
    Ok(format!("{most}"))
}

}

pub mod by_a_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
struct Pair<'c, 'a> { at: &'c mut &'a Node, steps: i64 }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, other: &'a Node) -> Result<i64, Failure> {
    let name = &cur.name;
    let at = Pair { at: cur, steps: 1 }.at;
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
    let more = turn(&cx, t, &mut cur, &others).await?;
    t.effect(&cur.name);
    Ok(format!("{more} {}", cur.name))
}

}

pub mod by_a_macro {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, other: &'a Node) -> Result<i64, Failure> {
    let name = &cur.name;
    let at = dbg!(cur);
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
    let more = turn(&cx, t, &mut cur, &others).await?;
    t.effect(&cur.name);
    Ok(format!("{more} {}", cur.name))
}

}

pub mod heaps {
use super::*;
use std::{cmp::Reverse, collections::BinaryHeap};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = vec!["a".to_string(), "b".to_string(), "c".to_string()];
    let mut heap: BinaryHeap<(i64, &str)> = BinaryHeap::new();
    let mut least = BinaryHeap::new();
    for (i, name) in names.iter().enumerate() {
        heap.push(((i as i64 * 7) % 3, name.as_str()));
        least.push(Reverse((i as i64, name.as_str())));
    }
    while let Some((n, name)) = heap.pop() {
        let more = num(&cx, name).await?;
        if let Some(Reverse((_, first))) = least.pop() { t.note(first); }
        t.effect((n, name, more, heap.len()));
    }
    Ok(format!("{}", least.len()))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_a_closure::run,
    of_an_associated_type::run,
    a_closures_own_name::run,
    by_a_field::run,
    by_a_macro::run,
    heaps::run
);

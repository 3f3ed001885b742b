//! Places behind references that may lead elsewhere by another name.

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

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }

fn nodes(n: i64) -> Node {
    let last = Node { name: format!("ccc{n}"), next: None };
    let middle = Node { name: format!("bb{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}

pub mod searched {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut entries = vec![("one", first), ("two", 7)];
    if let Some(entry) = entries.iter_mut().find(|entry| entry.1 > -5) {
        let name: &str = &entry.0;
        entry.0 = "renamed";
        let ok = sure(&cx, "ok").await?;
        t.effect((name, ok));
        entry.1 += 1;
    }
    let last = num(&cx, "last").await?;
    t.effect((&entries, last));
    Ok(format!("{entries:?} {last}"))
}

}

pub mod filtered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut entries = vec![("one", first), ("two", 7)];
    for entry in entries.iter_mut().filter(|entry| entry.1 > -5) {
        let name: &str = &entry.0;
        entry.0 = "seen";
        let ok = sure(&cx, "ok").await?;
        t.effect((name, ok));
        entry.1 += 1;
    }
    t.effect(&entries);
    Ok(format!("{entries:?}"))
}

}

pub mod renamed_in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut entries = vec![("one", first), ("two", 7)];
    for item in entries.iter_mut() {
        let entry = item;
        let name: &str = &entry.0;
        entry.0 = "seen";
        let ok = sure(&cx, "ok").await?;
        t.effect((name, ok));
        entry.1 += 1;
    }
    t.effect(&entries);
    Ok(format!("{entries:?}"))
}

}

pub mod behind_an_alias {
use super::*;
type Rows<'a> = &'a mut Vec<i64>;
$(#[$mark])?
async fn raise(cx: &Context, t: &Trace, rows: Rows<'_>) -> Result<i64, Failure> {
    for &n in rows.iter() {
        if n > -5 {
            rows[0] = 100;
            let more = num(cx, "more").await?;
            t.effect((n, more));
            return Ok(n);
        }
    }
    Ok(-7)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let n = raise(&cx, t, &mut list).await?;
    t.effect((n, &list));
    Ok(format!("{n} {list:?}"))
}

}

pub mod in_a_struct {
use super::*;
struct Desk<'a> { rows: &'a mut Vec<i64>, limit: i64 }
$(#[$mark])?
async fn raise(cx: &Context, t: &Trace, desk: Desk<'_>) -> Result<i64, Failure> {
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
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let n = raise(&cx, t, Desk { rows: &mut list, limit: 3 }).await?;
    t.effect((n, &list));
    Ok(format!("{n} {list:?}"))
}

}

pub mod in_a_tuple {
use super::*;
$(#[$mark])?
async fn raise(cx: &Context, t: &Trace, (rows, limit): (&mut Vec<i64>, i64)) -> Result<i64, Failure> {
    for &n in rows.iter() {
        if n > -5 {
            rows[0] = 100;
            let more = num(cx, "more").await?;
            t.effect((n, more, limit));
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

pub mod by_a_key_in_a_tuple {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct State { at: usize }
$(#[$mark])?
async fn raise(cx: &Context, t: &Trace, (state, rows): (&mut State, &mut Vec<i64>)) -> Result<i64, Failure> {
    let row = rows.get_mut(state.at).ok_or("no such row")?;
    state.at = 1;
    *row += 5;
    let more = num(cx, "more").await?;
    *row += 100;
    t.effect((*row, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut state = State { at: 0 };
    let mut list = vec![first, 50];
    let n = raise(&cx, t, (&mut state, &mut list)).await?;
    t.effect((n, &list, &state));
    Ok(format!("{n} {list:?}"))
}

}

pub mod matched_in_a_tuple {
use super::*;
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, other: &'a Node, back: bool) -> Result<i64, Failure> {
    let name = &cur.name;
    match (cur, back) {
        (at, false) => *at = other,
        (_, true) => {}
    }
    let more = num(cx, "more").await?;
    t.effect((name, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (nodes(n), nodes(n + 50));
    let mut cur = &all;
    let more = turn(&cx, t, &mut cur, &others, false).await?;
    t.effect(&cur.name);
    Ok(format!("{more} {}", cur.name))
}

}

pub mod chosen_argument {
use super::*;
fn advance<'a>(cur: &mut &'a Node, to: &'a Node) { *cur = to; }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, spare: &mut &'a Node, other: &'a Node) -> Result<i64, Failure> {
    let name = &cur.name;
    let first = spare.name.len() > 90;
    advance(if first { spare } else { cur }, other);
    let more = num(cx, "more").await?;
    t.effect((name, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (nodes(n), nodes(n + 50));
    let mut cur = &all;
    let mut spare = &others;
    let more = turn(&cx, t, &mut cur, &mut spare, &others).await?;
    t.effect((&cur.name, &spare.name));
    Ok(format!("{more} {}", cur.name))
}

}

pub mod renamed {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (first, second) = (Node { name: format!("first{n}") }, Node { name: format!("second{n}") });
    let mut cur = &first;
    let spot = &mut cur;
    let at = spot;
    let name = &at.name;
    *at = &second;
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok));
    t.effect(&at.name);
    Ok(format!("{name} {}", cur.name))
}

}

pub mod found {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { id: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (a, b) = (Node { id: 1, name: format!("a{n}") }, Node { id: 2, name: format!("b{n}") });
    let mut cursors = vec![&b, &a];
    let Some(cur) = cursors.iter_mut().find(|node| node.id == 1) else { return Ok("none".to_string()) };
    let name = &cur.name;
    *cur = &b;
    let ok = sure(&cx, "ok").await?;
    t.effect((name, &cur.name, ok));
    let shown: Vec<i64> = cursors.iter().map(|node| node.id).collect();
    t.effect(shown);
    Ok(name.clone())
}

}

pub mod of_items {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { id: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (a, b) = (Node { id: 1, name: format!("a{n}") }, Node { id: 2, name: format!("b{n}") });
    let mut cursors = vec![&a, &b];
    for cur in cursors.iter_mut().filter(|node| node.id == 1) {
        let name = &cur.name;
        *cur = &b;
        let ok = sure(&cx, "ok").await?;
        t.effect((name, &cur.name, ok));
    }
    let shown: Vec<i64> = cursors.iter().map(|node| node.id).collect();
    t.effect(&shown);
    Ok(format!("{shown:?}"))
}

}

pub mod gone_over {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { kids: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let first = Node { kids: vec![format!("a{n}"), format!("b{n}"), format!("c{n}")] };
    let second = Node { kids: vec![format!("x{n}"), format!("y{n}")] };
    let mut cur = &first;
    let spot = &mut cur;
    let at = spot;
    let mut sum = 0;
    for kid in at.kids.iter() {
        *at = &second;
        let more = num(&cx, "more").await?;
        sum += more;
        t.effect((kid, more));
    }
    t.effect(&at.kids);
    Ok(format!("{sum}"))
}

}

pub mod in_a_map {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Guest { name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let guests = vec![Guest { name: format!("ann{n}") }, Guest { name: format!("bob{n}") }];
    let mut seats = std::collections::BTreeMap::from([(1i64, &guests[0]), (2, &guests[1])]);
    let Some(found) = seats.get_mut(&1) else { return Ok("none".to_string()) };
    let seat = found;
    let before = &seat.name;
    *seat = &guests[1];
    let ok = sure(&cx, "ok").await?;
    t.effect((before, &seat.name, ok));
    let all: Vec<&String> = seats.values().map(|guest| &guest.name).collect();
    t.effect(&all);
    Ok(format!("{before} {all:?}"))
}

}

pub mod of_self {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
struct Walk<'a> { cur: &'a Node, steps: i64 }
impl<'a> Walk<'a> {
    $(#[$mark])?
    async fn go(&mut self, cx: &Context, t: &Trace, second: &'a Node) -> Result<i64, Failure> {
        let Self { cur, steps } = self;
        let name = &cur.name;
        *cur = second;
        let more = num(cx, "more").await?;
        *steps += more;
        t.effect((name, &cur.name, *steps));
        Ok(more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (first, second) = (Node { name: format!("a{n}") }, Node { name: format!("b{n}") });
    let mut walk = Walk { cur: &first, steps: 0 };
    let more = walk.go(&cx, t, &second).await?;
    t.effect((&walk.cur.name, walk.steps));
    Ok(format!("{more}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    searched::run,
    filtered::run,
    renamed_in_a_loop::run,
    behind_an_alias::run,
    in_a_struct::run,
    in_a_tuple::run,
    by_a_key_in_a_tuple::run,
    matched_in_a_tuple::run,
    chosen_argument::run,
    renamed::run,
    found::run,
    of_items::run,
    gone_over::run,
    in_a_map::run,
    of_self::run
);

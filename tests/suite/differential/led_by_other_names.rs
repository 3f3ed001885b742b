//! Places behind references that may lead elsewhere by another name, and keys that a loop does not hold.

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

pub mod by_an_item {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Step { name: String, at: usize, left: bool, by: i64 }
fn steps_of(n: i64) -> Vec<Step> {
    vec![
        Step { name: "a".to_string(), at: 0, left: true, by: n },
        Step { name: "b".to_string(), at: 1, left: false, by: 5 },
    ]
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut rows = vec![10, 20];
    for step in steps.iter() {
        if step.by > -5 {
            let row = rows.get_mut(step.at).ok_or("no such row")?;
            *row += step.by;
            steps[0].at = 1;
            let ok = sure(&cx, "ok").await?;
            *row += 100;
            t.effect((*row, ok));
            break;
        }
    }
    t.effect((&rows, &steps));
    Ok(format!("{rows:?}"))
}

}

pub mod cut_by_an_item {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Step { name: String, at: usize, left: bool, by: i64 }
fn steps_of(n: i64) -> Vec<Step> {
    vec![
        Step { name: "a".to_string(), at: 0, left: true, by: n },
        Step { name: "b".to_string(), at: 1, left: false, by: 5 },
    ]
}
$(#[$mark])?
async fn walk(cx: &Context, t: &Trace, names: &[String], steps: &mut Vec<Step>) -> Result<i64, Failure> {
    for step in steps.iter() {
        if step.by > -5 {
            let rest = &names[step.at..];
            steps[0].at = 1;
            let more = num(cx, "more").await?;
            t.effect((rest, more));
            return Ok(more);
        }
    }
    Ok(-3)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let names = vec!["zero".to_string(), "one".to_string()];
    let mut steps = steps_of(first);
    let more = walk(&cx, t, &names, &mut steps).await?;
    t.effect((more, &steps, &names));
    Ok(format!("{more}"))
}

}

pub mod chosen_by_an_item {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Step { name: String, at: usize, left: bool, by: i64 }
fn steps_of(n: i64) -> Vec<Step> {
    vec![
        Step { name: "a".to_string(), at: 0, left: true, by: n },
        Step { name: "b".to_string(), at: 1, left: false, by: 5 },
    ]
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut left = vec![first];
    let mut right = vec![9];
    for step in steps.iter() {
        if step.by > -5 {
            let side = if step.left { &mut left } else { &mut right };
            side.push(1);
            steps[0].left = false;
            let ok = sure(&cx, "ok").await?;
            side.push(2);
            t.effect((&*side, ok));
            break;
        }
    }
    t.effect((&left, &right, &steps));
    Ok(format!("{left:?} {right:?}"))
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
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("ccc{n}"), next: None };
    let middle = Node { name: format!("bb{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
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
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("ccc{n}"), next: None };
    let middle = Node { name: format!("bb{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
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

pub mod by_a_name_in_an_item {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Step { name: String, at: usize, left: bool, by: i64 }
fn steps_of(n: i64) -> Vec<Step> {
    vec![
        Step { name: "a".to_string(), at: 0, left: true, by: n },
        Step { name: "b".to_string(), at: 1, left: false, by: 5 },
    ]
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut steps = steps_of(first);
    let mut counts = std::collections::BTreeMap::from([("a".to_string(), 10), ("b".to_string(), 20)]);
    for step in steps.iter() {
        if step.by > -5 {
            let count = counts.get_mut(&step.name).ok_or("no such count")?;
            *count += step.by;
            steps[0].name = "b".to_string();
            let ok = sure(&cx, "ok").await?;
            *count += 100;
            t.effect((*count, ok));
            break;
        }
    }
    t.effect((&counts, &steps));
    Ok(format!("{counts:?}"))
}

}

pub mod by_a_key {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut stock = std::collections::BTreeMap::from([("tea".to_string(), 10i64), ("cup".to_string(), 20)]);
    let mut keys = vec!["tea".to_string(), "cup".to_string()];
    for key in &keys {
        let Some(left) = stock.get_mut(key) else { continue };
        keys[0] = "cup".to_string();
        let more = num(&cx, "more").await?;
        *left += more;
        t.effect((*left, more));
        break;
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&stock, &keys, ok));
    Ok(format!("{stock:?} {keys:?}"))
}

}

pub mod by_a_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Job { key: String, by: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut jobs = vec![Job { key: "a".to_string(), by: 1 }, Job { key: "b".to_string(), by: first }];
    let mut sums = std::collections::BTreeMap::from([("a".to_string(), 1i64), ("b".to_string(), 2)]);
    for job in jobs.iter() {
        let by = job.by;
        let Some(sum) = sums.get_mut(&job.key) else { continue };
        jobs[0].key.push_str("-done");
        let more = num(&cx, "more").await?;
        *sum += more + by;
        t.effect(*sum);
        break;
    }
    t.effect((&sums, &jobs));
    Ok(format!("{sums:?}"))
}

}

pub mod by_a_pair {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut orders = vec![("ann".to_string(), 1i64), ("bob".to_string(), 2)];
    let mut paid = std::collections::BTreeMap::from([("ann".to_string(), 0i64), ("bob".to_string(), 0)]);
    for (name, amount) in &orders {
        let amount = *amount;
        if let Some(sum) = paid.get_mut(name) {
            orders[0] = ("bob".to_string(), 7);
            *sum += amount;
            let tip = num(&cx, "tip").await?;
            *sum += tip;
            t.effect((*sum, tip));
            break;
        }
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&paid, &orders, ok));
    Ok(format!("{paid:?}"))
}

}

pub mod split {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { at: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1i64, 2, 3, 4, 5];
    let mut cuts = vec![Cut { at: 1 }, Cut { at: 3 }];
    for cut in &cuts {
        let (head, tail) = list.split_at_mut(cut.at);
        cuts[0].at = 4;
        let more = num(&cx, "more").await?;
        tail[0] += more;
        t.effect((head.len(), tail.len(), tail[0]));
        break;
    }
    let ok = sure(&cx, "ok").await?;
    t.effect((&list, &cuts, ok));
    Ok(format!("{list:?}"))
}

}

pub mod split_text {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Format { mark: char }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let line = String::from("a,b;c,d;e");
    let mut formats = vec![Format { mark: ',' }, Format { mark: '|' }];
    let mut sum = 0;
    for form in &formats {
        for part in line.split(form.mark) {
            formats[0].mark = ';';
            let n = num(&cx, "n").await?;
            sum += n;
            t.effect((part, n));
        }
        break;
    }
    t.effect((sum, &formats));
    Ok(format!("{sum}"))
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

pub mod numbered {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Cut { at: usize }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1i64, 2, 3];
    let mut cuts = vec![Cut { at: 7 }, Cut { at: 0 }, Cut { at: 2 }];
    for (i, cut) in cuts.iter().enumerate() {
        let Some(item) = list.get_mut(cut.at) else { t.effect(i); continue };
        cuts[i].at = 2;
        let more = num(&cx, "more").await?;
        *item += more;
        t.effect((i, *item));
        break;
    }
    t.effect((&list, &cuts));
    Ok(format!("{list:?}"))
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
    by_an_item::run,
    cut_by_an_item::run,
    chosen_by_an_item::run,
    behind_an_alias::run,
    in_a_struct::run,
    in_a_tuple::run,
    by_a_key_in_a_tuple::run,
    matched_in_a_tuple::run,
    chosen_argument::run,
    by_a_name_in_an_item::run,
    by_a_key::run,
    by_a_field::run,
    by_a_pair::run,
    split::run,
    split_text::run,
    renamed::run,
    found::run,
    of_items::run,
    gone_over::run,
    in_a_map::run,
    of_self::run,
    numbered::run
);

//! Items of loops and searches that are taken apart inside; keys that are lent; what branches bind and leave.

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

pub mod a_struct {
use super::*;
struct Cell { n: i64 }
struct Row { cell: Cell, name: String }
$(#[$mark])?
async fn each(cx: &Context, t: &Trace, rows: &[Row]) -> Result<i64, Failure> {
    let mut sum = 0;
    for (i, row) in rows.iter().enumerate() {
        let Row { cell, name } = row;
        let n = num(cx, name).await?;
        t.effect((i, n, cell.n, name));
        sum += n * cell.n;
    }
    Ok(sum)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let count = num(&cx, "count").await?;
    let rows = [Row { cell: Cell { n: 2 }, name: "a".to_owned() }, Row { cell: Cell { n: 3 }, name: "b".to_owned() }];
    let sum = each(&cx, t, &rows).await?;
    Ok(format!("{sum} {count}"))
}

}

pub mod a_struct_to_change {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 2, name: "b".to_owned() }];
    for (i, row) in rows.iter_mut().enumerate() {
        let Row { n, name } = row;
        let by = num(&cx, "by").await?;
        *n += by;
        name.push_str("!");
        t.effect((i, *n, name.clone()));
    }
    Ok(format!("{rows:?}"))
}

}

pub mod a_variant {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Kind { Fast, Slow(i64) }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { kind: Kind, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { kind: Kind::Slow(1), name: "a".to_owned() }, Row { kind: Kind::Fast, name: "b".to_owned() }];
    for (i, row) in rows.iter_mut().enumerate() {
        if let Row { kind: Kind::Slow(n), .. } = row {
            let by = num(&cx, "by").await?;
            *n += by;
            t.effect((i, *n));
        } else {
            t.note("fast");
        }
    }
    Ok(format!("{rows:?}"))
}

}

pub mod halves {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, cells: Vec<i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, cells: vec![1, 2] }, Row { n: 5, cells: vec![3, 4, 5] }];
    let Some((i, row)) = rows.iter_mut().enumerate().find(|(_, row)| row.n > 2) else { return Ok("none".into()) };
    let (left, right) = row.cells.split_at_mut(1);
    let by = num(&cx, "by").await?;
    left[0] += by;
    right[1] -= by;
    t.effect((i, left[0], right[1]));
    Ok(format!("{rows:?}"))
}

}

pub mod matched {
use super::*;
struct Best { n: i64 }
enum Row { Good { best: Best, name: String }, Bad(Best) }
struct Desk { rows: Vec<Row> }
impl Desk {
    $(#[$mark])?
    async fn each(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let mut sum = 0;
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Good { best, name } => {
                    let n = num(cx, name).await?;
                    t.effect((i, n, best.n));
                    sum += n + best.n;
                }
                Row::Bad(best) => {
                    if sure(cx, "really?").await? { sum -= best.n; }
                }
            }
        }
        Ok(sum)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { rows: vec![Row::Good { best: Best { n: 2 }, name: "a".to_owned() }, Row::Bad(Best { n: 3 })] };
    let sum = desk.each(&cx, t).await?;
    Ok(format!("{sum}"))
}

}

pub mod an_option_to_change {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut slots = vec![Some(Row { n: 1, name: "a".to_owned() }), None, Some(Row { n: 3, name: "c".to_owned() })];
    for slot in &mut slots {
        if let Some(row) = slot {
            let by = num(&cx, &row.name).await?;
            row.n += by;
            t.effect((row.n, row.name.clone()));
        }
    }
    Ok(format!("{slots:?}"))
}

}

pub mod an_option {
use super::*;
struct Row { n: i64, name: String }
struct Desk { rows: Vec<Row>, spare: Vec<Option<Row>> }
impl Desk {
    $(#[$mark])?
    async fn each(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let mut sum = 0;
        for row in &self.rows {
            let current = row;
            let n = num(cx, &current.name).await?;
            t.effect((n, current.n));
            sum += n * current.n;
        }
        for slot in &self.spare {
            if let Some(row) = slot {
                let n = num(cx, &row.name).await?;
                sum += n - row.n;
            }
        }
        Ok(sum)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { rows: vec![Row { n: 2, name: "a".to_owned() }], spare: vec![None, Some(Row { n: 4, name: "c".to_owned() })] };
    let sum = desk.each(&cx, t).await?;
    Ok(format!("{sum}"))
}

}

pub mod of_a_map {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut map: BTreeMap<String, Option<i64>> = BTreeMap::new();
    map.insert("a".to_owned(), Some(1));
    map.insert("b".to_owned(), None);
    for (key, slot) in &mut map {
        if let Some(n) = slot {
            let by = num(&cx, key).await?;
            *n += by;
            t.effect((key, *n));
        } else {
            *slot = Some(num(&cx, "new").await?);
        }
    }
    Ok(format!("{map:?}"))
}

}

pub mod chunks {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1, 2, 3, 4, 5];
    for (i, pair) in list.chunks_mut(2).enumerate() {
        if let [a, b] = pair {
            let by = num(&cx, "by").await?;
            *a += by;
            *b -= by;
            t.effect((i, *a, *b));
        }
    }
    Ok(format!("{list:?}"))
}

}

pub mod found {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 5, name: "b".to_owned() }];
    let wanted = text(&cx, "which").await?;
    let Some((i, row)) = rows.iter_mut().enumerate().find(|(_, row)| row.n > 2 || row.name == wanted) else { return Ok("none".into()) };
    let Row { n, name } = row;
    let by = num(&cx, "by").await?;
    *n += by;
    name.push_str("!");
    t.effect((i, *n, name.clone()));
    Ok(format!("{rows:?}"))
}

}

pub mod zipped {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 5, name: "b".to_owned() }];
    let extra = vec![10, 20];
    for (row, more) in rows.iter_mut().zip(&extra) {
        let Row { n, name } = row;
        let by = num(&cx, "by").await?;
        *n += by * more;
        name.push_str("!");
        t.effect((*n, name.clone()));
    }
    Ok(format!("{rows:?}"))
}

}

pub mod pairs {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut pairs = vec![(1, "a".to_owned()), (2, "b".to_owned())];
    for (i, pair) in pairs.iter_mut().enumerate() {
        let (n, name) = pair;
        let by = num(&cx, "by").await?;
        *n += by;
        name.push_str("!");
        t.effect((i, *n, name.clone()));
    }
    Ok(format!("{pairs:?}"))
}

}

pub mod renamed_to_change {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Host { name: String, hits: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut hosts = vec![Host { name: "a".into(), hits: first }, Host { name: "b".into(), hits: 2 }];
    for item in &mut hosts {
        let host = item;
        host.hits += 1;
        let ok = sure(&cx, "ok").await?;
        if ok {
            host.name.push('!');
        }
        t.effect((&host.name, host.hits, ok));
    }
    t.effect(&hosts);
    Ok(format!("{hosts:?}"))
}

}

pub mod renamed {
use super::*;
#[derive(Debug)]
struct Host { name: String, hits: i64 }
$(#[$mark])?
async fn each(cx: &Context, t: &Trace, hosts: &[Host]) -> Result<i64, Failure> {
    let mut sum = 0;
    for item in hosts {
        let host = item;
        let ok = sure(cx, "ok").await?;
        if ok {
            sum += host.hits;
        }
        t.effect((&host.name, ok));
    }
    Ok(sum)
}
static HOSTS: std::sync::LazyLock<Vec<Host>> = std::sync::LazyLock::new(|| vec![Host { name: "a".into(), hits: 1 }, Host { name: "b".into(), hits: 2 }]);
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let sum = each(&cx, t, &HOSTS).await?;
    t.effect((first, sum));
    Ok(format!("{sum}"))
}

}

pub mod by_as_str {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut stock = std::collections::BTreeMap::from([(name.clone(), 3i64), ("other".to_string(), 4)]);
    let mut names: Vec<String> = Vec::new();
    let Some(left) = stock.get_mut(name.as_str()) else { return Ok("none".to_string()) };
    names.push(name);
    let more = num(&cx, "more").await?;
    *left += more;
    t.effect((*left, &names));
    t.effect(&stock);
    Ok(format!("{stock:?} {names:?}"))
}

}

pub mod in_a_document {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let key = text(&cx, "key").await?;
    let mut doc = serde_json::json!({ "plan": { "n": 1 } });
    let mut touched: Vec<String> = Vec::new();
    let entry = &mut doc[key.as_str()];
    touched.push(key);
    let n = num(&cx, "n").await?;
    *entry = serde_json::json!(n);
    t.effect((&touched, n));
    t.effect(doc.to_string());
    Ok(doc.to_string())
}

}

pub mod in_a_loop {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = text(&cx, "first").await?;
    let mut stock = std::collections::BTreeMap::from([(first.clone(), 3i64), ("cup".to_string(), 4)]);
    let (mut done, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for name in vec![first, "pot".to_string(), "cup".to_string()] {
        let Some(left) = stock.get_mut(name.as_str()) else {
            missing.push(name);
            continue;
        };
        done.push(name);
        let taken = num(&cx, "taken").await?;
        *left -= taken;
        t.effect(*left);
    }
    t.effect((&stock, &done, &missing));
    Ok(format!("{stock:?} {done:?} {missing:?}"))
}

}

pub mod by_a_slice {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut counts = std::collections::HashMap::from([(name.clone(), 1i64)]);
    let mut log = Vec::new();
    if let Some(count) = counts.get_mut(&name[..]) {
        log.push(name);
        let more = num(&cx, "more").await?;
        *count += more;
        t.effect((*count, &log));
    }
    let total: i64 = counts.values().sum();
    t.effect(total);
    Ok(format!("{total} {log:?}"))
}

}

pub mod by_a_field {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Order { name: String, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut order = Order { name: text(&cx, "name").await?, n: 1 };
    let mut stock = std::collections::BTreeMap::from([(order.name.clone(), 5i64)]);
    let Some(left) = stock.get_mut(order.name.as_str()) else { return Ok("none".to_string()) };
    order.name = format!("{}!", order.name);
    let taken = num(&cx, "taken").await?;
    *left -= taken;
    t.effect((*left, &order));
    t.effect(&stock);
    Ok(format!("{stock:?} {}", order.n))
}

}

pub mod iterator_behind_a_match {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = text(&cx, "names").await?;
    let mut words = names.split(' ').filter(|word| !word.starts_with('-'));
    let first = match words.next() {
        Some(word) if !word.is_empty() => word.to_owned(),
        _ => {
            let n = num(&cx, "n").await?;
            return Ok(format!("none {n}"));
        }
    };
    let rest: Vec<String> = words.map(str::to_uppercase).collect();
    t.effect((&first, &rest));
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{first} {rest:?} {ok}"))
}

}

pub mod list_behind_a_match {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk { seats: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut desks = vec![Desk { seats: first }, Desk { seats: 2 }, Desk { seats: 3 }];
    let mut free: Vec<&mut Desk> = desks.iter_mut().filter(|desk| desk.seats > 1).collect();
    match free.pop() {
        Some(desk) if desk.seats > first => desk.seats -= 1,
        _ => {
            let n = num(&cx, "n").await?;
            return Ok(format!("none {n}"));
        }
    }
    for desk in free { desk.seats += 10; }
    t.effect(&desks);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{desks:?} {ok}"))
}

}

pub mod iterator_behind_an_if {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let prices = BTreeMap::from([("a".to_owned(), first), ("b".to_owned(), 2), ("c".to_owned(), 5)]);
    let mut dear = prices.iter().filter(|(_, price)| **price > 1);
    if let Some((name, price)) = dear.next() {
        t.effect((name, price));
    } else {
        let n = num(&cx, "n").await?;
        return Ok(format!("none {n}"));
    }
    let others = dear.map(|(name, price)| format!("{name}{price}")).collect::<Vec<_>>();
    t.effect(&others);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{others:?} {ok} {}", prices.len()))
}

}

pub mod left_with_a_value {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut tries = 0;
    loop {
        let n = num(&cx, "n").await?;
        tries += 1;
        t.effect((tries, n));
        if n > 1 || tries > 2 { break tries; }
    };
    Ok(format!("{tries}"))
}

}

pub mod assigned_in_branches {
use super::*;
fn send(text: String) -> usize { text.len() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut draft = String::from("a");
    let mut rounds = 0;
    loop {
        rounds += 1;
        let sent = send(draft);
        t.effect((rounds, sent));
        let n = num(&cx, "n").await?;
        if n > 1 && rounds < 3 {
            if n > 3 { draft = format!("{n}!"); } else { draft = String::from("again"); }
            continue;
        }
        return Ok(format!("{sent} {n} {rounds}"));
    }
}

}

pub mod assigned_apart {
use super::*;
fn send(text: String) -> usize { text.len() }
fn next(n: i64) -> (String, i64) { (format!("next {n}"), n * 2) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut draft = String::from("a");
    let mut rounds = 0;
    let mut last = 0;
    loop {
        rounds += 1;
        let sent = send(draft);
        t.effect((rounds, sent, last));
        let n = num(&cx, "n").await?;
        if n > 1 && rounds < 3 {
            (draft, last) = next(n);
            continue;
        }
        return Ok(format!("{sent} {n} {rounds} {last}"));
    }
}

}

pub mod negated {
use super::*;
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
struct Money { cents: i64, currency: String }
impl std::ops::Neg for Money { type Output = Money; fn neg(self) -> Money { Money { cents: -self.cents, currency: self.currency } } }
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Order { balance: Money, note: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let order = Order { balance: Money { cents: first, currency: "eur".to_owned() }, note: format!("n{first}") };
    let owed = -order.balance;
    t.effect(&owed);
    let ok = sure(&cx, "ok").await?;
    t.effect((ok, &owed, &order.note));
    Ok(order.note)
}

}

pub mod called_call_tool {
use super::*;
$(#[$mark])?
async fn call_tool(cx: &Context, t: &Trace, params: rmcp::model::CallToolRequestParams) -> Result<String, Failure> {
    let ok = sure(cx, "forward?").await?;
    t.effect((ok, params.name.to_string()));
    Ok(if ok { params.name.to_string() } else { "kept".to_owned() })
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let done = call_tool(&cx, t, rmcp::model::CallToolRequestParams::new(format!("tool{n}"))).await?;
    Ok(format!("{n} {done}"))
}

}


pub mod dyn_fn_lent {
use super::*;
struct Desk { add: i64 }
impl Desk {
    $(#[$mark])?
    async fn ask_with(&self, cx: &Context, t: &Trace, price: impl Fn(i64) -> i64 + Send + Sync) -> Result<i64, Failure> {
        let more = num(cx, "more").await?;
        Ok(t.effect(price(more) + self.add))
    }
    $(#[$mark])?
    async fn twice(&self, cx: &Context, t: &Trace, price: &(dyn Fn(i64) -> i64 + Send + Sync)) -> Result<i64, Failure> {
        let first = self.ask_with(cx, t, price).await?;
        let second = self.ask_with(cx, t, price).await?;
        Ok(first + second)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let desk = Desk { add: n };
    let paid = desk.twice(&cx, t, &|price| price * 3).await?;
    t.effect(paid);
    Ok(format!("{paid}"))
}

}

pub mod three_paths {
use super::*;
trait Ask: Sync {
    fn name(&self) -> String;
    $(#[$mark])?
    async fn ask(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let n = num(cx, &self.name()).await?;
        Ok(t.effect(n + 1))
    }
}
struct One(i64);
impl Ask for One { fn name(&self) -> String { format!("one {}", self.0) } }
$(#[$mark])?
async fn both<A: Ask>(cx: &Context, t: &Trace, one: &A) -> Result<i64, Failure> {
    let first = A::ask(one, cx, t).await?;
    let second = Ask::ask(one, cx, t).await?;
    Ok(first + second)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let one = One(n);
    let sum = both(&cx, t, &one).await?;
    let more = One::ask(&one, &cx, t).await?;
    let last = <One as Ask>::ask(&one, &cx, t).await?;
    Ok(format!("{sum} {more} {last}"))
}

}

pub mod plain_arm {
use super::*;
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Job { id: i64, notes: Vec<String> }
async fn upload(job: Job, t: &Trace) -> usize { t.fetch(job.id).await; job.notes.len() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let job = Job { id: n, notes: vec![format!("note {n}")] };
    let (count, ok) = tokio::join!(upload(job, t), cx.peer.elicit::<Confirm>("sure?"));
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((count, ok));
    Ok(format!("{count} {ok}"))
}

}

pub mod none_lent {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = Some(text(&cx, "name").await?);
    let ok = sure(&cx, "ok").await?;
    let shown: &Option<String> = if ok { &name } else { &None };
    let n = num(&cx, "n").await?;
    t.effect((n, shown.as_deref().unwrap_or("nobody")));
    Ok(format!("{n} {shown:?}"))
}

}

pub mod none_in_a_struct {
use super::*;
struct Filter<'a> { name: &'a String, tag: &'a Option<String> }
impl Filter<'_> { fn shown(&self) -> String { format!("{} {:?}", self.name, self.tag) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let filter = Filter { name: &name, tag: &None };
    let n = num(&cx, "n").await?;
    t.effect((n, filter.shown()));
    Ok(filter.shown())
}

}

pub mod constant_with_a_text {
use super::*;
struct Settings { name: String, most: i64 }
const PLAIN: Settings = Settings { name: String::new(), most: 3 };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let settings = &PLAIN;
    let n = num(&cx, "n").await?;
    t.effect((n, settings.most, settings.name.len()));
    Ok(format!("{}", n.min(settings.most)))
}

}

pub mod constant_with_lists {
use super::*;
#[derive(Debug, Clone)]
struct Plan { name: String, items: Vec<i64> }
const EMPTY: Plan = Plan { name: String::new(), items: Vec::new() };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let empty = &EMPTY;
    let ok = sure(&cx, "ok").await?;
    t.effect((empty, ok, n));
    Ok(format!("{} {}", empty.name, empty.items.len()))
}

}

pub mod constant_text_chosen {
use super::*;
const NOBODY: String = String::new();
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let given = text(&cx, "name").await?;
    let n = num(&cx, "first").await?;
    let name = if n > 1 { &given } else { &NOBODY };
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok));
    Ok(format!("{}", name.len()))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_struct::run,
    a_struct_to_change::run,
    a_variant::run,
    halves::run,
    matched::run,
    an_option_to_change::run,
    an_option::run,
    of_a_map::run,
    chunks::run,
    found::run,
    zipped::run,
    pairs::run,
    renamed_to_change::run,
    renamed::run,
    by_as_str::run,
    in_a_document::run,
    in_a_loop::run,
    by_a_slice::run,
    by_a_field::run,
    iterator_behind_a_match::run,
    list_behind_a_match::run,
    iterator_behind_an_if::run,
    left_with_a_value::run,
    assigned_in_branches::run,
    assigned_apart::run,
    negated::run,
    called_call_tool::run,
    dyn_fn_lent::run,
    three_paths::run,
    plain_arm::run,
    none_lent::run,
    none_in_a_struct::run,
    constant_with_a_text::run,
    constant_with_lists::run,
    constant_text_chosen::run
);

//! What branches bind and leave, and what is called beside them.

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

fn send(text: String) -> usize { text.len() }

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
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
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
    plain_arm::run
);

//! Arms of a `join!` that are no calls and take what they need by value; what a call is given; macros with a count in what goes by
//! another name.

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

pub mod if_takes {
use super::*;
async fn idle(t: &Trace, name: String) -> usize { t.effect(("idle", &name)); name.len() }
$(#[$mark])?
async fn asked(cx: &Context, more: i64) -> i64 { num(cx, "n").await.unwrap_or(-5) + more }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (name, other) = (format!("name{first}"), format!("other{first}"));
    let (length, n) = tokio::join!(
        if first > 2 { idle(t, name) } else { idle(t, other) },
        asked(&cx, 2),
    );
    t.effect((first, length, n));
    Ok(format!("{length} {n}"))
}

}

pub mod match_takes {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Job { Send(String), Wait(i64) }
async fn work(t: &Trace, what: String) -> usize { t.effect(("work", &what)); what.len() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sum = 0;
    for job in [Job::Send(format!("mail{first}")), Job::Wait(first)] {
        let (length, answer) = tokio::join!(
            match job { Job::Send(to) => work(t, to), Job::Wait(n) => work(t, n.to_string()) },
            cx.peer.elicit::<Count>("next"),
        );
        let n = answer?.map_or(-1, |answer| answer.n);
        t.effect((length, n));
        sum += length as i64 + n;
    }
    Ok(format!("{first} {sum}"))
}

}

pub mod variant_before_block {
use super::*;
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
enum Mode { Fast, Slow }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let mode = if sure(&cx, "ok").await? { Mode::Fast } else { Mode::Slow };
    let mut sum = 0;
    if n < 1000 {
        let n = vec![if mode == Mode::Fast { n } else { 40 }; 2];
        let more = num(&cx, "more").await?;
        t.effect((&n, more));
        sum = n.iter().sum::<i64>() + more;
    }
    t.effect((n, sum, mode));
    Ok(format!("{n} {sum}"))
}

}

pub mod paths_are_names {
use super::*;
struct Plan;
impl Plan { fn limit(of: i64) -> i64 { of * 2 } }
mod rates { pub fn limit(of: i64) -> i64 { of + 1 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let limit = num(&cx, "limit").await?;
    let mut sum = 0;
    if limit < 1000 {
        let limit = vec![Plan::limit(limit) + rates::limit(1); 2];
        let more = num(&cx, "more").await?;
        t.effect((&limit, more));
        sum = limit.iter().sum::<i64>() + more;
    }
    t.effect((limit, sum));
    Ok(format!("{limit} {sum}"))
}

}

pub mod acronym {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct RGB { red: i64, green: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let red = num(&cx, "red").await?;
    let mut sum = 0;
    if red < 1000 {
        let red = vec![RGB { red, green: red + 1 }; 2];
        let more = num(&cx, "more").await?;
        t.effect((&red, more));
        sum = red.iter().map(|one| one.red + one.green).sum::<i64>() + more;
    }
    t.effect((red, sum));
    Ok(format!("{red} {sum}"))
}

}

pub mod closure_in_count {
use super::*;
#[derive(Clone)]
struct Rule<F> { by: F }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let mut sum = 0;
    if n < 1000 {
        let n = vec![Rule { by: |a: i64, n: i64| a * 1000 + n }; 2].iter().map(|rule| (rule.by)(7, 77)).sum::<i64>() + n;
        let more = num(&cx, "more").await?;
        t.effect((n, more));
        sum = n + more;
    }
    t.effect((n, sum));
    Ok(format!("{n} {sum}"))
}

}

pub mod typed_behind {
use super::*;
async fn fill<T: std::str::FromStr>(t: &Trace, from: &str, into: &mut Vec<T>) {
    into.extend(from.split(',').filter_map(|part| part.parse().ok()));
    t.effect(into.len());
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sum = 0;
    for line in ["1,2", "30"] {
        let mut list = Vec::new();
        fill(t, line, &mut list).await;
        fill(t, "5", &mut list).await;
        let more: i64 = list.iter().sum();
        let ok = sure(&cx, "ok").await?;
        t.effect((line, more, ok));
        sum += more;
        let rows: Vec<i64> = list;
        t.effect(rows);
    }
    Ok(format!("{first} {sum}"))
}

}

pub mod best_of_rounds {
use super::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Host {
    name: String,
    picked: AtomicU32,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let hosts = vec![
        Host { name: "a".to_owned(), picked: AtomicU32::new(0) },
        Host { name: "b".to_owned(), picked: AtomicU32::new(0) },
        Host { name: "c".to_owned(), picked: AtomicU32::new(0) },
    ];
    let mut best = &hosts[0];
    let mut most = i64::MIN;
    let mut worst: Option<&Host> = None;
    for host in &hosts {
        let score = num(&cx, "score").await?;
        host.picked.fetch_add(1, Relaxed);
        if score > most {
            most = score;
            best = host;
        } else {
            worst = Some(host);
        }
        best.picked.fetch_add(10, Relaxed);
    }
    let ok = sure(&cx, "ok").await?;
    best.picked.fetch_add(100, Relaxed);
    if let (Some(worst), true) = (worst, ok) {
        worst.picked.fetch_add(1000, Relaxed);
    }
    t.effect((&hosts, &best.name));
    Ok(format!("{} {:?}", best.name, worst.map(|w| &w.name)))
}

}

pub mod hidden_names {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let v = vec![1, num(&cx, "v").await?];
    let r = &v;
    let v = v.len() as i64 + r[1];
    let s = &v;
    let show = || format!("{r:?}{s}{v}");
    let v = format!("{v}!");
    let a = num(&cx, "a").await?;
    t.effect((r, s, &v, show()));
    let r = match r.first() {
        Some(v) if *v == 1 => {
            let r = &r[1..];
            let b = num(&cx, "b").await?;
            t.effect((r, v, b));
            let v = v + b;
            (r, v)
        }
        _ => (&r[..0], 0),
    };
    let a = {
        let a = a + r.1;
        let ok = sure(&cx, "ok").await?;
        let a = if ok { a * 2 } else { let a = num(&cx, "c").await?; a };
        t.effect((a, r, s, &v));
        a
    } + a;
    t.effect((a, r, s, &v, show()));
    Ok(format!("{a} {v}"))
}

}

pub mod parts_filled_again {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Batch {
    name: String,
    items: Vec<i64>,
    spare: Option<Box<Batch>>,
}
fn send(t: &Trace, items: Vec<i64>) {
    t.effect(("sent", items));
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut batch = Batch { name: "b".to_owned(), items: vec![], spare: Some(Box::new(Batch { name: "s".to_owned(), items: vec![7], spare: None })) };
    for round in 0..3 {
        let n = num(&cx, "n").await?;
        batch.items.push(n);
        if n % 2 == 0 {
            send(t, batch.items);
            let ok = sure(&cx, "keep").await?;
            batch.items = if ok { vec![round] } else { Vec::new() };
        } else if let Some(spare) = batch.spare {
            let Batch { name, items, .. } = *spare;
            let more = num(&cx, "more").await?;
            batch.name.push_str(&name);
            batch.items.extend(items);
            batch.spare = (more > 0).then(|| Box::new(Batch { name, items: vec![more], spare: None }));
        } else {
            batch.spare = None;
        }
        t.effect(&batch);
    }
    Ok(format!("{batch:?}"))
}

}

pub mod declared_first {
use super::*;
fn consume(t: &Trace, what: &str, list: Vec<i64>) -> usize {
    t.effect((what, &list));
    list.len()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let label;
    let mut list = vec![1];
    let count: usize;
    if sure(&cx, "short").await? {
        label = text(&cx, "label").await?;
        count = consume(t, "early", list);
        list = vec![num(&cx, "new").await?];
    } else {
        let n = num(&cx, "n").await?;
        list.push(n);
        label = format!("#{n}");
        count = if n > 0 {
            let moved = list;
            list = vec![];
            let again = sure(&cx, "again").await?;
            if again { consume(t, "again", moved.clone()) } else { moved.len() }
        } else {
            0
        };
    }
    let last = num(&cx, "last").await?;
    list.push(last);
    t.effect((&label, &list, count));
    Ok(format!("{label} {}", consume(t, "end", list)))
}

}

pub mod chosen_again {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Desk { served: Vec<i64> }
impl Desk {
    $(#[$mark])?
    async fn serve(&mut self, cx: &Context, t: &Trace, ticket: usize) -> Result<usize, Failure> {
        self.served.push(ticket as i64);
        let minutes = num(cx, "minutes").await?;
        self.served.push(minutes * 10);
        t.effect((ticket, self.served.clone()));
        Ok(self.served.len())
    }
}
$(#[$mark])?
async fn note(cx: &Context, t: &Trace, place: &mut i64, next: usize) -> Result<(), Failure> {
    *place += 1;
    *place += num(cx, "note").await? * 10;
    t.effect((*place, next));
    Ok(())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut desks = vec![Desk { served: vec![] }, Desk { served: vec![] }, Desk { served: vec![] }];
    let mut i = 0;
    let a = desks[i].serve(&cx, t, { i += 1; i }).await?;
    let b = desks[i].serve(&cx, t, { i += 1; i + 40 }).await?;
    t.effect((a, b, i, desks.clone()));
    let mut totals = vec![0i64; 3];
    i = 0;
    note(&cx, t, &mut totals[i], { i = 2; i }).await?;
    note(&cx, t, &mut totals[i], { i -= 1; i }).await?;
    t.effect((i, totals.clone()));
    Ok(format!("{desks:?} {totals:?}"))
}

}

pub mod counts_between {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut count = num(&cx, "count").await?;
    let mut next = move || { count += 1; count };
    let a = next();
    count = num(&cx, "count anew").await? * 100;
    let b = next();
    t.effect((a, b, count));
    for _ in 0..2 {
        let by = num(&cx, "by").await?;
        t.effect((by, next(), count));
    }
    let mut words = Vec::new();
    let mut keep = |word: String| { words.push(word); words.len() };
    let one = keep(text(&cx, "word").await?);
    let two = keep(format!("{}", num(&cx, "second word").await?));
    t.effect((one, two, words.clone(), next()));
    Ok(format!("{words:?} {count} {}", next()))
}

}

pub mod loops_over_copies {
use super::*;
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct Pair { both: [i64; 2], last: Option<i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut slots = [num(&cx, "first").await?, 20, 30];
    for slot in slots {
        slots[2] += num(&cx, "add").await? + slot;
        t.effect((slot, slots));
    }
    let mut pair = Pair { both: [1, 2], last: Some(7) };
    for mut n in pair.both {
        n += num(&cx, "n").await?;
        pair.both = [n, n * 2];
        t.effect((n, pair));
    }
    for n in pair.last {
        pair.last = Some(num(&cx, "last").await?);
        t.effect((n, pair.last));
    }
    let mut end = 3;
    for i in 0..end {
        end += num(&cx, "end").await?;
        t.effect((i, end));
    }
    for row in [slots, [end, 0, 1]] {
        slots = [0; 3];
        t.effect((row, slots, sure(&cx, "row").await?));
    }
    Ok(format!("{slots:?} {pair:?} {end}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    if_takes::run,
    match_takes::run,
    variant_before_block::run,
    paths_are_names::run,
    acronym::run,
    closure_in_count::run,
    typed_behind::run,
    best_of_rounds::run,
    hidden_names::run,
    parts_filled_again::run,
    declared_first::run,
    chosen_again::run,
    counts_between::run,
    loops_over_copies::run
);

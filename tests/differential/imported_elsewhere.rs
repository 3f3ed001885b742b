//! What is made again means what it meant where it stands, whatever a block imports.

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

pub mod closure {
use super::*;
mod winter { pub fn scale(n: i64) -> i64 { n * 100 + 7 } }
fn scale(n: i64) -> i64 { n + 1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let total = |n: i64| scale(n);
    let first = num(&cx, "first").await?;
    t.effect(total(first));
    {
        use winter::scale;
        let second = num(&cx, "second").await?;
        t.effect((total(second), scale(second)));
    }
    Ok(format!("{}", total(first)))
}

}

pub mod function {
use super::*;
mod winter { pub fn scale(n: i64) -> i64 { n * 100 + 7 } }
fn scale(n: i64) -> i64 { n + 1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let op: fn(i64) -> i64 = scale;
    let first = num(&cx, "first").await?;
    t.effect(op(first));
    if first != 1 {
        use winter::scale;
        let second = num(&cx, "second").await?;
        t.effect((op(second), scale(second)));
    }
    let third = num(&cx, "third").await?;
    Ok(format!("{}", op(third)))
}

}

pub mod constant {
use super::*;
mod winter { pub const RATES: [i64; 3] = [10, 20, 30]; }
const RATES: [i64; 3] = [1, 2, 3];
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let rates = &RATES;
    let first = num(&cx, "first").await?;
    t.effect((first, rates[0]));
    {
        use winter::RATES;
        let second = num(&cx, "second").await?;
        t.effect((second, rates[1], RATES[1]));
    }
    Ok(format!("{}", rates[2]))
}

}

pub mod item_of_a_static {
use super::*;
#[derive(Debug)]
pub struct Desk { pub name: &'static str, pub seats: i64 }
mod annex { pub static DESKS: [super::Desk; 2] = [super::Desk { name: "annex a", seats: 1 }, super::Desk { name: "annex b", seats: 2 }]; }
static DESKS: [Desk; 2] = [Desk { name: "main a", seats: 10 }, Desk { name: "main b", seats: 20 }];
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let at = (first % 2).unsigned_abs() as usize;
    let desk = &DESKS[at];
    t.note(desk.name);
    if sure(&cx, "annex").await? {
        use annex::DESKS;
        let more = num(&cx, "more").await?;
        t.effect((desk, &DESKS[0], more));
    }
    Ok(format!("{} {}", desk.name, desk.seats))
}

}

pub mod list_of_functions {
use super::*;
mod other { pub fn double(n: i64) -> i64 { n * 20 + 5 } }
fn double(n: i64) -> i64 { n * 2 }
fn half(n: i64) -> i64 { n / 2 }
struct Op { name: &'static str, run: fn(i64) -> i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ops = [Op { name: "double", run: double }, Op { name: "half", run: half }];
    let first = num(&cx, "first").await?;
    t.effect((ops[0].run)(first));
    {
        use other::double;
        let second = num(&cx, "second").await?;
        for op in &ops { t.note(op.name); t.effect((op.run)(second)); }
        t.effect(double(second));
    }
    Ok(format!("{}", (ops[0].run)(first)))
}

}


pub mod item_of_a_loop {
use super::*;
mod winter { pub static RATES: [i64; 3] = [100, 200, 300]; }
static RATES: [i64; 3] = [1, 2, 3];
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut sum = 0;
    for rate in RATES.iter() {
        use winter::RATES;
        let n = num(&cx, "n").await?;
        t.effect((n, rate, RATES[0]));
        sum += *rate;
    }
    Ok(format!("{sum}"))
}

}

pub mod lent_inside {
use super::*;
mod tables { pub const RATES: [i64; 3] = [1, 2, 3]; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    if first != 1 {
        use tables::RATES;
        let rates = &RATES;
        let second = num(&cx, "second").await?;
        t.effect((second, rates[0], rates[2]));
    }
    Ok(format!("{first}"))
}

}

pub mod gone_over_inside {
use super::*;
mod catalog { pub static TITLES: [&str; 2] = ["red", "blue"]; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut all = Vec::new();
    if sure(&cx, "all").await? {
        use catalog::TITLES;
        for title in TITLES.iter() {
            let n = num(&cx, title).await?;
            t.effect((title, n));
            all.push(format!("{title}{n}"));
        }
    }
    Ok(all.join(","))
}

}

pub mod method {
use super::*;
mod gentle { pub trait Level { fn level(&self) -> i64; } impl Level for i64 { fn level(&self) -> i64 { *self + 1 } } }
mod steep { pub trait Steep { fn level(self) -> i64; } impl Steep for i64 { fn level(self) -> i64 { self * 1000 } } }
use gentle::Level as _;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let level = |n: i64| n.level();
    let first = num(&cx, "first").await?;
    t.effect(level(first));
    {
        use steep::Steep;
        let second = num(&cx, "second").await?;
        t.effect((level(second), second.level(), Steep::level(first)));
    }
    Ok(format!("{}", level(first)))
}

}

pub mod struct_of_borrows {
use super::*;
mod loud { pub struct View<'a> { pub name: &'a str } impl View<'_> { pub fn show(&self) -> String { self.name.to_uppercase() + "!" } } }
struct View<'a> { name: &'a str }
impl View<'_> { fn show(&self) -> String { self.name.to_owned() } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let view = View { name: &name };
    t.note(&view.show());
    let first = num(&cx, "first").await?;
    {
        use loud::View;
        let second = num(&cx, "second").await?;
        let other = View { name: "other" };
        t.effect((view.show(), other.show(), second));
    }
    Ok(format!("{first} {name}"))
}

}

pub mod pattern_of_a_closure {
use super::*;
mod strict { pub const LIMIT: i64 = 1; }
const LIMIT: i64 = 3;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let said = |n: i64| match n { LIMIT => "at the limit", n if n > LIMIT => "above", _ => "below" };
    let first = num(&cx, "first").await?;
    t.note(said(first));
    if first != 0 {
        use strict::LIMIT;
        let second = num(&cx, "second").await?;
        t.effect((second, said(second), second == LIMIT));
        for n in 0..5 { t.note(said(n)); }
    }
    Ok(said(first).to_owned())
}

}

pub mod glob {
use super::*;
mod units {
    pub fn price(n: i64) -> i64 { n * 1000 }
    pub fn label(n: i64) -> String { format!("{n} units") }
}
fn price(n: i64) -> i64 { n + 3 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let base = num(&cx, "base").await?;
    let total = |n: i64| price(n) + base;
    let mut sum = total(1);
    for step in 0..2 {
        use units::*;
        let n = num(&cx, "n").await?;
        sum += total(n);
        t.effect((step, label(n), total(n), sum));
    }
    Ok(format!("{sum} {}", total(2)))
}

}

pub mod lock {
use super::*;
use std::sync::Mutex;
mod other { pub static LOG: std::sync::Mutex<Vec<i64>> = std::sync::Mutex::new(Vec::new()); }
static LOG: Mutex<Vec<i64>> = Mutex::new(Vec::new());
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let log = &LOG;
    let first = num(&cx, "first").await?;
    {
        use other::LOG;
        let second = num(&cx, "second").await?;
        t.effect((second, first, std::ptr::eq(log, &LOG)));
    }
    Ok(format!("{}", log.lock().map(|log| log.len()).unwrap_or(9)))
}

}

pub mod variant {
use super::*;
#[derive(Debug, PartialEq)]
enum Mode { Fast, Slow }
mod night { pub(super) use super::Mode::Slow as DAY; }
const DAY: Mode = Mode::Fast;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mode = &DAY;
    let first = num(&cx, "first").await?;
    t.effect((first, mode));
    {
        use night::DAY;
        let second = num(&cx, "second").await?;
        t.effect((second, mode, *mode == DAY));
    }
    Ok(format!("{mode:?}"))
}

}

pub mod without_a_type {
use super::*;
mod winter { pub fn scale(n: i64) -> i64 { n * 100 + 7 } }
fn scale(n: i64) -> i64 { n + 1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let op = scale;
    let first = num(&cx, "first").await?;
    t.effect(op(first));
    {
        use winter::scale;
        let second = num(&cx, "second").await?;
        t.effect((op(second), scale(second)));
    }
    Ok(format!("{}", op(first)))
}

}

pub mod variant_inside {
use super::*;
#[derive(Debug)]
enum Mode { Fast, Slow }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    {
        use Mode::*;
        let (quick, slow) = (&Fast, &Slow);
        let ok = sure(&cx, "ok").await?;
        t.effect((ok, quick, slow));
    }
    Ok(format!("{first}"))
}

}

pub mod constant_inside {
use super::*;
mod limits { pub const MOST: [i64; 2] = [3, 5]; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ok = sure(&cx, "ok").await?;
    let mut sum = 0;
    if ok {
        use limits::MOST;
        let most = &MOST;
        let n = num(&cx, "n").await?;
        sum += n + most[1];
        t.effect((n, most));
    }
    Ok(format!("{sum}"))
}

}

pub mod list_inside {
use super::*;
mod menu { pub const STEPS: &[(&str, i64)] = &[("start", 1), ("stop", 2)]; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut sum = 0;
    let ok = sure(&cx, "ok").await?;
    if ok {
        use menu::STEPS;
        for (name, step) in STEPS.iter() {
            let n = num(&cx, name).await?;
            t.effect((name, step, n));
            sum += n * step;
        }
    }
    Ok(format!("{sum}"))
}

}

pub mod two_of_one_name {
use super::*;
mod low { pub const ROWS: [i64; 2] = [1, 2]; }
mod high { pub const ROWS: [i64; 3] = [10, 20, 30]; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ok = sure(&cx, "ok").await?;
    let mut sum = 0;
    if ok {
        use low::ROWS;
        for row in &ROWS { sum += row * num(&cx, "low").await?; }
    } else {
        use high::ROWS;
        for row in &ROWS { sum += row * num(&cx, "high").await?; }
    }
    t.effect(sum);
    Ok(format!("{sum}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    closure::run,
    function::run,
    constant::run,
    item_of_a_static::run,
    list_of_functions::run,
    item_of_a_loop::run,
    lent_inside::run,
    gone_over_inside::run,
    method::run,
    struct_of_borrows::run,
    pattern_of_a_closure::run,
    glob::run,
    lock::run,
    variant::run,
    without_a_type::run,
    variant_inside::run,
    constant_inside::run,
    list_inside::run,
    two_of_one_name::run
);

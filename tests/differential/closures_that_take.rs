//! Closures with `move` of what changes behind them, and in them: what they take is theirs.

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

pub mod counting {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "n").await?;
    let mut next = move || { n += 1; n };
    t.effect(next());
    let m = num(&cx, "m").await?;
    n += 100;
    t.effect((next(), n, m));
    let k = num(&cx, "k").await?;
    t.effect((next(), n, k));
    Ok(format!("{n}"))
}

}

pub mod texts_and_lists {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut names = vec![text(&cx, "a").await?];
    let mut seen = names.clone();
    let mut add = move |s: &str| { seen.push(s.to_string()); seen.len() };
    names.push("x".into());
    t.effect(add("y"));
    let w = text(&cx, "w").await?;
    names.push(w.clone());
    t.effect((add(&w), &names));
    let mut label = String::from("l");
    let show = move |i: i64| format!("{label}{i}");
    label = text(&cx, "label").await?;
    t.effect((show(1), &label));
    label.push('!');
    let z = sure(&cx, "z").await?;
    t.effect((show(2), &label, z));
    Ok(format!("{names:?} {label}"))
}

}

pub mod in_a_loop {
use super::*;
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, Copy, Serialize, Deserialize)] struct Rate { a: i64, b: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut out = vec![];
    let mut rate = Rate { a: 1, b: 2 };
    for i in 0..2 {
        let mut base = i;
        let f = move |x: i64| x + base;
        base += num(&cx, "b").await?;
        let of = move |r: Rate| r.a * base + r.b;
        base = 0;
        rate.a += 1;
        let ok = sure(&cx, "ok").await?;
        out.push((f(1), of(rate), base, ok));
    }
    Ok(format!("{out:?} {rate:?}"))
}

}

pub mod several {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut total = 0;
    let mut count = 0;
    let mut stats = move |v: i64| { total += v; count += 1; (total, count) };
    for i in 0..3 { let v = num(&cx, "v").await?; t.effect(stats(v + i)); }
    total += 5;
    let fin = stats(0);
    let boxed: Vec<i64> = vec![1, 2];
    let has = move |i: &i64| boxed.contains(i);
    let q = num(&cx, "q").await?;
    Ok(format!("{total} {count} {fin:?} {}", has(&q)))
}


}

pub mod before_and_after {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rate = 3;
    let mut offset = num(&cx, "offset").await?.rem_euclid(10);
    let old = move |x: i64| x * rate + offset;
    rate = 7;
    offset += 100;
    t.effect(old(1));
    let n = num(&cx, "amount").await?.rem_euclid(50);
    t.effect(old(n));
    let new = |x: i64| x * rate + offset;
    t.effect(new(n));
    let sure_now = sure(&cx, "both?").await?;
    let both = if sure_now { old(n) - new(n) } else { new(n) - old(n) };
    rate = 1;
    t.effect((rate, offset));
    Ok(format!("{both} {}", old(0)))
}

}

pub mod of_one_name {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "first").await?;
    let was = move |by: i64| [1, 2].map(|n| n * by).iter().sum::<i64>() + format!("{n}").len() as i64 + { let n = n + 1; n };
    n += 1;
    let m = num(&cx, "How many?").await?;
    let mut log: Vec<String> = vec![];
    let mut tell = move |s: &str| { log.push(format!("{s}{n}")); n += 1; log.join(",") };
    t.effect(tell("a"));
    n *= 2;
    let w = text(&cx, "w").await?;
    t.effect((tell(&w), n, was(m)));
    Ok(format!("{} {}", was(1), n))
}


}
pub mod lent {
use super::*;
fn twice(f: &mut dyn FnMut() -> i64) -> i64 { f() + f() }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "n").await?;
    let mut next = move || { n += 1; n };
    t.effect(twice(&mut next));
    let m = num(&cx, "m").await?;
    t.effect((next(), n, m));
    t.effect(format!("{}", next()));
    let low = move |x: i64| x - n;
    n = 0;
    sure(&cx, "s").await?;
    Ok(format!("{n} {:?}", [1, 2].map(low)))
}


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    counting::run,
    texts_and_lists::run,
    in_a_loop::run,
    several::run,
    before_and_after::run,
    of_one_name::run,
    lent::run
);

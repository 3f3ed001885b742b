//! What an option gives is no adapter, cursors change what stands before them, and imports of a block stay there.

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

pub mod an_option_lent {
use super::*;
fn limit(t: &Trace) -> i64 { t.effect(("limit", 2i64)).1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let last = Some(first);
    let mut sum = 0;
    for n in last.as_ref().map(|n| t.effect(("last", *n)).1 * 10).into_iter().chain(0..limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        sum += n;
    }
    t.effect((last, sum));
    Ok(format!("{sum}"))
}

}

pub mod an_option_lent_to_change {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut slot = Some(first.clamp(-1, 1));
    let mut all = Vec::new();
    for n in slot.as_mut().map(|n| { *n += 2; *n * 10 }).into_iter().chain(0..slot.as_ref().map_or(0, |n| *n)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        all.push(n);
    }
    t.effect((slot, &all));
    Ok(format!("{slot:?} {all:?}"))
}

}

pub mod a_text_in_an_option {
use super::*;
fn limit(t: &Trace) -> usize { t.effect(("limit", 2usize)).1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let name = Some(name).filter(|name| name.len() < 40);
    let measured = |name: &str| t.effect(("measured", name.len())).1;
    let mut all = Vec::new();
    for n in name.as_deref().map(measured).into_iter().chain(0..limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        all.push(n);
    }
    t.effect((&name, &all));
    Ok(format!("{all:?}"))
}

}

pub mod a_cursor {
use super::*;
fn read(row: &mut &[i64]) -> i64 {
    let length = row.first().copied().unwrap_or(0).clamp(1, 3);
    *row = row.get(1..).unwrap_or_default();
    length
}
$(#[$mark])?
async fn sums(cx: &Context, t: &Trace, row: &mut &[i64]) -> Result<i64, Failure> {
    let mut sum = 0;
    for (n, slot) in row.iter().zip(0..read(row)) {
        let ok = sure(cx, "ok").await?;
        t.effect((n, slot, ok));
        sum += n * 10 + slot;
    }
    Ok(sum)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let list = vec![2, first, 7];
    let mut row = &list[..];
    let sum = sums(&cx, t, &mut row).await?;
    t.effect((sum, row));
    Ok(format!("{sum}"))
}

}

pub mod an_array_gone_through {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = [first, 3];
    let mut all = Vec::new();
    for (n, slot) in list.into_iter().zip(0..{ list.iter_mut().for_each(|n| *n += 50); 2 }) {
        let ok = sure(&cx, "ok").await?;
        t.effect((n, slot, ok));
        all.push(n);
    }
    t.effect((list, &all));
    Ok(format!("{all:?}"))
}

}

pub mod two_arguments {
use super::*;
struct Desk { rows: Vec<i64> }
impl Desk {
    fn page(&self, from: i64, slots: std::ops::Range<i64>) -> Vec<i64> {
        self.rows.iter().map(|row| row * 10 + from).zip(slots).map(|(row, slot)| row + slot).collect()
    }
}
fn cursor(t: &Trace) -> i64 { t.effect(("cursor", 1i64)).1 }
fn limit(t: &Trace) -> i64 { t.effect(("limit", 2i64)).1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let desk = Desk { rows: vec![first, first + 1, first + 2] };
    let mut sum = 0;
    for row in desk.page(cursor(t), 0..limit(t)) {
        let ok = sure(&cx, "ok").await?;
        t.effect((row, ok));
        sum += row;
    }
    Ok(format!("{sum}"))
}

}

pub mod a_sleep_of_its_own {
use super::*;
mod time {
    pub async fn sleep(length: std::time::Duration) { let _ = length; }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let n = tokio::select! {
        biased;
        () = time::sleep(std::time::Duration::from_secs(60)) => -7,
        answer = cx.peer.elicit::<Count>("n") => answer?.map_or(-1, |count| count.n),
    };
    t.effect((first, n));
    Ok(format!("{first} {n}"))
}

}

pub mod a_sleep_of_another_type {
use super::*;
mod time {
    pub async fn sleep(ticks: u32) { for _ in 0..ticks { std::future::pending::<()>().await } }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let n = tokio::select! {
        biased;
        _ = time::sleep(3) => -7,
        answer = cx.peer.elicit::<Count>("n") => answer?.map_or(-1, |count| count.n),
    };
    t.effect((first, n));
    Ok(format!("{first} {n}"))
}

}

pub mod a_module_imported_inside {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ok = sure(&cx, "hurry?").await?;
    let mut n = 0;
    if ok {
        use tokio::time;
        let answer = time::timeout(time::Duration::from_secs(600), cx.peer.elicit::<Count>("n")).await;
        n = match answer {
            Ok(Ok(Some(count))) => count.n,
            Ok(_) => -1,
            Err(_) => -2,
        };
        t.effect(n);
    }
    let last = num(&cx, "last").await?;
    t.effect((ok, n, last));
    Ok(format!("{ok} {n} {last}"))
}

}

pub mod everything_imported_inside {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ok = sure(&cx, "hurry?").await?;
    let mut n = 0;
    if ok {
        use tokio::time::*;
        let answer = timeout(Duration::from_secs(600), cx.peer.elicit::<Count>("n")).await;
        n = match answer {
            Ok(Ok(Some(count))) => count.n,
            Ok(_) => -1,
            Err(_) => -2,
        };
        t.effect(n);
    }
    let last = num(&cx, "last").await?;
    t.effect((ok, n, last));
    Ok(format!("{ok} {n} {last}"))
}

}

pub mod a_constant_in_a_list {
use super::*;
const LIMIT: i64 = 3;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let ok = sure(&cx, "ok").await?;
    let mut sum = 0;
    if ok {
        let n = vec![if n < LIMIT { n } else { LIMIT }; 2];
        let more = num(&cx, "more").await?;
        t.effect((&n, more));
        sum = n.iter().sum::<i64>() + more;
    }
    t.effect((n, sum));
    Ok(format!("{n} {sum}"))
}

}

pub mod a_constant_in_json {
use super::*;
const MAX: i64 = 3;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let total = num(&cx, "total").await?;
    let ok = sure(&cx, "ok").await?;
    let mut shown = String::new();
    if ok {
        let total = serde_json::json!({ "sent": if total < MAX { total } else { MAX }, "more": [total] });
        let more = num(&cx, "more").await?;
        t.effect((total.to_string(), more));
        shown = format!("{total} {more}");
    }
    t.effect((total, &shown));
    Ok(format!("{total} {shown}"))
}

}

pub mod a_closure_that_calls {
use super::*;
fn double(n: i64) -> i64 { n * 2 }
$(#[$mark])?
async fn asked(cx: &Context, question: &str) -> i64 {
    num(cx, question).await.unwrap_or(-5)
}
fn schedule<'a>(cx: &'a Context, t: &'a Trace, by: &'a (dyn Fn(i64) -> i64 + Sync)) -> impl Future<Output = i64> + Send + 'a {
    t.effect(("schedule", by(3)));
    let _ = cx;
    async move { by(4) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (days, n) = tokio::join!(schedule(&cx, t, &|n| double(n)), asked(&cx, "n"));
    t.effect((first, days, n));
    Ok(format!("{first} {days} {n}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    an_option_lent::run,
    an_option_lent_to_change::run,
    a_text_in_an_option::run,
    a_cursor::run,
    an_array_gone_through::run,
    two_arguments::run,
    a_sleep_of_its_own::run,
    a_sleep_of_another_type::run,
    a_module_imported_inside::run,
    everything_imported_inside::run,
    a_constant_in_a_list::run,
    a_constant_in_json::run,
    a_closure_that_calls::run
);

//! Arms of a `join!` that are no calls and give away what is kept.

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

pub mod guard_beside_ref {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut count = num(&cx, "first").await?;
    let mut sum = 0;
    for _ in 0..2 {
        let (made, answer) = tokio::join!(
            match count {
                n if n > 100 => t.fetch(n),
                ref mut n => { *n += 5; t.fetch(*n) }
            },
            cx.peer.elicit::<Count>("more"),
        );
        let more = answer?.map_or(-1, |answer| answer.n);
        t.effect((made, more, count));
        sum += made + more;
    }
    Ok(format!("{sum} {count}"))
}

}

pub mod numbers_beside_ref {
use super::*;
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
enum Slot { Counted(i64), Fixed(i64) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut slot = if first > 100 { Slot::Fixed(first) } else { Slot::Counted(first) };
    let mut sum = 0;
    for _ in 0..2 {
        let (made, answer) = tokio::join!(
            match slot {
                Slot::Counted(ref mut n) => { *n += 5; t.fetch(*n) }
                Slot::Fixed(n) => t.fetch(n),
            },
            cx.peer.elicit::<Count>("more"),
        );
        let more = answer?.map_or(-1, |answer| answer.n);
        t.effect((made, more, slot));
        sum += made;
    }
    Ok(format!("{sum} {slot:?}"))
}

}

pub mod async_at_the_end {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let (length, ok) = tokio::join!(
        {
            let twice = first * 2;
            async move { t.effect((&name, twice)); name.len() as i64 + twice }
        },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, length, ok));
    Ok(format!("{length} {ok}"))
}

}

pub mod either {
use super::*;
use futures::future::Either;
async fn send(t: &Trace, to: String) -> i64 { t.effect(("send", &to)); to.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let (length, ok) = tokio::join!(
        if first > 2 { Either::Left(send(t, name)) } else { Either::Right(t.fetch(first)) },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, length, ok));
    Ok(format!("{length} {ok}"))
}

}

pub mod boxed {
use super::*;
use futures::FutureExt;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let (length, ok) = tokio::join!(
        if first > 2 { async move { t.effect(&name); name.len() as i64 }.boxed() } else { t.fetch(first).boxed() },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, length, ok));
    Ok(format!("{length} {ok}"))
}

}

pub mod literals {
use super::*;
struct Mail { to: String, body: Option<String> }
async fn send(t: &Trace, mail: Mail) -> i64 { t.effect((&mail.to, &mail.body)); mail.to.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let body = format!("hello {name}");
    let (sent, ok) = tokio::join!(
        if first > 2 { send(t, Mail { to: name, body: Some(body) }) } else { send(t, Mail { to: name, body: None }) },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, sent, ok));
    Ok(format!("{sent} {ok}"))
}

}

pub mod fields {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Plan { fast: bool, name: String, label: String }
async fn send(t: &Trace, to: String) -> i64 { t.effect(("send", &to)); to.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let plan = Plan { fast: first > 2, name: text(&cx, "name").await?, label: format!("l{first}") };
    let (sent, ok) = tokio::join!(
        if plan.fast { send(t, plan.name) } else { send(t, plan.label) },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, sent, ok));
    Ok(format!("{sent} {ok}"))
}

}

pub mod pair {
use super::*;
async fn send(t: &Trace, to: String, fast: bool) -> i64 { t.effect(("send", &to, fast)); to.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let name = text(&cx, "name").await?;
    let target = (!name.is_empty()).then_some(name);
    let (sent, ok) = tokio::join!(
        match (first > 2, target) {
            (fast, Some(to)) => send(t, to, fast),
            (_, None) => send(t, "nobody".to_owned(), false),
        },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((first, sent, ok));
    Ok(format!("{sent} {ok}"))
}

}

pub mod lent_text {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Job { Send(String), Wait(i64) }
async fn work(t: &Trace, name: &str, n: i64) -> i64 { t.effect((name, n)); n + name.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let job = if first > 2 { Job::Send(format!("mail{first}")) } else { Job::Wait(first) };
    let (made, ok) = tokio::join!(
        match job { Job::Send(ref to) => work(t, to, 1), Job::Wait(n) => work(t, "wait", n) },
        cx.peer.elicit::<Confirm>("ok"),
    );
    let ok = ok?.is_some_and(|answer| answer.ok);
    t.effect((made, ok, &job));
    Ok(format!("{made} {job:?}"))
}

}

pub mod counter_of_its_own {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, index: i64, n: i64) -> i64 {
    num(cx, &format!("asked {n}")).await.unwrap_or(-5) + index * 100
}
$(#[$mark])?
async fn all(cx: &Context, t: &Trace, first: i64) -> i64 {
    let list = [first, 7, 8];
    let mut index = 0;
    let answers = futures::future::join_all(list.into_iter().map(move |n| asked(cx, { index += 1; index }, n))).await;
    t.effect((index, &answers));
    let ok = sure(cx, "ok").await.unwrap_or(false);
    t.effect((index, ok));
    index + answers.iter().sum::<i64>()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let sum = all(&cx, t, first).await;
    Ok(format!("{first} {sum}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    guard_beside_ref::run,
    numbers_beside_ref::run,
    async_at_the_end::run,
    either::run,
    boxed::run,
    literals::run,
    fields::run,
    pair::run,
    lent_text::run,
    counter_of_its_own::run
);

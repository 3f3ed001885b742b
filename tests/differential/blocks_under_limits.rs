//! Async blocks that ask, under time limits and beside cancellations: each is continued as a function of its own.

use std::time::Duration;

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

pub mod in_time {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let mut found = Vec::new();
    let done = tokio::time::timeout(Duration::from_secs(3600), async {
        for i in 0..3 {
            t.effect(i);
            if !sure(&cx, &format!("go {i} {}", found.len())).await? { break; }
            found.push(i);
        }
        Ok::<_, Failure>(found.len())
    }).await;
    t.effect(&found);
    match done {
        Ok(n) => Ok(format!("{} {found:?}", n?)),
        Err(_) => Ok("late".to_owned()),
    }
}
}

pub mod of_a_counter {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (mut total, mut names, start) = (0i64, Vec::new(), 5i64);
    let got = tokio::time::timeout(Duration::from_secs(900), async {
        while total < 3 + start {
            let n = num(&cx, &format!("n {total}")).await?;
            if n < 0 { break; }
            total += n + 2;
            names.push(format!("{n}"));
            t.effect(total);
        }
        let last = names.last().cloned();
        Ok::<_, Failure>(last)
    }).await;
    total += 100;
    Ok(format!("{total} {names:?} {:?}", got.map(|got| got.map_err(|error| error.0))))
}
}

pub mod left_alone {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let x = 4;
    let got: Result<i64, Failure> = match tokio::time::timeout(Duration::from_secs(60), async {
        if !sure(&cx, "a").await? { return Ok(0); }
        let n = num(&cx, "b").await?;
        if n == x { return Err(Failure::from("four")); }
        Ok(n + x)
    }).await {
        Ok(got) => got,
        Err(_) => return Ok("late".to_owned()),
    };
    t.note("behind");
    Ok(format!("{}", got?))
}
}

pub mod limits_of_several {
use super::*;
use tokio::time::timeout;
$(#[$mark])? async fn rate(cx: &Context, t: &Trace, name: &str) -> i64 { t.note(name); let n = num(cx, name).await.unwrap_or(1); t.effect(n) }
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (names, minute) = (["a", "b"], Duration::from_secs(60));
    let all = timeout(t.effect(minute), futures::future::join_all(names.iter().map(|name| rate(&cx, t, name)))).await;
    let listed = timeout(minute, futures::future::join_all([rate(&cx, t, "c"), rate(&cx, t, "d")])).await;
    let inner = timeout(t.effect(minute), timeout(Duration::from_secs(5), rate(&cx, t, t.effect("e")))).await.map_or(-1, |n| n.unwrap_or(-2));
    let again = timeout(minute, rate(&cx, t, "f")).await;
    let ok = sure(&cx, "ok?").await.unwrap_or(false);
    Ok(format!("{all:?} {listed:?} {inner:?} {again:?} {ok}"))
}
}

pub mod beside_a_cancellation {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let ct = cx.ct.clone();
    let names = ["a", "b"];
    let done = tokio::select! {
        all = async {
            let mut all = Vec::new();
            for name in names { all.push(num(&cx, name).await?); t.effect(&all); }
            Ok::<_, Failure>(all)
        } => all?,
        _ = ct.cancelled() => return Ok("cancelled".to_owned()),
    };
    Ok(format!("{done:?}"))
}
}

pub mod lent_in_lists {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let mut seen: Vec<(String, Result<i64, String>)> = Vec::new();
    for name in [String::from("ann"), String::from("bo")] {
        let got = tokio::time::timeout(Duration::from_secs(60), async {
            let lines = vec![name.clone(), name.to_uppercase()];
            let twice = vec![name.clone(); 2];
            let n = num(&cx, &format!("{} {}", lines.join(" "), twice.len())).await?;
            t.effect((&lines, n));
            Ok::<_, Failure>(lines.len() as i64 + n)
        }).await;
        seen.push((name, got.map_err(|late| late.to_string())?.map_err(|error| error.0)));
    }
    Ok(format!("{seen:?}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_time::run,
    of_a_counter::run,
    left_alone::run,
    limits_of_several::run,
    beside_a_cancellation::run,
    lent_in_lists::run
);

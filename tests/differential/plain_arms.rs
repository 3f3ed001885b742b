//! Arms of a join that ask nobody are made once.

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

pub mod boxed {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> i64 {
    num(cx, "asked").await.unwrap_or(-5) + n
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let tag = format!("<{name}>");
    let (length, n) = tokio::join!(Box::pin(async move { tag.len() }), asked(&cx, 3));
    t.effect((length, n, &name));
    Ok(format!("{length} {n} {name}"))
}

}

pub mod of_units {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context) -> i64 {
    num(cx, "asked").await.unwrap_or(-5)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let many = num(&cx, "many").await?.clamp(0, 2);
    let all = futures::future::join_all((0..many).map(|_| asked(&cx))).await;
    t.effect((many, &all));
    let none: Vec<i64> = Vec::new();
    let nothing = futures::future::join_all(none.iter().map(|_| asked(&cx))).await;
    let ok = sure(&cx, "ok").await?;
    t.effect((nothing.len(), ok));
    Ok(format!("{many} {all:?} {ok}"))
}

}

pub mod a_function {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> i64 {
    num(cx, "asked").await.unwrap_or(-5) + n
}
fn started(t: &Trace, n: i64) -> impl std::future::Future<Output = i64> + Send {
    t.effect(("started", n));
    async move { n * 10 }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (made, n) = tokio::join!(started(t, first), asked(&cx, 1));
    t.effect((made, n));
    Ok(format!("{made} {n}"))
}

}

pub mod a_block {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> i64 {
    num(cx, "asked").await.unwrap_or(-5) + n
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (made, n) = tokio::join!(
        {
            let twice = t.effect(first * 2);
            async move { twice + 1 }
        },
        asked(&cx, 2)
    );
    t.effect((made, n));
    Ok(format!("{made} {n}"))
}

}

pub mod chosen {
use super::*;
use futures::future::BoxFuture;
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> i64 {
    num(cx, "asked").await.unwrap_or(-5) + n
}
fn soon<'a>(t: &'a Trace, n: i64) -> BoxFuture<'a, i64> {
    Box::pin(async move { t.fetch(n).await })
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (made, n) = tokio::join!(
        if t.effect(first) > 1 { soon(t, first) } else { soon(t, 50) },
        asked(&cx, 2)
    );
    t.effect((made, n));
    Ok(format!("{made} {n}"))
}

}

pub mod failing {
use super::*;
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> Result<i64, String> {
    Ok(num(cx, "asked").await.unwrap_or(-5) + n)
}
async fn fails(t: &Trace, n: i64) -> Result<i64, String> {
    t.effect(("fails", n));
    if n > 1 { Err("no".to_string()) } else { Ok(n) }
}
async fn later(t: &Trace) -> Result<i64, String> {
    t.note("later");
    Ok(t.fetch(4).await)
}
$(#[$mark])?
async fn tried(cx: &Context, t: &Trace, n: i64) -> Result<i64, String> {
    let (a, b, c) = tokio::try_join!(fails(t, n), later(t), asked(cx, n))?;
    t.effect((a, b, c));
    Ok(a + b + c)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let got = tried(&cx, t, first).await;
    let ok = sure(&cx, "ok").await?;
    t.effect((&got, ok));
    Ok(format!("{got:?} {ok}"))
}

}

pub mod a_method {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Desk { runs: i64 }
impl Desk {
    fn launch(&mut self, t: &Trace) -> impl std::future::Future<Output = i64> + Send + use<> {
        self.runs += 1;
        t.effect(("launch", self.runs));
        let runs = self.runs;
        async move { runs * 100 }
    }
}
$(#[$mark])?
async fn asked(cx: &Context, n: i64) -> i64 {
    num(cx, "asked").await.unwrap_or(-5) + n
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut desk = Desk { runs: first };
    let (made, n) = tokio::join!(desk.launch(t), asked(&cx, 1));
    t.effect((made, n, &desk));
    Ok(format!("{made} {n} {desk:?}"))
}

}

pub mod a_future {
use super::*;
fn start<'a>(t: &'a Trace, n: i64) -> impl std::future::Future<Output = i64> + 'a {
    t.effect(("start", n));
    async move { n * 2 }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (twice, ok) = tokio::join!(start(t, first), cx.peer.elicit::<Confirm>("ok"));
    let ok = ok.ok().flatten().is_some_and(|answer| answer.ok);
    t.effect((twice, ok));
    Ok(format!("{twice} {ok}"))
}

}

pub mod thirteen {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (ok, a, b, c, d, e, f, g, h, i, j, k, l) = tokio::join!(
        cx.peer.elicit::<Confirm>("ok"), t.fetch(1), t.fetch(2), t.fetch(3), t.fetch(4), t.fetch(5), t.fetch(6),
        t.fetch(7), t.fetch(8), t.fetch(9), t.fetch(10), t.fetch(11), t.fetch(12)
    );
    let ok = ok.ok().flatten().is_some_and(|answer| answer.ok);
    t.effect((ok, a + b + c + d + e + f, g + h + i + j + k + l));
    Ok(format!("{ok}"))
}

}

pub mod that_changes {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut count = num(&cx, "first").await?;
    let mut names = vec!["a".to_owned()];
    let (five, ok) = tokio::join!(async { count += 5; names.push(format!("n{count}")); t.fetch(count).await }, cx.peer.elicit::<Confirm>("ok"));
    let ok = ok.ok().flatten().is_some_and(|answer| answer.ok);
    t.effect((count, five, ok, names.clone()));
    let last = num(&cx, "last").await?;
    Ok(format!("{count} {names:?} {last}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    boxed::run,
    of_units::run,
    a_function::run,
    a_block::run,
    chosen::run,
    failing::run,
    a_method::run,
    a_future::run,
    thirteen::run,
    that_changes::run
);

//! What leaves an async block from inside of another one, and parameters that are there in some builds only.

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

pub mod of_async_blocks {
use super::*;
fn half(n: i64) -> Result<i64, String> {
    if n % 2 == 0 { Ok(n / 2) } else { Err(format!("odd {n}")) }
}
fn twice(n: i64) -> Result<Result<i64, String>, String> {
    if n == 1 { Err("one".to_string()) } else { Ok(half(n)) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let tried: Result<i64, Failure> = async {
        t.note("in");
        let a = { half(num(&cx, "a").await?)? };
        let b = [half(a)?, { t.note("between"); half(num(&cx, "b").await?)? }];
        Ok(b[0].wrapping_add(b[1]))
    }
    .await;
    let tried = tried.map_err(|f| f.0);
    t.note(&format!("{tried:?}"));
    let chosen: Result<i64, String> = async {
        match num(&cx, "c").await.unwrap_or(5) { 1 => twice(3)?, n => { t.note("n"); twice(n)? } }
    }
    .await;
    let n = num(&cx, "n").await?;
    Ok(format!("{tried:?} {chosen:?} {n}"))
}
}

pub mod configured {
use super::*;
$(#[$mark])?
async fn pick(cx: &Context, t: &Trace, #[cfg(any())] gone: u8, #[cfg(all())] n: i64) -> Result<i64, Failure> {
    #[cfg(any())]
    let n = 1000 + n;
    t.effect(n);
    Ok(n + num(cx, "always").await?)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = pick(&cx, t, #[cfg(any())] 5, 4).await?;
    Ok(format!("{a}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(of_async_blocks::run, configured::run);

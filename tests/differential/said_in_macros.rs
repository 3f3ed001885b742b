//! What macros, texts and cfg say.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! size { ($e:expr) => { std::mem::size_of_val(&$e) }; }

macro_rules! told {
    ($t:expr, $e:expr) => {
        $t.effect($e.who())
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod sized {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let small = Some(num(&cx, "first").await? as u8);
    let got = match small {
        Some(n) if { t.effect(size!(n)); sure(&cx, "ok").await? } => i64::from(n),
        Some(_) => -5,
        None => 0,
    };
    t.effect(got);
    Ok(format!("{got} {small:?}"))
}

}

pub mod told {
use super::*;

trait Who { fn who(self) -> &'static str; }
impl Who for i64 { fn who(self) -> &'static str { "value" } }
impl Who for &i64 { fn who(self) -> &'static str { "reference" } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let number = Some(num(&cx, "first").await?);
    let got = match number {
        Some(n) if { told!(t, n); sure(&cx, "ok").await? } => n + 1,
        Some(n) => n - 1,
        None => 0,
    };
    t.effect(got);
    Ok(format!("{got}"))
}

}

pub mod by_ref_mut {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut pair = [1i64, 2];
    let c = &cx;
    let got = async move {
        {
            let [ref mut first, _] = pair;
            *first += 5;
        }
        let more = num(c, "more").await?;
        t.effect((pair, more));
        Ok::<i64, Failure>(pair[0] + more)
    }
    .await?;
    t.effect((pair, got));
    pair[1] += num(&cx, "last").await?;
    Ok(format!("{pair:?} {got}"))
}

}

pub mod by_ref_mut_in_some {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut best = Some(num(&cx, "first").await?);
    let c = &cx;
    let got = async move {
        if let Some(ref mut n) = best {
            *n *= 100;
        }
        let ok = sure(c, "ok").await?;
        t.effect((best, ok));
        Ok::<Option<i64>, Failure>(best.filter(|_| ok))
    }
    .await?;
    t.effect((best, got));
    best = best.map(|n| n + 1);
    Ok(format!("{best:?} {got:?}"))
}

}

pub mod written {
use super::*;
use std::fmt::Write as _;
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Tally { letters: usize }
impl std::fmt::Write for Tally {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.letters += text.len();
        Ok(())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut tally = Tally { letters: 0 };
    let c = &cx;
    let more = async move {
        let _ = write!(tally, "{}-{}", 10, 20);
        let more = num(c, "more").await?;
        t.effect((tally, more));
        Ok::<i64, Failure>(more)
    }
    .await?;
    t.effect((tally, more));
    let _ = write!(tally, "x");
    Ok(format!("{tally:?} {more}"))
}

}

pub mod configured_away {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let shown = format!("<{}>", {
        #[cfg(any())]
        {
            let never = num(&cx, "never").await?;
            t.effect(never);
        }
        num(&cx, "first").await?
    });
    t.effect(&shown);
    Ok(shown)
}

}

pub mod an_arm_configured_away {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let shown = format!("<{}>", match n {
        #[cfg(any())]
        0..=9 => t.effect(num(&cx, "never").await? + 1000),
        n if n > 100 => 7,
        _ => t.effect(num(&cx, "second").await?),
    });
    t.effect(&shown);
    Ok(shown)
}

}

pub mod a_parameter_configured_away {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let add = |a: i64, #[cfg(any())] b: i64| a + 1;
    let more = t.effect(add(first));
    let last = num(&cx, "last").await?;
    Ok(format!("{first} {more} {last}"))
}

}

pub mod a_let_configured_away {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = 5i64;
    let all = vec![t.effect(n), {
        #[cfg(any())]
        let n = num(&cx, "never").await?;
        t.effect(n);
        num(&cx, "first").await? + n
    }];
    t.effect(&all);
    Ok(format!("{all:?}"))
}

}

pub mod no_format {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let template = String::from("{id}");
    let id = num(&cx, "id").await?;
    {
        let id = {
            assert_eq!(template, "{id}");
            id + 100
        };
        let more = num(&cx, "more").await?;
        t.effect((id, more));
    }
    t.effect(id);
    Ok(format!("{id} {template}"))
}

}

pub mod an_escape {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = num(&cx, "a").await?;
    {
        let a = format!("{a}\u{a}next {a}");
        let more = num(&cx, "more").await?;
        t.effect((&a, more));
    }
    t.effect(a);
    Ok(format!("{a}"))
}

}

pub mod an_escape_in_a_helper {
use super::*;
$(#[$mark])?
async fn helper(cx: &Context, t: &Trace, a: i64) -> Result<String, Failure> {
    t.effect(a);
    let a = a * 10 + 1;
    let first = num(cx, "first").await?;
    let mut shown = String::new();
    if first > -5 {
        let a = format!("{a}\u{a}{first}");
        let more = num(cx, "more").await?;
        t.effect((&a, more));
        shown = a;
    }
    t.effect(a);
    Ok(format!("{shown} {a}"))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let shown = helper(&cx, t, n).await?;
    t.note(&shown);
    Ok(shown)
}

}

pub mod an_escaped_brace {
use super::*;
$(#[$mark])?
async fn helper(cx: &Context, t: &Trace, n: i64) -> Result<String, Failure> {
    t.effect(n);
    let n = n * 10 + 3;
    let more = num(cx, "more").await?;
    let shown = format!("\x7bn}/{more}");
    t.note(&shown);
    Ok(shown)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let shown = helper(&cx, t, first).await?;
    Ok(shown)
}

}

pub mod stepped {
use super::*;
#[derive(Clone, serde::Serialize, serde::Deserialize)]
struct Steps { at: i64 }
impl Steps {
    fn next(&mut self) -> Option<i64> { self.at += 100; Some(self.at) }
}
impl Iterator for Steps {
    type Item = i64;
    fn next(&mut self) -> Option<i64> {
        self.at += 1;
        if self.at > 4 { None } else { Some(self.at) }
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut steps = Steps { at: 0 };
    let mut turns = 0;
    for step in steps.by_ref() {
        let n = num(&cx, "n").await?;
        t.effect((step, n));
        turns += 1;
        if turns == 2 || step > 500 { break; }
    }
    t.effect(steps.at);
    Ok(format!("{}", steps.at))
}

}

pub mod of_std {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    use std::io::{Cursor, Seek, SeekFrom};
    let failed = Cursor::new(vec![1u8, 2]).seek(SeekFrom::Current(-5)).err();
    let first = num(&cx, "first").await?;
    t.effect(first);
    t.effect(format!("{failed:?}"));
    t.effect(failed.as_ref().and_then(|error| error.get_ref()).is_some());
    let ok = sure(&cx, "ok").await?;
    t.effect(failed.map(|error| (error.kind(), error.to_string())));
    Ok(format!("{first} {ok}"))
}

}

pub mod an_address {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    use std::net::{SocketAddr, ToSocketAddrs};
    let found: std::io::Result<Vec<SocketAddr>> = "no-port-here".to_socket_addrs().map(|all| all.collect());
    let first = num(&cx, "first").await?;
    t.effect((first, format!("{found:?}")));
    let ok = sure(&cx, "ok").await?;
    t.effect(found.as_ref().err().and_then(|error| error.get_ref()).is_some());
    Ok(format!("{ok} {}", found.is_err()))
}

}

pub mod by_mut {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1, num(&cx, "first").await?];
    match list.last_mut() {
        Some(n) if *n > 2 || sure(&cx, "ten?").await? => *n += 10,
        Some(n) => *n += 1,
        None => {}
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod apart {
use super::*;
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Mark;
fn marked(n: i64) -> (Mark, i64) { (Mark, n + 1) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "first").await?;
    (Mark, n) = marked(n);
    t.effect(n);
    let last = num(&cx, "last").await?;
    Ok(format!("{n} {last}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    sized::run,
    told::run,
    by_ref_mut::run,
    by_ref_mut_in_some::run,
    written::run,
    configured_away::run,
    an_arm_configured_away::run,
    a_parameter_configured_away::run,
    a_let_configured_away::run,
    no_format::run,
    an_escape::run,
    an_escape_in_a_helper::run,
    an_escaped_brace::run,
    stepped::run,
    of_std::run,
    an_address::run,
    by_mut::run,
    apart::run
);

//! Macros that mention variables of the body, and those that declare some.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! decl {
    ($n:ident, $e:expr) => {
        let $n = $e;
    };
}
macro_rules! decl_mut {
    ($n:ident = $e:expr) => {
        let mut $n = $e;
    };
}
macro_rules! get { ($($n:ident),* from $o:expr) => { let ($($n),*) = $o; } }
macro_rules! unwrap_or_return {
    ($n:ident, $e:expr, $t:expr) => {
        let $n = match $e {
            Some(v) => v,
            None => {
                $t.note("gone");
                return Ok("none".to_string());
            }
        };
    };
}

macro_rules! record {
    ($t:expr, $x:expr) => {
        $t.note(&format!("outer {}", $x))
    };
}
macro_rules! bump {
    ($n:ident, $b:expr) => {
        $n += $b
    };
}

macro_rules! start {
    ($t:expr, $name:ident = $v:expr) => {
        let mut $name = $t.effect($v);
    };
}
macro_rules! pair {
    ($a:ident, $b:ident = $e:expr) => {
        let ($a, mut $b) = $e;
    };
}
macro_rules! need {
    ($name:ident = $e:expr, else $or:expr) => {
        let $name = match $e {
            Some(value) => value,
            None => return Ok($or),
        };
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod mentioned {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut total = 1;
    macro_rules! add { ($e:expr) => { total += $e }; ($e:expr, $f:expr) => { { add!($e); add!($f); } }; }
    add!(2);
    let tag = t.effect("tag".to_string());
    macro_rules! log { ($text:expr) => { t.note(&format!("[{tag}] {} {total}", $text)) }; }
    let ok = sure(&cx, "q").await?;
    add!(3, 4);
    log!(format!("after {ok}"));
    let mut list = vec![tag.len()];
    macro_rules! both { ($n:expr) => { { list.push($n); log!(format!("pushed {}", list.len())); add!(10) } } }
    for i in 0..2usize {
        let step = t.effect(i);
        macro_rules! show { () => { log!(step + i) } }
        show!();
        if sure(&cx, "r").await? { both!(step + 5usize); } else { show!(); }
    }
    both!(7);
    log!("end");
    Ok(format!("{total} {ok} {list:?}"))
}
}
pub mod changed_parameters {
use super::*;
$(#[$mark])? async fn go(cx: &Context, t: &Trace, mut n: i64, mut v: Vec<i64>) -> Result<String, Failure> {
    macro_rules! bump { () => { n += 1 }; ($x:expr) => { v.push($x + n) } }
    bump!();
    let ok = sure(cx, "q").await?;
    bump!();
    bump!(t.effect(5));
    let ok2 = sure(cx, "q2").await?;
    Ok(format!("{n} {v:?} {ok} {ok2}"))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { go(&cx, t, 3, vec![1]).await }
}
pub mod declared {
use super::*;
fn double(n: i64) -> i64 { n * 2 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    decl!(x, t.effect(5));
    decl_mut!(list = vec![t.effect(1)]);
    let ok = sure(&cx, "q").await?;
    list.push(x);
    get!(a, b from (t.effect("a".to_string()), 2));
    for i in 0..2 {
        decl!(step, i + x);
        if sure(&cx, &format!("r {step}")).await? { list.push(step); }
        list.push(double(step));
    }
    let answer = cx.peer.elicit::<Text>("t").await?;
    unwrap_or_return!(given, answer.map(|a| a.text), t);
    let last = num(&cx, &a).await?;
    Ok(format!("{x} {list:?} {ok} {a} {b} {given} {last}"))
}
}
pub mod in_blocks {
use super::*;
$(#[$mark])?
async fn counted(cx: &Context, t: &Trace) -> Result<i64, Failure> {
    decl_mut!(count = 0);
    for _ in 0..3 { bump!(count, 1); if sure(cx, "q").await? { count += 10; } }
    decl!(buf, vec![t.effect(1i64)]);
    let len = buf.len() as i64;
    let more = num(cx, "y").await?;
    Ok(count + len + (more as i32) as i64)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    {
        macro_rules! record { ($t:expr, $x:expr) => { $t.note(&format!("inner {}", $x)) } }
        record!(t, 1);
    }
    record!(t, 2);
    let ok = sure(&cx, "q").await?;
    {
        let mut seen = vec![0];
        macro_rules! warn { ($x:expr) => { { seen.push($x); t.note(&format!("{seen:?} {:>w$}", $x, w = 3)) } } }
        macro_rules! checked { ($x:expr) => { if $x > 0 { warn!($x) } else { warn!(-1) } } }
        checked!(2);
        let other = sure(&cx, "r").await?;
        checked!(0);
        for row in [1, 2] { checked!(row); }
        t.effect((&seen, other));
    }
    record!(t, 3);
    let list = vec![1i64, 5];
    let n = 2;
    macro_rules! big { ($x:expr) => { $x > n } }
    let any = list.iter().any(|x| big!(*x + 1));
    let m = counted(&cx, t).await?;
    let all = list.iter().all(|x| big!(*x)) ;
    Ok(format!("{ok} {any} {all} {m}"))
}
}
pub mod declared_behind {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    start!(t, total = 5i64);
    start!(t, log = vec!["begin".to_string()]);
    let answer = cx.peer.elicit::<Count>(format!("How many of {total}?")).await;
    let found = match answer {
        Ok(Some(count)) => Some(count.n),
        Ok(None) => None,
        Err(_) => Some(-5),
    };
    need!(count = found.filter(|n| *n != 0), else format!("none {total} {log:?}"));
    total += count;
    pair!(low, high = (count.min(total), count.max(total)));
    log.push(format!("{low}..{high}"));
    if sure(&cx, &format!("Up to {high}?")).await? {
        start!(t, inside = String::from("in"));
        high += 1;
        let word = text(&cx, "Word?").await?;
        inside.push_str(&word);
        need!(head = inside.chars().nth(2), else format!("empty {high} {inside} {log:?}"));
        log.push(format!("{head}{inside}"));
    }
    pair!(words, size = (log.join(","), log.len()));
    let last = num(&cx, &format!("Last of {words}?")).await?;
    size += last.unsigned_abs() as usize;
    need!(end = words.get(0..1), else words.clone());
    Ok(format!("{total} {count} {low} {high} {size} {end} {words} {log:?}"))
}
}
pub mod declared_again {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    decl!(x, 1i64);
    let c = sure(&cx, "s").await?;
    t.effect((x, c));
    let x = x + 3;
    let d = sure(&cx, "s2").await?;
    Ok(format!("{x} {d}"))
}
}
pub mod led_by_references {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Shop {
    left: i64,
    log: Vec<String>,
}
impl Shop {
    $(#[$mark])?
    async fn sell(&mut self, cx: &Context, t: &Trace, name: &str) -> Result<i64, Failure> {
        let mut sold = 0i64;
        let shop = self;
        macro_rules! sell {
            ($n:expr) => {
                sold += $n;
                shop.left -= $n;
                shop.log.push(format!("{name}:{sold:>2}"));
                t.note(&format!("{name} {}", shop.left));
            };
        }
        sell!(1);
        let n = num(cx, &format!("How many {name} of {}?", shop.left)).await?;
        sell!(n);
        if sure(cx, &format!("One more {name}?")).await? {
            sell!(1);
        }
        Ok(sold)
    }
}

$(#[$mark])?
async fn fill(cx: &Context, t: &Trace, book: &mut Vec<String>, left: &mut i64) -> Result<(), Failure> {
    macro_rules! write {
        ($text:expr) => {{
            *left -= 1;
            book.push(format!("{left:>3} {}", $text));
            book.len()
        }};
    }
    let at = write!("first");
    let word = text(cx, &format!("Word at {at}?")).await?;
    let next = write!(word.clone());
    let sum = num(cx, &format!("Number at {next}?")).await? + write!(word) as i64;
    *left += sum;
    t.note(&format!("{book:?} {left}"));
    Ok(())
}

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut shop = Shop { left: 20, log: vec![] };
    let a = shop.sell(&cx, t, "tea").await?;
    fill(&cx, t, &mut shop.log, &mut shop.left).await?;
    let b = shop.sell(&cx, t, "milk").await?;
    Ok(format!("{a} {b} {shop:?}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    mentioned::run,
    changed_parameters::run,
    declared::run,
    in_blocks::run,
    declared_behind::run,
    declared_again::run,
    led_by_references::run
);

//! Code that is looked at or evaluated again under other names, lists that are filled where they are assigned, and what is assigned on some ways alone.

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

pub mod constant_of_an_arm {
use super::*;
const STEP: i64 = 10;
const OTHER: i64 = 1;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let kind = num(&cx, "kind").await?.rem_euclid(2);
    let step: &i64 = match t.effect(kind) {
        0 => { const STEP: i64 = 3; &STEP }
        _ => &OTHER,
    };
    let n = num(&cx, "n").await?;
    t.effect(n.wrapping_add(*step));
    Ok(format!("{} {}", step, STEP))
}

}

pub mod import_of_a_branch {
use super::*;
struct Db { name: &'static str }
static SPARE: Db = Db { name: "spare" };
mod eu { pub static HOME: super::Db = super::Db { name: "eu" }; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let in_eu = sure(&cx, "eu").await?;
    let db = if in_eu { use self::eu::HOME; &HOME } else { &SPARE };
    t.note(db.name);
    Ok(db.name.to_string())
}

}

pub mod std_stringify {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "n").await?;
    let mut next = move || { n = n.wrapping_add(1); format!("{}={}", std::stringify!(n), n) };
    t.note(&next());
    let ok = sure(&cx, "ok").await?;
    t.effect(ok);
    Ok(next())
}

}

pub mod std_shown {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = num(&cx, "n").await?;
    let mut next = move || { n = n.wrapping_add(1); assert!(n != i64::MIN, "n is {n}"); format!("{}={n}", std::stringify!(n)) };
    t.note(&next());
    let ok = sure(&cx, "ok").await?;
    t.effect(ok);
    Ok(next())
}

}

pub mod function_and_variable {
use super::*;
fn add(a: i64) -> i64 { a.wrapping_add(1) }
fn sub(a: i64) -> i64 { a.wrapping_sub(1) }
fn mul(a: i64) -> i64 { a.wrapping_mul(2) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let up = sure(&cx, "up").await?;
    let op: fn(i64) -> i64 = if up { add } else { sub };
    let n = num(&cx, "n").await?;
    t.effect(op(n));
    let add: fn(i64) -> i64 = if up { mul } else { sub };
    let m = num(&cx, "m").await?;
    Ok(format!("{} {}", op(m), add(m)))
}

}

pub mod filled_where_assigned {
use super::*;
enum Mode { Fast, Slow(i64) }
struct Plan { mode: Mode, items: Vec<i64> }
fn speed(mode: &Mode) -> i64 { match mode { Mode::Fast => 1, Mode::Slow(n) => *n } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut queue = Vec::new();
    let ok = sure(&cx, "ok").await?;
    if ok { queue = Vec::new(); queue.push(7i64); }
    let plan = Plan { mode: Mode::Fast, items: queue };
    let n = num(&cx, "n").await?;
    t.effect((n, plan.items.clone()));
    Ok(format!("{} {}", speed(&plan.mode), plan.items.len()))
}

}

pub mod variants_filled {
use super::*;
enum Mode { Fast, Slow(i64) }
fn speed(mode: &Mode) -> i64 { match mode { Mode::Fast => 1, Mode::Slow(n) => *n } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut queue = vec![Mode::Fast];
    let n = num(&cx, "n").await?;
    t.effect(queue.len());
    if n > 0 { queue = Vec::new(); queue.push(Mode::Slow(n)); }
    let ok = sure(&cx, "ok").await?;
    t.effect((ok, queue.iter().map(speed).collect::<Vec<_>>()));
    Ok(format!("{}", queue.len()))
}

}

pub mod filled_in_arms {
use super::*;
enum Kind { Small, Large(i64) }
struct Cart { kind: Kind, lines: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut lines = Vec::new();
    let n = num(&cx, "n").await?;
    match n.rem_euclid(2) {
        0 => { lines = Vec::with_capacity(2); lines.push("even".to_string()); lines.push(format!("{n}")); }
        _ => {}
    }
    let cart = Cart { kind: if n > 5 { Kind::Large(n) } else { Kind::Small }, lines };
    let ok = sure(&cx, "ok").await?;
    t.effect((ok, cart.lines.join(",")));
    Ok(match cart.kind { Kind::Small => "small".into(), Kind::Large(n) => format!("{n}") })
}

}

pub mod configured_away {
use super::*;
struct Db { name: &'static str }
static MAIN: Db = Db { name: "main" };
static SPARE: Db = Db { name: "spare" };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let db = match t.effect(n.rem_euclid(3)) {
        #[cfg(any())]
        2 => &TESTING,
        0 => &MAIN,
        _ => &SPARE,
    };
    let ok = sure(&cx, db.name).await?;
    t.effect((db.name, ok));
    Ok(db.name.to_string())
}

}

pub mod returned_inside {
use super::*;
$(#[$mark])?
async fn pick<'c>(names: &'c [String], cx: &Context, t: &Trace) -> Result<Vec<&'c String>, Failure> {
    let extra = vec![text(cx, "x").await?, "y".to_string()];
    let list: Vec<&String> = match extra.len() {
        1 => extra.iter().collect(),
        _ => { let ok = sure(cx, "ok").await?; t.effect(ok); extra.iter().skip(ok as usize).collect() }
    };
    if list.len() > 1 { let list: Vec<&'c String> = names.iter().collect(); return Ok(list); }
    t.effect(list.len());
    let n = num(cx, "n").await?;
    t.effect((n, extra.len()));
    Ok(names.iter().take(1).collect())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static NAMES: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| vec!["a".into(), "b".into()]);
    let names: &Vec<String> = &NAMES;
    let picked = pick(names, &cx, t).await?;
    t.effect(picked.clone());
    Ok(format!("{}", picked.len()))
}

}

pub mod jumps_in_choices {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (mut evens, mut odds) = (Vec::new(), Vec::new());
    let mut rounds = 0;
    loop {
        rounds += 1;
        if rounds > 3 { break; }
        let n = num(&cx, "n").await?;
        let list = match t.effect(n.rem_euclid(4)) { 0 | 2 => &mut evens, 1 => &mut odds, _ => continue };
        list.push(n);
        let ok = sure(&cx, "ok").await?;
        list.push(i64::from(ok));
        if !ok { break; }
    }
    t.effect((evens.clone(), odds.clone()));
    Ok(format!("{}", evens.len()))
}

}

pub mod numbers_lent {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let count: &mut u8 = &mut 250;
    let list: &mut [f32] = &mut [1.0, 2.0];
    let pair: &mut (u16, Option<String>) = &mut (1, None);
    let ok = sure(&cx, "ok").await?;
    if ok { *count = count.wrapping_add(10); list[0] += 0.5; pair.1 = Some("x".into()); }
    let n = num(&cx, "n").await?;
    *count = count.wrapping_add(n as u8);
    t.effect((*count, list.to_vec(), pair.clone()));
    Ok(format!("{count}"))
}

}

pub mod left_by_a_label {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut x = num(&cx, "x").await?;
    let ok = sure(&cx, "ok").await?;
    'a: { if ok { break 'a; } x = 1; }
    let more = sure(&cx, "more").await?;
    t.effect((x, more));
    Ok(format!("{x}"))
}

}

pub mod bound_by_a_condition {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut x = num(&cx, "x").await?;
    let picked = sure(&cx, "picked").await?;
    let found = if picked { Some(5i64) } else { None };
    if let Some(mut x) = found { t.effect(x); x = 9; t.effect(x); } else { x = 2; }
    let more = sure(&cx, "more").await?;
    t.effect((x, more));
    Ok(format!("{x}"))
}

}

pub mod left_in_an_arm {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut title = text(&cx, "title").await?;
    let n = num(&cx, "n").await?;
    match n {
        0 => title = String::from("none"),
        _ => 'named: { if n > 5 { break 'named; } title = format!("{n}"); }
    }
    t.note(&title);
    let more = sure(&cx, "more").await?;
    t.effect(more);
    Ok(title)
}

}

pub mod bound_in_a_chain {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut name = text(&cx, "name").await?;
    let other = text(&cx, "other").await?;
    let given = if other.len() > 1 { Some(other.clone()) } else { None };
    if let Some(mut name) = given && name.len() > 1 {
        t.note(&name);
        name = String::from("inner");
        t.note(&name);
    } else {
        name = String::from("outer");
    }
    let more = sure(&cx, "more").await?;
    t.effect(more);
    Ok(name)
}

}

pub mod left_in_a_branch {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut label = text(&cx, "label").await?;
    let n = num(&cx, "n").await?;
    'done: {
        if n < 0 { t.note("negative"); break 'done; } else { label = format!("{n}"); }
        t.note(&label);
    }
    let again = text(&cx, "again").await?;
    Ok(format!("{label} {again}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    constant_of_an_arm::run,
    import_of_a_branch::run,
    std_stringify::run,
    std_shown::run,
    function_and_variable::run,
    filled_where_assigned::run,
    variants_filled::run,
    filled_in_arms::run,
    configured_away::run,
    returned_inside::run,
    jumps_in_choices::run,
    numbers_lent::run,
    left_by_a_label::run,
    bound_by_a_condition::run,
    left_in_an_arm::run,
    bound_in_a_chain::run,
    left_in_a_branch::run
);

//! Texts that the function gives away: for good, or as long as those last which are lent in what it is given.

use std::collections::BTreeMap;

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

pub mod for_good {
use super::*;
pub struct Org { staff: &'static [(&'static str, i64)] }
static ORG: Org = Org { staff: &STAFF };
const STAFF: [(&str, i64); 3] = [("ann", 1), ("bob", 5), ("cyn", 9)];
impl Org { fn chain(&self) -> impl Iterator<Item = &'static str> { self.staff.iter().map(|(n, _)| *n) } }
$(#[$mark])?
async fn approve(cx: &Context, t: &Trace, org: &Org) -> Result<Result<Vec<&'static str>, String>, Failure> {
    let mut approved = Vec::new();
    let managers: Vec<&'static str> = org.chain().collect();
    for manager in managers {
        t.effect(("ask", manager));
        if !sure(cx, &format!("{manager}?")).await? {
            let why = text(cx, "Why not?").await?;
            return Ok(Err(format!("{manager}: {why}")));
        }
        approved.push(manager);
    }
    Ok(Ok(approved))
}
$(#[$mark])?
async fn best(cx: &Context, t: &Trace) -> Result<(usize, &'static str), Failure> {
    let mut best = (0, "none");
    for (i, (name, n)) in STAFF.iter().enumerate() {
        if !sure(cx, &format!("Measure {name}?")).await? { continue; }
        let found = (i + *n as usize, *name);
        if found.0 > best.0 { best = found; }
        t.effect(best);
    }
    Ok(best)
}
$(#[$mark])?
async fn room(cx: &Context, t: &Trace) -> Result<(i64, &'static str), Failure> {
    let mut steps = 0i64;
    let found = 'found: {
        let n = num(cx, "Which?").await?;
        if n > 6 { break 'found (n, "hall"); }
        if sure(cx, "Enough?").await? { break 'found (n + 1, "near"); }
        steps += 1;
        (n, "end")
    };
    let again = sure(cx, "again?").await?;
    t.effect((steps, again));
    Ok((found.0.wrapping_add(steps), found.1))
}
$(#[$mark])?
async fn kind(cx: &Context, t: &Trace) -> Result<&'static str, Failure> {
    let n = num(cx, "n").await?;
    let kind = if n > 3 { "large" } else { "small" };
    if sure(cx, &format!("{kind}?")).await? { t.note(kind); return Ok(kind); }
    let label = match n { 0 => "zero", 1 => "one", _ => kind };
    let ok = sure(cx, "really?").await?;
    Ok(if ok { label } else { "none" })
}
$(#[$mark])?
async fn all(cx: &Context) -> Result<BTreeMap<&'static str, i64>, Failure> {
    let mut all = BTreeMap::new();
    for name in ["a", "b"] { let n = num(cx, name).await?; all.insert(name, n); }
    let more = sure(cx, "more?").await?;
    if more { all.insert("more", 1); }
    Ok(all)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = approve(&cx, t, &ORG).await?;
    let b = best(&cx, t).await?;
    let c = room(&cx, t).await?;
    let k = kind(&cx, t).await?;
    let m = all(&cx).await?;
    Ok(format!("{a:?} {b:?} {c:?} {k} {m:?}"))
}
}

pub mod lent_within {
use super::*;
$(#[$mark])?
async fn several<'a>(cx: &Context, question: &str, from: &[&'a str]) -> Result<Vec<&'a str>, Failure> {
    let mut chosen = Vec::new();
    for item in from {
        if sure(cx, &format!("{question} {item}?")).await? { chosen.push(*item); }
    }
    Ok(chosen)
}
$(#[$mark])?
async fn pick<'a>(cx: &Context, t: &Trace, from: &[(&'a str, i64)]) -> Result<Option<&'a str>, Failure> {
    let mut best = None;
    for (name, n) in from.iter().copied() {
        let k = num(cx, name).await?;
        if k > n { best = Some(name); }
        t.effect(best);
    }
    let ok = sure(cx, "ok").await?;
    Ok(if ok { best } else { None })
}
$(#[$mark])?
async fn make_up<'s>(cx: &Context, t: &Trace, weak: &[(&'s str, i64)]) -> Result<BTreeMap<&'s str, i64>, Failure> {
    let mut results = BTreeMap::new();
    for &(name, mean) in weak {
        let mark = num(cx, &format!("{name} (has {mean})?")).await?;
        if mark < 0 { t.effect(("absent", name)); break; }
        if mark > mean { results.insert(name, mark); }
    }
    Ok(results)
}
$(#[$mark])?
async fn words<'a>(cx: &Context, from: &Vec<&'a str>) -> Result<Vec<(&'a str, usize)>, Failure> {
    let mut all = vec![];
    for (i, line) in from.iter().enumerate() {
        for word in line.split(' ') {
            if sure(cx, &format!("{word}{i}?")).await? { all.push((word, word.len() + i)); }
        }
    }
    Ok(all)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let list = vec!["a".to_string(), "b".to_string(), "c d".to_string()];
    let lent: Vec<&str> = list.iter().map(String::as_str).collect();
    let s = several(&cx, "q", &lent).await?;
    t.effect(&s);
    let rows: Vec<(&str, i64)> = list.iter().map(|s| (s.as_str(), s.len() as i64)).collect();
    let p = pick(&cx, t, &rows).await?;
    t.effect(&p);
    let m = make_up(&cx, t, &rows).await?;
    t.effect(&m);
    let w = words(&cx, &lent).await?;
    Ok(format!("{s:?} {p:?} {m:?} {w:?}"))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(for_good::run, lent_within::run);

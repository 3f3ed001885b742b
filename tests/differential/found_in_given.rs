//! References that outlive a function and that it has found by functions of its own, in loops, or collected: they are found again in what it was given.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
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

pub mod by_an_own_function {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
fn cheapest(plans: &[Plan]) -> &Plan { plans.iter().min_by_key(|p| p.price).unwrap() }
$(#[$mark])?
async fn choose<'a>(cx: &Context, plans: &'a [Plan]) -> Result<&'a Plan, Failure> {
    let best = cheapest(plans);
    if sure(cx, &format!("take {}?", best.name)).await? { return Ok(best); }
    sure(cx, "other?").await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let got = choose(&cx, &plans).await?;
    sure(&cx, "end?").await?;
    Ok(format!("{got:?} {}", std::ptr::eq(got, &plans[1])))
}

}
pub mod one_of_two_texts {
use super::*;
$(#[$mark])?
async fn longest<'a>(cx: &Context, a: &'a str, b: &'a str) -> Result<&'a str, Failure> {
    let long = pick(a, b);
    if sure(cx, long).await? { Ok(long) } else { sure(cx, "sure?").await?; Ok(long.trim_start_matches('b')) }
}
fn pick<'a>(a: &'a str, b: &'a str) -> &'a str { if a.len() > b.len() { a } else { b } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let (a, b) = ("aaa".to_string(), "bbbb".to_string());
    let got = longest(&cx, &a, &b).await?;
    Ok(format!("{got}"))
}

}
pub mod kept_in_a_loop {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
$(#[$mark])?
async fn choose<'a>(cx: &Context, plans: &'a [Plan]) -> Result<Option<&'a Plan>, Failure> {
    let mut best = None;
    for p in plans {
        if sure(cx, &format!("like {}?", p.name)).await? { best = Some(p); }
    }
    sure(cx, "done?").await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let got = choose(&cx, &plans).await?;
    Ok(format!("{got:?}"))
}

}
pub mod collected {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct User { name: String }
$(#[$mark])?
async fn keep<'a>(cx: &Context, users: &'a [User]) -> Result<Vec<&'a User>, Failure> {
    let mut v = Vec::new();
    for u in users.iter() { if sure(cx, &u.name).await? { v.push(u); } }
    Ok(v)
}
$(#[$mark])?
async fn words<'a>(cx: &Context, text: &'a str) -> Result<Vec<&'a str>, Failure> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut out = vec![];
    for i in 0..words.len() { if sure(cx, words[i]).await? { out.push(words[i]); } }
    sure(cx, "all?").await?;
    Ok(out)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let users = vec![User { name: "a".into() }, User { name: "b".into() }];
    let got = keep(&cx, &users).await?;
    let w = words(&cx, "one two").await?;
    Ok(format!("{got:?} {w:?}"))
}

}
pub mod in_self {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32, alias: Option<String> }
struct Shop { plans: Vec<Plan>, name: String }
impl Shop {
    fn best(&self) -> Option<&Plan> { self.plans.iter().max_by_key(|p| p.price) }
    $(#[$mark])?
    async fn choose(&self, cx: &Context) -> Result<Option<&Plan>, Failure> {
        let mut got = self.best();
        for p in &self.plans { if sure(cx, &p.name).await? { got = Some(p); } }
        sure(cx, "ok?").await?;
        Ok(got)
    }
    $(#[$mark])?
    async fn label<'s>(&'s self, cx: &Context, p: &'s Plan) -> Result<&'s str, Failure> {
        let alias = p.alias.as_deref().unwrap_or(&self.name);
        sure(cx, alias).await?;
        Ok(alias)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let shop = Shop { plans: vec![Plan { name: "a".into(), price: 3, alias: None }, Plan { name: "b".into(), price: 1, alias: Some("bb".into()) }], name: "shop".into() };
    work(&cx, &shop).await
}
$(#[$mark])?
async fn work(cx: &Context, shop: &Shop) -> Result<String, Failure> {
    let got = shop.choose(cx).await?;
    let a = shop.label(cx, &shop.plans[0]).await?;
    let b = shop.label(cx, &shop.plans[1]).await?;
    Ok(format!("{got:?} {a} {b}"))
}

}
pub mod pushed {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
fn cheapest(plans: &[Plan]) -> &Plan { plans.iter().min_by_key(|p| p.price).unwrap() }
$(#[$mark])?
async fn add<'a>(cx: &Context, plans: &'a [Plan], out: &mut Vec<&'a Plan>) -> Result<(), Failure> {
    let best = cheapest(plans);
    if sure(cx, "add?").await? { out.push(best); }
    Ok(())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let plans = vec![Plan { name: "a".into(), price: 3 }, Plan { name: "b".into(), price: 1 }];
    let mut out = Vec::new();
    add(&cx, &plans, &mut out).await?;
    add(&cx, &plans[..1], &mut out).await?;
    Ok(format!("{out:?}"))
}

}
pub mod beside_texts_of_its_own {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Plan { name: String, price: u32 }
$(#[$mark])?
async fn choose<'a>(cx: &Context, names: &'a [String], pre: &str) -> Result<&'a String, Failure> {
    let label = format!("{pre}{}", names.len());
    let short: &str = label.trim();
    let mut best = &names[0];
    sure(cx, short).await?;
    best = if short.len() > 3 { &names[1] } else { best };
    sure(cx, short).await?;
    let first = names.first().map(|s| s.as_str()).unwrap_or(short);
    sure(cx, first).await?;
    Ok(best)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = vec!["x".to_string(), "y".to_string()];
    let a = choose(&cx, &names, "a").await?;
    let b = choose(&cx, &names, "aaaa").await?;
    Ok(format!("{a} {b}"))
}


}
pub mod lines {
use super::*;
$(#[$mark])?
async fn pick_line<'t>(cx: &Context, text: &'t str, hint: &str) -> Result<&'t str, Failure> {
    let mut best = "";
    for line in text.lines() {
        if line.contains(hint) && sure(cx, line).await? { best = line; }
    }
    if best.is_empty() { best = text.lines().next().unwrap_or(text); }
    sure(cx, best).await?;
    Ok(best)
}
fn header(text: &str) -> (&str, &str) { text.split_once('\n').unwrap_or((text, "")) }
$(#[$mark])?
async fn parts<'t>(cx: &Context, text: &'t str) -> Result<(&'t str, &'t str), Failure> {
    let got = header(text);
    sure(cx, got.0).await?;
    Ok(got)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let text = "one a\ntwo a\nthree".to_string();
    let got = pick_line(&cx, &text, "a").await?;
    let p = parts(&cx, &text).await?;
    Ok(format!("{got} {p:?}"))
}

}
pub mod or_a_constant {
use super::*;
const DEFAULT: &str = "dflt";
#[derive(Debug, Deserialize, Serialize, Clone)]
struct Plan { name: String }
static MAIN: std::sync::LazyLock<Plan> = std::sync::LazyLock::new(|| Plan { name: "main".into() });
fn find<'a>(names: &'a [String], n: usize) -> Option<&'a String> { names.iter().find(|x| x.len() == n) }
$(#[$mark])?
async fn label<'a>(cx: &Context, names: &'a [String], n: usize) -> Result<&'a str, Failure> {
    let got = find(names, n).map(|s| s.as_str()).unwrap_or(DEFAULT);
    let alt = match num(cx, "n").await? { 1 => "one", 2 => DEFAULT, _ => got };
    sure(cx, alt).await?;
    if sure(cx, got).await? { Ok(alt) } else { Ok(got) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = vec!["x".to_string(), "yy".to_string()];
    let a = label(&cx, &names, 2).await?;
    let b = label(&cx, &names, 3).await?;
    Ok(format!("{a} {b}"))
}


}
pub mod in_a_struct {
use super::*;
#[derive(Debug, Deserialize, Serialize)]
struct Catalog { plans: Vec<Plan>, main: Plan }
#[derive(Debug, Deserialize, Serialize, Clone)]
struct Plan { name: String }
struct Criteria { long: bool }
fn choose<'a>(c: &'a Catalog, k: &Criteria) -> &'a Plan { if k.long { c.plans.iter().max_by_key(|p| p.name.len()).unwrap_or(&c.main) } else { &c.main } }
$(#[$mark])?
async fn best<'a>(cx: &Context, c: &'a Catalog, k: &Criteria) -> Result<&'a Plan, Failure> {
    let mut cur = c.plans.iter().fold(&c.main, |a, b| if b.name.len() > a.name.len() { b } else { a });
    while sure(cx, &cur.name).await? {
        let at = c.plans.iter().position(|p| p.name == cur.name).unwrap_or(0);
        if at + 1 >= c.plans.len() { break; }
        cur = &c.plans[at + 1];
    }
    Ok(cur)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let c = Catalog { plans: ["a", "bbb", "cc"].into_iter().map(|n| Plan { name: n.into() }).collect(), main: Plan { name: "m".into() } };
    let got = best(&cx, &c, &Criteria { long: true }).await?;
    Ok(format!("{got:?}"))
}

}
pub mod by_other_names {
use super::*;
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
struct Row { n: u32 }
$(#[$mark])?
async fn find<'a>(cx: &Context, at: &'a [Row], there: &'a Row, place: usize) -> Result<&'a Row, Failure> {
    let value = if place > 5 { there } else { at.get(place).unwrap_or(there) };
    let found = value; let spot = found;
    sure(cx, "q").await?;
    Ok(spot)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let at = vec![Row { n: 1 }, Row { n: 5 }]; let there = Row { n: 9 };
    let a = find(&cx, &at, &there, 1).await?; let b = find(&cx, &at, &there, 3).await?; let c = find(&cx, &at, &there, 8).await?;
    sure(&cx, "end").await?;
    Ok(format!("{a:?} {b:?} {c:?}"))
}

}
pub mod followed_by_number {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)] struct U { id: u32, boss: Option<u32> }
fn by_id(l: &[U], id: u32) -> Option<&U> { l.iter().find(|u| u.id == id) }
$(#[$mark])?
async fn chain<'a>(cx: &Context, l: &'a [U]) -> Result<Option<&'a U>, Failure> {
    let mut cur = l.first();
    while let Some(u) = cur {
        if sure(cx, &format!("{}?", u.id)).await? { return Ok(cur); }
        cur = u.boss.and_then(|b| by_id(l, b));
    }
    Ok(None)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let l = vec![U { id: 1, boss: Some(2) }, U { id: 2, boss: None }];
    let u = chain(&cx, &l).await?;
    Ok(format!("{u:?}"))
}

}

pub mod found_or_a_text {
use super::*;
#[derive(Serialize, Deserialize, Debug, PartialEq)] struct S { id: String, n: i64 }
fn best(v: &[S]) -> Option<&S> { v.iter().max_by_key(|s| s.n) }
$(#[$mark])?
async fn find<'a>(cx: &Context, v: &'a [S]) -> Result<&'a S, Failure> { let b = best(v).ok_or("none")?; if sure(cx, &b.id).await? { Ok(b) } else { v.first().ok_or_else(|| "none".into()) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = vec![S { id: t.effect("x".to_string()), n: 1 }, S { id: "xy".into(), n: 2 }]; let a = find(&cx, &v).await?; Ok(format!("{a:?}")) }

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    found_or_a_text::run,
    by_an_own_function::run,
    one_of_two_texts::run,
    kept_in_a_loop::run,
    collected::run,
    in_self::run,
    pushed::run,
    beside_texts_of_its_own::run,
    lines::run,
    or_a_constant::run,
    in_a_struct::run,
    by_other_names::run,
    followed_by_number::run
);

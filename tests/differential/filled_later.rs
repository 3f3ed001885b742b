//! Structs without serde that get what they refer to after they are made: by helpers, methods, closures and loops.

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

pub mod helper {
use super::*;
struct D<'a> { l: Vec<&'a str> }
$(#[$mark])?
async fn add<'a>(cx: &Context, d: &mut D<'a>, s: &'a str) -> Result<(), Failure> { if sure(cx, s).await? { d.l.push(s); } Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { l: vec![] }; add(&cx, &mut d, &u).await?; sure(&cx, "r").await?; Ok(format!("{:?}", d.l)) }

}
pub mod closure {
use super::*;
struct D<'a> { l: Vec<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { l: vec![] }; { let mut put = |s| d.l.push(s); put(&u); } sure(&cx, "r").await?; Ok(format!("{:?}", d.l)) }

}
pub mod iter_mut {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut list = vec![D { a: "x" }, D { a: "y" }]; for d in list.iter_mut() { d.a = &u; } sure(&cx, "r").await?; Ok(format!("{:?}", list.iter().map(|d| d.a).collect::<Vec<_>>())) }

}
pub mod iter_mut_that_asks {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut list = vec![D { a: "x" }, D { a: "y" }]; for d in list.iter_mut() { if sure(&cx, d.a).await? { d.a = &u; } } sure(&cx, "r").await?; Ok(format!("{:?}", list.iter().map(|d| d.a).collect::<Vec<_>>())) }

}
pub mod each_mut {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut list = vec![D { a: "x" }, D { a: "y" }]; for d in &mut list { d.a = u.trim(); } list[0].a = "k"; sure(&cx, "r").await?; Ok(format!("{:?}", list.iter().map(|d| d.a).collect::<Vec<_>>())) }

}
pub mod method {
use super::*;
struct D<'a> { l: Vec<&'a str> }
impl<'a> D<'a> { fn add(&mut self, s: &'a str) -> &mut Self { self.l.push(s); self } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { l: vec![] }; d.add(&u).add("k"); sure(&cx, "r").await?; d.add(&u[..1]); sure(&cx, "s").await?; Ok(format!("{:?}", d.l)) }

}
pub mod method_that_asks {
use super::*;
struct D<'a> { l: Vec<&'a str> }
impl<'a> D<'a> {
$(#[$mark])?
async fn add(&mut self, cx: &Context, s: &'a str) -> Result<(), Failure> { if sure(cx, s).await? { self.l.push(s); } Ok(()) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { l: vec![] }; d.add(&cx, &u).await?; d.add(&cx, "k").await?; Ok(format!("{:?}", d.l)) }

}
pub mod function {
use super::*;
struct D<'a> { l: Vec<&'a str>, n: i64 }
fn fill<'a>(d: &mut D<'a>, s: &'a str) { d.l.push(s); d.n += 1; }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { l: vec![], n: 0 }; fill(&mut d, &u); sure(&cx, "r").await?; fill(&mut d, "l"); sure(&cx, "s").await?; Ok(format!("{:?}{}", d.l, d.n)) }

}
pub mod replaced {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { a: "x" }; sure(&cx, "r").await?; let old = std::mem::replace(&mut d.a, &u); sure(&cx, old).await?; Ok(format!("{:?}{}", d.a, old)) }

}
pub mod in_std {
use super::*;
struct D<'a> { l: Vec<&'a str>, o: Option<&'a str>, m: std::collections::BTreeMap<String, &'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let w = t.effect(String::from("w")); let mut d = D { l: vec![], o: None, m: Default::default() }; d.l.extend([u.as_str(), "k"]); sure(&cx, "r").await?; d.l.insert(0, &w); d.o.get_or_insert(&w); sure(&cx, "s").await?; d.m.insert("a".into(), &u); sure(&cx, "t").await?; Ok(format!("{:?}{:?}{:?}", d.l, d.o, d.m)) }

}
pub mod in_a_loop {
use super::*;
struct D<'a> { l: Vec<(&'a str, i64)> }
$(#[$mark])?
async fn add<'a>(cx: &Context, d: &mut D<'a>, s: &'a str) -> Result<i64, Failure> { let n = num(cx, s).await?; d.l.push((s, n)); Ok(n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let us = vec![t.effect(String::from("u")), t.effect("v".to_string())]; let mut d = D { l: vec![] }; let mut sum = 0; for u in &us { sum += add(&cx, &mut d, u).await?; } Ok(format!("{:?}{sum}", d.l)) }

}
pub mod by_index {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut list = vec![D { a: "x" }, D { a: "y" }]; list[1].a = &u; sure(&cx, "r").await?; list.push(D { a: &u[1..] }); if let Some(last) = list.last_mut() { last.a = &u; } sure(&cx, "r").await?; Ok(format!("{:?}", list.iter().map(|d| d.a).collect::<Vec<_>>())) }

}
pub mod counted {
use super::*;
struct It { name: String, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut list = vec![It { name: "a".into(), n: 0 }, It { name: "b".into(), n: 1 }]; for d in list.iter_mut() { d.n += num(&cx, &d.name).await?; } sure(&cx, "r").await?; Ok(format!("{:?}", list.iter().map(|d| d.n).collect::<Vec<_>>())) }

}
pub mod by_name {
use super::*;
struct D<'a> { by: std::collections::BTreeMap<&'a str, i64>, last: Option<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let names = vec![t.effect("x".to_string()), "y".to_string()]; let mut d = D { by: Default::default(), last: None }; for name in &names { let n = num(&cx, name).await?; *d.by.entry(name).or_default() += n; d.last = Some(name); } Ok(format!("{:?}{:?}", d.by, d.last)) }

}
pub mod by_pattern {
use super::*;
struct D<'a> { o: Option<&'a str>, l: Vec<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut d = D { o: None, l: vec!["k"] }; if sure(&cx, "r").await? { let D { o, l } = &mut d; *o = Some(&u); l.push(&u); } sure(&cx, "s").await?; Ok(format!("{:?}{:?}", d.o, d.l)) }

}
pub mod of_two {
use super::*;
struct A<'a> { l: Vec<&'a str> }
struct B<'a> { a: &'a A<'a>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let u = t.effect(String::from("u")); let mut a = A { l: vec![] }; a.l.push(&u); sure(&cx, "r").await?; let b = B { a: &a, n: 2 }; sure(&cx, "s").await?; Ok(format!("{:?}{}", b.a.l, b.n)) }

}
pub mod nested {
use super::*;
struct In<'a> { l: Vec<&'a str> }
struct Out<'a> { inn: In<'a>, n: usize }
impl<'a> Out<'a> { fn add(&mut self, s: &'a str) { self.inn.l.push(s); self.n += 1; } }
$(#[$mark])?
async fn more<'a>(cx: &Context, o: &mut Out<'a>, s: &'a [String]) -> Result<usize, Failure> { for x in s { if sure(cx, x).await? { o.add(x); } } Ok(o.n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let us = vec![t.effect(String::from("u")), "w".into()]; let mut o = Out { inn: In { l: vec![] }, n: 0 }; let a = more(&cx, &mut o, &us).await?; let b = more(&cx, &mut o, &us[1..]).await?; Ok(format!("{a}{b}{:?}{}", o.inn.l, o.n)) }

}
pub mod in_for_each {
use super::*;
struct D<'a> { l: Vec<&'a str> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let us = vec![t.effect(String::from("u")), "w".into()]; let mut d = D { l: vec![] }; us.iter().filter(|s| s.len() > 0).for_each(|s| d.l.push(s)); sure(&cx, "r").await?; Ok(format!("{:?}", d.l)) }

}
pub mod owner_of_each_turn {
use super::*;
struct D<'a> { a: &'a str }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut d = D { a: "k" }; let mut out = String::new(); for i in 0..2 { let u = format!("u{i}"); let mut e = D { a: d.a }; set(&mut e, &u); out += &text(&cx, e.a).await?; } set(&mut d, "z"); sure(&cx, d.a).await?; Ok(format!("{out}{}", d.a)) }
fn set<'a>(d: &mut D<'a>, s: &'a str) { d.a = s; }


}

pub mod beside_literals {
use super::*;
#[derive(Debug)]
struct Detected { agents: Vec<&'static str>, more: Vec<&'static str>, command: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut seen = Detected { agents: vec!["code", "git"], more: Vec::new(), command: "x".into() };
    num(&cx, "k").await?;
    seen.more.push("late");
    t.effect(&seen);
    num(&cx, "l").await?;
    Ok(format!("{seen:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    helper::run,
    closure::run,
    iter_mut::run,
    iter_mut_that_asks::run,
    each_mut::run,
    method::run,
    method_that_asks::run,
    function::run,
    replaced::run,
    in_std::run,
    in_a_loop::run,
    by_index::run,
    counted::run,
    by_name::run,
    by_pattern::run,
    of_two::run,
    nested::run,
    in_for_each::run,
    owner_of_each_turn::run,
    beside_literals::run
);

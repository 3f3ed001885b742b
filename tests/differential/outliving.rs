//! Pieces of texts and items of lists that outlive the function which asks: returned, or put in what a `&mut` leads to.

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

pub mod pushed {
use super::*;
$(#[$mark])?
async fn add<'a>(cx: &Context, line: &'a str, out: &mut Vec<&'a str>) -> Result<(), Failure> { let name = line.trim(); if sure(cx, name).await? { out.push(name); } Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut out = vec![]; for n in [" a", "b "] { add(&cx, n, &mut out).await?; } Ok(format!("{out:?}")) }

}
pub mod word {
use super::*;
$(#[$mark])?
async fn word<'a>(cx: &Context, line: &'a str) -> Result<&'a str, Failure> { let first = line.split_whitespace().next().unwrap_or(""); if sure(cx, first).await? { return Ok(first); } let (_, rest) = line.split_once(' ').unwrap_or(("", line)); num(cx, rest).await?; Ok(rest) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let w = word(&cx, "hello big world").await?; let l = t.effect("x".to_string()); let v = word(&cx, &l).await?; Ok(format!("{w}{v}")) }

}
pub mod extension {
use super::*;
$(#[$mark])?
async fn ext<'a>(cx: &Context, path: &'a str) -> Result<&'a str, Failure> { let (stem, ext) = path.rsplit_once('.').unwrap_or((path, "")); if sure(cx, ext).await? { return Ok(ext); } Ok(stem) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = t.effect("a.rs".to_string()); let a = ext(&cx, &v).await?; let b = ext(&cx, "z").await?; Ok(format!("{a:?}{b}")) }

}
pub mod stripped {
use super::*;
$(#[$mark])?
async fn flag<'a>(cx: &Context, arg: &'a str) -> Result<Option<&'a str>, Failure> { let Some(name) = arg.strip_prefix("--") else { return Ok(None) }; let name = name.trim_end_matches('='); if !sure(cx, name).await? { return Ok(None); } Ok(Some(name)) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let v = t.effect("--all=".to_string()); let a = flag(&cx, &v).await?; let b = flag(&cx, "z").await?; Ok(format!("{a:?}{b:?}")) }

}
pub mod commands {
use super::*;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)] enum Cmd { Add, Del, Show }
$(#[$mark])?
async fn exec<'a>(cx: &Context, cmd: Cmd, arg: Option<&'a str>, items: &mut Vec<&'a str>) -> Result<(), Failure> {
    match (cmd, arg) {
        (Cmd::Add, Some(a)) => { if sure(cx, &format!("add {a}")).await? { items.push(a) } }
        (Cmd::Del, Some(a)) if items.contains(&a) => { if sure(cx, "del").await? { items.retain(|x| *x != a) } }
        (Cmd::Show, None) => { num(cx, &items.join(",")).await?; }
        (c, a) => return Err(format!("{c:?} {a:?}").into()),
    }
    Ok(())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let script = "add x\nadd y\nshow\ndel x\nfoo";
    let mut items = Vec::new();
    for line in script.lines() {
        let mut parts = line.splitn(2, ' ');
        let cmd = match parts.next().unwrap_or("") { "add" => Cmd::Add, "del" => Cmd::Del, "show" => Cmd::Show, e => { t.effect(e); continue } };
        let r = exec(&cx, cmd, parts.next(), &mut items).await;
        t.effect((line, r.is_ok()));
    }
    Ok(format!("{items:?}"))
}

}
pub mod items {
use super::*;
#[derive(Debug, PartialEq, Serialize, Deserialize)] struct S { id: String, n: i64 }
$(#[$mark])?
async fn keep<'a>(cx: &Context, all: &'a [S], out: &mut Vec<&'a S>) -> Result<(), Failure> { let Some(first) = all.first() else { return Ok(()) }; let big = all.iter().max_by_key(|s| s.n); if sure(cx, &first.id).await? { out.push(first); } if let Some(b) = big { if sure(cx, &b.id).await? { out.push(b); } } Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let all = vec![S { id: "a".into(), n: 1 }, S { id: t.effect("b".to_string()), n: 2 }]; let mut out = vec![]; keep(&cx, &all, &mut out).await?; keep(&cx, &all[1..], &mut out).await?; Ok(format!("{out:?}")) }

}
pub mod own_get {
use super::*;
#[derive(Debug, PartialEq, Serialize, Deserialize)] struct S { id: String, n: i64 }
struct Reg { all: Vec<S> } impl Reg { fn get(&self, id: &str) -> Option<&S> { self.all.iter().find(|s| s.id == id) } }
$(#[$mark])?
async fn pick<'a>(cx: &Context, reg: &'a Reg, q: &str) -> Result<Option<&'a S>, Failure> { let def = reg.get("a"); let ok = sure(cx, &format!("{:?}", def.map(|d| d.n))).await?; let shown = def.map(|d| d.id.clone()); if ok && shown.is_some() { return Ok(reg.get(q)); } Ok(None) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let reg = Reg { all: vec![S { id: "a".into(), n: 1 }, S { id: t.effect("b".to_string()), n: 2 }] }; let a = pick(&cx, &reg, "b").await?; Ok(format!("{a:?}")) }

}
pub mod own_trim {
use super::*;
struct T(String); impl T { fn trim(&self) -> &str { &self.0[..1] } }
$(#[$mark])?
async fn pick<'a>(cx: &Context, x: &'a T, list: &'a [String]) -> Result<&'a str, Failure> { let s = x.trim(); if sure(cx, s).await? { return Ok(&list[0]); } Ok(&list[1]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let x = T("abc".into()); let l = vec!["k".to_string(), "l".into()]; Ok(pick(&cx, &x, &l).await?.to_string()) }

}
pub mod of_self {
use super::*;
struct Doc { text: String, title: String }
impl Doc {
$(#[$mark])?
async fn head(&self, cx: &Context) -> Result<&str, Failure> { let line = self.text.lines().next().unwrap_or("none"); let head = line.trim_start_matches('#').trim(); if sure(cx, head).await? { Ok(head) } else { Ok(&self.title) } }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let d = Doc { text: t.effect("# one\ntwo".to_string()), title: "t".into() }; let a = d.head(&cx).await?; let b = d.head(&cx).await?; Ok(format!("{a}{b}")) }

}
pub mod local {
use super::*;
$(#[$mark])?
async fn pick<'a>(cx: &Context, line: &'a str) -> Result<&'a str, Failure> { let own = format!("{line} {line}"); let (a, b) = own.split_once(' ').unwrap(); let same = sure(cx, a).await? && a == b; if same { return Ok(line.trim()); } Ok("none") }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let l = t.effect("x".to_string()); Ok(pick(&cx, &l).await?.to_string()) }


}
pub mod twice {
use super::*;
$(#[$mark])?
async fn head<'a>(l: &'a str, cx: &Context) -> Result<&'a str, Failure> { let line = l.trim(); let b = line.trim_start_matches('#'); sure(cx, b).await?; Ok(b) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = head("#a", &cx).await?; Ok(format!("{a}")) }

}
pub mod by_tuple {
use super::*;
$(#[$mark])?
async fn head<'a>(n: i64, arg: Option<&'a str>, items: &mut Vec<&'a str>, cx: &Context) -> Result<(), Failure> { match (n, arg) { (1, Some(a)) => { if sure(cx, a).await? { items.push(a); } } _ => {} } Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut l = vec![]; head(1, Some("--a"), &mut l, &cx).await?; Ok(format!("{l:?}")) }

}
pub mod by_if_let {
use super::*;
$(#[$mark])?
async fn head<'a>(line: &'a str, cx: &Context) -> Result<&'a str, Failure> { if let Some((a, b)) = line.split_once(':') { sure(cx, a).await?; return Ok(b); } Ok(line) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = head("a:b", &cx).await?; Ok(format!("{a:?}")) }

}
pub mod by_let_else {
use super::*;
$(#[$mark])?
async fn head<'a>(line: &'a str, cx: &Context) -> Result<&'a str, Failure> { let Some(b) = line.strip_prefix("--") else { return Ok("none") }; sure(cx, b).await?; Ok(b) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let a = head("--a", &cx).await?; Ok(format!("{a}")) }

}
pub mod words {
use super::*;
$(#[$mark])?
async fn pick<'a>(cx: &Context, line: &'a str, out: &mut Vec<&'a str>) -> Result<(), Failure> { for w in line.split_whitespace() { if sure(cx, w).await? { out.push(w); } } Ok(()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let mut l = vec![]; let s = t.effect("a b".to_string()); pick(&cx, &s, &mut l).await?; Ok(format!("{l:?}")) }

}
pub mod first_of_words {
use super::*;
$(#[$mark])?
async fn pick<'a>(cx: &Context, line: &'a str) -> Result<Option<&'a str>, Failure> { for w in line.split(',') { if sure(cx, w).await? { return Ok(Some(w)); } } Ok(None) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s = t.effect("a,b".to_string()); Ok(format!("{:?}", pick(&cx, &s).await?)) }

}
pub mod first_of_items {
use super::*;
#[derive(Debug, PartialEq, Serialize, Deserialize)] struct S { id: String, n: i64 }
$(#[$mark])?
async fn pick<'a>(cx: &Context, all: &'a [S]) -> Result<Option<&'a S>, Failure> { for s in all.iter().filter(|s| s.n > 0) { if sure(cx, &s.id).await? { return Ok(Some(s)); } } Ok(None) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let all = vec![S { id: "a".into(), n: 1 }, S { id: t.effect("b".to_string()), n: 2 }]; Ok(format!("{:?}", pick(&cx, &all).await?)) }

}
pub mod in_a_struct {
use super::*;
struct Parsed<'a> { cmd: &'a str, rest: &'a str, n: i64 }
$(#[$mark])?
async fn parse<'a>(cx: &Context, line: &'a str) -> Result<Parsed<'a>, Failure> { let (cmd, rest) = line.split_once(' ').ok_or("no args")?; let rest = rest.trim(); let n = num(cx, cmd).await?; Ok(Parsed { cmd, rest, n }) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { let s = t.effect("go  far".to_string()); let p = parse(&cx, &s).await?; Ok(format!("{}{}{}", p.cmd, p.rest, p.n)) }


}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    pushed::run,
    word::run,
    extension::run,
    stripped::run,
    commands::run,
    items::run,
    own_get::run,
    own_trim::run,
    of_self::run,
    local::run,
    twice::run,
    by_tuple::run,
    by_if_let::run,
    by_let_else::run,
    words::run,
    first_of_words::run,
    first_of_items::run,
    in_a_struct::run
);

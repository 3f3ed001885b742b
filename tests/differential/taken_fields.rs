//! Fields that methods of std take, of which the names are those of methods that look, too; patterns with `ref` beside what they take.

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

pub mod either {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { a: Option<String>, b: Option<String>, r: Result<i64, String>, n: i64, l: Vec<String> }
fn make() -> O { O { a: None, b: Some("b".into()), r: Ok(4), n: 3, l: vec!["q".into()] } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make();
    let s = o.a.or(o.b);
    let k = num(&cx, "q").await?;
    let e = o.r.ok();
    let k2 = num(&cx, "q").await?;
    Ok(format!("{s:?} {k} {k2} {e:?} {} {:?}", o.n, o.l))
}

}
pub mod some_of_them {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Profile { name: String, tags: Vec<String>, address: (String, i64) }
$(#[$mark])?
async fn tags(cx: &Context, t: &Trace, given: Profile) -> Result<String, Failure> {
    let Profile { tags, .. } = given;
    let (street, _) = given.address;
    let ok = sure(cx, &street).await?;
    t.effect(&tags);
    Ok(if ok { given.name } else { street })
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let whole = Profile { name: "ada".into(), tags: vec!["x".into()], address: ("street".into(), 1) };
    let mut pair = (vec![1i64], String::from("p"));
    let Profile { mut tags, .. } = whole;
    tags.push("y".into());
    let house = whole.address.1 + num(&cx, "by").await?;
    let name = super::some_of_them::tags(&cx, t, Profile { name: "eve".into(), tags: Vec::new(), address: ("road".into(), 2) }).await?;
    t.effect(&name);
    let (mut list, _) = pair;
    list.push(2);
    pair.1.push('q');
    let boxed = Box::new((whole.name, tags, whole.address.0));
    let n = num(&cx, "n").await?;
    pair.0 = vec![9];
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{house} {boxed:?} {n} {list:?} {pair:?} {ok}"))
}

}
pub mod context {
use super::*;
trait Context_<T> { fn context(self, why: &str) -> Result<T, Failure>; fn with_context<F: FnOnce() -> String>(self, why: F) -> Result<T, Failure>; }
impl<T> Context_<T> for Option<T> { fn context(self, why: &str) -> Result<T, Failure> { self.ok_or_else(|| Failure(why.into())) } fn with_context<F: FnOnce() -> String>(self, why: F) -> Result<T, Failure> { self.ok_or_else(|| Failure(why())) } }
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { a: Option<String>, b: Option<String>, n: i64 }
fn make() -> O { O { a: Some("a".into()), b: Some("b".into()), n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make();
    let s = o.a.context("no a")?;
    let k = num(&cx, "q").await?;
    let z = o.b.with_context(|| format!("no b {k}"))?;
    let k = num(&cx, "q").await?;
    Ok(format!("{s:?} {k} {z} {}", o.n))
}

}
pub mod zipped {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { a: Option<String>, b: Option<String>, n: i64, f: Option<Option<String>> }
fn make() -> O { O { a: Some("x".into()), b: Some("b".into()), n: 3, f: Some(None) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make();
    let s = o.a.zip(o.b).filter(|(a, b)| a != b);
    let k = num(&cx, "q").await?;
    let f = o.f.flatten();
    let k2 = num(&cx, "q").await?;
    Ok(format!("{s:?} {k} {k2} {f:?} {}", o.n))
}

}
pub mod looks {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Q { s: String }
impl Q { fn ok(&self) -> bool { true } fn filter(&self) -> &str { &self.s } fn context(&self, n: i64) -> String { format!("{}{n}", self.s) } fn err(&self) -> &str { &self.s } }
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { q: Q, n: i64 }
fn make() -> O { O { q: Q { s: "s".into() }, n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make();
    let ok = o.q.ok();
    let f = o.q.filter();
    let c = o.q.context(3);
    let k = num(&cx, "q").await?;
    Ok(format!("{ok} {f} {c} {k} {:?}", o))
}

}
pub mod changes {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Q { s: String }
impl Q { fn ok(&mut self) -> bool { self.s.push('o'); true } fn filter(&mut self) -> &str { self.s.push('f'); &self.s } fn err(&self) -> &str { &self.s } }
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { q: Q, n: i64 }
fn make() -> O { O { q: Q { s: "s".into() }, n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut o = make();
    let ok = o.q.ok();
    let f = o.q.filter().len();
    let k = num(&cx, "q").await?;
    let ok2 = o.q.ok();
    let k = num(&cx, "q").await?;
    Ok(format!("{ok} {f} {k} {:?}", o))
}

}
pub mod by_ref {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind { A(String), B(i64), C(String, Vec<i64>) }
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { kind: Kind, n: i64 }
fn make(t: &Trace) -> O { O { kind: Kind::C("x".into(), vec![1]), n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make(t);
    let s = match o.kind { Kind::A(ref s) => s.clone(), Kind::B(n) => n.to_string(), Kind::C(s, ref v) => format!("{s}{v:?}") };
    let k = num(&cx, "q").await?;
    Ok(format!("{s:?} {k} {}", o.n))
}

}
pub mod by_ref_and_asks {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Kind { A(String), B(i64), C(String, Vec<i64>) }
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { kind: Kind, n: i64 }
fn make(t: &Trace) -> O { O { kind: Kind::C("x".into(), vec![1]), n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make(t);
    let s = match o.kind { Kind::A(ref s) => { let k = num(&cx, "a").await?; format!("{s}{k}") } Kind::B(n) => n.to_string(), Kind::C(s, ref v) => { let k = num(&cx, "c").await?; format!("{s}{v:?}{k}") } };
    let k = num(&cx, "q").await?;
    Ok(format!("{s:?} {k} {}", o.n))
}

}
pub mod debug {
use super::*;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct O { q: String, n: i64 }
fn make() -> O { O { q: "s".into(), n: 3 } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let o = make();
    let f = dbg!(o.q);
    let k = num(&cx, "q").await?;
    Ok(format!("{f} {k} {}", o.n))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    either::run,
    some_of_them::run,
    context::run,
    zipped::run,
    looks::run,
    changes::run,
    by_ref::run,
    by_ref_and_asks::run,
    debug::run
);

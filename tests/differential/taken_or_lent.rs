//! Methods that take, lend or look at a variable which may be changed.

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

pub mod taken {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])?
    async fn finish(mut self, cx: &Context, t: &Trace) -> Result<usize, Failure> {
        let w = text(cx, "last").await?;
        self.log.push(w);
        t.effect(self.log.len());
        Ok(self.log.len())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    s.log.push(text(&cx, "first").await?);
    t.effect(format!("{s:?}"));
    let n = s.finish(&cx, t).await?;
    Ok(format!("{n}"))
}

}
pub mod taken_in_a_loop {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])?
    async fn finish(mut self, cx: &Context, t: &Trace) -> Result<usize, Failure> {
        let w = text(cx, "last").await?;
        self.log.push(w);
        t.effect(self.log.len());
        Ok(self.log.len())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    for i in 0..3 {
        s.log.push(text(&cx, "first").await?);
        t.effect(format!("{s:?}"));
        if i == 1 {
            let n = s.finish(&cx, t).await?;
            return Ok(format!("{n}"));
        }
    }
    Ok(format!("{s:?}"))
}

}
pub mod taken_and_given_back {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])?
    async fn step(self, cx: &Context) -> Result<Session, Failure> {
        let w = text(cx, "last").await?;
        let mut s = self;
        s.log.push(w);
        Ok(s)
    }
    $(#[$mark])?
    async fn add(&mut self, cx: &Context) -> Result<(), Failure> {
        let w = text(cx, "last").await?;
        self.log.push(w);
        Ok(())
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    s.add(&cx).await?;
    s = s.step(&cx).await?;
    s.add(&cx).await?;
    t.effect(format!("{s:?}"));
    let s = s.step(&cx).await?.step(&cx).await?;
    Ok(format!("{s:?}"))
}

}
pub mod taken_in_parts {
use super::*;
#[derive(Debug)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])?
    async fn add(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> {
        let w = text(cx, "last").await?;
        self.log.push(w);
        if sure(cx, "more").await? { self.log.push(text(cx, "mm").await?); }
        t.effect(self.log.len());
        Ok(())
    }
    $(#[$mark])?
    async fn step(self, cx: &Context) -> Result<Vec<String>, Failure> {
        let w = text(cx, "last").await?;
        let mut l = self.log;
        l.push(w);
        Ok(l)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    s.add(&cx, t).await?;
    s.add(&cx, t).await?;
    let l = s.step(&cx).await?;
    Ok(format!("{l:?}"))
}


}
pub mod methods_of_a_trait {
use super::*;
trait Show { async fn show(&self, cx: &Context, t: &Trace) -> Result<String, Failure>; async fn bump(&mut self, cx: &Context) -> Result<(), Failure>; async fn end(self, cx: &Context) -> Result<String, Failure>; }
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Show for Session {
    $(#[$mark])? async fn show(&self, cx: &Context, t: &Trace) -> Result<String, Failure> { let w = text(cx, "w").await?; t.effect(self.log.len()); Ok(w + &self.log.join(",")) }
    $(#[$mark])? async fn bump(&mut self, cx: &Context) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(w); Ok(()) }
    $(#[$mark])? async fn end(self, cx: &Context) -> Result<String, Failure> { let w = text(cx, "w").await?; Ok(w + &self.log.join("|")) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    s.bump(&cx).await?;
    s.log.push("x".into());
    let a = s.show(&cx, t).await?;
    let mut r = Session { log: vec![] };
    r.log.push("x".into());
    r.bump(&cx).await?;
    Ok(a)
}

}
pub mod in_a_box {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])? async fn bump(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(w); sure(cx, "again").await?; t.effect(&self.log); Ok(()) }
    $(#[$mark])? async fn end(self, cx: &Context) -> Result<String, Failure> { let w = text(cx, "w").await?; Ok(w + &self.log.join("|")) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Box::new(Session { log: vec![] });
    s.log.push(text(&cx, "a").await?);
    s.bump(&cx, t).await?;
    let mut z = Box::new(Session { log: vec![] });
    z.bump(&cx, t).await?;
    z.bump(&cx, t).await?;
    Ok("end".into())
}

}
pub mod behind_its_own_deref {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Inner { log: Vec<String> }
impl Inner {
    $(#[$mark])? async fn bump(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(w); sure(cx, "again").await?; t.effect(&self.log); Ok(()) }
    $(#[$mark])? async fn look(&self, cx: &Context, t: &Trace) -> Result<(), Failure> { let w = text(cx, "w").await?; t.effect((w, &self.log)); Ok(()) }
}
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Outer { inner: Inner }
impl std::ops::Deref for Outer { type Target = Inner; fn deref(&self) -> &Inner { &self.inner } }
impl std::ops::DerefMut for Outer { fn deref_mut(&mut self) -> &mut Inner { &mut self.inner } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Outer { inner: Inner { log: vec![] } };
    s.log.push(text(&cx, "a").await?);
    s.bump(&cx, t).await?;
    s.look(&cx, t).await?;
    let mut z = Outer { inner: Inner { log: vec![] } };
    z.bump(&cx, t).await?;
    z.bump(&cx, t).await?;
    Ok("end".into())
}

}
pub mod two_of_one_name {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Inner { log: Vec<String> }
impl Inner { $(#[$mark])? async fn go(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(w); t.effect(&self.log); Ok(()) } }
trait Go { async fn go(&self, cx: &Context, t: &Trace) -> Result<(), Failure>; }
impl Go for Inner { $(#[$mark])? async fn go(&self, cx: &Context, t: &Trace) -> Result<(), Failure> { sure(cx, "trait").await?; t.effect("trait"); Ok(()) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut z = Inner { log: vec![] };
    z.log.push(text(&cx, "a").await?);
    z.go(&cx, t).await?;
    Ok("end".into())
}

}
pub mod of_a_parameter {
use super::*;
trait Step { async fn step(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure>; async fn done(self, cx: &Context) -> Result<i64, Failure>; }
#[derive(Debug, Clone, Serialize, Deserialize)]
struct A(i64);
impl Step for A {
    $(#[$mark])? async fn step(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { self.0 += num(cx, "n").await?; t.effect(self.0); Ok(()) }
    $(#[$mark])? async fn done(self, cx: &Context) -> Result<i64, Failure> { Ok(self.0 + num(cx, "d").await?) }
}
$(#[$mark])?
async fn both<S: Step + Clone + Serialize + for<'de> Deserialize<'de>>(mut s: S, cx: &Context, t: &Trace) -> Result<i64, Failure> {
    s.step(cx, t).await?;
    s.step(cx, t).await?;
    s.done(cx).await
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = both(A(1), &cx, t).await?;
    let mut a = A(2);
    a.0 += 1;
    a.step(&cx, t).await?;
    Ok(n.to_string())
}

}
pub mod copied {
use super::*;
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct P(i64);
impl P {
    $(#[$mark])? async fn take(mut self, cx: &Context, t: &Trace) -> Result<P, Failure> { self.0 += num(cx, "n").await?; t.effect(self.0); Ok(self) }
    $(#[$mark])? async fn bump(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { self.0 += num(cx, "n").await?; t.effect(self.0); Ok(()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut p = P(1);
    p.0 += 1;
    let q = p.take(&cx, t).await?;
    p.0 += 5;
    p.bump(&cx, t).await?;
    let mut z = q;
    z.bump(&cx, t).await?;
    z = z.take(&cx, t).await?;
    z.take(&cx, t).await?;
    Ok("end".into())
}

}
pub mod with_arguments {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan { name: String }
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session { log: Vec<String> }
impl Session {
    $(#[$mark])? async fn end(self, plan: Plan, more: Vec<String>, n: usize, cx: &Context) -> Result<String, Failure> { let w = text(cx, "w").await?; Ok(format!("{w}{plan:?}{more:?}{n}{:?}", self.log)) }
    $(#[$mark])? async fn add(&mut self, plan: Plan, more: &[String], n: Option<usize>, cx: &Context) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(format!("{w}{plan:?}{more:?}{n:?}")); Ok(()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    let plan = Plan { name: text(&cx, "p").await? };
    let more = vec!["a".to_string(), text(&cx, "m").await?];
    s.add(plan.clone(), &more, None, &cx).await?;
    s.add(plan.clone(), &more[1..], Some(more.len()), &cx).await?;
    t.effect(&s);
    let mut z = s.clone();
    z.log.push("z".into());
    let e = z.end(plan.clone(), more.clone(), more.len(), &cx).await?;
    s.add(plan, &more, None, &cx).await?;
    t.effect(&more);
    Ok(e)
}

}
pub mod without_serde {
use super::*;
#[derive(Debug)]
struct Session { log: Vec<String> }
#[derive(Debug)]
enum Way { Fast, Slow(i64) }
impl Session {
    $(#[$mark])? async fn add(&mut self, cx: &Context, t: &Trace) -> Result<(), Failure> { let w = text(cx, "w").await?; self.log.push(w); if sure(cx, "slow").await? { self.log.clear(); } t.effect(format!("{self:?}")); Ok(()) }
    $(#[$mark])? async fn look(&self, cx: &Context, t: &Trace) -> Result<usize, Failure> { let w = text(cx, "w").await?; t.effect(format!("{w}{self:?}")); Ok(self.log.len()) }
    $(#[$mark])? async fn end(self, cx: &Context, t: &Trace) -> Result<usize, Failure> { let w = text(cx, "w").await?; t.effect(format!("{w}{self:?}")); Ok(self.log.len()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = Session { log: vec![] };
    s.add(&cx, t).await?;
    for i in 0..2 {
        s.add(&cx, t).await?;
        if sure(&cx, "stop").await? { let n = s.end(&cx, t).await?; return Ok(format!("{n}")); }
        t.effect(i);
    }
    let mut o = Session { log: vec![] };
    o.log.push("o".into());
    o.look(&cx, t).await?;
    let mut q = Session { log: vec![] };
    q.add(&cx, t).await?;
    q.add(&cx, t).await?;
    Ok(format!("{}", s.end(&cx, t).await?))
}

}
pub mod builder {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct B { parts: Vec<String> }
impl B {
    $(#[$mark])? async fn with(mut self, cx: &Context) -> Result<B, Failure> { self.parts.push(text(cx, "p").await?); Ok(self) }
    $(#[$mark])? async fn build(self, cx: &Context, t: &Trace) -> Result<String, Failure> { let ok = sure(cx, "ok").await?; t.effect(ok); Ok(self.parts.concat()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut b = B { parts: vec![] };
    while sure(&cx, "more").await? && b.parts.len() < 3 {
        b = b.with(&cx).await?;
        t.effect(&b);
    }
    if b.parts.is_empty() { b = b.with(&cx).await?.with(&cx).await?; }
    b.build(&cx, t).await
}

}
pub mod borrowed_at_the_call {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan { steps: Vec<String> }
impl Plan {
    fn first(&self) -> &str { self.steps.first().map_or("", |s| s) }
    $(#[$mark])? async fn review(&self, cx: &Context, first: &str, t: &Trace) -> Result<bool, Failure> { let ok = sure(cx, first).await?; t.effect((first, &self.steps)); Ok(ok) }
    $(#[$mark])? async fn end(self, cx: &Context, n: usize) -> Result<String, Failure> { let w = text(cx, "w").await?; Ok(format!("{w}{n}{:?}", self.steps)) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut plan = Plan { steps: vec![] };
    plan.steps.push(text(&cx, "s").await?);
    let first = plan.first();
    let ok = plan.review(&cx, first, t).await?;
    let mut other = Plan { steps: vec![] };
    other.steps.push("o".into());
    let f = &other.steps[0];
    other.review(&cx, f, t).await?;
    Ok(ok.to_string())
}

}
pub mod in_a_scrutinee {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct S { log: Vec<i64> }
impl S {
    $(#[$mark])? async fn fill(&mut self, cx: &Context) -> Result<(), Failure> { for _ in 0..2 { let n = num(cx, "n").await?; self.log.push(n); } Ok(()) }
    $(#[$mark])? async fn into_sum(self, cx: &Context) -> Result<i64, Failure> { if sure(cx, "s").await? { Ok(self.log.iter().sum()) } else { Err("no".into()) } }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = S { log: vec![] };
    s.fill(&cx).await?;
    let sum = match s.into_sum(&cx).await { Ok(n) => n, Err(e) => { t.effect(format!("{e:?}")); -1 } };
    let mut r = S { log: vec![sum] };
    if let Err(e) = r.fill(&cx).await { t.effect(format!("{e:?}")); }
    Ok(sum.to_string())
}

}
pub mod calls_itself {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct S { left: i64, log: Vec<i64> }
impl S {
    $(#[$mark])? async fn down(mut self, cx: &Context, t: &Trace) -> Result<Vec<i64>, Failure> {
        self.log.push(num(cx, "n").await?);
        self.left -= 1;
        t.effect(self.left);
        if self.left <= 0 { return Ok(self.log); }
        let mut next = S { left: self.left, log: self.log.clone() };
        next.log.push(-1);
        Box::pin(next.down(cx, t)).await
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = S { left: 3, log: vec![] };
    s.log.push(num(&cx, "x").await?);
    let l = s.down(&cx, t).await?;
    Ok(format!("{l:?}"))
}

}
pub mod with_a_text {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct S<'a> { name: &'a str, log: Vec<String> }
impl<'a> S<'a> {
    $(#[$mark])? async fn end(mut self, cx: &Context) -> Result<String, Failure> { let n = text(cx, "n").await?; self.log.push(n); Ok(format!("{}{:?}", self.name, self.log)) }
    $(#[$mark])? async fn add(&mut self, cx: &Context) -> Result<(), Failure> { let n = text(cx, "n").await?; self.log.push(n); Ok(()) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut s = S { name: &name, log: vec![] };
    s.add(&cx).await?;
    s.add(&cx).await?;
    s.log.push("x".into());
    let e = s.end(&cx).await?;
    t.effect(&name);
    Ok(e)
}

}
pub mod open_arguments {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct S { log: Vec<String> }
impl S { $(#[$mark])? async fn all(self, cx: &Context, a: &[i64], b: &Option<i64>) -> Result<String, Failure> { let n = text(cx, "n").await?; Ok(format!("{n}{a:?}{b:?}{:?}", self.log)) } $(#[$mark])? async fn end(self, cx: &Context, extra: Option<String>, k: &str, mut v: Vec<i64>) -> Result<String, Failure> { let n = text(cx, "n").await?; v.push(1); Ok(format!("{n}{:?}{extra:?}{k}{v:?}", self.log)) } }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut s = S { log: vec![] };
    s.log.push(text(&cx, "a").await?);
    let e = s.end(&cx, None, "k", vec![]).await?;
    let mut s = S { log: vec![] };
    s.log.push(text(&cx, "a").await?);
    let e2 = s.end(&cx, Some(e.clone()), &e, Vec::new()).await?;
    let mut s = S { log: vec![e2] };
    s.log.push(text(&cx, "a").await?);
    let v: Vec<i64> = (0..3).collect();
    let o = if v.len() > 2 { Some("o".to_string()) } else { None };
    let e3 = s.end(&cx, o, "k", v).await?;
    let mut q = S { log: vec![] }; q.log.push("q".into()); t.effect(q.all(&cx, &[], &None).await?);
    Ok(e3)
}

}
pub mod of_every_type {
use super::*;
trait Ext: Sized { async fn shown(self, cx: &Context) -> Result<String, Failure>; async fn peek(&self, cx: &Context) -> Result<String, Failure>; async fn poke(&mut self, cx: &Context) -> Result<String, Failure>; }
impl<T: std::fmt::Debug> Ext for T {
    async fn shown(self, cx: &Context) -> Result<String, Failure> { Ok(String::new()) }
    $(#[$mark])? async fn peek(&self, cx: &Context) -> Result<String, Failure> { let n = text(cx, "n").await?; Ok(format!("{n}{self:?}{}", std::any::type_name::<T>())) }
    $(#[$mark])? async fn poke(&mut self, cx: &Context) -> Result<String, Failure> { let n = text(cx, "n").await?; Ok(format!("{n}{self:?}{}", std::any::type_name::<T>())) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut v = vec![1];
    v.push(num(&cx, "x").await?);
    let a = v.peek(&cx).await?;
    let mut w = vec![1];
    w.push(num(&cx, "x").await?);
    let b = w.poke(&cx).await?;
    Ok(a + &b)
}


}

pub mod looked_at_behind {
use super::*;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan { steps: Vec<String> }
impl Plan {
    $(#[$mark])? async fn review(&self, cx: &Context, t: &Trace) -> Result<bool, Failure> { let ok = sure(cx, "ok").await?; t.effect(&self.steps); Ok(ok) }
    $(#[$mark])? async fn first(&self, cx: &Context) -> Result<&str, Failure> { let ok = sure(cx, "ok").await?; Ok(if ok { &self.steps[0] } else { "none" }) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut plan = Plan { steps: vec![] };
    plan.steps.push(text(&cx, "s").await?);
    let first = plan.steps.first();
    let ok = plan.review(&cx, t).await?;
    t.effect(format!("{first:?}{ok}"));
    let mut other = Plan { steps: vec!["o".into()] };
    other.steps.push(text(&cx, "s").await?);
    let f = other.first(&cx).await?;
    sure(&cx, "f").await?;
    Ok(f.to_string())
}

}

pub mod copied_by_a_trait {
use super::*;
trait Step { async fn step(self, cx: &Context, t: &Trace) -> Result<i64, Failure>; async fn seen(&self, cx: &Context) -> Result<bool, Failure>; }
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct P(i64);
impl Step for P {
    $(#[$mark])? async fn step(mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> { self.0 += num(cx, "n").await?; t.effect(self.0); Ok(self.0) }
    $(#[$mark])? async fn seen(&self, cx: &Context) -> Result<bool, Failure> { Ok(sure(cx, &self.0.to_string()).await?) }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut p = P(1);
    p.0 += num(&cx, "p").await?;
    let n = p.step(&cx, t).await?;
    let list = vec![P(n), P(2), P(3)];
    let mut best = &list[0];
    for one in &list {
        if sure(&cx, "better").await? { best = one; }
    }
    let seen = best.seen(&cx).await?;
    Ok(format!("{n}{seen}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    copied_by_a_trait::run,
    looked_at_behind::run,
    taken::run,
    taken_in_a_loop::run,
    taken_and_given_back::run,
    taken_in_parts::run,
    methods_of_a_trait::run,
    in_a_box::run,
    behind_its_own_deref::run,
    two_of_one_name::run,
    of_a_parameter::run,
    copied::run,
    with_arguments::run,
    without_serde::run,
    builder::run,
    borrowed_at_the_call::run,
    in_a_scrutinee::run,
    calls_itself::run,
    with_a_text::run,
    open_arguments::run,
    of_every_type::run
);

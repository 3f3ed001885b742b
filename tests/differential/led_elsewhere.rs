//! What leads elsewhere by an operator, by `as_mut` or by a pattern.

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

pub mod added {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("c{n}"), next: None };
    let middle = Node { name: format!("b{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
struct Walk<'a> { cur: &'a Node, steps: i64 }
impl<'a> std::ops::AddAssign<i64> for Walk<'a> {
    fn add_assign(&mut self, far: i64) {
        for _ in 0..far {
            if let Some(next) = &self.cur.next { self.cur = next; }
        }
        self.steps += far;
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let all = nodes(n);
    let mut walk = Walk { cur: &all, steps: 0 };
    let name = &walk.cur.name;
    walk += 1;
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok, walk.steps));
    let more = num(&cx, "more").await?;
    t.effect((name, &walk.cur.name, more));
    Ok(format!("{name} {}", walk.steps))
}

}

pub mod added_to_a_reference {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("c{n}"), next: None };
    let middle = Node { name: format!("b{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
impl<'a> std::ops::AddAssign<i64> for &'a Node {
    fn add_assign(&mut self, far: i64) {
        for _ in 0..far {
            let here: &'a Node = *self;
            if let Some(next) = &here.next { *self = next; }
        }
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let all = nodes(n);
    let mut cur = &all;
    let name = &cur.name;
    cur += 1;
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok));
    let more = num(&cx, "more").await?;
    t.effect((name, &cur.name, more));
    Ok(format!("{name} {}", cur.name))
}

}

pub mod as_mut {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("c{n}"), next: None };
    let middle = Node { name: format!("b{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
struct Walk<'a> { cur: &'a Node, steps: i64 }
impl<'a> AsMut<&'a Node> for Walk<'a> {
    fn as_mut(&mut self) -> &mut &'a Node {
        self.steps += 1;
        &mut self.cur
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (nodes(n), nodes(n + 50));
    let mut walk = Walk { cur: &all, steps: 0 };
    let name = &walk.cur.name;
    *walk.as_mut() = &others;
    let ok = sure(&cx, "ok").await?;
    t.effect((name, ok, walk.steps));
    let more = num(&cx, "more").await?;
    t.effect((name, &walk.cur.name, more));
    Ok(format!("{name} {}", walk.steps))
}

}

pub mod by_a_pattern {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("c{n}"), next: None };
    let middle = Node { name: format!("b{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
struct Walk<'a> { cur: &'a Node, steps: i64 }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, walk: &mut Walk<'a>, other: &'a Node) -> Result<i64, Failure> {
    let name = &walk.cur.name;
    let Walk { cur, steps } = walk;
    *cur = other;
    *steps += 1;
    let more = num(cx, "more").await?;
    t.effect((name, &walk.cur.name, walk.steps, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (nodes(n), nodes(n + 50));
    let mut walk = Walk { cur: &all, steps: 0 };
    let more = turn(&cx, t, &mut walk, &others).await?;
    t.effect((&walk.cur.name, walk.steps));
    Ok(format!("{more} {}", walk.steps))
}

}

pub mod by_a_pattern_on_self {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String, next: Option<Box<Node>> }
fn nodes(n: i64) -> Node {
    let last = Node { name: format!("c{n}"), next: None };
    let middle = Node { name: format!("b{n}"), next: Some(Box::new(last)) };
    Node { name: format!("a{n}"), next: Some(Box::new(middle)) }
}
struct Walk<'a> { cur: &'a Node, steps: i64 }
impl<'a> Walk<'a> {
    $(#[$mark])?
    async fn go(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let name = &self.cur.name;
        let Self { cur, steps } = self;
        if let Some(next) = &cur.next { *cur = next; }
        *steps += 1;
        let more = num(cx, "more").await?;
        t.effect((name, &self.cur.name, self.steps, more));
        Ok(more)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let all = nodes(n);
    let mut walk = Walk { cur: &all, steps: 0 };
    let more = walk.go(&cx, t).await?;
    t.effect((&walk.cur.name, walk.steps));
    Ok(format!("{more} {}", walk.steps))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    added::run,
    added_to_a_reference::run,
    as_mut::run,
    by_a_pattern::run,
    by_a_pattern_on_self::run
);

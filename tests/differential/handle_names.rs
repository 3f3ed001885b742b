//! What only has a handle's name is not the handle.

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

pub mod of_a_parameter {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Link { peer: String, hops: i64 }
$(#[$mark])?
async fn moved(cx: &Context, t: &Trace, link: &mut Link) -> Result<String, Failure> {
    let old = link.peer.clone();
    link.peer = format!("{old}+");
    link.hops += num(cx, "hops").await?;
    t.effect((&old, &link.peer, link.hops));
    Ok(format!("{old} {}", link.peer))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut link = Link { peer: String::from("a"), hops: 0 };
    let first = moved(&cx, t, &mut link).await?;
    t.effect(&link);
    Ok(format!("{first} {link:?}"))
}

}

pub mod a_number {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Circle { cx: i64, cy: i64 }
impl Circle {
    $(#[$mark])?
    async fn shift(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let before = self.cx;
        let high = self.cy;
        self.cx += 10;
        self.cy += 10;
        let more = num(cx, "more").await?;
        t.effect((before, high, self.cx, self.cy, more));
        Ok(self.cx - before)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut circle = Circle { cx: 1, cy: 2 };
    let by = circle.shift(&cx, t).await?;
    t.effect((by, &circle));
    Ok(format!("{by} {circle:?}"))
}

}

pub mod an_operand {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Circle { cx: i64, cy: i64 }
impl Circle { fn grow(&mut self) { self.cx *= 100; self.cy *= 100; } }
fn three(a: i64, b: i64, c: i64) -> String { format!("{a} {b} {c}") }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut circle = Circle { cx: 1, cy: 2 };
    let shown = three(circle.cx, circle.cy, { circle.grow(); num(&cx, "more").await? });
    t.effect(&shown);
    t.effect(&circle);
    Ok(shown)
}

}

pub mod an_argument {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Circle { cx: i64 }
impl Circle { fn bump(&mut self) -> i64 { self.cx += 100; self.cx } }
$(#[$mark])?
async fn show(cx: &Context, t: &Trace, at: i64, more: i64) -> Result<i64, Failure> {
    let n = num(cx, "n").await?;
    t.effect((at, more, n));
    Ok(at + n)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut circle = Circle { cx: num(&cx, "at").await? };
    let got = show(&cx, t, circle.cx, circle.bump()).await?;
    t.effect((got, &circle));
    Ok(format!("{got}"))
}

}

pub mod by_another_name {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Node { peer: String, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut node = Node { peer: text(&cx, "peer").await?, n: 0 };
    let peer = &node.peer;
    let old = peer.clone();
    node.peer.push('!');
    node.n = num(&cx, "n").await?;
    t.effect((&old, &node));
    Ok(format!("{old} {node:?}"))
}

}

pub mod hidden {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let c = &cx;
    let mut found = Some(text(c, "name").await?);
    if let Some(cx) = &mut found {
        let old = cx.clone();
        cx.push('!');
        let ok = sure(c, "ok").await?;
        t.effect((&old, &*cx, ok));
    }
    let last = num(c, "last").await?;
    t.effect((&found, last));
    Ok(format!("{found:?}"))
}

}

pub mod in_a_pattern {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Node { peer: Option<String>, n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut node = Node { peer: Some(text(&cx, "peer").await?), n: 0 };
    if let Some(other) = &node.peer {
        let kept = other.clone();
        node.peer = Some(format!("not {kept}"));
        node.n = num(&cx, "n").await?;
        t.effect((&kept, &node));
    }
    t.effect(&node);
    Ok(format!("{node:?}"))
}

}

pub mod cloned {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Node { peer: String, seen: Vec<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut node = Node { peer: String::from("start"), seen: Vec::new() };
    for turn in 0..2 {
        let peer = node.peer.clone();
        node.peer = format!("hop{turn}");
        let ok = sure(&cx, "go on?").await?;
        t.effect((turn, &peer, ok));
        node.seen.push(peer);
    }
    t.effect(&node);
    Ok(format!("{node:?}"))
}

}

pub mod given_away {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Node { peer: String, hops: i64 }
fn consumed(node: Node) -> i64 { node.hops + node.peer.len() as i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let node = Node { peer: text(&cx, "peer").await?, hops: 3 };
    let name = node.peer.clone();
    let size = consumed(node);
    let n = num(&cx, "n").await?;
    t.effect((&name, size, n));
    Ok(format!("{name} {size} {n}"))
}

}

pub mod of_an_alias {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct SessionContext { count: i64, name: String }
$(#[$mark])?
async fn step(context: &Context, t: &Trace, session: &mut SessionContext) -> Result<i64, Failure> {
    let before = session.clone();
    session.count += 1;
    session.name.push('+');
    let n = num(context, "n").await?;
    t.effect((&before, &*session, n));
    session.count += n;
    Ok(session.count - before.count)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut session = SessionContext { count: 5, name: String::from("a") };
    let by = step(&cx, t, &mut session).await?;
    t.effect((by, &session));
    Ok(format!("{by} {session:?}"))
}

}

pub mod in_a_block {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Circle { cx: i64, cy: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let circle = Circle { cx: 1, cy: 2 };
    let mut at = circle.cx;
    let mut high = circle.cy;
    let c = &cx;
    let got = async move {
        at += 10;
        high += 10;
        let more = num(c, "more").await?;
        Ok::<i64, Failure>(at + high + more)
    }
    .await?;
    t.effect((at, high, got));
    at += 1;
    high += 1;
    Ok(format!("{at} {high} {got}"))
}

}

pub mod in_a_tuple {
use super::*;
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
enum Side { Left, Right }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Game { peer: Side, own: Side }
impl Game {
    fn flip(&mut self) {
        std::mem::swap(&mut self.peer, &mut self.own);
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut game = Game { peer: Side::Left, own: Side::Right };
    let turn = (game.peer, game.own, { game.flip(); num(&cx, "n").await? });
    t.effect(turn);
    t.effect(&game);
    let last = sure(&cx, "ok").await?;
    Ok(format!("{turn:?} {game:?} {last}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    of_a_parameter::run,
    a_number::run,
    an_operand::run,
    an_argument::run,
    by_another_name::run,
    hidden::run,
    in_a_pattern::run,
    cloned::run,
    given_away::run,
    of_an_alias::run,
    in_a_block::run,
    in_a_tuple::run
);

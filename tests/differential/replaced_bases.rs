//! References by way of which things are found that lead elsewhere meanwhile.

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

pub mod swapped {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let first = vec![1, 50, n];
    let second = vec![7, 8, 9];
    let mut list = &first;
    let mut other = &second;
    let best = list.iter().max();
    let ok = sure(&cx, "ok").await?;
    std::mem::swap(&mut list, &mut other);
    t.effect((ok, list.len()));
    let more = num(&cx, "more").await?;
    t.effect((best, list, other, more));
    t.effect((first.len(), second.len()));
    Ok(format!("{best:?} {list:?} {other:?}"))
}

}

pub mod split_off {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let data = vec![4, 60, n];
    let mut rest: &[i64] = &data;
    let top = rest.iter().max();
    let ok = sure(&cx, "ok").await?;
    let head = rest.split_off_first();
    t.effect((ok, head.copied()));
    let more = num(&cx, "more").await?;
    t.effect((top, rest, more));
    t.effect(data.len());
    Ok(format!("{top:?} {rest:?} {more}"))
}

}

pub mod by_a_function {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Host {
    name: String,
    load: i64,
}
fn turn<'a>(list: &mut &'a Vec<Host>, to: &'a Vec<Host>) -> usize {
    *list = to;
    list.len()
}
fn hosts(prefix: &str, load: i64) -> Vec<Host> {
    (0..2).map(|k| Host { name: format!("{prefix}{k}"), load: load + k }).collect()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (east, west) = (hosts("east", n), hosts("west", n + 10));
    let mut list = &east;
    let found = list.iter().find(|host| host.load > n);
    let mut count = 0;
    for k in 0..2i64 {
        let ok = sure(&cx, "ok").await?;
        count += turn(&mut list, if ok { &west } else { &east });
        t.effect((k, ok, count));
    }
    let more = num(&cx, "more").await?;
    t.effect((found, list, more));
    t.effect((&east, &west));
    Ok(format!("{:?} {}", found.map(|host| &host.name), list.len()))
}

}

pub mod in_a_tuple {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let first = vec![1, 50, n];
    let second = vec![7, 8, 9];
    let mut at = (&first, 0i64);
    let best = at.0.iter().max();
    let ok = sure(&cx, "ok").await?;
    at.0 = &second;
    at.1 += 1;
    t.effect((ok, at.0.len()));
    let more = num(&cx, "more").await?;
    t.effect((best, at, more));
    t.effect((first.len(), second.len()));
    Ok(format!("{best:?} {at:?}"))
}

}

pub mod in_a_struct {
use super::*;
#[derive(Debug)]
struct View<'a> {
    list: &'a Vec<String>,
    page: i64,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let first = vec![name, "b".to_owned()];
    let second = vec!["y".to_owned(), "z".to_owned()];
    let mut view = View { list: &first, page: 1 };
    let shown = view.list.last();
    let more = num(&cx, "more").await?;
    view.list = &second;
    view.page += more;
    let ok = sure(&cx, "ok").await?;
    t.effect((shown, view.list, view.page, ok));
    t.effect((&first, &second));
    Ok(format!("{shown:?} {:?} {}", view.list, view.page))
}

}

pub mod in_a_walk {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node {
    name: String,
    kids: Vec<Node>,
}
fn leaf(name: &str) -> Node {
    Node { name: name.to_owned(), kids: Vec::new() }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let left = Node { name: "left".to_owned(), kids: vec![leaf("a"), leaf(&name)] };
    let right = Node { name: "right".to_owned(), kids: vec![leaf("c"), leaf("d")] };
    let mut walk = (&left, 0i64);
    let mut found = walk.0.kids.first();
    t.effect(found.map(|node| &node.name));
    for k in 0..2i64 {
        let more = num(&cx, "more").await?;
        if more > 1 {
            found = walk.0.kids.last();
        }
        t.effect((k, more));
        let ok = sure(&cx, "ok").await?;
        walk.0 = if ok { &right } else { &left };
        walk.1 += 1;
    }
    let last = num(&cx, "last").await?;
    t.effect((found.map(|node| &node.name), &walk.0.name, walk.1, last));
    t.effect((&left.name, &right.name));
    Ok(format!("{:?}", found.map(|node| &node.name)))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    swapped::run,
    split_off::run,
    by_a_function::run,
    in_a_tuple::run,
    in_a_struct::run,
    in_a_walk::run
);

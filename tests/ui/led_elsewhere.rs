//! Places behind a reference that a function may have lead elsewhere, by a name that a pattern, a `let` or a parameter gives it.

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

type Context = RequestContext<RoleServer>;
type Result<T> = std::result::Result<T, ElicitationError>;

#[saga]
async fn num(cx: &Context) -> Result<i64> {
    Ok(cx.peer.elicit::<Count>("How many?").await?.map_or(0, |count| count.n))
}

struct Node {
    name: String,
}

struct Walk<'a> {
    cur: &'a Node,
    steps: i64,
}

fn advance<'a>(cur: &mut &'a Node, to: &'a Node) {
    *cur = to;
}

#[saga]
async fn by_a_pattern<'a>(cx: &Context, walk: &mut Walk<'a>, other: &'a Node) -> Result<String> {
    let name = &walk.cur.name;
    let Walk { cur, steps } = walk;
    advance(cur, other);
    *steps += num(cx).await?;
    Ok(name.clone())
}

#[saga]
async fn in_a_closure<'a>(cx: &Context, cur: &mut &'a Node, other: &'a Node) -> Result<String> {
    let name = || cur.name.clone();
    advance(cur, other);
    num(cx).await?;
    Ok(name())
}

#[saga]
async fn an_item<'a>(cx: &Context, all: &mut Vec<&'a Node>, other: &'a Node) -> Result<String> {
    let first: &Node = &all[0];
    for one in all.iter_mut() {
        *one = other;
    }
    num(cx).await?;
    Ok(first.name.clone())
}

fn main() {}

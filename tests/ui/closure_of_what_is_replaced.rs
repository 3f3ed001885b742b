//! Closures that would look at another value behind an ask: a reference that is assigned, a variable that was moved.

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

#[derive(Serialize, Deserialize)]
struct Node {
    name: String,
    next: Option<Box<Node>>,
}

#[saga]
async fn walk(cx: &RequestContext<RoleServer>, list: &Node) -> Result<String, ElicitationError> {
    let mut node = list;
    let label = || node.name.clone();
    if let Some(next) = &node.next {
        node = next;
    }
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(format!("{} {}", label(), node.name))
}

#[saga]
async fn flush(cx: &RequestContext<RoleServer>, mut batch: Vec<String>) -> Result<String, ElicitationError> {
    let flush = || batch.into_iter().collect::<String>();
    batch = Vec::new();
    batch.push("later".to_owned());
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(flush())
}

#[saga]
async fn limited(cx: &RequestContext<RoleServer>, limits: &[i64]) -> Result<i64, ElicitationError> {
    let mut limit = &limits[0];
    let mut sum = 0;
    for n in [1, 2, 3].into_iter().filter(|n| n < limit) {
        limit = &limits[1];
        sum += n + cx.peer.elicit::<Count>("How many?").await?.map_or(0, |count| count.n);
    }
    Ok(sum + limit)
}

#[saga]
async fn call(cx: &RequestContext<RoleServer>, f: impl Fn() -> i64 + Send + Sync, k: i64) -> Result<i64, ElicitationError> {
    let count = cx.peer.elicit::<Count>("How many?").await?;
    Ok(f() + k + count.map_or(0, |count| count.n))
}

#[saga]
async fn given(cx: &RequestContext<RoleServer>, limits: &[i64]) -> Result<i64, ElicitationError> {
    let mut limit = &limits[0];
    let sum = call(cx, || *limit, { limit = &limits[1]; 1 }).await?;
    Ok(sum + limit)
}

#[saga]
async fn named(cx: &RequestContext<RoleServer>, from: i64, limit: &i64, to: i64) -> Result<i64, ElicitationError> {
    let count = cx.peer.elicit::<Count>("How many?").await?;
    Ok(from + limit + to + count.map_or(0, |count| count.n))
}

#[saga]
async fn lent_between(cx: &RequestContext<RoleServer>, limits: &[(i64, i64)]) -> Result<i64, ElicitationError> {
    let mut limit = &limits[0];
    let sum = named(cx, { limit = &limits[1]; 1 }, &limit.0, { limit = &limits[2]; 2 }).await?;
    Ok(sum + limit.1)
}

macro_rules! set {
    ($name:ident, $value:expr) => {
        $name = $value
    };
}

#[saga]
async fn by_a_macro(cx: &RequestContext<RoleServer>, limits: &[i64]) -> Result<i64, ElicitationError> {
    let mut limit = &limits[0];
    let twice = || *limit * 2;
    set!(limit, &limits[1]);
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(twice() + limit)
}

fn main() {}

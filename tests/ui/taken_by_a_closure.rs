//! Closures with `move` that take a part of what changes, or are copied with what they count.

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

#[derive(Serialize, Deserialize)]
struct Limits {
    low: i64,
    high: i64,
}

#[saga]
async fn of_a_field(cx: &RequestContext<RoleServer>) -> Result<i64, ElicitationError> {
    let mut limits = Limits { low: 1, high: 2 };
    let was = move |n: i64| n + limits.low;
    limits.low += 1;
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(was(1) + limits.low + limits.high)
}

fn twice(mut next: impl FnMut() -> i64) -> i64 {
    next() + next()
}

#[saga]
async fn given_away(cx: &RequestContext<RoleServer>) -> Result<i64, ElicitationError> {
    let mut n = 1;
    let mut next = move || {
        n += 1;
        n
    };
    let sum = twice(next);
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(sum + next() + n)
}

#[saga]
async fn taken_by_another(cx: &RequestContext<RoleServer>) -> Result<i64, ElicitationError> {
    let mut n = 1;
    let mut next = move || {
        n += 1;
        n
    };
    let mut tenfold = move || next() * 10;
    let sum = tenfold();
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(sum + next() + n)
}

fn main() {}

//! Closures with `move`, of what changes: a copy of it would have to be stored in them.

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::Deserialize;

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

#[saga]
async fn counting(cx: &RequestContext<RoleServer>) -> Result<i64, ElicitationError> {
    let mut n = 1;
    let mut next = move || {
        n += 1;
        n
    };
    let first = next();
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(first + next() + n)
}

#[saga]
async fn of_before(cx: &RequestContext<RoleServer>) -> Result<i64, ElicitationError> {
    let mut limit = 1;
    let was = move |n: i64| n + limit;
    limit += 1;
    cx.peer.elicit::<Count>("How many?").await?;
    Ok(was(1) + limit)
}

fn main() {}

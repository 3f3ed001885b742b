//! A closure with `move` that takes a part of what changes.

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

fn main() {}

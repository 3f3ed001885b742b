//! A trait's method of the name of one that takes what it is called on, which changes that instead: of a copy it would be lost.

use std::collections::BTreeMap;

use rmcp::{RoleServer, service::{ElicitationError, RequestContext}};
use saga_runtime::{Elicit, saga};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, Elicit)]
struct Count {
    n: i64,
}

type Context = RequestContext<RoleServer>;
type Result<T> = std::result::Result<T, ElicitationError>;

#[derive(Serialize, Deserialize)]
struct Desk {
    drawers: BTreeMap<i64, i64>,
    label: String,
}

trait Fill {
    fn unwrap_or(&mut self, n: i64) -> i64;
    fn map(&mut self, n: i64) -> usize;
}

impl Fill for BTreeMap<i64, i64> {
    fn unwrap_or(&mut self, n: i64) -> i64 {
        self.insert(n, n);
        n
    }

    fn map(&mut self, n: i64) -> usize {
        self.insert(n, n);
        self.len()
    }
}

#[derive(Clone, Serialize, Deserialize)]
struct Tray(Vec<i64>);

impl Tray {
    fn into_iter(&mut self) -> usize {
        self.0.push(1);
        self.0.len()
    }
}

#[derive(Serialize, Deserialize)]
struct Table {
    tray: Tray,
    label: String,
}

#[saga]
async fn tray(cx: Context, mut table: Table) -> Result<String> {
    let first = table.tray.into_iter();
    let more = cx.peer.elicit::<Count>("How many?").await?.map_or(0, |count| count.n);
    Ok(format!("{first} {more} {:?} {}", table.tray.0, table.label))
}

#[saga]
async fn filled(cx: Context, mut desk: Desk) -> Result<String> {
    let first = desk.drawers.unwrap_or(3);
    let second = desk.drawers.map(4);
    let more = cx.peer.elicit::<Count>("How many?").await?.map_or(0, |count| count.n);
    Ok(format!("{first} {second} {more} {:?} {}", desk.drawers, desk.label))
}

fn main() {}

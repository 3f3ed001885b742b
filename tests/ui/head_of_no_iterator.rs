//! `map`, `filter` and their kin of what is no iterator of std's: they do it all at once, or something else.

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

trait Batch {
    fn filter(&self, keeps: impl Fn(&i64) -> bool) -> Vec<i64>;
    fn cloned(&self) -> Vec<i64>;
}

impl Batch for Vec<i64> {
    fn filter(&self, keeps: impl Fn(&i64) -> bool) -> Vec<i64> {
        self.iter().copied().filter(|n| keeps(n)).rev().collect()
    }

    fn cloned(&self) -> Vec<i64> {
        self.iter().rev().cloned().collect()
    }
}

struct Down(i64);

impl Iterator for Down {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.0 -= 1;
        (self.0 >= 0).then_some(self.0)
    }
}

impl Down {
    fn map(self, shown: impl Fn(i64) -> i64) -> Vec<i64> {
        let mut all: Vec<i64> = Iterator::map(self, shown).collect();
        all.sort();
        all
    }
}

#[saga]
async fn of_an_array(cx: &Context) -> Result<i64> {
    let mut sum = 0;
    for n in [1, 2, 3].map(|n| n * 2) {
        sum += n + num(cx).await?;
    }
    Ok(sum)
}

#[saga]
async fn of_a_list(cx: &Context, list: Vec<i64>) -> Result<i64> {
    let mut sum = 0;
    for n in list.filter(|n| *n > 1) {
        sum += n + num(cx).await?;
    }
    Ok(sum)
}

#[saga]
async fn of_a_lent_list(cx: &Context, list: &Vec<i64>) -> Result<i64> {
    let mut sum = 0;
    for n in list.cloned() {
        sum += n + num(cx).await?;
    }
    Ok(sum)
}

#[saga]
async fn of_an_own_iterator(cx: &Context) -> Result<i64> {
    let mut sum = 0;
    for n in Down(3).map(|n| n * 2) {
        sum += n + num(cx).await?;
    }
    Ok(sum)
}

fn main() {}

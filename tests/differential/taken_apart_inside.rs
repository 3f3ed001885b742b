//! Items of loops and searches that are taken apart inside.

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

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }

pub mod a_struct {
use super::*;
struct Cell { n: i64 }
struct Row { cell: Cell, name: String }
$(#[$mark])?
async fn each(cx: &Context, t: &Trace, rows: &[Row]) -> Result<i64, Failure> {
    let mut sum = 0;
    for (i, row) in rows.iter().enumerate() {
        let Row { cell, name } = row;
        let n = num(cx, name).await?;
        t.effect((i, n, cell.n, name));
        sum += n * cell.n;
    }
    Ok(sum)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let count = num(&cx, "count").await?;
    let rows = [Row { cell: Cell { n: 2 }, name: "a".to_owned() }, Row { cell: Cell { n: 3 }, name: "b".to_owned() }];
    let sum = each(&cx, t, &rows).await?;
    Ok(format!("{sum} {count}"))
}

}

pub mod a_struct_to_change {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 2, name: "b".to_owned() }];
    for (i, row) in rows.iter_mut().enumerate() {
        let Row { n, name } = row;
        let by = num(&cx, "by").await?;
        *n += by;
        name.push_str("!");
        t.effect((i, *n, name.clone()));
    }
    Ok(format!("{rows:?}"))
}

}

pub mod a_variant {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
enum Kind { Fast, Slow(i64) }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { kind: Kind, name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { kind: Kind::Slow(1), name: "a".to_owned() }, Row { kind: Kind::Fast, name: "b".to_owned() }];
    for (i, row) in rows.iter_mut().enumerate() {
        if let Row { kind: Kind::Slow(n), .. } = row {
            let by = num(&cx, "by").await?;
            *n += by;
            t.effect((i, *n));
        } else {
            t.note("fast");
        }
    }
    Ok(format!("{rows:?}"))
}

}

pub mod halves {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, cells: Vec<i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, cells: vec![1, 2] }, Row { n: 5, cells: vec![3, 4, 5] }];
    let Some((i, row)) = rows.iter_mut().enumerate().find(|(_, row)| row.n > 2) else { return Ok("none".into()) };
    let (left, right) = row.cells.split_at_mut(1);
    let by = num(&cx, "by").await?;
    left[0] += by;
    right[1] -= by;
    t.effect((i, left[0], right[1]));
    Ok(format!("{rows:?}"))
}

}

pub mod matched {
use super::*;
struct Best { n: i64 }
enum Row { Good { best: Best, name: String }, Bad(Best) }
struct Desk { rows: Vec<Row> }
impl Desk {
    $(#[$mark])?
    async fn each(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let mut sum = 0;
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Good { best, name } => {
                    let n = num(cx, name).await?;
                    t.effect((i, n, best.n));
                    sum += n + best.n;
                }
                Row::Bad(best) => {
                    if sure(cx, "really?").await? { sum -= best.n; }
                }
            }
        }
        Ok(sum)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { rows: vec![Row::Good { best: Best { n: 2 }, name: "a".to_owned() }, Row::Bad(Best { n: 3 })] };
    let sum = desk.each(&cx, t).await?;
    Ok(format!("{sum}"))
}

}

pub mod an_option_to_change {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut slots = vec![Some(Row { n: 1, name: "a".to_owned() }), None, Some(Row { n: 3, name: "c".to_owned() })];
    for slot in &mut slots {
        if let Some(row) = slot {
            let by = num(&cx, &row.name).await?;
            row.n += by;
            t.effect((row.n, row.name.clone()));
        }
    }
    Ok(format!("{slots:?}"))
}

}

pub mod an_option {
use super::*;
struct Row { n: i64, name: String }
struct Desk { rows: Vec<Row>, spare: Vec<Option<Row>> }
impl Desk {
    $(#[$mark])?
    async fn each(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let mut sum = 0;
        for row in &self.rows {
            let current = row;
            let n = num(cx, &current.name).await?;
            t.effect((n, current.n));
            sum += n * current.n;
        }
        for slot in &self.spare {
            if let Some(row) = slot {
                let n = num(cx, &row.name).await?;
                sum += n - row.n;
            }
        }
        Ok(sum)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let desk = Desk { rows: vec![Row { n: 2, name: "a".to_owned() }], spare: vec![None, Some(Row { n: 4, name: "c".to_owned() })] };
    let sum = desk.each(&cx, t).await?;
    Ok(format!("{sum}"))
}

}

pub mod of_a_map {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut map: BTreeMap<String, Option<i64>> = BTreeMap::new();
    map.insert("a".to_owned(), Some(1));
    map.insert("b".to_owned(), None);
    for (key, slot) in &mut map {
        if let Some(n) = slot {
            let by = num(&cx, key).await?;
            *n += by;
            t.effect((key, *n));
        } else {
            *slot = Some(num(&cx, "new").await?);
        }
    }
    Ok(format!("{map:?}"))
}

}

pub mod chunks {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut list = vec![1, 2, 3, 4, 5];
    for (i, pair) in list.chunks_mut(2).enumerate() {
        if let [a, b] = pair {
            let by = num(&cx, "by").await?;
            *a += by;
            *b -= by;
            t.effect((i, *a, *b));
        }
    }
    Ok(format!("{list:?}"))
}

}

pub mod found {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 5, name: "b".to_owned() }];
    let wanted = text(&cx, "which").await?;
    let Some((i, row)) = rows.iter_mut().enumerate().find(|(_, row)| row.n > 2 || row.name == wanted) else { return Ok("none".into()) };
    let Row { n, name } = row;
    let by = num(&cx, "by").await?;
    *n += by;
    name.push_str("!");
    t.effect((i, *n, name.clone()));
    Ok(format!("{rows:?}"))
}

}

pub mod zipped {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![Row { n: 1, name: "a".to_owned() }, Row { n: 5, name: "b".to_owned() }];
    let extra = vec![10, 20];
    for (row, more) in rows.iter_mut().zip(&extra) {
        let Row { n, name } = row;
        let by = num(&cx, "by").await?;
        *n += by * more;
        name.push_str("!");
        t.effect((*n, name.clone()));
    }
    Ok(format!("{rows:?}"))
}

}

pub mod pairs {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut pairs = vec![(1, "a".to_owned()), (2, "b".to_owned())];
    for (i, pair) in pairs.iter_mut().enumerate() {
        let (n, name) = pair;
        let by = num(&cx, "by").await?;
        *n += by;
        name.push_str("!");
        t.effect((i, *n, name.clone()));
    }
    Ok(format!("{pairs:?}"))
}

}

pub mod renamed_to_change {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Host { name: String, hits: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut hosts = vec![Host { name: "a".into(), hits: first }, Host { name: "b".into(), hits: 2 }];
    for item in &mut hosts {
        let host = item;
        host.hits += 1;
        let ok = sure(&cx, "ok").await?;
        if ok {
            host.name.push('!');
        }
        t.effect((&host.name, host.hits, ok));
    }
    t.effect(&hosts);
    Ok(format!("{hosts:?}"))
}

}

pub mod renamed {
use super::*;
#[derive(Debug)]
struct Host { name: String, hits: i64 }
$(#[$mark])?
async fn each(cx: &Context, t: &Trace, hosts: &[Host]) -> Result<i64, Failure> {
    let mut sum = 0;
    for item in hosts {
        let host = item;
        let ok = sure(cx, "ok").await?;
        if ok {
            sum += host.hits;
        }
        t.effect((&host.name, ok));
    }
    Ok(sum)
}
static HOSTS: std::sync::LazyLock<Vec<Host>> = std::sync::LazyLock::new(|| vec![Host { name: "a".into(), hits: 1 }, Host { name: "b".into(), hits: 2 }]);
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let sum = each(&cx, t, &HOSTS).await?;
    t.effect((first, sum));
    Ok(format!("{sum}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_struct::run,
    a_struct_to_change::run,
    a_variant::run,
    halves::run,
    matched::run,
    an_option_to_change::run,
    an_option::run,
    of_a_map::run,
    chunks::run,
    found::run,
    zipped::run,
    pairs::run,
    renamed_to_change::run,
    renamed::run
);

//! What a loop, or a search, copies out of the items stays what it is when the collection changes.

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

pub mod by_a_pattern {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, first + 1, first + 2];
    for &x in &list {
        if x >= 0 {
            list[0] = 100;
            list[1] = 200;
            list[2] = 300;
            let ok = sure(&cx, "ok").await?;
            t.effect((x, ok));
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{first} {list:?}"))
}

}

pub mod numbered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![5, wanted, 7];
    let mut old = -100;
    for (i, n) in list.iter().copied().enumerate() {
        if n == wanted {
            list[i] += 10;
            let ok = sure(&cx, "ok").await?;
            t.effect((i, n, ok));
            old = n;
            break;
        }
    }
    t.effect((old, &list));
    Ok(format!("{old} {list:?}"))
}

}

pub mod of_a_map {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut map = BTreeMap::from([(1, first), (2, first + 5), (3, 9)]);
    for (&k, &v) in &map {
        if v > 2 {
            for (_, n) in map.iter_mut() {
                *n += 1000;
            }
            let ok = sure(&cx, "ok").await?;
            t.effect((k, v, ok));
            break;
        }
    }
    t.effect(&map);
    Ok(format!("{map:?}"))
}

}

pub mod letters {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut word = text(&cx, "word").await?;
    word.push('q');
    for (at, c) in word.char_indices() {
        if c.is_ascii_lowercase() {
            word.make_ascii_uppercase();
            let ok = sure(&cx, "ok").await?;
            t.effect((at, c, ok));
            return Ok(format!("{c} {word}"));
        }
    }
    Ok(format!("none {word}"))
}

}

pub mod of_a_field {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk { items: Vec<i64>, total: i64 }
$(#[$mark])?
async fn first_of(cx: &Context, t: &Trace, desk: &mut Desk) -> Result<i64, Failure> {
    for &n in &desk.items {
        desk.items[0] = 50;
        desk.total += n;
        let ok = sure(cx, "ok").await?;
        t.effect((n, ok));
        return Ok(n);
    }
    Ok(-7)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let start = num(&cx, "start").await?;
    let mut desk = Desk { items: vec![start, 2], total: 0 };
    let n = first_of(&cx, t, &mut desk).await?;
    t.effect((n, &desk));
    Ok(format!("{n} {desk:?}"))
}

}

pub mod from_behind {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = [first, first * 2, 4];
    let found = 'search: {
        for &n in list.iter().rev() {
            if n > 2 {
                for one in list.iter_mut() {
                    *one = -*one;
                }
                let ok = sure(&cx, "ok").await?;
                t.effect((n, ok));
                break 'search n;
            }
        }
        0
    };
    t.effect((found, list));
    Ok(format!("{found} {list:?}"))
}

}

pub mod taken_away {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut queue = vec![first, 7, 8];
    for (at, &n) in queue.iter().enumerate() {
        if n == 8 {
            let last = queue.pop();
            t.effect(last);
            let ok = sure(&cx, "ok").await?;
            t.effect((at, n, ok));
            break;
        }
    }
    for (at, &n) in queue.iter().enumerate() {
        if n == 7 {
            queue.remove(at);
            let more = num(&cx, "more").await?;
            queue.insert(at, more);
            t.effect((at, n));
            break;
        }
    }
    t.effect(&queue);
    Ok(format!("{queue:?}"))
}

}

pub mod found {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order { n: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut orders = vec![Order { n: 7 }, Order { n: 8 }, Order { n: wanted }];
    if let Some((i, order)) = orders.iter_mut().enumerate().find(|(_, order)| order.n == wanted) {
        order.n += 10;
        let removed = orders.remove(i);
        let ok = sure(&cx, "ok").await?;
        t.effect((i, removed.n, ok));
    }
    t.effect(&orders);
    Ok(format!("{orders:?}"))
}

}

pub mod removed {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted + 2, wanted];
    for (i, n) in list.iter_mut().enumerate() {
        *n += 100;
        if *n == wanted + 100 {
            let removed = list.remove(i);
            let ok = sure(&cx, "ok").await?;
            t.effect((i, removed, ok));
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod removed_from_behind {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted, wanted + 2, wanted + 3];
    for (i, n) in list.iter_mut().enumerate().rev() {
        *n += 100;
        if *n == wanted + 100 {
            list.remove(i);
            let ok = sure(&cx, "ok").await?;
            t.effect((i, ok));
            list.insert(i, -1);
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod found_from_behind {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted, wanted + 2, wanted + 3];
    let Some((i, found)) = list.iter_mut().enumerate().rev().find(|(_, n)| **n == wanted) else {
        return Ok("none".to_string());
    };
    *found += 5;
    let at = i;
    list.pop();
    let ok = sure(&cx, "ok").await?;
    t.effect((i, at, ok));
    t.effect(&list);
    Ok(format!("{i} {list:?}"))
}

}

pub mod cloned {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let word = text(&cx, "word").await?;
    let mut names = vec![format!("{word}0"), format!("{word}1"), "z".to_string()];
    for (at, name) in names.iter().cloned().enumerate() {
        if name.ends_with('1') {
            names[at] = "taken".to_string();
            let other = text(&cx, "other").await?;
            t.effect((at, &name, &other));
            return Ok(format!("{name} {names:?} {other}"));
        }
    }
    Ok(format!("{names:?}"))
}

}

pub mod given_away {
use super::*;
fn total(list: Vec<i64>) -> i64 {
    list.into_iter().sum()
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let list = vec![first, 5, 6];
    for (i, &n) in list.iter().enumerate() {
        if n >= 3 {
            let sum = total(list);
            let ok = sure(&cx, "ok").await?;
            t.effect((i, n, sum, ok));
            return Ok(format!("{i} {n} {sum}"));
        }
    }
    Ok("none".to_string())
}

}

pub mod of_self {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, name: String }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk { rows: Vec<Row> }
impl Desk {
    $(#[$mark])?
    async fn raise(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        for (i, &Row { n, .. }) in self.rows.iter().enumerate() {
            if n >= 2 {
                self.rows[i].n = n * 100;
                let ok = sure(cx, "ok").await?;
                t.effect((i, n, ok));
                return Ok(n);
            }
        }
        Ok(-3)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = num(&cx, "a").await?;
    let mut desk = Desk { rows: vec![Row { n: a, name: "a".into() }, Row { n: 4, name: "b".into() }] };
    let n = desk.raise(&cx, t).await?;
    t.effect((n, &desk));
    Ok(format!("{n} {desk:?}"))
}

}

pub mod mapped {
use super::*;
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
struct Row { n: i64, m: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut rows = [Row { n: first, m: 1 }, Row { n: 9, m: 2 }];
    for (n, row) in rows.iter().copied().map(|row| (row.n, row)) {
        if n >= 2 {
            rows[0].n = -5;
            rows[0] = Row { n: -6, m: -7 };
            rows[1].m = 70;
            let ok = sure(&cx, "ok").await?;
            t.effect((n, row, ok));
            break;
        }
    }
    t.effect(rows);
    Ok(format!("{rows:?}"))
}

}

pub mod by_another_name {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut grid = [[first, 1], [2, 3]];
    let mut seen = Vec::new();
    'rows: for (y, &[left, right]) in grid.iter().enumerate() {
        let was = left;
        let sum = |more: i64| was + right + more;
        if left != 1 {
            grid[y][0] = 40;
            grid[y][1] += 7;
            let more = num(&cx, "more").await?;
            seen.push((y, was, left, right));
            t.effect((was, sum(more)));
            break 'rows;
        }
    }
    t.effect((&seen, grid));
    Ok(format!("{seen:?} {grid:?}"))
}

}

pub mod of_an_option {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut slot = Some(first);
    for &n in slot.iter() {
        if let Some(m) = slot.as_mut() {
            *m += 50;
        }
        let ok = sure(&cx, "ok").await?;
        t.effect((n, ok));
        break;
    }
    t.effect(slot);
    Ok(format!("{slot:?}"))
}

}

pub mod zipped {
use super::*;
$(#[$mark])?
async fn settle(cx: &Context, t: &Trace, list: &mut [i64], other: &mut Vec<i64>) -> Result<i64, Failure> {
    for (a, b) in list.iter().copied().zip(other.iter().copied()) {
        if a + b >= 2 {
            list[0] -= 30;
            other[0] = 60;
            let ok = sure(cx, "ok").await?;
            t.effect((a, b, ok));
            return Ok(a * 100 + b);
        }
    }
    Ok(-2)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 2];
    let mut other = vec![2, first];
    let got = settle(&cx, t, &mut list, &mut other).await?;
    t.effect((got, &list, &other));
    Ok(format!("{got} {list:?} {other:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    by_a_pattern::run,
    numbered::run,
    of_a_map::run,
    letters::run,
    of_a_field::run,
    from_behind::run,
    taken_away::run,
    found::run,
    removed::run,
    removed_from_behind::run,
    found_from_behind::run,
    cloned::run,
    given_away::run,
    of_self::run,
    mapped::run,
    by_another_name::run,
    of_an_option::run,
    zipped::run
);

//! What a loop or a search copies out of items that go by other names, and through adapters.

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

pub mod in_a_struct {
use super::*;
struct View<'a> { list: &'a mut Vec<i64> }
$(#[$mark])?
async fn first_of(cx: &Context, t: &Trace, l: &mut Vec<i64>) -> Result<i64, Failure> {
    for &n in l.iter() {
        if n >= 1 {
            let view = View { list: l };
            view.list[0] = 100;
            view.list[1] = 200;
            let ok = sure(cx, "ok").await?;
            t.effect((n, ok));
            return Ok(n);
        }
    }
    Ok(-7)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let n = first_of(&cx, t, &mut list).await?;
    t.effect((n, &list));
    Ok(format!("{n} {list:?}"))
}

}

pub mod chosen {
use super::*;
$(#[$mark])?
async fn settle(cx: &Context, t: &Trace, l: &mut Vec<i64>, spare: &mut Vec<i64>) -> Result<i64, Failure> {
    for &n in l.iter() {
        if n >= 1 {
            let target = if spare.len() > 3 { spare } else { l };
            target[0] = -50;
            target[1] = -60;
            let ok = sure(cx, "ok").await?;
            t.effect((n, ok));
            return Ok(n);
        }
    }
    Ok(-7)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let mut spare = vec![1, 2];
    let n = settle(&cx, t, &mut list, &mut spare).await?;
    t.effect((n, &list, &spare));
    Ok(format!("{n} {list:?}"))
}

}

pub mod chained {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first + 2, 7];
    let mut kept = -9;
    for n in (0..2).chain(list.iter().copied()) {
        if n >= 2 {
            list[0] = 100;
            list[1] = 200;
            let ok = sure(&cx, "ok").await?;
            t.effect((n, ok));
            kept = n;
            break;
        }
    }
    t.effect((kept, &list));
    Ok(format!("{kept} {list:?}"))
}

}

pub mod flattened {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut slots = vec![None, Some(first), Some(8)];
    let mut kept = -9;
    for n in slots.iter().copied().flatten() {
        if n >= 1 {
            slots[1] = Some(100);
            slots[2] = Some(200);
            let ok = sure(&cx, "ok").await?;
            t.effect((n, ok));
            kept = n;
            break;
        }
    }
    t.effect((kept, &slots));
    Ok(format!("{kept} {slots:?}"))
}

}

pub mod zipped {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 6];
    let mut other = vec![first + 1, 7];
    let mut kept = (-9, -9);
    for pair in list.iter().copied().zip(other.iter().copied()) {
        if pair.0 + pair.1 >= 3 {
            list[0] = 100;
            other[0] = 200;
            list[1] = 300;
            let ok = sure(&cx, "ok").await?;
            t.effect((pair, ok));
            kept = pair;
            break;
        }
    }
    t.effect((kept, &list, &other));
    Ok(format!("{kept:?} {list:?}"))
}

}

pub mod numbered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![5, wanted, 7];
    let mut old = (0usize, -100);
    for pair in list.iter().copied().enumerate() {
        if pair.1 == wanted {
            list[pair.0] += 10;
            let ok = sure(&cx, "ok").await?;
            t.effect((pair, ok));
            old = pair;
            break;
        }
    }
    t.effect((old, &list));
    Ok(format!("{old:?} {list:?}"))
}

}

pub mod whole_and_apart {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = [5, wanted, 7];
    let mut old = -100;
    for all @ (i, n) in list.iter().copied().enumerate() {
        if n == wanted {
            list[i] = 77;
            let ok = sure(&cx, "ok").await?;
            t.effect((all, i, n, ok));
            old = n;
            break;
        }
    }
    t.effect((old, list));
    Ok(format!("{old} {list:?}"))
}

}

pub mod found_before {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted, wanted + 2];
    let found = list.iter_mut().enumerate().rev().find(|(_, n)| **n == wanted);
    if let Some((i, n)) = found {
        *n += 5;
        list.push(40);
        let ok = sure(&cx, "ok").await?;
        t.effect((i, ok, &list));
    }
    let last = num(&cx, "last").await?;
    t.effect((&list, last));
    Ok(format!("{list:?}"))
}

}

pub mod taken_apart {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted, wanted + 2];
    for pair in list.iter_mut().enumerate().rev() {
        let (i, n) = pair;
        *n += 100;
        if *n == wanted + 100 {
            list.push(-1);
            let ok = sure(&cx, "ok").await?;
            t.effect((i, ok, &list));
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod counted {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted];
    for (k, n) in (1..).zip(list.iter_mut()) {
        *n += 100;
        if *n == wanted + 100 {
            list.clear();
            let ok = sure(&cx, "ok").await?;
            t.effect((k, ok));
            list.push(k);
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod by_another_name {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![first, 5];
    let mut kept = -9;
    let view = &list;
    for &n in view {
        if n >= 1 {
            list[0] = 100;
            list[1] = 200;
            let ok = sure(&cx, "ok").await?;
            t.effect((n, ok));
            kept = n;
            break;
        }
    }
    t.effect((kept, &list));
    Ok(format!("{kept} {list:?}"))
}

}

pub mod in_a_grid {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut grid = vec![vec![7, 8], vec![9, wanted]];
    let mut found = None;
    'rows: for (y, row) in grid.iter().enumerate() {
        for (x, &cell) in row.iter().enumerate() {
            if cell == wanted {
                grid[y][x] = -5;
                let ok = sure(&cx, "clear it?").await?;
                t.effect((x, y, cell, ok));
                found = Some((x, y, cell));
                break 'rows;
            }
        }
    }
    t.effect((found, &grid));
    Ok(format!("{found:?} {grid:?}"))
}

}

pub mod filtered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted, wanted + 1, -20, wanted + 2];
    for (i, n) in list.iter_mut().enumerate().rev().filter(|(_, n)| **n > -10) {
        *n += 100;
        if *n == wanted + 101 {
            list.push(-1);
            let ok = sure(&cx, "ok").await?;
            t.effect((i, ok, &list));
            break;
        }
    }
    t.effect(&list);
    Ok(format!("{list:?}"))
}

}

pub mod zipped_and_filtered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut stock = vec![first, 6, 9];
    let mut wanted = vec![first + 1, 5, 9];
    let mut missing = Vec::new();
    for (have, want) in stock.iter().copied().zip(wanted.iter().copied()).filter(|(have, want)| have < want) {
        stock[0] = 100;
        wanted[0] = 200;
        let ok = sure(&cx, "order it?").await?;
        t.effect((have, want, ok));
        missing.push((have, want));
        break;
    }
    t.effect((&missing, &stock, &wanted));
    Ok(format!("{missing:?}"))
}

}

pub mod searched {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut list = vec![1, 2, 3];
    let mut other = vec![first + 4, first + 5, 9];
    let found = list.iter_mut().zip(other.iter().copied()).find(|(_, b)| *b >= 5);
    if let Some((a, b)) = found {
        *a += 10;
        other[0] = 100;
        other[1] = 200;
        let ok = sure(&cx, "ok").await?;
        t.effect((b, ok, &list, &other));
    }
    let last = num(&cx, "last").await?;
    t.effect((&list, last));
    Ok(format!("{list:?} {other:?}"))
}

}

pub mod searched_or_left {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut list = vec![wanted + 1, wanted, wanted + 2];
    let (i, n) = list.iter_mut().enumerate().rev().find(|(_, n)| **n == wanted).ok_or("none")?;
    *n += 5;
    list.push(40);
    let ok = sure(&cx, "ok").await?;
    t.effect((i, ok, &list));
    let last = num(&cx, "last").await?;
    Ok(format!("{i} {list:?} {last}"))
}

}

pub mod given_in_a_struct {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Order { items: Vec<i64>, note: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let items = vec![first, 5, 6];
    for (i, &n) in items.iter().enumerate() {
        if n >= 3 {
            let order = Order { items, note: format!("{i}") };
            let ok = sure(&cx, "ok").await?;
            t.effect((i, n, &order, ok));
            return Ok(format!("{i} {n} {order:?}"));
        }
    }
    Ok("none".to_string())
}

}

pub mod of_rows {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut grid = vec![vec![7, wanted], vec![9, 8]];
    let mut kept = -9;
    for n in grid.iter().flat_map(|row| row.iter().copied()) {
        if n == wanted {
            grid[0][1] = 500;
            let ok = sure(&cx, "ok").await?;
            t.effect((n, ok));
            kept = n;
            break;
        }
    }
    t.effect((kept, &grid));
    Ok(format!("{kept} {grid:?}"))
}

}

pub mod of_self {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Desk { items: Vec<i64>, total: i64 }
impl Desk {
    $(#[$mark])?
    async fn raise(&mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let items = &self.items;
        for (i, &n) in items.iter().enumerate() {
            if n >= 2 {
                self.items[i] = n * 100;
                self.total += n;
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
    let first = num(&cx, "first").await?;
    let mut desk = Desk { items: vec![first, 4], total: 0 };
    let n = desk.raise(&cx, t).await?;
    t.effect((n, &desk));
    Ok(format!("{n} {desk:?}"))
}

}

pub mod nested {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wanted = num(&cx, "wanted").await?;
    let mut grid = vec![vec![70, 80], vec![90, wanted]];
    let mut found = None;
    'rows: for row in grid.iter_mut() {
        for (x, cell) in row.iter_mut().enumerate() {
            *cell += 1;
            if *cell == wanted + 1 {
                grid.clear();
                let ok = sure(&cx, "ok").await?;
                t.effect((x, ok));
                found = Some(x);
                break 'rows;
            }
        }
    }
    t.effect((found, &grid));
    Ok(format!("{found:?} {grid:?}"))
}

}

pub mod called_by_a_static {
use super::*;
use futures::future::BoxFuture;
type Asked = Box<dyn for<'a> Fn(&'a Context, &'a Trace) -> BoxFuture<'a, Result<i64, Failure>> + Send + Sync>;
static ASK: std::sync::LazyLock<Asked> = std::sync::LazyLock::new(|| Box::new(asked));
$(#[$mark])?
fn asked<'a>(cx: &'a Context, t: &'a Trace) -> BoxFuture<'a, Result<i64, Failure>> {
    Box::pin(async move {
        let n = num(cx, "n").await?;
        t.effect(n);
        Ok(n + 1)
    })
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let n = ASK(&cx, t).await?;
    t.effect((first, n));
    Ok(format!("{first} {n}"))
}

}

pub mod by_another_name_and_filtered {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut scores = vec![first, 6, 0];
    let least = 1;
    let mut kept = Vec::new();
    let all = &scores;
    for n in all.iter().copied().filter(|n| *n >= least) {
        scores[0] = -1;
        scores[1] = -2;
        let ok = sure(&cx, "keep it?").await?;
        t.effect((n, ok));
        kept.push(n);
        break;
    }
    t.effect((&kept, &scores));
    Ok(format!("{kept:?} {scores:?}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_a_struct::run,
    chosen::run,
    chained::run,
    flattened::run,
    zipped::run,
    numbered::run,
    whole_and_apart::run,
    found_before::run,
    taken_apart::run,
    counted::run,
    by_another_name::run,
    in_a_grid::run,
    filtered::run,
    zipped_and_filtered::run,
    searched::run,
    searched_or_left::run,
    given_in_a_struct::run,
    of_rows::run,
    of_self::run,
    nested::run,
    called_by_a_static::run,
    by_another_name_and_filtered::run
);

//! Indices, keys and what they are made of; names that are taken.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! sum_of {
    (from $range:expr) => {
        ($range).sum::<i64>()
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod named_self_value {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Score { n: i64 }
impl Score {
    $(#[$mark])?
    async fn raised(mut self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
        let mut self_value = Score { n: self.n * 10 };
        self.n += num(cx, "more").await?;
        self_value.n += 1;
        t.effect((self.n, self_value.n));
        Ok(self.n)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let raised = Score { n }.raised(&cx, t).await?;
    t.effect(raised);
    Ok(format!("{raised}"))
}

}

pub mod made_for_a_key {
use super::*;
struct Loud<'a>(&'a Trace, i64);
impl Drop for Loud<'_> {
    fn drop(&mut self) { self.0.note("dropped"); }
}
fn key_of(loud: &Loud<'_>) -> String { format!("k{}", loud.1) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let mut map = std::collections::HashMap::from([("k1".to_string(), n)]);
    let item = map.get_mut(&key_of(&Loud(t, 1))).unwrap();
    t.note("behind");
    *item += 1;
    t.effect(*item);
    Ok(format!("{}", map["k1"]))
}

}

pub mod made_for_an_index {
use super::*;
struct Loud<'a>(&'a Trace, usize);
impl Drop for Loud<'_> {
    fn drop(&mut self) { self.0.note("dropped"); }
}
fn index_of(loud: &Loud<'_>) -> usize { loud.1 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let list = vec![n, n + 1];
    let item = &list[index_of(&Loud(t, 1))];
    t.note("behind");
    t.effect(item);
    Ok(format!("{item}"))
}

}

pub mod of_a_branch {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let word = &(if t.effect(n > 0) { ["a", "b"] } else { ["c", "d"] })[usize::from(t.effect(n > 1))];
    t.effect(word);
    let ok = sure(&cx, "ok").await?;
    Ok(format!("{ok} {n}"))
}

}

pub mod of_a_block {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let mut at = 0usize;
    let item = &{
        at = 1;
        vec![n, n + 1]
    }[at];
    t.effect(item);
    let more = num(&cx, "more").await?;
    t.effect((more, at));
    Ok(format!("{}", more + at as i64))
}

}

pub mod locked {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let words = vec![n, n + 1];
    let order = std::sync::Mutex::new(vec![1usize]);
    let word = &words[order.lock().unwrap().first().copied().unwrap_or(0)];
    t.effect(word);
    t.effect(order.try_lock().is_ok());
    Ok(format!("{word}"))
}

}

pub mod borrowed {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let mut words = vec![n, n + 1];
    let order = std::cell::RefCell::new(vec![1usize]);
    if let Some(word) = words.get_mut(0) {
        *word += 5;
    }
    let word = words.get_mut(order.borrow().first().copied().unwrap_or(0)).unwrap();
    *word += 10;
    t.effect(*word);
    order.borrow_mut().push(0);
    t.effect(order.borrow().len());
    Ok(format!("{words:?}"))
}

}

pub mod of_a_match {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Rows { main: Vec<i64>, spare: Vec<i64> }
fn next(t: &Trace, at: &mut usize) -> usize {
    *at += 1;
    t.effect(*at)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let rows = Rows { main: vec![n, 1, 2, 3], spare: vec![9, 8, 7, n] };
    let mut at = 0;
    let item = &(match next(t, &mut at) {
        1 => &rows.main,
        _ => &rows.spare,
    })[next(t, &mut at)];
    t.effect(item);
    let more = num(&cx, "more").await?;
    t.effect((more, at));
    Ok(format!("{more}"))
}

}

pub mod lent_literals {
use super::*;
$(#[$mark])?
async fn tally(cx: &Context, t: &Trace, counts: &mut [i64]) -> Result<i64, Failure> {
    counts[0] += num(cx, "a").await?;
    counts[1] += num(cx, "b").await?;
    t.effect(&*counts);
    let ok = sure(cx, "ok").await?;
    t.effect((&*counts, ok));
    Ok(counts[0] + counts[1])
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let sum = tally(&cx, t, &mut [0, 10]).await?;
    t.effect(sum);
    Ok(format!("{sum}"))
}

}

pub mod lent_in_a_struct {
use super::*;
struct Board<'a> { cells: &'a mut [i64; 3], width: usize }
$(#[$mark])?
async fn play(cx: &Context, t: &Trace, board: Board<'_>) -> Result<i64, Failure> {
    board.cells[0] += num(cx, "a").await?;
    board.cells[board.width - 1] += num(cx, "b").await?;
    let ok = sure(cx, "ok").await?;
    t.effect((&*board.cells, ok));
    Ok(board.cells.iter().sum())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let sum = play(&cx, t, Board { cells: &mut [0, 0, 0], width: 3 }).await?;
    t.effect(sum);
    Ok(format!("{sum}"))
}

}

pub mod indexed_before {
use super::*;
struct Grid<'a> { t: &'a Trace, rows: Vec<Vec<i64>> }
impl std::ops::Index<usize> for Grid<'_> {
    type Output = Vec<i64>;
    fn index(&self, row: usize) -> &Vec<i64> {
        self.t.note("row");
        &self.rows[row]
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let grid = Grid { t, rows: vec![vec![n, 2], vec![3, 4]] };
    let cell = &grid[0][usize::from(t.effect(n > 0))];
    t.effect(cell);
    Ok(format!("{cell}"))
}

}

pub mod replaced_in_an_index {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let (a, b) = (vec![n, 1], vec![2, 3]);
    let mut rows = &a;
    let item = &rows[{
        rows = &b;
        0
    }];
    t.effect((item, rows));
    let sum = item + rows[0];
    let ok = sure(&cx, "ok").await?;
    t.effect((sum, ok));
    Ok(format!("{sum}"))
}

}

pub mod never_indexed {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let found = (n > 0).then(|| vec![n, 2]);
    let item = &(match &found {
        Some(list) => list,
        None => return Ok("none".to_string()),
    })[usize::from(t.effect(n > 1))];
    t.effect(item);
    let ok = sure(&cx, "ok").await?;
    t.effect(ok);
    Ok(format!("{n}"))
}

}

pub mod made_for_a_method {
use super::*;
struct Loud<'a>(&'a Trace, usize);
impl Drop for Loud<'_> {
    fn drop(&mut self) { self.0.note("closed"); }
}
impl Loud<'_> {
    fn as_index(&self) -> &usize { &self.1 }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "first").await?;
    let mut list = vec![n, n + 1];
    let item = &mut list[Loud(t, 1).as_index().min(&1).to_owned()];
    *item += 1;
    t.effect(*item);
    Ok(format!("{list:?}"))
}

}

pub mod configured_field {
use super::*;
#[derive(Debug)]
enum Kind { Plain, Marked(i64) }
#[derive(Debug)]
struct Row { n: i64, kind: Kind, #[cfg(any())] extra: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let rows = vec![
        Row { n, kind: Kind::Plain, #[cfg(any())] extra: 1 },
        Row { n: n + 1, kind: Kind::Marked(n), #[cfg(any())] extra: 2 },
    ];
    let ok = sure(&cx, "ok").await?;
    t.effect((&rows, ok));
    let more = num(&cx, "more").await?;
    t.effect((rows.len(), more));
    Ok(format!("{rows:?}"))
}

}

pub mod asks_nobody {
use super::*;
fn announce<'a>(cx: &Context, t: &'a Trace, n: i64) -> impl std::future::Future<Output = i64> + Send + use<'a> {
    let _ = cx;
    t.effect(("announce", n));
    async move { t.fetch(n * 10).await }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let (said, ok) = tokio::join!(announce(&cx, t, first), cx.peer.elicit::<Confirm>("ok"));
    let ok = ok.ok().flatten().is_some_and(|answer| answer.ok);
    t.effect((said, ok));
    Ok(format!("{said} {ok}"))
}

}

pub mod configured_let {
use super::*;
$(#[$mark])?
async fn helper(cx: &Context, t: &Trace, n: i64) -> Result<String, Failure> {
    t.effect(n);
    let n = n * 10 + 3;
    let more = num(cx, "more").await?;
    let shown = format!("<{}>", {
        #[cfg(any())]
        let n = 7;
        n + more
    });
    t.note(&shown);
    Ok(shown)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let shown = helper(&cx, t, first).await?;
    Ok(shown)
}

}

pub mod a_range_in_a_macro {
use super::*;

$(#[$mark])?
async fn helper(cx: &Context, t: &Trace, n: i64) -> Result<i64, Failure> {
    t.effect(n);
    let n = n.max(0) * 2 + 4;
    let first = num(cx, "first").await?;
    let mut total = first;
    if first > -5 {
        let n = sum_of!(from 0..n);
        let more = num(cx, "more").await?;
        t.effect((n, more));
        total += n;
    }
    t.effect((n, total));
    Ok(total)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let total = helper(&cx, t, n).await?;
    Ok(format!("{total}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    named_self_value::run,
    made_for_a_key::run,
    made_for_an_index::run,
    of_a_branch::run,
    of_a_block::run,
    locked::run,
    borrowed::run,
    of_a_match::run,
    lent_literals::run,
    lent_in_a_struct::run,
    indexed_before::run,
    replaced_in_an_index::run,
    never_indexed::run,
    made_for_a_method::run,
    configured_field::run,
    asks_nobody::run,
    configured_let::run,
    a_range_in_a_macro::run
);

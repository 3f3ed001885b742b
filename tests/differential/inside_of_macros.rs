//! Texts, fields, attributes and imports inside of macros and of blocks.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

macro_rules! route {
    ($path:literal) => {
        concat!("https://shop", $path)
    };
}

macro_rules! template {
    ($text:literal) => {
        $text
    };
}

macro_rules! key {
    ($text:literal) => {
        $text
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod a_text_in_a_list {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let id = num(&cx, "id").await?;
    let ok = sure(&cx, "ok").await?;
    let shown = if ok {
        let id = vec![route!("/users/{id}"); 2];
        let more = num(&cx, "more").await?;
        t.effect((&id, more));
        format!("{id:?} {more}")
    } else {
        String::new()
    };
    t.effect((id, &shown));
    Ok(format!("{id} {shown}"))
}

}

pub mod a_text_in_json {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let ok = sure(&cx, "ok").await?;
    let mut sent = String::new();
    if ok {
        let name = serde_json::json!({ "uri": template!("users://{name}"), "kind": "user" });
        let more = num(&cx, "more").await?;
        sent = t.effect(format!("{name} {more}"));
    }
    t.effect((&name, &sent));
    Ok(format!("{name} {sent}"))
}

}

pub mod a_text_in_a_pattern {
use super::*;

$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let id = text(&cx, "id").await?;
    let wanted = if id.is_empty() { "none" } else { "user/{id}" };
    let ok = sure(&cx, "ok").await?;
    let mut found = false;
    if ok {
        let id = matches!(Some(wanted), Some(text) if text == key!("user/{id}"));
        let n = num(&cx, "n").await?;
        t.effect((id, n));
        found = id;
    }
    t.effect((&id, found));
    Ok(format!("{id} {found}"))
}

}

pub mod a_field_in_a_list {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Cell2 { row: i64, width: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let row = num(&cx, "row").await?;
    let ok = sure(&cx, "ok").await?;
    let mut sum = 0;
    if ok {
        let row = vec![Cell2 { row, width: 2 }; 3];
        let more = num(&cx, "more").await?;
        t.effect((&row, more));
        sum = row.iter().map(|cell| cell.row * cell.width).sum::<i64>() + more;
    }
    t.effect((row, sum));
    Ok(format!("{row} {sum}"))
}

}

pub mod a_field_in_json {
use super::*;
#[derive(Debug, serde::Serialize)]
struct Point { x: i64, y: i64 }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let x = num(&cx, "x").await?;
    let y = num(&cx, "y").await?;
    let mut sent = String::new();
    if x > 0 {
        let x = serde_json::json!({ "at": Point { x, y }, "kind": "move" });
        let ok = sure(&cx, "ok").await?;
        sent = format!("{x} {ok}");
    }
    t.effect((x, y, &sent));
    Ok(format!("{x} {y} {sent}"))
}

}

pub mod items_that_are_not_there {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let targets = vec![
        "staging",
        #[cfg(any())]
        "nowhere",
        "production",
    ];
    let n = num(&cx, "n").await?;
    t.effect((targets.len(), n));
    for target in &targets {
        t.note(target);
    }
    Ok(format!("{targets:?} {n}"))
}

}

pub mod items_that_ask {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let numbers = vec![
        num(&cx, "first").await?,
        #[cfg(debug_assertions)]
        t.effect(1),
        #[cfg(not(debug_assertions))]
        t.effect(2),
        #[cfg(any())]
        num(&cx, "never").await?,
    ];
    let last = num(&cx, "last").await?;
    t.effect((&numbers, last));
    Ok(format!("{numbers:?} {last}"))
}

}

pub mod an_imported_limit {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let ok = sure(&cx, "hurry?").await?;
    let mut n = 0;
    if ok {
        use tokio::time::{Duration, timeout};
        let answer = timeout(Duration::from_secs(600), cx.peer.elicit::<Count>("n")).await;
        n = match answer {
            Ok(Ok(Some(count))) => count.n,
            Ok(_) => -1,
            Err(_) => -2,
        };
        t.effect(n);
    }
    let last = num(&cx, "last").await?;
    t.effect((ok, n, last));
    Ok(format!("{ok} {n} {last}"))
}

}

pub mod an_imported_select {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let wait = sure(&cx, "wait?").await?;
    let n = if wait {
        use tokio::select;
        let answer = select! {
            answer = cx.peer.elicit::<Count>("n") => answer?.map(|count| count.n),
            _ = cx.ct.cancelled() => None,
        };
        answer.unwrap_or(-1)
    } else {
        0
    };
    t.effect(n);
    let last = num(&cx, "last").await?;
    t.effect((n, last));
    Ok(format!("{n} {last}"))
}

}

pub mod a_number_by_its_call {
use super::*;
async fn record(t: &Trace, n: i64) -> i64 {
    t.effect(n);
    t.fetch(n + 1).await
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sum = first;
    for part in ["1", "x", "3"] {
        let n = part.parse().unwrap_or_default();
        sum += record(t, n).await;
    }
    let last = num(&cx, "last").await?;
    t.effect((first, sum, last));
    Ok(format!("{first} {sum} {last}"))
}

}

pub mod a_text_by_its_call {
use super::*;
async fn save(t: &Trace, title: String, total: i64) {
    t.effect((title.as_str(), total));
    t.fetch(total).await;
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let prices = vec![num(&cx, "a").await?, num(&cx, "b").await?];
    let keep = sure(&cx, "keep?").await?;
    if keep {
        let title = "prices".into();
        let total = prices.iter().sum();
        save(t, title, total).await;
    }
    let last = num(&cx, "last").await?;
    t.effect((&prices, keep, last));
    Ok(format!("{prices:?} {keep} {last}"))
}

}

pub mod a_default_by_its_call {
use super::*;
#[derive(Debug, Default)]
struct Page { rows: Vec<i64>, more: bool }
async fn load(t: &Trace, number: i64, page: &mut Page) {
    let n = t.fetch(number).await;
    page.rows.push(n);
    page.more = number < 1;
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut all = Vec::new();
    for number in 0..2 {
        let mut page = Default::default();
        load(t, number, &mut page).await;
        t.effect(page.more);
        all.extend(page.rows);
    }
    let last = num(&cx, "last").await?;
    t.effect((first, &all, last));
    Ok(format!("{first} {all:?} {last}"))
}

}

pub mod given_by_value {
use super::*;
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Row { name: String }
async fn keep(t: &Trace, row: Row, list: Vec<String>) -> i64 { t.effect((&row, &list)); t.fetch(list.len() as i64).await }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let mut sum = 0;
    for name in ["a", "b"] {
        let row = Row { name: name.to_string() };
        let list = name.split(' ').map(Into::into).collect();
        sum += keep(t, row, list).await;
        if let Ok(more) = name.parse() {
            let more: i64 = more;
            sum += t.fetch(more).await;
        }
    }
    let last = num(&cx, "last").await?;
    t.effect((first, sum, last));
    Ok(format!("{first} {sum} {last}"))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_text_in_a_list::run,
    a_text_in_json::run,
    a_text_in_a_pattern::run,
    a_field_in_a_list::run,
    a_field_in_json::run,
    items_that_are_not_there::run,
    items_that_ask::run,
    an_imported_limit::run,
    an_imported_select::run,
    a_number_by_its_call::run,
    a_text_by_its_call::run,
    a_default_by_its_call::run,
    given_by_value::run
);

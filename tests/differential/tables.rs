//! Tables of texts that are there for good, references to their rows, and long arrays.

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

pub mod given_table {
use super::*;
fn conf(t: &Trace) -> &'static [(&'static str, i64)] { t.effect("conf"); &[("x", 1), ("y", 2)] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = conf(t);
    let n = num(&cx, "a").await?;
    Ok(format!("{n}{table:?}"))
}

}
pub mod looped_over {
use super::*;
fn conf(t: &Trace) -> &'static [(&'static str, i64)] { t.effect("conf"); &[("x", 1), ("y", 2)] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = conf(t);
    for (k, v) in table { let n = num(&cx, k).await?; t.effect(n + v); }
    Ok("end".into())
}

}
pub mod row_of_a_list {
use super::*;
fn conf() -> Vec<(&'static str, i64)> { vec![("x", 1), ("y", 2)] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = conf();
    let by = table.iter().find(|r| r.1 > 1);
    sure(&cx, "x").await?;
    Ok(format!("{by:?}"))
}

}
pub mod row_of_a_table {
use super::*;
fn conf(t: &Trace) -> &'static [(&'static str, i64)] { t.effect("conf"); &[("x", 1), ("y", 2)] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = conf(t);
    let by = table.iter().find(|r| { t.effect(format!("find {}", r.0)); r.1 > 1 });
    sure(&cx, "x").await?;
    Ok(format!("{by:?}"))
}

}
pub mod row_of_literals {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = vec![("x", 1), ("y", 2)];
    let by = table.iter().find(|r| r.1 > 1);
    sure(&cx, "x").await?;
    Ok(format!("{by:?}"))
}

}
pub mod rows_of_statics {
use super::*;
static TABLE: &[(&str, i64)] = &[("x", 1), ("y", 2)];
const C: [(&str, i64, &str); 2] = [("a", 1, "b"), ("c", 2, "d")];
fn rows() -> &'static [(&'static str, i64)] { TABLE }
fn row(n: i64) -> Option<&'static (&'static str, i64)> { TABLE.iter().find(|r| r.1 == n) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let by = TABLE.iter().find(|r| r.1 > 1);
    let c = C.iter().max_by_key(|r| r.1);
    let r = row(num(&cx, "x").await?.clamp(1, 2));
    let all: Vec<&(&str, i64)> = rows().iter().filter(|r| r.1 < 9).collect();
    sure(&cx, "x").await?;
    t.effect(format!("{by:?}{c:?}{r:?}"));
    for r in &all { num(&cx, r.0).await?; }
    for (k, v) in rows() { num(&cx, k).await?; t.effect(v); }
    for &(k, v) in rows().iter().rev() { num(&cx, k).await?; t.effect(v); }
    let Some((name, n)) = row(2) else { return Ok("none".into()) };
    sure(&cx, name).await?;
    Ok(format!("{name}{n}"))
}


}
pub mod rows_of_a_text {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let raw = text(&cx, "raw").await?;
    let rows: Vec<(&str, usize)> = raw.split(' ').map(|w| (w, w.len())).collect();
    for (w, n) in &rows { num(&cx, w).await?; t.effect(n); }
    for (w, n) in rows.iter().filter(|r| r.1 > 0) { num(&cx, w).await?; t.effect(n); }
    Ok(format!("{rows:?}"))
}

}
pub mod rows_in_heads {
use super::*;
static TABLE: &[(&str, i64)] = &[("x", 1), ("y", 2)];
fn rows() -> &'static [(&'static str, i64)] { TABLE }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    for (k, v) in rows() { num(&cx, k).await?; t.effect(v); }
    for &(k, v) in rows().iter().rev() { num(&cx, k).await?; t.effect(v); }
    let mut it = rows().iter();
    while let Some((k, v)) = it.next() { num(&cx, k).await?; t.effect(v); }
    for (k, v) in rows().iter().filter(|r| r.1 > 0) { num(&cx, k).await?; t.effect(v); }
    Ok("end".into())
}


}
pub mod long_arrays {
use super::*;
#[derive(Debug)] struct Own { sig: [u8; 64], pair: [i64; 2], names: [String; 2] }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut long = [0i64; 64];
    let sig = [7u8; 64];
    let mut count = [0usize; 256];
    let own = Own { sig, pair: [1, num(&cx, "p").await?], names: ["a".into(), text(&cx, "b").await?] };
    for i in 0..3 { long[i * 20] = num(&cx, "n").await?; count[i] += 1; t.effect(format!("{:?}", long)); }
    let half = &long[..32];
    sure(&cx, "e").await?;
    let names: [String; 3] = std::array::from_fn(|i| format!("n{i}"));
    let empty: [i64; 0] = [];
    for n in &names { num(&cx, n).await?; }
    for n in names.clone() { num(&cx, &n).await?; }
    sure(&cx, "f").await?;
    Ok(format!("{sig:?}{count:?}{half:?}{own:?}{names:?}{empty:?}"))
}

}
pub mod menu {
use super::*;
$(#[$mark])?
async fn select(cx: &Context, q: &str, options: Vec<&'static str>) -> Result<&'static str, Failure> { let n = num(cx, q).await?; Ok(options[n as usize % options.len()]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let options = vec!["a", "b"];
    for i in 0..2 { match select(&cx, "x", options.clone()).await? { "a" => t.effect("a"), o => t.effect(o) }; }
    Ok("".into())
}

}
pub mod menu_of_an_array {
use super::*;
$(#[$mark])?
async fn select(cx: &Context, q: &str, options: Vec<&'static str>) -> Result<&'static str, Failure> { let n = num(cx, q).await?; Ok(options[n as usize % options.len()]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let options = ["a", "b"].to_vec();
    for i in 0..2 { match select(&cx, "x", options.clone()).await? { "a" => t.effect("a"), o => t.effect(o) }; }
    Ok("".into())
}

}
pub mod menu_of_rows {
use super::*;
$(#[$mark])?
async fn select(cx: &Context, q: &str, options: Vec<(&'static str, i64)>) -> Result<(&'static str, i64), Failure> { let n = num(cx, q).await?; Ok(options[n as usize % options.len()]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let options = vec![("a", 1), ("b", 2)];
    for i in 0..2 { match select(&cx, "x", options.clone()).await? { ("a", n) => t.effect(n.to_string()), (o, _) => t.effect(o.to_string()) }; }
    let (name, n) = select(&cx, "y", vec![("x", 1)]).await?;
    sure(&cx, name).await?;
    Ok(format!("{name}{n}"))
}


}
pub mod menu_that_grows {
use super::*;
$(#[$mark])?
async fn select(cx: &Context, q: &str, options: &[&'static str]) -> Result<&'static str, Failure> { let n = num(cx, q).await?; Ok(options[n as usize % options.len()]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut options: Vec<&'static str> = vec!["a", "b"];
    if sure(&cx, "more").await? { options.push("c"); }
    for i in 0..2 { match select(&cx, "x", &options).await? { "a" => t.effect("a"), o => t.effect(o) }; }
    let o = select(&cx, "y", &["x", "y"]).await?;
    sure(&cx, o).await?;
    Ok(o.into())
}

}
pub mod menu_lent {
use super::*;
$(#[$mark])?
async fn select(cx: &Context, q: &str, options: &[&'static str]) -> Result<&'static str, Failure> { let n = num(cx, q).await?; Ok(options[n as usize % options.len()]) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let options = ["a", "b"];
    for i in 0..2 { match select(&cx, "x", &options).await? { "a" => t.effect("a"), o => t.effect(o) }; }
    let o = select(&cx, "y", &["x", "y"]).await?;
    sure(&cx, o).await?;
    Ok(o.into())
}

}

pub mod handed_on {
use super::*;
$(#[$mark])?
async fn ask_for(cx: &Context, mut options: Vec<&'static str>, t: &Trace) -> Result<String, Failure> {
    options.insert(0, "none");
    options.push("custom");
    let n = num(cx, "which").await?;
    t.effect(&options);
    let one = options[n.rem_euclid(options.len() as i64) as usize];
    sure(cx, one).await?;
    Ok(one.to_string())
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let list = vec!["a", "b"];
    let one = ask_for(&cx, list, t).await?;
    let list = vec!["c"];
    let same = list.clone();
    let two = ask_for(&cx, same, t).await?;
    let three = ask_for(&cx, list, t).await?;
    Ok(format!("{one} {two} {three}"))
}


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    given_table::run,
    looped_over::run,
    row_of_a_list::run,
    row_of_a_table::run,
    row_of_literals::run,
    rows_of_statics::run,
    rows_of_a_text::run,
    rows_in_heads::run,
    long_arrays::run,
    menu::run,
    menu_of_an_array::run,
    menu_of_rows::run,
    menu_that_grows::run,
    menu_lent::run,
    handed_on::run
);

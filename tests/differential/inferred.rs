//! What rustc infers over branches, and items of a type that is a parameter.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
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

pub mod option_or_literal {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let c: Option<String> = t.effect(Some("c".to_string()));
    let name = if let Some(d) = &c { sure(&cx, "q").await?; d } else { "none" };
    sure(&cx, "r").await?;
    t.effect(name);
    Ok(name.to_string())
}

}
pub mod item_or_literal {
use super::*;
#[derive(Clone)] struct Host { name: String }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let h = t.effect(num(&cx, "h").await?);
    let hosts = vec!["a".to_string(), "b".to_string()];
    let name = match h { 0 => { let n = &hosts[0]; sure(&cx, "z").await?; n }, 1 => "one", _ if sure(&cx, "x").await? => { &hosts[1] } _ => "other" };
    sure(&cx, "r").await?;
    t.effect(name);
    Ok(format!("{name}{}", if sure(&cx, "last").await? { name } else { "no" }))
}

}
pub mod field_or_literal {
use super::*;
#[derive(Clone)] struct Conf { name: String, nick: Option<String> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let conf = Conf { name: t.effect("n".to_string()), nick: Some("k".into()) };
    let shown = if sure(&cx, "full?").await? { &conf.name } else if let Some(nick) = &conf.nick { nick } else { "-" };
    t.effect(shown);
    let n = num(&cx, shown).await?;
    let label = match n { 0 => "zero", 1 => { sure(&cx, "one").await?; &conf.name } _ => return Ok("many".into()) };
    sure(&cx, label).await?;
    Ok(label.to_string())
}

}
pub mod chain_of_both {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let table = t.effect(vec![("a".to_string(), "b".to_string())]);
    let row = &table[0];
    let x = if sure(&cx, "left?").await? { &row.0 } else if sure(&cx, "right?").await? { &row.1 } else { "neither" };
    let y = match x { "a" => "first", _ => { num(&cx, x).await?; x } };
    let z = { let n = num(&cx, y).await?; if n > 3 { "big" } else { sure(&cx, "z").await?; y } };
    t.effect(z.len());
    sure(&cx, z).await?;
    Ok(format!("{x}{y}{z}"))
}

}
pub mod items_of_a_parameter {
use super::*;
$(#[$mark])?
async fn hold<T: Serialize + serde::de::DeserializeOwned + std::fmt::Debug + Send + Sync>(cx: &Context, v: &[T]) -> Result<String, Failure> {
    let a = &v[0]; let b = v.last().unwrap();
    let ok = sure(cx, "q").await?;
    Ok(format!("{a:?}{b:?}{ok}"))
}
$(#[$mark])?
async fn held<T>(cx: &Context, v: Vec<T>) -> Result<String, Failure> where T: Serialize + for<'de> Deserialize<'de> + std::fmt::Debug + Send + Sync {
    let best = v.iter().max_by_key(|v| format!("{v:?}"));
    sure(cx, "w").await?;
    Ok(format!("{best:?}"))
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let s = hold(&cx, &["a".to_string(), "a".to_string()]).await?;
    let u = held(&cx, vec![(1, 2)]).await?;
    t.effect(&u);
    Ok(s + &u)
}

}
pub mod first_of_a_parameter {
use super::*;
$(#[$mark])?
async fn go<T: std::fmt::Debug + Serialize + for<'x> Deserialize<'x> + Send + Sync>(cx: &Context, v: &[T]) -> Result<String, Failure> { let f = v.first(); sure(cx, "s").await?; Ok(format!("{f:?}")) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { go(&cx, &[1i64]).await }

}
pub mod table_or_literal {
use super::*;
fn need(s: &'static str) -> usize { s.len() }
const NAMES: [&str; 3] = ["a", "b", "c"];
static MORE: &[&str] = &["x", "y"];
struct Row { name: &'static str }
const ROW: Row = Row { name: "row" };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?.rem_euclid(2) as usize;
    let l = match n { 0 => { sure(&cx, "z").await?; "zero" } _ => NAMES[n] };
    sure(&cx, "r").await?;
    t.effect(need(l));
    Ok(format!("{l}"))
}

}
pub mod constant_or_literal {
use super::*;
fn need(s: &'static str) -> usize { s.len() }
struct Row { name: &'static str }
const ROW: Row = Row { name: "row" };
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let l = if sure(&cx, "q").await? { "zero" } else { ROW.name };
    sure(&cx, "r").await?;
    t.effect(need(l));
    let k = if sure(&cx, "q").await? { "zero" } else { l };
    sure(&cx, "r").await?;
    t.effect(need(k));
    Ok(format!("{l}"))
}

}
pub mod row_or_literal {
use super::*;
fn need(s: &'static str) -> usize { s.len() }
struct Row { name: &'static str, n: i64, tags: [&'static str; 2] }
const ROW: Row = Row { name: "row", n: 3, tags: ["p", "q"] };
static ROWS: [Row; 2] = [Row { name: "r0", n: 1, tags: ["a", "b"] }, Row { name: "r1", n: 2, tags: ["c", "d"] }];
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?.rem_euclid(2) as usize;
    let l = match n { 0 => ROWS[n].name, 1 if sure(&cx, "one?").await? => "one", _ => ROW.tags[n] };
    let m = if n > 0 { ROW.n } else { num(&cx, "m").await? };
    let name = ROWS[n].name;
    let all = if sure(&cx, "x").await? { ROW.tags[0] } else { ROW.tags[1] };
    sure(&cx, "r").await?;
    t.effect(need(l));
    let mut k = "start";
    if sure(&cx, "set").await? { k = ROW.name; }
    sure(&cx, "s").await?;
    t.effect(need(k));
    Ok(format!("{l}{m}{name}{all}{k}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    option_or_literal::run,
    item_or_literal::run,
    field_or_literal::run,
    chain_of_both::run,
    items_of_a_parameter::run,
    first_of_a_parameter::run,
    table_or_literal::run,
    constant_or_literal::run,
    row_or_literal::run
);

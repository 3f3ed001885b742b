//! Temporaries that a method is lent, as its result may be one: `found.unwrap_or(&vec![])`.

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

pub mod given_to_helpers {
use super::*;
use serde_json::{json, Value};
use std::collections::HashMap;
$(#[$mark])?
async fn show(cx: &Context, list: &[Value], t: &Trace) -> Result<usize, Failure> { let ok = sure(cx, "show").await?; t.effect((ok, list)); Ok(list.len()) }
$(#[$mark])?
async fn name(cx: &Context, s: &str, t: &Trace) -> Result<usize, Failure> { let ok = sure(cx, s).await?; t.effect((ok, s)); Ok(s.len()) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc = json!({"list": [{"n": 1}, {"n": 2}], "o": {"q": 1}});
    let map = HashMap::from([("k".to_string(), "v".to_string())]);
    let mut n = 0;
    n += show(&cx, doc["list"].as_array().unwrap_or(&vec![]), t).await?;
    n += show(&cx, doc["none"].as_array().unwrap_or(&vec![]), t).await?;
    n += name(&cx, map.get("k").unwrap_or(&String::new()), t).await?;
    n += name(&cx, map.get("x").unwrap_or(&"none".to_string()), t).await?;
    n += name(&cx, map.get("x").unwrap_or(&format!("none{n}")).trim(), t).await?;
    Ok(format!("{n}"))
}

}

pub mod looked_at {
use super::*;
use serde_json::{json, Value};
use std::collections::HashMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc = json!({"list": [{"n": 1}, {"n": 2}], "o": {"q": 1}});
    let map = HashMap::from([("k".to_string(), "v".to_string())]);
    let mut n = 0;
    match map.get("k").unwrap_or(&String::new()).as_str() { "v" => { n += num(&cx, "v").await?; } "" => { num(&cx, "e").await?; } _ => {} }
    match map.get("j").unwrap_or(&String::new()).as_str() { "v" => { n += num(&cx, "v").await?; } other => { num(&cx, "e").await?; t.effect(other); } }
    if let Some(first) = doc["list"].as_array().unwrap_or(&vec![]).first() { n += num(&cx, "f").await?; t.effect(first); }
    if let Some(first) = doc["none"].as_array().unwrap_or(&vec![]).first() { n += num(&cx, "f").await?; t.effect(first); }
    if map.get("j").unwrap_or(&"".to_string()).len() < num(&cx, "len").await? as usize { n += 1; }
    while let Some(one) = map.get("k").unwrap_or(&"zz".to_string()).get(n as usize % 7..n as usize % 7 + 1) { n += num(&cx, "w").await?.abs() + 1; t.effect(one); }
    Ok(format!("{n}"))
}

}

pub mod operands {
use super::*;
use std::collections::HashMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let map = HashMap::from([("k".to_string(), vec![1, 2])]);
    let mut n = 0;
    let first = map.get("k").unwrap_or(&vec![]).first().copied();
    let sum: i64 = map.get("k").unwrap_or(&vec![]).iter().sum::<i64>() + num(&cx, "n").await?;
    let both = (map.get("j").unwrap_or(&vec![]).len(), num(&cx, "b").await?);
    let s = format!("{:?} {}", map.get("j").unwrap_or(&vec![9]), num(&cx, "c").await?);
    let e = map.get("k").unwrap_or(&vec![]) == &vec![num(&cx, "d").await?, 2];
    t.effect((first, sum, both, s, e));
    Ok(format!("{n}"))
}


}

pub mod iterated {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc = json!({"list": [{"n": 1}, {"n": 2}], "o": {"q": 1}});
    let mut n = 0;
    for item in doc["list"].as_array().ok_or("no")? { if sure(&cx, "i").await? { n += item["n"].as_i64().unwrap_or(0); } t.effect(item); }
    for (k, v) in doc["o"].as_object().ok_or("no")? { if sure(&cx, k).await? { n += 1; } t.effect((k, v)); }
    for (k, v) in doc["o"].as_object().into_iter().flatten() { if sure(&cx, k).await? { n += 1; } t.effect((k, v)); }
    for item in doc.get("list").and_then(Value::as_array).into_iter().flatten() { if sure(&cx, "j").await? { n += 1; } t.effect(item); }
    for item in doc["list"].as_array().unwrap_or(&vec![]) { if sure(&cx, "k").await? { n += 1; } t.effect(item); }
    Ok(format!("{n}"))
}

}

pub mod iterated_with_effects {
use super::*;
use serde_json::{json, Value};
fn all(t: &Trace) -> Vec<i64> { t.effect(vec![7, 8]) }
fn rows<'a>(v: &'a [Vec<i64>], i: usize, t: &Trace) -> Option<&'a Vec<i64>> { t.effect(i); v.get(i) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc = json!({"list": [{"n": 1}, {"n": 2}], "o": {"q": 1}});
    let table = vec![vec![1, 2], vec![3]];
    let mut n = 0;
    for item in doc["none"].as_array().unwrap_or(&vec![]) { n += 1; sure(&cx, "k").await?; t.effect(item); }
    for (k, v) in doc["o"].as_object().unwrap_or(&serde_json::Map::new()) { if sure(&cx, k).await? { n += 1; } t.effect(v); }
    for item in rows(&table, 5, t).unwrap_or(&all(t)) { if sure(&cx, "k").await? { n += item; } t.effect(item); }
    for item in rows(&table, 0, t).unwrap_or(&all(t)).iter().rev() { if sure(&cx, "k").await? { n += item; } t.effect(item); }
    for (i, item) in table.first().unwrap_or(&Vec::new()).iter().enumerate() { if sure(&cx, "k").await? { n += item; } t.effect((i, item)); }
    Ok(format!("{n}"))
}


}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    given_to_helpers::run,
    looked_at::run,
    operands::run,
    iterated::run,
    iterated_with_effects::run
);

//! Loops over what only a reference leads to: maps of JSON, lists and heaps.

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

pub mod map_of_json {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc = json!({"servers": {"a": {"env": {"X": "1"}}, "b": {"env": {"Y": "2"}}}});
    let mut n = 0;
    let servers = doc.get("servers").and_then(|v| v.as_object()).ok_or("none")?;
    for (name, conf) in servers { if sure(&cx, name).await? { n += 1; } t.effect((name, conf)); }
    Ok(format!("{n}"))
}

}

pub mod maps_in_maps {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let doc: Value = serde_json::from_str("{\"servers\": {\"a\": {\"env\": {\"X\": \"1\"}}, \"b\": {\"env\": {\"Y\": \"2\"}}}}")?;
    let mut n = 0;
    if let Some(servers) = doc.get("servers").and_then(|s| s.as_object()) {
        for (name, conf) in servers {
            if let Some(env) = conf.get("env").and_then(|e| e.as_object()) {
                for (key, val) in env { if sure(&cx, &format!("{name}.{key}")).await? { n += 1; } t.effect((name, key, val.as_str())); }
            }
        }
    }
    Ok(format!("{n}"))
}

}

pub mod every_way {
use super::*;
use serde_json::{json, Value, Map};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut map: Map<String, Value> = Map::new();
    map.insert("a".into(), json!(1)); map.insert("b".into(), json!([1, 2]));
    let mut n = 0;
    for (k, v) in &map { if sure(&cx, k).await? { n += 1; } t.effect((k, v)); }
    for (k, v) in map.iter() { if sure(&cx, k).await? { n += 1; } t.effect((k, v)); }
    for k in map.keys() { if sure(&cx, k).await? { n += 1; } t.effect(k); }
    for v in map.values() { if sure(&cx, "v").await? { n += 1; } t.effect(v); }
    for (_, v) in map.iter_mut() { if sure(&cx, "m").await? { *v = json!(n); } }
    for v in map.values_mut() { if sure(&cx, "m").await? { *v = json!(n); } }
    for (k, v) in map { if sure(&cx, &k).await? { n += 1; } t.effect((k, v)); }
    Ok(format!("{n}"))
}

}

pub mod lists_and_heaps {
use super::*;
use std::collections::{LinkedList, BinaryHeap};
fn heap(h: &BinaryHeap<i64>) -> Option<&BinaryHeap<i64>> { Some(h) }
fn list(h: &LinkedList<i64>) -> Option<&LinkedList<i64>> { Some(h) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut n = 0;
    let all = [1i64, 2, 3, 4, 5];
    for c in all.rchunks(2) { if sure(&cx, "c").await? { n += c.len(); } t.effect(c); }
    for c in all.rchunks_exact(2) { if sure(&cx, "c").await? { n += c.len(); } t.effect(c); }
    let h: BinaryHeap<i64> = all.into_iter().collect();
    let l: LinkedList<i64> = all.into_iter().collect();
    for i in heap(&h).ok_or("none")? { if sure(&cx, "h").await? { n += 1; } t.effect(i); }
    for i in list(&l).ok_or("none")? { if sure(&cx, "l").await? { n += 1; } t.effect(i); }
    Ok(format!("{n}"))
}

}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    map_of_json::run,
    maps_in_maps::run,
    every_way::run,
    lists_and_heaps::run
);

//! What is looked up in a JSON value to be changed, and in what another lookup has found.

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

pub mod places {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc = json!({"items": [1, 2], "meta": {"a": {"x": [1]}}});
    let items = doc["items"].as_array_mut().ok_or("no array")?;
    let n = num(&cx, "n").await?;
    items.push(n.into());
    let m = num(&cx, "m").await?;
    items.push(m.into());
    if let Some(obj) = doc.as_object_mut() {
        let k = text(&cx, "k").await?;
        obj.insert(k.clone(), json!({}));
        obj["meta"]["b"] = json!(k);
    }
    t.effect(&doc);
    if let Some(Value::Array(list)) = doc.pointer_mut("/items") { let n = num(&cx, "n").await?; list.push(json!(n)); }
    let Some(obj) = doc["meta"]["a"].as_object_mut() else { return Ok("x".into()) };
    let k = text(&cx, "k").await?;
    obj.insert(k, json!(1));
    let k = text(&cx, "k").await?;
    obj.insert(k, json!(2));
    Ok(doc.to_string())
}

}

pub mod one_in_another {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc = json!({"items": [1, 2], "meta": {"a": {"x": [1]}}});
    let items = doc.get_mut("items").ok_or("no")?.as_array_mut().ok_or("no array")?;
    let n = num(&cx, "n").await?;
    items.push(n.into());
    t.effect(&doc);
    Ok(doc.to_string())
}

}

pub mod by_path {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc = json!({"items": [1, 2], "meta": {"a": {"x": [1]}}});
    let items = doc.get_mut("meta").and_then(Value::as_object_mut).ok_or("no array")?;
    let n = text(&cx, "n").await?;
    items.insert(n, 1.into());
    t.effect(&doc);
    Ok(doc.to_string())
}

}

pub mod by_closure {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc = json!({"items": [1, 2], "meta": {"a": {"x": [1]}}});
    if let Some(items) = doc.get_mut("meta").and_then(|v| v.as_object_mut()) {
        let n = text(&cx, "n").await?;
        items.insert(n, 1.into());
    }
    if let Some(a) = doc.get_mut("meta").and_then(|m| m.get_mut("a")) {
        let n = text(&cx, "n").await?;
        *a = json!(n);
    }
    t.effect(&doc);
    Ok(doc.to_string())
}

}

pub mod in_loops {
use super::*;
use serde_json::{json, Value};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc = json!({"items": [1, 2], "meta": {"a": {"x": [1]}}});
    for item in doc["items"].as_array_mut().unwrap() { let n = num(&cx, "n").await?; *item = json!(n); }
    t.effect(&doc);
    for (k, item) in doc["meta"].as_object_mut().unwrap() { let n = num(&cx, k).await?; *item = json!(n); }
    t.effect(&doc);
    Ok(doc.to_string())
}

}

pub mod in_maps {
use super::*;
use std::collections::BTreeMap;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut doc: BTreeMap<&str, Vec<i64>> = BTreeMap::from([("items", vec![1, 2])]);
    for item in doc.get_mut("items").unwrap() { let n = num(&cx, "n").await?; *item += n; }
    t.effect(&doc);
    for item in doc.get_mut("items").into_iter().flatten() { let n = num(&cx, "n").await?; *item += n; }
    if let Some(list) = doc.get_mut("items") { for item in list { let n = num(&cx, "n").await?; *item += n; } }
    if let Some(list) = doc.get_mut("items") { for item in list.iter_mut() { let n = num(&cx, "n").await?; *item += n; } }
    Ok(format!("{doc:?}"))
}

}

pub mod of_self {
use super::*;
use serde_json::{json, Value};
struct Srv { state: Value }
impl Srv {
$(#[$mark])?
async fn go(&mut self, cx: &Context, t: &Trace) -> Result<String, Failure> {
    let servers = self.state["servers"].as_object_mut().ok_or("none")?;
    let name = text(cx, "name").await?;
    if servers.contains_key(&name) && !sure(cx, "overwrite").await? { return Ok("kept".into()); }
    servers.insert(name.clone(), json!({"n": servers.len()}));
    let more = num(cx, "m").await?;
    servers[&name]["more"] = json!(more);
    t.effect(&self.state);
    Ok(name)
}
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut srv = Srv { state: json!({"servers": {"alpha": {}}}) };
    let n = srv.go(&cx, t).await?;
    Ok(format!("{n} {}", srv.state))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    places::run,
    one_in_another::run,
    by_path::run,
    by_closure::run,
    in_loops::run,
    in_maps::run,
    of_self::run
);

//! Clones and functions, of which one is chosen, and what is coerced where it is.

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

struct Client { name: String }
impl Client { fn send(&self, t: &Trace, v: &str) { t.effect(format!("{}:{v}", self.name)); } }
fn c(n: &str) -> Client { Client { name: n.into() } }

pub mod of_clients {
use super::*;

struct Srv { prod: std::sync::Arc<Client>, staging: std::sync::Arc<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let wide = sure(&cx, "wide").await?;
        let client = if wide { self.prod.clone() } else { std::sync::Arc::clone(&self.staging) };
        client.send(t, "before");
        let v = text(&cx, "v").await?;
        client.send(t, &v);
        let v = text(&cx, "w").await?;
        client.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: std::sync::Arc::new(c("p")), staging: std::sync::Arc::new(c("s")) });
    SRV.go(cx, t).await
}

}

pub mod of_functions {
use super::*;
fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
struct Srv { prod: Client, staging: Client, dev: Client, spare: Option<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let n = num(&cx, "env").await?;
        let op: fn(i64, i64) -> i64 = match n % 3 { 0 => add, 1 => i64::wrapping_sub, _ => |a, b| a * b };
        let label: fn(&str) -> String = if n > 2 { str::to_uppercase } else { str::to_lowercase };
        t.effect(op(n, 2));
        let v = num(&cx, "v").await?;
        t.effect(op(v, 2));
        let v = num(&cx, "v").await?;
        Ok(label(&format!("Ab{}", op(v, n))))
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: c("p"), staging: c("s"), dev: c("d"), spare: Some(c("x")) });
    SRV.go(cx, t).await
}

}

pub mod of_some {
use super::*;


struct Srv { prod: std::sync::Arc<Client>, dev: std::sync::Arc<Client> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let wide = num(&cx, "wide").await?;
        let client = if wide > 3 { t.effect("prod"); Some(self.prod.clone()) } else if wide > 1 { Some(self.dev.clone()) } else { None };
        let v = text(&cx, "v").await?;
        if let Some(client) = &client { client.send(t, &v); }
        let again = match wide { 0 => return Ok("zero".into()), 1 | 2 => self.dev.clone(), _ => { t.effect("many"); std::sync::Arc::clone(&self.prod) } };
        let v = text(&cx, "w").await?;
        again.send(t, &v);
        Ok(v)
    }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { prod: std::sync::Arc::new(c("p")), dev: std::sync::Arc::new(c("d")) });
    SRV.go(cx, t).await
}

}
pub mod of_functions_by_name {
use super::*;
fn add(a: i64, b: i64) -> i64 { a.wrapping_add(b) }
fn first(a: i64, _: i64) -> i64 { a }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let op = if name.len() > 2 { add } else { first };
    let v = num(&cx, "v").await?;
    t.effect(op(v, 2));
    let shown: fn(i64) -> String = match name.as_str() { "" => |n| n.to_string(), "x" => return Ok(name), _ => |n| format!("<{n}>") };
    let w = num(&cx, "w").await?;
    Ok(shown(op(v, w)))
}


}
pub mod beside_coercions {
use super::*;
trait Ship { fn cost(&self) -> i64; }
struct Air(i64); struct Sea;
impl Ship for Air { fn cost(&self) -> i64 { self.0 } }
impl Ship for Sea { fn cost(&self) -> i64 { 7 } }
struct Client { name: String }
struct Srv { name: Option<String>, pair: (i64, String), rows: Option<Vec<i64>>, more: Vec<i64>, air: Option<Air>, sea: Sea, boxed: Option<Box<Client>>, own: Client, arc: std::sync::Arc<Client>, list: Vec<Client>, spare: Option<Vec<Client>> }
impl Srv {
    $(#[$mark])?
    async fn go(&self, cx: Context, t: &Trace) -> Result<String, Failure> {
        let k = num(&cx, "k").await?;
        let s: &str = match &self.name { Some(n) if k > 2 => n, _ => &self.pair.1 };
        let rows: &[i64] = match &self.rows { Some(n) if k > 2 => n, _ => &self.more };
        let ship: &(dyn Ship + Sync) = match &self.air { Some(n) if k > 2 => n, _ => &self.sea };
        let boxed = match &self.boxed { Some(n) if k > 1 => n, _ => &self.own };
        let arc: &Client = if k > 3 { &self.arc } else if k > 1 { &self.own } else { &self.list[0] };
        let list: &[Client] = match self.spare.as_ref() { Some(l) if k > 1 => l, _ => &self.list };
        let v = text(&cx, "v").await?;
        t.effect((s, rows, ship.cost(), &boxed.name, &arc.name, list.len()));
        let v = text(&cx, "v").await?;
        t.effect((s, rows, ship.cost(), &boxed.name, &arc.name, list.len()));
        Ok(v)
    }
}
fn c(n: &str) -> Client { Client { name: n.into() } }
static SRV: std::sync::LazyLock<Srv> = std::sync::LazyLock::new(|| Srv { name: Some("abc".into()), pair: (7, "x".into()), rows: Some(vec![8]), more: vec![1, 2], air: Some(Air(3)), sea: Sea, boxed: Some(Box::new(c("boxed"))), own: c("own"), arc: std::sync::Arc::new(c("arc")), list: vec![c("l1"), c("l2")], spare: None });
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> { SRV.go(cx, t).await }


}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    of_clients::run,
    of_functions::run,
    of_some::run,
    of_functions_by_name::run,
    beside_coercions::run
);

//! Hash tables that are written as something else, and keys that are lent.

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

pub mod flattened {
use super::*;
use std::collections::HashMap;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Ticket {
    id: i64,
    labels: HashMap<String, i64>,
    #[serde(flatten)]
    extra: HashMap<String, i64>,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let labels = names.iter().map(|name| (name.to_uppercase(), first)).collect();
    let extra = names.iter().map(|name| (format!("x-{name}"), first + 1)).collect();
    let mut ticket = Ticket { id: first, labels, extra };
    let ok = sure(&cx, "ok").await?;
    ticket.id += 1;
    let again = sure(&cx, "again").await?;
    let mut all: Vec<_> = ticket.labels.iter().chain(&ticket.extra).map(|(name, n)| format!("{name}{n}")).collect();
    all.sort();
    t.effect((ticket.id, &all, ok, again));
    Ok(all.join(","))
}

}

pub mod in_pairs {
use super::*;
use std::collections::{HashMap, HashSet};
mod pairs {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::HashMap;
    pub fn serialize<S: Serializer>(map: &HashMap<(i64, i64), i64>, out: S) -> std::result::Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(out)
    }
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<HashMap<(i64, i64), i64>, D::Error> {
        Ok(Vec::<((i64, i64), i64)>::deserialize(from)?.into_iter().collect())
    }
}
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Board {
    seen: HashSet<i64>,
    #[serde(with = "pairs")]
    cells: HashMap<(i64, i64), i64>,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let board = Board { seen: (0..9).collect(), cells: (0..9).map(|n| ((n, n + 1), first + n)).collect() };
    let ok = sure(&cx, "ok").await?;
    let mut all: Vec<_> = board.cells.iter().map(|(at, n)| (*at, *n)).collect();
    all.sort();
    t.effect((&all, board.seen.len(), ok));
    Ok(format!("{} {ok}", all.len()))
}

}

pub mod tagged {
use super::*;
use std::collections::HashMap;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind")]
enum Source { Env(HashMap<String, i64>), Nothing }
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Job { source: Source, tags: HashMap<String, i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let map = || (0..8).map(|n| (format!("k{n}"), n + first)).collect::<HashMap<String, i64>>();
    let job = Job { source: if first > 100 { Source::Nothing } else { Source::Env(map()) }, tags: map() };
    let ok = sure(&cx, "ok").await?;
    let mut all: Vec<(String, i64)> = match &job.source {
        Source::Env(env) => env.iter().map(|(name, n)| (name.clone(), *n)).collect(),
        Source::Nothing => Vec::new(),
    };
    all.sort();
    t.effect((&all, job.tags.len(), ok));
    Ok(format!("{} {ok}", all.len()))
}

}

pub mod transparent {
use super::*;
use std::collections::{HashMap, HashSet};
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct Tags(HashSet<String>);
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Post { tags: Tags, votes: HashMap<String, i64> }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = num(&cx, "first").await?;
    let names = || (0..8).map(|n| format!("tag{n}"));
    let mut post = Post { tags: Tags(names().collect()), votes: names().map(|name| (name, first)).collect() };
    let more = num(&cx, "more").await?;
    post.votes.insert("tag0".to_string(), more);
    let ok = sure(&cx, "ok").await?;
    let mut tags: Vec<_> = post.tags.0.iter().collect();
    tags.sort();
    t.effect((&tags, post.votes["tag0"], post.votes.len(), ok));
    Ok(format!("{}", tags.len()))
}

}

pub mod an_option_as_a_list {
use super::*;
use std::collections::HashSet;
fn in_order<S: serde::Serializer>(tags: &Option<HashSet<String>>, out: S) -> std::result::Result<S::Ok, S::Error> {
    match tags {
        Some(tags) => {
            let mut list: Vec<&String> = tags.iter().collect();
            list.sort();
            out.serialize_some(&list)
        }
        None => out.serialize_none(),
    }
}
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Note {
    title: String,
    #[serde(default, serialize_with = "in_order")]
    tags: Option<HashSet<String>>,
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let title = text(&cx, "title").await?;
    let tags = (0..12).map(|n| format!("tag {n}")).collect();
    let note = Note { title, tags: Some(tags) };
    let ok = sure(&cx, "ok").await?;
    let count = note.tags.as_ref().map_or(0, |tags| tags.len());
    t.effect((ok, &note.title, count));
    Ok(format!("{count}"))
}

}

pub mod by_another_type {
use super::*;
use std::collections::HashMap;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(into = "Wire", from = "Wire")]
struct Stock { counts: HashMap<String, i64>, shop: String }
#[derive(serde::Serialize, serde::Deserialize)]
struct Wire { counts: Vec<(String, i64)>, shop: String }
impl From<Stock> for Wire {
    fn from(stock: Stock) -> Self {
        let mut counts: Vec<(String, i64)> = stock.counts.into_iter().collect();
        counts.sort();
        Wire { counts, shop: stock.shop }
    }
}
impl From<Wire> for Stock {
    fn from(wire: Wire) -> Self { Stock { counts: wire.counts.into_iter().collect(), shop: wire.shop } }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let shop = text(&cx, "shop").await?;
    let mut stock = Stock { counts: (0..12).map(|n| (format!("item {n}"), n)).collect(), shop };
    let more = num(&cx, "more").await?;
    *stock.counts.entry("item 3".to_owned()).or_default() += more;
    let ok = sure(&cx, "ok").await?;
    t.effect((ok, stock.counts.get("item 3"), &stock.shop));
    Ok(format!("{}", stock.counts.values().sum::<i64>()))
}

}

pub mod texts_as_keys {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let map = std::collections::BTreeMap::from([("a", vec![1i64, 2]), ("b", vec![3])]);
    let mut sum = 0;
    for key in ["a", "b"] {
        if let Some(list) = map.get(key) {
            let n = num(&cx, "n").await?;
            sum += n + list.len() as i64;
        }
    }
    t.effect(sum);
    Ok(sum.to_string())
}

}

pub mod lent_keys {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let names = ["x".to_string(), "y".to_string()];
    let mut map: std::collections::HashMap<&str, Vec<i64>> = std::collections::HashMap::new();
    for (i, n) in names.iter().enumerate() { map.entry(n.as_str()).or_default().push(i as i64); }
    let found = map.get("x");
    let n = num(&cx, "n").await?;
    t.effect((n, found));
    Ok(format!("{:?}", map.get("y")))
}

}

pub mod in_a_chain {
use super::*;
// let chains with asks between lets, mixed with boolean conditions, else-if
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let map = std::collections::BTreeMap::from([("1", vec![1i64, 2]), ("2", vec![])]);
    let mut out = String::new();
    for k in ["1", "2", "3"] {
        if let Some(list) = map.get(k) && let Some(first) = list.first() && let n = num(&cx, k).await? && n > *first && let Ok(s) = u8::try_from(n) {
            out.push_str(&format!("{k}:{first}:{n}:{s} "));
        } else if let None = map.get(k) && sure(&cx, "absent").await? {
            out.push('-');
        } else {
            t.effect(out.len() as i64);
        }
    }
    while let n = out.len() && n < 12 && sure(&cx, "more").await? { out += "....."; }
    Ok(out)
}

}

pub mod a_getters_key {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Order { sku: String, n: i64 }
impl Order {
    fn sku(&self) -> &str { &self.sku }
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut stock = std::collections::BTreeMap::from([(name.clone(), 10i64), ("b".to_owned(), 5)]);
    let mut done = Vec::new();
    let order = Order { sku: name, n: 2 };
    let left = stock.get_mut(order.sku()).ok_or("none left")?;
    *left -= order.n;
    done.push(order);
    let more = num(&cx, "more").await?;
    *left -= more;
    t.effect((&stock, &done));
    Ok(format!("{stock:?}"))
}

}

pub mod a_part_as_a_key {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut counts = std::collections::HashMap::from([("get".to_owned(), 0i64)]);
    let mut log = Vec::new();
    for line in [format!("get {name}"), "put b".to_owned()] {
        let Some(count) = counts.get_mut(line.split(' ').next().unwrap_or_default()) else {
            t.effect(("unknown", &line));
            continue;
        };
        log.push(line);
        let n = num(&cx, "n").await?;
        *count += n;
    }
    t.effect((counts.get("get"), &log));
    Ok(format!("{log:?}"))
}

}

pub mod a_paths_key {
use super::*;
use std::{collections::HashMap, ffi::OsStr, path::PathBuf};
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let name = text(&cx, "name").await?;
    let mut kinds: HashMap<String, i64> = HashMap::from([("md".to_owned(), 1)]);
    let mut seen = Vec::new();
    for path in [PathBuf::from("a.md"), PathBuf::from("b.rs")] {
        let Some(count) = kinds.get_mut(path.extension().and_then(OsStr::to_str).unwrap_or("none")) else { continue };
        seen.push(path);
        let n = num(&cx, "n").await?;
        *count += n;
        t.effect(*count);
    }
    t.effect((&seen, &name));
    Ok(name)
}

}

pub mod by_a_loop {
use super::*;
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Tally { count: i64 }
$(#[$mark])?
async fn raise(cx: &Context, t: &Trace, tally: &mut Tally, spare: &mut Tally) -> Result<bool, Failure> {
    let same = tally.count == {
        for slot in [tally, spare] { slot.count += 10; }
        num(cx, "more").await?
    };
    t.effect(same);
    Ok(same)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let mut tally = Tally { count: -9 };
    let mut spare = Tally { count: 1 };
    let first = num(&cx, "first").await?;
    let same = raise(&cx, t, &mut tally, &mut spare).await?;
    tally.count = first;
    let again = raise(&cx, t, &mut tally, &mut spare).await?;
    t.effect((same, again, &tally, &spare));
    Ok(format!("{same} {again} {}", tally.count))
}

}

pub mod by_an_assignment {
use super::*;
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Node { name: String }
$(#[$mark])?
async fn turn<'a>(cx: &Context, t: &Trace, cur: &mut &'a Node, spare: &mut &'a Node, other: &'a Node, back: bool) -> Result<i64, Failure> {
    let name = &cur.name;
    let at;
    if back { at = spare; } else { at = cur; }
    *at = other;
    let more = num(cx, "more").await?;
    t.effect((name, more));
    Ok(more)
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let n = num(&cx, "n").await?;
    let (all, others) = (Node { name: format!("a{n}") }, Node { name: format!("other{n}") });
    let mut cur = &all;
    let mut spare = &others;
    let more = turn(&cx, t, &mut cur, &mut spare, &others, n > 90).await?;
    t.effect((&cur.name, &spare.name));
    Ok(format!("{more} {}", cur.name))
}

}
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    flattened::run,
    in_pairs::run,
    tagged::run,
    transparent::run,
    an_option_as_a_list::run,
    by_another_type::run,
    texts_as_keys::run,
    lent_keys::run,
    in_a_chain::run,
    a_getters_key::run,
    a_part_as_a_key::run,
    a_paths_key::run,
    by_a_loop::run,
    by_an_assignment::run
);

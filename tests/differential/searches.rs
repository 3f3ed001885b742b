//! Searches for what is changed, ranges of sorted collections, options that are filled, functions in variables.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            #[derive(Debug, Clone, Default, Serialize, Deserialize, PartialEq)]
            struct Part { n: i64, items: Vec<i64>, name: String, next: Option<Box<Part>>, cache: Option<Vec<i64>> }
            impl Part { fn part(&mut self) -> &mut Vec<i64> { &mut self.items } fn label(n: i64) -> i64 { n + 1 } }
            fn double(n: i64) -> i64 { n * 2 }
            $(#[$mark])?
            pub async fn ranges_of_texts(cx: Context, t: &Trace) -> Result<String> {
                let names = "a b c d".to_owned();
                let m: BTreeMap<i64, &str> = names.split(' ').enumerate().map(|(i, s)| (i as i64, s)).collect();
                let mut out = String::new();
                for (k, v) in m.range(1..3) {
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    write!(out, "{k}{v}{n}")?;
                }
                Ok(out)
            }
            $(#[$mark])?
            pub async fn functions_in_variables(cx: Context, t: &Trace) -> Result<String> {
                let f = double;
                let g = Part::label;
                let h: fn(i64) -> i64 = double;
                let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(format!("{} {} {}", f(n), g(n), h(n)))
            }
            $(#[$mark])?
            pub async fn cursors(cx: Context, t: &Trace) -> Result<String> {
                let list = Part { n: 1, next: Some(Box::new(Part { n: 2, ..Part::default() })), ..Part::default() };
                let mut cur = Some(&list);
                let mut sum = 0;
                while let Some(node) = cur {
                    sum += node.n * cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    cur = node.next.as_deref();
                }
                Ok(format!("{sum}"))
            }
            $(#[$mark])?
            pub async fn best_and_found(cx: Context, t: &Trace) -> Result<String> {
                let mut list = vec![Part { n: 1, ..Part::default() }, Part { n: 3, ..Part::default() }];
                if let Some(best) = list.iter_mut().max_by_key(|p| p.n) {
                    best.items.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                }
                if let Some(best) = list.iter_mut().find(|p| p.n == 1) {
                    best.items.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                }
                Ok(format!("{list:?}"))
            }
            $(#[$mark])?
            pub async fn maps_of_json(cx: Context, t: &Trace) -> Result<String> {
                let mut map = serde_json::Map::new();
                map.insert("a".into(), serde_json::json!(1));
                map.insert("b".into(), serde_json::json!(2));
                for (k, v) in map.iter_mut() {
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    *v = serde_json::json!(n + 1);
                    t.effect(k.clone());
                }
                for (k, v) in &map {
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    t.effect(format!("{k}{v}{n}"));
                }
                Ok(format!("{map:?}"))
            }
            $(#[$mark])?
            pub async fn lent_literals(cx: Context, t: &Trace) -> Result<String> {
                let (mut n, mut m) = (1, 2);
                let c = t.effect(true);
                let x = opt2(&cx, &mut n).await?;
                let r = &mut 5;
                *r += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(format!("{n} {m} {x} {r}"))
            }
            $(#[$mark])?
            async fn opt2(cx: &Context, m: &mut i64) -> Result<i64> {
                *m += 1;
                *m += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(*m)
            }

            $(#[$mark])?
            pub async fn ranges(cx: Context, t: &Trace) -> Result<String> {
                let mut m: BTreeMap<i64, Vec<i64>> = (0..5).map(|n| (n, vec![n])).collect();
                let from = 2;
                for (k, v) in m.range_mut(from..) {
                    v.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + k);
                }
                let s: BTreeSet<i64> = m.keys().copied().collect();
                for k in s.range(1..=3) {
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + k);
                }
                Ok(format!("{m:?}"))
            }
            $(#[$mark])?
            pub async fn searches(cx: Context, t: &Trace) -> Result<String> {
                let mut list = vec![Part { n: 1, ..Part::default() }, Part { n: 3, ..Part::default() }, Part { n: 3, ..Part::default() }];
                if let Some(best) = list.iter_mut().max_by(|a, b| a.n.cmp(&b.n)) {
                    best.items.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                    best.n -= 5;
                }
                let least = list.iter_mut().min_by_key(|p| t.effect(p.n)).ok_or("none")?;
                least.items.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                least.n += 100;
                let least = list.iter_mut().filter(|p| p.n < 50).min_by(|a, b| a.n.cmp(&b.n)).ok_or("none")?;
                least.items.push(4);
                Ok(format!("{list:?}"))
            }
            fn triple(n: i64) -> i64 { n * 3 }
            $(#[$mark])?
            pub async fn hidden_functions(cx: Context, t: &Trace) -> Result<String> {
                let f = self::double;
                let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let double = 3; let triple = |n: i64| n * double;
                let m = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(format!("{} {}", f(n), triple(m)))
            }
            $(#[$mark])?
            pub async fn ranges_by_what_changes(cx: Context, t: &Trace) -> Result<String> {
                let words = ["b", "d", "f", "h"];
                let m: BTreeMap<String, i64> = words.iter().map(|w| (w.to_string(), w.len() as i64)).collect();
                let from = t.effect("c".to_owned());
                let mut n = 0;
                for (k, v) in m.range(from.clone()..) {
                    n += v;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + n);
                    t.effect(k);
                }
                let mut low = 1;
                let k: BTreeMap<i64, i64> = (0..6).map(|n| (n, n)).collect();
                for (k, v) in k.range(low..=t.effect(low + 3)) {
                    low += 10;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + v);
                }
                Ok(format!("{from}{low}"))
            }
            $(#[$mark])?
            pub async fn ranges_by_text(cx: Context, t: &Trace) -> Result<String> {
                let words = ["b", "d", "f", "h"];
                let m: BTreeMap<&str, i64> = words.iter().map(|w| (*w, w.len() as i64)).collect();
                for (k, v) in m.range::<&str, _>("c".."g") {
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + v);
                    t.effect(k);
                }
                for (k, v) in m.range::<str, _>(..).rev() {
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) + v);
                    t.effect(k);
                }
                Ok(format!("{m:?}"))
            }
            $(#[$mark])?
            pub async fn filled_options(cx: Context, t: &Trace) -> Result<String> {
                let mut cache: Option<Part> = None;
                let p = cache.get_or_insert_with(|| t.effect(Part::default()));
                p.n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let q = cache.get_or_insert_with(|| Part { n: 5, ..Part::default() });
                q.items.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                q.n += 1;
                let mut part = Part::default();
                let list = part.cache.get_or_insert(vec![t.effect(3)]);
                list.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                list.push(7);
                Ok(format!("{cache:?} {part:?}"))
            }
            $(#[$mark])?
            async fn fill(cx: &Context, part: &mut Part) -> Result<i64> {
                let list = part.cache.get_or_insert_with(Vec::new);
                if list.is_empty() {
                    list.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                }
                list.push(1);
                part.cache.get_or_insert_with(Vec::new).push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                Ok(1)
            }
            $(#[$mark])?
            pub async fn filled_by_a_helper(cx: Context, t: &Trace) -> Result<String> {
                let mut part = Part::default();
                fill(&cx, &mut part).await?;
                fill(&cx, &mut part).await?;
                Ok(format!("{part:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    ranges_of_texts,
    functions_in_variables,
    cursors,
    best_and_found,
    maps_of_json,
    lent_literals,
    ranges,
    searches,
    hidden_functions,
    ranges_by_what_changes,
    ranges_by_text,
    filled_options,
    filled_by_a_helper
);

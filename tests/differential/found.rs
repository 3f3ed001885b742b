//! Items and places that a choice finds, or else the call ends.

use std::collections::BTreeMap;

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
            struct Part { n: i64, a: Vec<i64>, b: Vec<i64>, opt: Option<String> }
            $(#[$mark])?
            pub async fn or_else(cx: Context, t: &Trace) -> Result<String> {
                let mut m: BTreeMap<String, Part> = BTreeMap::new();
                m.insert("a".into(), Part::default());
                for key in ["a", "b", "a"] {
                    let it = match m.get_mut(key) { Some(i) => i, None => { t.note("none"); continue } };
                    it.n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    it.a.push(it.n);
                }
                let it = if let Some(i) = m.get_mut("a") { i } else { return Ok("no".into()) };
                it.n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                it.n += 1;
                let mut list = vec![3, 4, 5];
                let one = match list.iter_mut().find(|n| **n == t.effect(4)) { None => return Ok("n".into()), Some(one) => one };
                *one += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                *one += 1;
                let last = match list.last_mut() { Some(x) => x, _ => return Err("empty".into()) };
                *last += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                *last -= 1;
                Ok(format!("{m:?} {list:?}"))
            }
            $(#[$mark])?
            pub async fn by_number(cx: Context, t: &Trace) -> Result<String> {
                let mut c = Part::default();
                let n = t.effect(1);
                let x = match n { 0 => &mut c.a, _ => &mut c.b };
                x.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                x.push(5);
                let k = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let x = match k { 0 | 1 => &mut c.a, _ => &mut c.b };
                x.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                x.push(6);
                Ok(format!("{c:?}"))
            }
            #[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq)]
            enum Side { Left, Right }
            $(#[$mark])?
            pub async fn by_variant(cx: Context, t: &Trace) -> Result<String> {
                let mut c = Part::default();
                let side = if t.effect(true) { Side::Right } else { Side::Left };
                let x = match side { Side::Left => &mut c.a, Side::Right => &mut c.b };
                x.push(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n));
                x.push(5);
                Ok(format!("{c:?}"))
            }
            $(#[$mark])?
            pub async fn of_sets(cx: Context, t: &Trace) -> Result<String> {
                let a = std::collections::BTreeSet::from([1i64, 2, 3]);
                let b = std::collections::BTreeSet::from([2i64, 3, 4]);
                for n in a.intersection(&b) { t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) + n); }
                for n in a.difference(&b) { t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) + n); }
                for n in std::iter::repeat_n(4i64, 2).zip(1..) { t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) + n.0); }
                for n in std::iter::once(4i64) { t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) + n); }
                Ok(format!("{a:?}"))
            }
            $(#[$mark])?
            pub async fn in_order(cx: Context, t: &Trace) -> Result<String> {
                let mut m: BTreeMap<String, i64> = BTreeMap::new();
                for key in ["a", "b", "a"] {
                    let e = m.entry(key.into()).and_modify(|n| *n += t.effect(1)).or_insert(0);
                    *e += cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n);
                    *e += 1;
                }
                if let Some((k, n)) = m.iter_mut().next() { *n += cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); *n += 1; t.effect(k); }
                let mut list = vec![1i64, 2, 3];
                let mut at = 1;
                if let Some(n) = list.iter_mut().nth(at) { at += 1; *n += cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); *n += 1; }
                let n = list.iter_mut().rev().filter(|n| **n < 100).last().ok_or("none")?;
                *n += 5;
                let n = m.values_mut().last().ok_or("none")?;
                *n += cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n);
                *n += 1;
                Ok(format!("{m:?}{list:?}{at}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(or_else, by_number, by_variant, of_sets, in_order);

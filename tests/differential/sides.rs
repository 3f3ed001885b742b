//! Which of several places is lent to be changed: chosen once, and lent again.

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

            $(#[$mark])?
            async fn add(cx: &Context, v: &mut Vec<i64>) -> Result<i64> { v.push(1); let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); v.push(a); Ok(a) }
            $(#[$mark])?
            pub async fn arguments(cx: Context, t: &Trace) -> Result<String> {
                let (mut l, mut r) = (vec![1i64], vec![2i64]);
                let left = t.effect(true);
                let a = add(&cx, if left { &mut l } else { &mut r }).await?;
                let b = add(&cx, match a { 2 => &mut l, _ => &mut r }).await?;
                let c = add(&cx, if t.effect(a > b) { t.note("l"); &mut l } else { &mut r }).await?;
                Ok(format!("{a} {b} {c} {l:?} {r:?}"))
            }
            #[derive(Debug, Clone, Default, Serialize, Deserialize)] struct Desk { l: Vec<i64>, r: Vec<i64>, rows: Vec<Vec<i64>>, k: usize, names: BTreeMap<String, Vec<i64>> }
            impl Desk {
                $(#[$mark])?
            async fn fill(&mut self, cx: &Context, t: &Trace, which: Option<i64>) -> Result<i64> {
                    let to = match which { Some(n) if n > 1 => { t.note("big"); &mut self.l } Some(_) => &mut self.r, None => return Ok(-1) };
                    to.push(7);
                    let a = cx.peer.elicit::<Count>("f?").await?.map_or(0, |c| c.n);
                    to.push(a);
                    let b = add(cx, if a == 0 { &mut self.l } else if t.effect(a) == 2 { &mut self.rows[1] } else { self.k += 1; &mut self.rows[0] }).await?;
                    let c = add(cx, match self.k { 0 => &mut self.rows[0], _ => &mut self.r }).await?;
                    Ok(a + b + c)
                }
            }
            $(#[$mark])?
            pub async fn branches(cx: Context, t: &Trace) -> Result<String> {
                let mut d = Desk { rows: vec![vec![], vec![]], ..Desk::default() };
                let mut out = vec![];
                for which in [Some(2), Some(1), None] {
                    out.push(d.fill(&cx, t, which).await?);
                    let list = if out.len() > 1 { &mut out } else if let Some(x) = which { t.effect(x); &mut d.l } else { break };
                    let n = cx.peer.elicit::<Count>("g?").await?.map_or(0, |c| c.n);
                    list.push(n);
                }
                let (mut a, mut b) = (1i64, 2i64);
                let big = if a > b { &mut a } else { &mut b };
                *big += 1;
                let n = cx.peer.elicit::<Count>("h?").await?.map_or(0, |c| c.n);
                *big += n;
                let mut text = String::from("x"); let mut other = String::new();
                let s = match &text[..] { "x" => &mut other, _ => &mut text };
                s.push('y');
                let n = cx.peer.elicit::<Count>("i?").await?.map_or(0, |c| c.n);
                s.push_str(&n.to_string());
                Ok(format!("{out:?} {d:?} {a} {b} {text} {other}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(arguments, branches);

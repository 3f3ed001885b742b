//! What is borrowed in two steps, and what is moved and given again before a jump.

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
            struct Part { n: i64, name: String, opt: Option<String> }
            $(#[$mark])?
            pub async fn let_else(cx: Context, t: &Trace) -> Result<String> {
                let mut v = vec![1i64]; v.push(2);
                let best = v.first();
                let Some(k) = best else { return Ok("none".into()) };
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{k} {}", v.len()))
            }
            $(#[$mark])?
            pub async fn by_method(cx: Context, t: &Trace) -> Result<String> {
                let mut v = vec![1i64]; v.push(2);
                let best = v.last();
                let k = best.ok_or("none")?;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let l = best.unwrap_or(&0);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let sl = v.as_slice();
                let (h, tl) = sl.split_at(1);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{k} {l} {h:?} {tl:?} {}", v.len()))
            }
            $(#[$mark])?
            pub async fn of_a_field(cx: Context, t: &Trace) -> Result<String> {
                let mut c = Part { opt: Some("x y".into()), ..Part::default() };
                c.n = 4;
                let o = c.opt.as_ref();
                let name = o.map(|s| s.as_str());
                let Some(name) = name else { return Ok("none".into()) };
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let first = match name.split_once(' ') { Some((a, _)) => a, None => name };
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect((name, first));
                c.n += 1;
                Ok(format!("{c:?}"))
            }
            $(#[$mark])?
            pub async fn patterns(cx: Context, t: &Trace) -> Result<String> {
                let mut rows = vec![(1i64, "a".to_owned())];
                rows.push((2, "b".to_owned()));
                let best = &rows[0];
                let (a, b) = best;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect((a, b));
                let best = rows.iter().find(|r| r.0 == 2);
                let text = match best { Some(row) => row.1.as_str(), None => "none" };
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect(text);
                rows.clear();
                Ok(format!("{rows:?}"))
            }
            $(#[$mark])?
            pub async fn continued(cx: Context, t: &Trace) -> Result<String> {
                let mut s = String::new();
                for n in 0..3 {
                    let old = s;
                    if cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) > 1 { s = String::new(); continue; }
                    t.effect(&old);
                    s = old + "x";
                    if n > 0 { t.note("b"); s = s + "z"; break; }
                }
                Ok(s)
            }
            $(#[$mark])?
            pub async fn while_let(cx: Context, t: &Trace) -> Result<String> {
                let mut cur = Some(String::from("a"));
                let mut turns = 0;
                while let Some(s) = cur {
                    turns += 1;
                    if cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) > 1 { cur = None; continue; }
                    cur = if turns < 3 { Some(s + "b") } else { None };
                }
                Ok(format!("{turns} {cur:?}"))
            }
            $(#[$mark])?
            pub async fn matched(cx: Context, t: &Trace) -> Result<String> {
                let mut cur = vec![0i64];
                let mut turns = 0;
                loop {
                    let old = cur;
                    turns += 1;
                    match cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n) {
                        0 | 1 if turns < 3 => { cur = vec![1]; continue }
                        _ => { cur = old; break }
                    }
                }
                Ok(format!("{turns} {cur:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    let_else, by_method, of_a_field, patterns, continued, while_let, matched
);

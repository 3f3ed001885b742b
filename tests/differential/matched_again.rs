//! Patterns that borrow from what is then changed through what they bind: they bind the same again in each region.

use std::collections::BTreeMap;

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

#[derive(Debug, Clone, Serialize, Deserialize)]
enum State {
    Open(i64, i64),
    Held { n: i64, limit: i64 },
    Named(String),
    Done,
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn count(cx: &Context, of: &str) -> Result<i64> {
                Ok(cx.peer.elicit::<Count>(of).await?.map_or(0, |count| count.n))
            }

            #[derive(Serialize, Deserialize)]
            enum Kind { Open(i64, i64), Held { n: i64, limit: i64 }, Named(String), Done }
            impl Kind {
                $(#[$mark])?
                async fn show(&self, cx: &Context, t: &Trace) -> Result<String> {
                    Ok(match self {
                        Kind::Held { n, limit } => { let m = count(cx, &format!("{n}?")).await?; format!("{m} {limit}") }
                        Kind::Open(a, b) => { t.effect(a); format!("{} {b}", count(cx, "open").await?) }
                        Kind::Named(name) => format!("{name}{}", count(cx, name).await?),
                        Kind::Done => String::new(),
                    })
                }
                $(#[$mark])?
                async fn limit(&self, cx: &Context) -> Result<i64> {
                    if let Self::Held { n, limit } = self { let m = count(cx, &n.to_string()).await?; return Ok(m + limit); }
                    let Kind::Open(a, b) = self else { return count(cx, "else").await };
                    let m = count(cx, &a.to_string()).await?;
                    Ok(m + b)
                }
            }

            $(#[$mark])?
            pub async fn what_is_bound_and_not_used_behind_it(cx: Context, t: &Trace) -> Result<String> {
                let mut out = String::new();
                let all = [Kind::Open(1, 2), Kind::Held { n: 3, limit: 4 }, Kind::Named("five".to_owned()), Kind::Done];
                for state in 0..4 {
                    let state = &all[state];
                    out += &state.show(&cx, t).await?;
                    out += &state.limit(&cx).await?.to_string();
                }
                let a = match &[1, 2] { [a, b] => { t.effect(a); count(&cx, "two").await? + *b } };
                let b: u8 = match &[3, 4] { [a, b] => { count(&cx, "two").await?; *b } };
                let [x, y] = &[5, 6];
                t.effect(x);
                Ok(format!("{out} {a} {b} {} {y}", count(&cx, "end").await?))
            }

            $(#[$mark])?
            pub async fn what_a_pattern_looks_at(cx: Context, t: &Trace) -> Result<String> {
                let mut map = BTreeMap::from([(0_i64, 1_i64)]);
                if let Some(x @ 1..=5) = map.get_mut(&0) {
                    *x = 50;
                    *x += count(&cx, "range").await?;
                }
                let mut rows = vec![(1_i64, "a".to_owned()), (2, "b".to_owned())];
                let Some((n @ 1, text)) = rows.first_mut() else { return Ok("none".to_owned()) };
                *n = 9;
                text.push('!');
                *n += count(&cx, "first").await?;
                text.push('?');
                let mut items = [1_i64, 2, 3];
                if let [first @ 1, rest @ ..] = &mut items {
                    *first = 5;
                    *first += count(&cx, "slice").await?;
                    rest[0] = *first;
                }
                let mut last = vec![1_i64, 2, 3];
                let mut turns = 0;
                while let Some(x @ 1..=3) = last.last_mut() {
                    turns += 1;
                    if turns > 2 { break; }
                    *x += 2;
                    *x += count(&cx, "last").await?;
                }
                Ok(format!("{map:?}{rows:?}{items:?}{last:?}"))
            }

            $(#[$mark])?
            pub async fn variants_that_change(cx: Context, t: &Trace) -> Result<String> {
                let mut state = State::Open(1, 2);
                for _ in 0..3 {
                    match &mut state {
                        State::Open(n, _) => {
                            *n += 1;
                            let limit = count(&cx, "limit").await?;
                            state = State::Held { n: *n, limit };
                        }
                        held @ State::Held { .. } => {
                            let old = std::mem::replace(held, State::Done);
                            let n = count(&cx, "held").await?;
                            if let State::Held { n: of, limit } = old && n < 3 {
                                *held = State::Open(of + limit, n);
                            }
                        }
                        State::Named(_) | State::Done => { t.effect(count(&cx, "done").await?); }
                    }
                }
                let mut slot: Option<i64> = None;
                match &mut slot {
                    empty @ None => {
                        *empty = Some(1);
                        let n = count(&cx, "empty").await?;
                        if let Some(value) = empty { *value += n; }
                    }
                    Some(value) => *value = -100,
                }
                Ok(format!("{state:?}{slot:?}"))
            }

            $(#[$mark])?
            pub async fn alternatives(cx: Context, t: &Trace) -> Result<String> {
                let mut states = vec![State::Open(1, 2), State::Held { n: 3, limit: 4 }, State::Named("x".to_owned())];
                for state in &mut states {
                    match state {
                        State::Open(n, 2) | State::Held { limit: 4, n } => {
                            *n += 1;
                            *n += count(&cx, "n").await?;
                        }
                        State::Named(name) => name.push('!'),
                        _ => t.note("other"),
                    }
                }
                let texts = (String::new(), "b".to_owned());
                match &texts {
                    (text, _) | (_, text) if !text.is_empty() => {
                        let n = count(&cx, "guarded").await?;
                        t.effect((text, n));
                    }
                    _ => t.note("none"),
                }
                let pair = (0_i64, 7_i64);
                let ((1, shared) | (shared, _)) = &pair;
                let n = count(&cx, "shared").await?;
                Ok(format!("{states:?}{shared}{n}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    what_is_bound_and_not_used_behind_it,
    what_a_pattern_looks_at,
    variants_that_change,
    alternatives
);

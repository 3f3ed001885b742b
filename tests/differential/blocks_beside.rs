//! Async blocks that ask, beside others: each is continued as a function of its own.

use std::time::Duration;

use futures::FutureExt as _;
use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Context = RequestContext<RoleServer>;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Tally {
    n: i64,
}

impl Tally {
    fn add(&mut self, by: i64) -> i64 {
        self.n = self.n.wrapping_add(by);
        self.n
    }
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            asks!($(#[$mark])?);

pub mod in_a_join {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let names = vec!["a".to_owned(), "b".to_owned()];
    let (first, second) = tokio::join!(
        async {
            t.note("one");
            let n = num(&cx, &format!("q {}", names.len())).await.unwrap_or(9);
            t.note("two");
            let m = num(&cx, &format!("r {} {n}", names[0])).await.unwrap_or(8);
            t.effect(n.wrapping_add(m))
        },
        async { num(&cx, "v").await.unwrap_or(3) },
    );
    Ok(format!("{first} {second} {names:?}"))
}
}

pub mod of_each_item {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let items = vec![("q".to_owned(), 1i64), ("r".to_owned(), 2)];
    let cx = &cx;
    let all = futures::future::join_all(items.iter().map(|item| async move {
        t.note(&item.0);
        let sum = match cx.peer.elicit::<Count>(format!("{} {}", item.0, item.1)).await {
            Ok(Some(count)) => count.n.wrapping_add(item.1),
            _ => -item.1,
        };
        if t.effect(sum) > 3 { return format!("big {}", item.0); }
        let more = text(cx, &format!("why {sum}")).await.unwrap_or_default();
        format!("{} {sum} {more}", item.0)
    })).await;
    Ok(all.join(", "))
}
}

pub mod what_they_change {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let title = String::from("q");
    let weights = vec![3i64, 4, 5];
    let (mut seen, mut other) = (Vec::new(), 0i64);
    let (a, b) = tokio::join!(
        async {
            let Ok(n) = num(&cx, &title).await else { return -3 };
            seen.push(n);
            seen.push(weights.len() as i64);
            t.effect(&seen);
            n
        },
        async {
            for w in &weights {
                if !sure(&cx, &format!("{title} {w}")).await.unwrap_or(false) { return other; }
                other += w;
                t.effect(other);
            }
            other * 10
        }
    );
    Ok(format!("{title} {weights:?} {seen:?} {other} {a} {b}"))
}
}

pub mod with_question_marks {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let limit = t.effect(3i64);
    let who = text(&cx, "who?").await?;
    let (a, b) = tokio::try_join!(
        async {
            let n = num(&cx, "v").await?;
            if n > limit + 3 { return Err(Failure::from("too many")); }
            Ok(n)
        },
        async {
            let ok = sure(&cx, &format!("{who}?")).await?;
            Ok::<_, Failure>(if ok { who.len() } else { 0 })
        }
    )?;
    Ok(format!("{a} {b} {who}"))
}
}

pub mod with_values_of_their_own {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let base = vec!["x".to_string(), "y".to_string()];
    let mut log = Vec::new();
    for round in 0..2 {
        let (own_cx, own) = (cx.clone(), base.clone());
        let (n, m) = futures::join!(
            async move {
                let mut mine = own;
                mine.push(format!("r{round}"));
                let k = num(&own_cx, &format!("q{}", mine.len())).await.unwrap_or(7);
                mine.push(k.to_string());
                t.effect(&mine);
                mine.join("-")
            },
            async { text(&cx, "r").await.unwrap_or_default() }
        );
        log.push(n);
        log.push(m);
    }
    Ok(format!("{log:?} {base:?}"))
}
}

pub mod inside_of_each_other {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let k = t.effect(2i64);
    let (a, b) = tokio::join!(
        async {
            let (x, y) = tokio::join!(
                async { num(&cx, "v").await.unwrap_or(1).wrapping_add(k) },
                async {
                    t.note("in");
                    let z = num(&cx, "a").await.unwrap_or(2);
                    t.effect(z) * k
                }
            );
            let more = sure(&cx, "more?").await.unwrap_or(false);
            if more { x.wrapping_add(y) } else { x }
        },
        async { text(&cx, "q").await.unwrap_or_default() + "!" }
    );
    Ok(format!("{a} {b} {k}"))
}
}

pub mod in_a_list {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let own = &cx;
    let all = futures::future::join_all(vec![
        async move { t.note("1"); num(own, "v").await.unwrap_or(0) }.boxed(),
        async move { t.note("2"); let a = sure(own, "a").await.unwrap_or(false); if a { num(own, "more").await.unwrap_or(1) } else { 5 } }.boxed(),
    ]).await;
    Ok(format!("{all:?}"))
}
}

pub mod of_what_is_copied {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let mut tally = Tally { n: 1 };
    let mut arr = [3, 1, 2];
    let mut n = 3i64;
    let own = &cx;
    let (x, y, z) = tokio::join!(
        async { let n = num(&cx, "v").await.unwrap_or(0); let r = tally.add(n); t.effect(r) },
        async { arr.sort(); let s = sure(&cx, &format!("{arr:?}")).await.unwrap_or(false); if s { arr.reverse(); } arr[0] },
        async move { n += 10; let k = num(own, "w").await.unwrap_or(0); n += k; n }
    );
    n += 1;
    tally.add(1000);
    Ok(format!("{x} {y} {z} {n} {tally:?} {arr:?}"))
}
}

pub mod with_names_of_their_own {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (name, n) = (String::from("out"), 4i64);
    let (a, b) = tokio::join!(
        async { let n = num(&cx, "v").await.unwrap_or(n); let label = format!("{name} {n}"); t.note(&label); label },
        async { let name = text(&cx, &name).await.unwrap_or_default(); t.effect(&name); name }
    );
    Ok(format!("{a} {b} {name} {n}"))
}
}

pub mod in_macros {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (mode, limit, items, flag) = (String::from("fast"), Some(3i64), vec![1i64, 2, 3], true);
    let (a, b) = tokio::join!(
        async {
            if mode == "fast" && flag && limit.is_some_and(|l| l > 2) {
                let v = serde_json::json!({"mode": mode, "items": items, "l": limit});
                let n = num(&cx, &format!("{v} {mode} {}", items.len())).await.unwrap_or(2);
                assert!(items.contains(&1), "{items:?}");
                items.iter().map(|i| i * n).sum::<i64>()
            } else {
                0
            }
        },
        async {
            match limit {
                Some(l) if l > 2 => sure(&cx, &mode[1..]).await.map(|b| b as i64 + l).unwrap_or(l),
                Some(l) => l,
                None => -1,
            }
        }
    );
    Ok(format!("{a} {b} {mode} {items:?}"))
}
}

pub mod with_limits_inside {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let tries = 3;
    let (a, b) = tokio::join!(
        async {
            let mut last = None;
            for i in 0..tries {
                let Ok(n) = tokio::time::timeout(Duration::from_secs(600), num(&cx, &format!("v{i}"))).await else { continue };
                let Ok(n) = n else { return last };
                if n == 0 { continue; }
                last = Some(n);
                t.effect(last);
                if n > 4 { break; }
            }
            last
        },
        async { let Ok(w) = text(&cx, "a").await else { return 0 }; w.len() }
    );
    Ok(format!("{a:?} {b}"))
}
}

pub mod behind_references {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let mut rows = vec![("a".to_owned(), 1i64), ("b".to_owned(), 2)];
    let mut log: Vec<String> = Vec::new();
    for round in 0..2i64 {
        let (left, right) = rows.split_at_mut(1);
        let (x, y) = tokio::join!(
            async { let n = num(&cx, &format!("l{round}")).await.unwrap_or(0); left[0].1 += n; left[0].1 },
            async { let s = text(&cx, &format!("r{round}")).await.unwrap_or_default(); right[0].0 += &s; right[0].0.len() }
        );
        log.push(format!("{x} {y}"));
        t.effect(&rows);
    }
    Ok(format!("{log:?} {rows:?}"))
}
}

pub mod of_owned_items {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let rows = vec![("a".to_owned(), 1i64), ("b".to_owned(), 2)];
    let (own, factor) = (&cx, t.effect(3i64));
    let all = futures::future::join_all(rows.into_iter().map(|mut row| async move {
        let n = num(own, &row.0).await.unwrap_or(0);
        row.1 += n * factor;
        if sure(own, "r").await.unwrap_or(true) { row.0.push('!'); }
        row
    })).await;
    Ok(format!("{all:?}"))
}
}

pub mod with_a_handle_for_each {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let names = ["a", "b", "c"];
    let asked = names.iter().map(|name| {
        let cx = cx.clone();
        async move { let n = num(&cx, name).await.unwrap_or(0); t.effect(n) }
    });
    let all = futures::future::join_all(asked).await;
    Ok(format!("{all:?}"))
}
}

pub mod of_what_they_take {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (mut slot, name, list) = (Some(String::from("held")), Some("n".to_owned()), vec![1i64, 2]);
    let (a, b, c) = tokio::join!(
        async { let had = slot.take(); let k = num(&cx, "v").await.unwrap_or(0); if k > 2 { slot = Some(format!("new{k}")); } had.map(|h| h.len()).unwrap_or(0) },
        async { match name { Some(n) => { let ok = sure(&cx, &n).await.unwrap_or(false); format!("{n}{ok}") } None => "x".to_owned() } },
        async { let mut s = 0; for i in list { if sure(&cx, &format!("{i}")).await.unwrap_or(false) { s += i } } s }
    );
    Ok(format!("{a} {b} {c} {slot:?}"))
}
}

pub mod with_closures {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let base = 3i64;
    let add = |x: i64| x.wrapping_add(base);
    let mut count = 0;
    let mut next = || { count += 1; count };
    let (a, b) = tokio::join!(
        async { let n = num(&cx, "v").await.unwrap_or(0); t.effect(add(n)) },
        async { let i = next(); let ok = sure(&cx, "a").await.unwrap_or(false); if ok { next() } else { i } }
    );
    Ok(format!("{a} {b} {count}"))
}
}

pub mod with_labels {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let (names, stop) = (vec!["a", "b", "c"], String::from("stop"));
    let (own, lent) = (&cx, &names);
    let (s, k) = futures::join!(
        async move {
            let mut sum = (0, 0, Vec::new());
            'outer: for (i, name) in lent.iter().enumerate() {
                for j in 0..2 {
                    let ok = sure(own, &format!("{name}{i}{j}")).await.unwrap_or(false);
                    if ok { sum.0 += 1; sum.2.push(name.to_string()); continue 'outer }
                    sum.1 += 1;
                    if sum.1 > 2 { break 'outer }
                }
            }
            sum
        },
        async {
            let mut tries = 0;
            let got = loop {
                let w = text(&cx, "w").await.unwrap_or_else(|_| stop.clone());
                tries += 1;
                if w == stop || tries > 2 || w.is_empty() { break w }
                t.note(&w);
            };
            (got, tries)
        }
    );
    Ok(format!("{s:?} {k:?} {stop}"))
}
}

pub mod of_self {
use super::*;
pub struct Shop { items: Vec<(String, i64)> }
pub static SHOP: std::sync::LazyLock<Shop> = std::sync::LazyLock::new(|| Shop { items: vec![("a".to_owned(), 3), ("b".to_owned(), 4)] });
impl Shop {
    fn price(&self, i: usize) -> i64 { self.items[i].1 }
    $(#[$mark])?
    async fn all(&self, cx: &Context, t: &Trace, factor: i64) -> Result<Vec<String>, Failure> {
        futures::future::try_join_all(self.items.iter().enumerate().map(|(i, item)| async move {
            t.note(&item.0);
            let n = num(cx, &format!("how many {}", item.0)).await?;
            let total = n * self.price(i) * factor;
            t.effect(total);
            let ok = sure(cx, &format!("{total}?")).await?;
            Ok(format!("{} {total} {ok}", item.0))
        })).await
    }
}
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let all = SHOP.all(&cx, t, 2).await?;
    Ok(format!("{all:?}"))
}
}

pub mod with_what_is_the_same_for_each {
use super::*;
pub struct Drafts<'a> { cx: &'a Context, t: &'a Trace, n: i64 }
impl Drafts<'_> {
    $(#[$mark])?
    async fn proofread(&self, sections: &[(String, usize)]) -> Result<Vec<bool>, Failure> {
        let cx = self.cx;
        let t = self.t;
        let n = self.n + 1;
        let answers = futures::future::join_all(sections.iter().map(|section| async move {
            if section.1 == 0 { t.effect(("empty", &section.0)); return false; }
            sure(cx, &format!("Is {} ({} words) fine {n}?", section.0, section.1)).await.unwrap_or(false)
        })).await;
        t.effect(n);
        Ok(answers)
    }
    $(#[$mark])?
    async fn again(&self, sections: &[(String, usize)], by: i64) -> Vec<i64> {
        let t = self.t;
        let mut k = by; k += 1;
        let cx = self.cx;
        futures::future::join_all(sections.iter().map(|section| one(cx, t, &section.0, k))).await
    }
}
$(#[$mark])?
async fn one(cx: &Context, t: &Trace, s: &str, k: i64) -> i64 { t.note(s); num(cx, s).await.unwrap_or(0).wrapping_add(k) }
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let list = vec![("v".to_string(), 2), ("a".to_string(), 0), ("r".to_string(), 5)];
    let a = Drafts { cx: &cx, t, n: 3 }.proofread(&list).await?;
    let b = Drafts { cx: &cx, t, n: 3 }.again(&list, 4).await;
    Ok(format!("{a:?} {b:?}"))
}
}

pub mod of_what_changes_unseen {
use super::*;
$(#[$mark])?
async fn one(cx: &Context, t: &Trace, name: String, n: i64) -> i64 { t.effect((&name, n)); num(cx, &name).await.unwrap_or(0) }
$(#[$mark])? async fn keys(cx: &Context) -> Vec<i64> {
    let mut step = (0usize, 7i64);
    let own = &mut step;
    tokio::time::timeout(Duration::from_secs(60), async move {
        let mut rows = vec![0, 0];
        let row = rows.get_mut(own.0).unwrap();
        own.0 += 1;
        let _ = sure(cx, "ok?").await;
        *row += 100;
        rows
    }).await.unwrap_or_default()
}
$(#[$mark])? async fn bound(cx: &Context, t: &Trace) -> i64 {
    let ct = cx.ct.clone();
    tokio::select! {
        mut fresh = one(&cx, t, "v".to_string(), 1) => {
            let _ = tokio::time::timeout(Duration::from_secs(60), async { fresh += 1; let _ = sure(&cx, "ok?").await; fresh += 10; }).await;
            fresh
        }
        _ = ct.cancelled() => -1,
    }
}
$(#[$mark])? async fn counted(cx: &Context, t: &Trace) -> Vec<i64> {
    let names = ["v", "r", "a"]; let mut n = 0i64;
    futures::future::join_all(names.iter().map(|name| one(&cx, t, { n += 1; name.to_string() }, n))).await
}
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let a = keys(&cx).await; t.effect(&a);
    let b = bound(&cx, t).await; t.effect(b);
    let c = counted(&cx, t).await;
    Ok(format!("{a:?} {b} {c:?}"))
}
}

pub mod with_none {
use super::*;
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let known: Option<i64> = if sure(&cx, "known?").await? { Some(3) } else { None };
    let (a, b) = tokio::join!(
        async { match known { None => num(&cx, "v").await.unwrap_or(0), Some(n) => n } },
        async { let kept = if sure(&cx, "a").await.unwrap_or(true) { known } else { None }; kept.is_none() }
    );
    Ok(format!("{a} {b}"))
}
}

pub mod generic {
use super::*;
pub trait Priced { fn price(&self) -> i64; fn name(&self) -> String; }
#[derive(Clone, Debug, Serialize, Deserialize)] pub struct One(i64);
impl Priced for One { fn price(&self) -> i64 { self.0 } fn name(&self) -> String { format!("a{}", self.0) } }
$(#[$mark])? async fn each<T: Priced>(cx: &Context, t: &Trace, first: T, second: &T) -> (i64, i64) {
    tokio::join!(
        async { let n = num(cx, &first.name()).await.unwrap_or(1); t.effect(n * first.price()) },
        async move { let n = num(cx, &second.name()).await.unwrap_or(1); n * second.price() }
    )
}
$(#[$mark])? pub async fn run(cx: RequestContext<RoleServer>, t: &Trace) -> Result<String, Failure> {
    let all = vec![One(3), One(4)];
    let both = each(&cx, t, all[0].clone(), &all[1]).await;
    Ok(format!("{both:?}"))
}
}
pub mod of_asks_in_variables {
use super::*;
$(#[$mark])?
pub async fn run(cx: Context, t: &Trace) -> Result<String, Failure> {
    let first = cx.peer.elicit::<Count>(t.effect("v"));
    let second = cx.peer.elicit::<Count>(t.effect("w".to_string()));
    t.note("made");
    let (a, b) = tokio::join!(first, second);
    Ok(format!("{:?} {:?}", a?.map(|c| c.n), b?.map(|c| c.n)))
}
}

        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    in_a_join::run,
    of_asks_in_variables::run,
    of_each_item::run,
    what_they_change::run,
    with_question_marks::run,
    with_values_of_their_own::run,
    inside_of_each_other::run,
    in_a_list::run,
    of_what_is_copied::run,
    with_names_of_their_own::run,
    in_macros::run,
    with_limits_inside::run,
    behind_references::run,
    of_owned_items::run,
    with_a_handle_for_each::run,
    of_what_they_take::run,
    with_closures::run,
    with_labels::run,
    of_self::run,
    with_what_is_the_same_for_each::run,
    of_what_changes_unseen::run,
    with_none::run,
    generic::run
);

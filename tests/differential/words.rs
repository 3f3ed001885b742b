//! What cannot be stored as it is, with the author's word on it.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Failure, Trace,
    answers::{Confirm, Count},
};

/// `before; #[saga(word)] let …; after`, compiled with and without the attributes.
macro_rules! word_cases {
    ($(async fn $name:ident($cx:ident, $t:ident) { $($before:tt)* } $word:tt { $($declared:tt)* } { $($after:tt)* })*) => {
        #[allow(warnings, clippy::all)]
        mod plain {
            use super::*;
            $(pub async fn $name($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> {
                $($before)* $($declared)* $($after)*
            })*
        }
        #[allow(warnings, clippy::all)]
        mod saga {
            use super::*;
            $(#[saga_runtime::saga]
            pub async fn $name($cx: RequestContext<RoleServer>, $t: &Trace) -> Result<String, Failure> {
                $($before)* #[saga $word] $($declared)* $($after)*
            })*
        }
        /// All cases of this module.
        pub(super) fn all() -> Vec<tests::Case> {
            vec![$(tests::Case {
                name: stringify!($name),
                plain: |cx, t| Box::pin(plain::$name(cx, t)),
                saga: |cx, t| Box::pin(saga::$name(cx, t)),
            }),*]
        }
    };
}

/// Neither `Serialize` nor `Deserialize`.
#[derive(Debug, Default)]
struct Pattern {
    text: String,
}

impl Pattern {
    fn new(text: &str) -> Result<Self, String> {
        let text = text.to_owned();
        Ok(Self { text })
    }

    async fn connect(text: &str) -> Result<Self, String> {
        tokio::task::yield_now().await;
        Self::new(text)
    }

    fn matches(&self, n: i64) -> bool {
        self.text.len() as i64 > n
    }
}

#[saga_runtime::saga]
async fn scope(cx: &RequestContext<RoleServer>, pattern: Pattern) -> Result<bool, Failure> {
    let n = cx.peer.elicit::<Count>("how long?").await?;
    Ok(pattern.matches(n.map_or(0, |count| count.n)))
}

/// What it holds is looked at, and something else of it changes.
struct Service {
    pattern: Option<Pattern>,
    calls: i64,
}

impl Default for Service {
    fn default() -> Self {
        Self {
            pattern: Pattern::new("abc").ok(),
            calls: 0,
        }
    }
}

impl Service {
    #[saga_runtime::saga]
    async fn call(&mut self, cx: &RequestContext<RoleServer>, t: &Trace) -> Result<(), Failure> {
        if self.pattern.is_none() {
            return Ok(());
        }
        let pattern = self.pattern.as_ref().ok_or("no pattern")?;
        let n = cx.peer.elicit::<Count>("how long?").await?;
        t.effect(pattern.matches(n.map_or(0, |count| count.n)));
        self.calls += 1;
        Ok(())
    }
}

/// A borrow of something, and no reference.
struct View<'v>(&'v [i64]);

fn find(list: &[i64]) -> Option<&[i64]> {
    list.get(1..)
}

word_cases! {
    async fn given_to_a_helper(cx, t) { t.note("begin"); } (remake) { let pattern = Pattern::new("abc")?; } {
        Ok(format!("{}", scope(&cx, pattern).await?))
    }

    async fn given_to_a_helper_behind_an_ask(cx, t) { t.note("begin"); } (skip) { let pattern = Pattern::default(); } {
        let n = cx.peer.elicit::<Count>("before?").await?.map_or(0, |count| count.n);
        Ok(format!("{n} {}", scope(&cx, pattern).await?))
    }

    async fn looked_at_while_the_rest_changes(cx, t) { t.note("begin"); } (skip) { let mut service = Service::default(); } {
        service.call(&cx, t).await?;
        Ok(format!("{}", service.calls))
    }

    async fn a_clock_goes_on(cx, t) {
        t.effect(1);
    } (with = saga_runtime::with::instant) {
        let started = Instant::now();
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let m = cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
        let waited = started.elapsed();
        Ok(format!("{n} {m} {}", waited < Duration::from_secs(600)))
    }

    async fn a_deadline_stays(cx, t) {
        t.effect(1);
    } (with = saga_runtime::with::instant) {
        let mut deadline = Instant::now() + Duration::from_secs(3600);
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        deadline += Duration::from_secs(n as u64);
        let ok = cx.peer.elicit::<Confirm>("ok?").await?.is_some();
        let left = deadline.saturating_duration_since(Instant::now());
        Ok(format!("{ok} {}", left > Duration::from_secs(3000)))
    }

    async fn an_arc_is_its_content(cx, t) {
        let mut list = vec![t.effect(4)];
        list.push(5);
    } (with = saga_runtime::with::arc) {
        let shared = Arc::new(list);
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let other = Arc::clone(&shared);
        let m = cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
        Ok(format!("{n} {m} {shared:?}"))
    }

    async fn evaluated_again(cx, t) {
        t.effect(1);
    } (remake) {
        let pattern = Pattern::new("abc")?;
    } {
        let mut found = 0;
        for i in 0..3 {
            let n = cx.peer.elicit::<Count>(format!("{i}?")).await?.ok_or("none")?.n;
            if pattern.matches(n) { found += 1; }
            t.effect(found);
        }
        Ok(format!("{found} {}", pattern.text))
    }

    async fn awaited_again(cx, t) {
        let before = t.effect(1);
    } (remake) {
        let pattern = Pattern::connect(&format!("{}", t.events().len() > 0)).await?;
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        Ok(format!("{before} {} {}", pattern.matches(n), pattern.text))
    }

    async fn made_of_locals_again(cx, t) {
        let mut list = vec![1, 2];
        list.push(t.effect(3));
    } (remake) {
        let view = View(&list);
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        let sum: i64 = view.0.iter().sum();
        let m = cx.peer.elicit::<Count>("m?").await?.ok_or("none")?.n;
        Ok(format!("{sum} {n} {m} {}", view.0.len()))
    }

    async fn a_pattern_again(cx, t) {
        let text = t.effect(String::from("ab"));
    } (remake) {
        let (first, second) = (Pattern::new(&text)?, Pattern::new("x")?);
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        Ok(format!("{} {}", first.matches(n), second.matches(n)))
    }

    async fn left_out(cx, t) {
        let mut sum = 0;
    } (skip) {
        let mut cache: HashMap<i64, Pattern> = HashMap::new();
    } {
        while sum < 5 {
            let n = cx.peer.elicit::<Count>(format!("{sum}?")).await?.ok_or("none")?.n;
            cache.entry(n).or_insert_with(|| Pattern { text: n.to_string() });
            sum += n + 1;
        }
        t.effect(sum);
        Ok(format!("{sum} {}", cache.len() > 100))
    }

    async fn in_a_branch_and_shadowed(cx, t) {
        let pattern = t.effect(7);
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
    } (remake) {
        let pattern = Pattern { text: format!("{pattern}") };
    } {
        if n > 0 {
            let ok = cx.peer.elicit::<Confirm>("ok?").await.is_ok();
            t.note(&pattern.text);
            return Ok(format!("{ok} {}", pattern.text));
        }
        Ok(pattern.text)
    }

    async fn a_closure_over_branches(cx, t) {
        let base = t.effect(7i64);
    } (remake) {
        let show = |n: i64| format!("<{n}>");
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        if n > 1 { cx.peer.elicit::<Confirm>(show(n)).await?; }
        t.effect(show(base));
        cx.peer.elicit::<Confirm>("c?").await?;
        Ok(show(n + 1))
    }

    async fn a_type_that_is_said(cx, t) {
        t.effect(1);
    } (remake) {
        let show: Box<dyn Fn(i64) -> String + Send + Sync> = Box::new(|n| format!("<{n}>"));
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        if n > 1 { cx.peer.elicit::<Confirm>(show(n)).await?; }
        Ok(show(n + 1))
    }

    async fn a_slice_by_its_type(cx, t) {
        t.effect(1);
    } (remake) {
        let list: &[u32] = &[1, 2, 3];
    } {
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        for x in list { if cx.peer.elicit::<Confirm>(format!("{x}")).await?.is_none() { break; } }
        Ok(format!("{n} {list:?}"))
    }

    async fn found_and_taken_apart(cx, t) {
        let list = vec![t.effect(4i64), 5];
    } (remake) {
        let found = find(&list);
    } {
        let Some(items) = found else { return Ok(String::from("none")) };
        let n = cx.peer.elicit::<Count>("n?").await?.ok_or("none")?.n;
        t.effect(items);
        cx.peer.elicit::<Confirm>("c?").await?;
        Ok(format!("{n} {items:?}"))
    }
}

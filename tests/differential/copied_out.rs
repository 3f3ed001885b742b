//! What is taken out of something whose rest is used after an ask: `Copy` types that are never cloned, patterns that bind such, and
//! what is made of values in parts.

use std::collections::VecDeque;

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn num(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(-1, |answer| answer.n))
            }

            /// `Copy`, and nobody may see what its `Clone` does.
            #[derive(Debug, Copy, Serialize, Deserialize)]
            struct I { n: i64 }

            impl Clone for I {
                fn clone(&self) -> I { I { n: self.n + 1000 } }
            }

            impl std::ops::Add for I {
                type Output = I;
                fn add(self, other: I) -> I { I { n: self.n * 10 + other.n } }
            }

            impl I {
                fn eat(self) -> i64 { self.n }
            }

            /// Looked at only.
            #[derive(Debug, Serialize, Deserialize)]
            enum Kind { Idle, Busy(i64), Full { at: I, by: String } }

            impl Clone for Kind {
                fn clone(&self) -> Kind { panic!("it is looked at, and not cloned") }
            }

            #[derive(Debug, Serialize, Deserialize)]
            struct Order { i: I, pair: (I, String), some: Option<I>, all: [I; 2], kind: Kind, name: String }

            fn order() -> Order {
                let i = |n| I { n };
                Order { i: i(1), pair: (i(2), "p".into()), some: Some(i(3)), all: [i(4), i(5)], kind: Kind::Full { at: i(6), by: "b".into() }, name: "o".into() }
            }

            fn eat(i: I) -> i64 { i.n }

            $(#[$mark])?
            async fn asked(cx: &Context, i: I) -> Result<i64, Failure> {
                Ok(num(cx, "asked").await? + i.n)
            }

            /// Every place where a value is taken.
            $(#[$mark])?
            pub async fn bits(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut o = order();
                sure(&cx, "a").await?;
                let a = o.i;
                let b = eat(o.pair.0) + o.i.eat() + (o.i + o.pair.0).n;
                let c = o.some.map(|i| i.n).unwrap_or(0) + o.some.unwrap().n;
                let d = if sure(&cx, "b").await? { o.i } else { o.all[0] };
                let e = match o.some { Some(i) => i.n, None => 0 };
                let f = loop { break o.i; };
                let g = [o.i, o.pair.0];
                let h = Some(o.i);
                let Order { pair: (k, _), .. } = o;
                let mut s = 0;
                for i in o.all { s = s * 10 + i.n; sure(&cx, "c").await?; }
                let q = asked(&cx, o.i).await?;
                o.i = o.pair.0;
                sure(&cx, "d").await?;
                Ok(format!("{} {b} {c} {} {e} {} {g:?} {h:?} {k:?} {s} {q} {o:?}", a.n, d.n, f.n))
            }

            /// What binds nothing but such looks at the field.
            $(#[$mark])?
            pub async fn looks(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut o = order();
                sure(&cx, "a").await?;
                let a = match o.kind { Kind::Full { at, .. } if at.n > 5 => at.n, Kind::Busy(n) => n, _ => 0 };
                if let Kind::Full { at, .. } = o.kind { t.effect(at.n); sure(&cx, "b").await?; }
                let Kind::Full { at, .. } = o.kind else { return Ok("none".into()) };
                let b = if let Kind::Busy(n) = o.kind && n > 1 { n } else { -1 };
                let c = if let Kind::Full { at: mut i, .. } = o.kind && i.n > 1 && !o.name.is_empty() { i.n += 1; i.n } else { -1 };
                let mut k = 0;
                while let Kind::Full { at, .. } = o.kind && k < 2 && sure(&cx, "c").await? { k += at.n; }
                o.kind = Kind::Busy(7);
                match o.kind { Kind::Busy(n) => { t.effect(n); k += num(&cx, "d").await?; } Kind::Idle | Kind::Full { .. } => {} }
                sure(&cx, "e").await?;
                Ok(format!("{a} {at:?} {b} {c} {k} {o:?}"))
            }

            /// Patterns that cannot look at a reference.
            $(#[$mark])?
            pub async fn values(cx: Context, t: &Trace) -> Result<String, Failure> {
                const LIMIT: i64 = 3;
                const NOBODY: Option<String> = None;
                struct Row<'a> { n: i64, who: Option<String>, at: Option<&'a i64>, both: (String, Option<&'a i64>) }
                let (x, y) = (5, 6);
                let row = Row { n: num(&cx, "n").await?, who: Some("w".to_string()), at: Some(&x), both: ("b".to_string(), Some(&y)) };
                let a = match row.n { LIMIT => 0, n => n };
                let b = match row.at { Some(&n) if n > 4 => n, Some(&n) => -n, None => 0 };
                let c = match row.who { NOBODY => String::new(), Some(who) => who };
                let d = match row.both { (s, Some(&n)) => format!("{s}{n}"), (s, None) => s };
                let e = match row.n { 0..=2 => "few", n if n < 0 => "none", _ => "many" };
                t.effect(format!("{a} {b} {c} {d} {e}"));
                Ok(format!("{a} {b} {c} {d} {e} {}", row.n))
            }

            #[derive(Debug, Clone)]
            enum Mode { Fast, Slow(i64) }

            #[derive(Debug, Clone)]
            struct Item { n: i64, mode: Mode }

            $(#[$mark])?
            pub async fn queue(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut queue = VecDeque::from(vec![Item { n: 1, mode: Mode::Fast }, Item { n: 2, mode: Mode::Slow(3) }]);
                let mut sum = 0;
                while let Some(item) = queue.pop_front() {
                    if sure(&cx, "again").await? && item.n < 4 { queue.push_back(Item { n: item.n + 2, mode: Mode::Slow(item.n) }); }
                    sum += item.n;
                    t.effect(format!("{item:?}"));
                }
                Ok(format!("{sum}"))
            }

            #[derive(Debug)]
            struct Grid { at: (i64, i64), cells: [[i64; 2]; 2], name: String }

            fn step(grid: &mut Grid) {
                grid.at.0 += 1;
                grid.cells[0][1] += 2;
                grid.name.push('x');
            }

            $(#[$mark])?
            pub async fn grid(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut grid = Grid { at: (1, 2), cells: [[1, 2], [3, 4]], name: "n".to_string() };
                sure(&cx, "a").await?;
                step(&mut grid);
                sure(&cx, "b").await?;
                step(&mut grid);
                Ok(format!("{grid:?}"))
            }

            #[derive(Debug, Clone, Copy)]
            struct At { n: i64 }

            #[derive(Debug, Clone)]
            struct Plan { n: i64, list: Vec<String>, name: String, at: At }

            $(#[$mark])?
            pub async fn rest(cx: Context, t: &Trace) -> Result<String, Failure> {
                let plan = Plan { n: 1, name: "x".to_string(), list: vec![], at: At { n: 2 } };
                sure(&cx, "a").await?;
                let mut at = plan.at;
                at.n += 1;
                let more = Plan { n: 4, ..plan.clone() };
                sure(&cx, "b").await?;
                let last = Plan { name: "r".to_string(), at, ..more };
                sure(&cx, "c").await?;
                let part = Plan { n: 5, ..last };
                let named = |n: i64| Plan { n, name: "named".to_string(), list: vec![], at: At { n } };
                sure(&cx, &part.name).await?;
                let made = named(7);
                Ok(format!("{} {part:?} {plan:?} {at:?} {made:?}", last.n))
            }

            /// Methods that take what they are called on, and others.
            #[derive(Debug, Serialize, Deserialize)]
            enum Job { Add(i64), Name { name: String } }

            impl Job {
                $(#[$mark])?
                async fn go(self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
                    match self {
                        Job::Add(n) => Ok(n + num(cx, "add").await?),
                        Job::Name { name } => {
                            t.effect(&name);
                            Ok(if sure(cx, &name).await? { 1 } else { num(cx, &name).await? })
                        }
                    }
                }
            }

            #[derive(Debug, Clone, Serialize, Deserialize)]
            struct Names { all: Vec<String> }

            impl Names {
                $(#[$mark])?
                async fn pick(&self, cx: &Context) -> Result<&str, Failure> {
                    let n = num(cx, "which").await?;
                    Ok(&self.all[n.max(0) as usize % self.all.len()])
                }

                $(#[$mark])?
                async fn more(mut self, cx: &Context) -> Result<Self, Failure> {
                    let n = num(cx, "more").await?;
                    self.all.push(format!("more {n}"));
                    Ok(self)
                }
            }

            /// Without serde.
            struct Tally<'a> { cx: &'a Context, n: i64 }

            impl Tally<'_> {
                $(#[$mark])?
                async fn end(self) -> Result<i64, Failure> {
                    let n = num(self.cx, "end").await?;
                    Ok(self.n + n)
                }
            }

            trait Run { async fn run(self, cx: &Context) -> Result<i64, Failure>; }

            impl Run for &At {
                $(#[$mark])?
                async fn run(self, cx: &Context) -> Result<i64, Failure> {
                    let n = num(cx, "run").await?;
                    Ok(self.n * 2 + n)
                }
            }

            $(#[$mark])?
            pub async fn receivers(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut sum = 0;
                for job in vec![Job::Add(1), Job::Name { name: "x".into() }] { sum += job.go(&cx, t).await?; }
                let names = Names { all: vec!["a".into(), "b".into()] };
                let name = names.pick(&cx).await?;
                sure(&cx, name).await?;
                t.effect(name);
                let more = Names { all: vec!["c".into()] };
                let more = more.more(&cx).await?;
                let first = more.pick(&cx).await?.len();
                let tally = Tally { cx: &cx, n: sum };
                let end = tally.end().await?;
                let at = At { n: 3 };
                let ran = at.run(&cx).await?;
                Ok(format!("{sum} {name} {first} {end} {ran}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(bits, looks, values, queue, grid, rest, receivers);

//! Closures that a call is given beside what it may change of what they have copied.

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

            #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
            struct Point { x: i64, y: i64 }
            struct Given<'a, F> { f: F, n: &'a mut i64 }
            impl Point {
                $(#[$mark])?
                async fn grow(&mut self, cx: &Context, t: &Trace, f: impl Fn() -> i64 + Send + Sync) -> Result<i64> {
                    self.x += 1;
                    t.effect(f());
                    self.x += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    Ok(f() * 100 + self.x)
                }
            }
            impl Point {
                $(#[$mark])?
                async fn shown(self, cx: &Context, m: i64) -> i64 {
                    cx.peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |c| c.n) + self.x * 10 + m
                }
            }
            $(#[$mark])?
            async fn by(cx: &Context, t: &Trace, f: impl Fn() -> i64 + Send + Sync, n: &mut i64) -> Result<i64> {
                *n += 1;
                t.effect(f());
                *n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(f() * 100 + *n)
            }
            $(#[$mark])?
            async fn counted(cx: &Context, f: impl Fn() -> i64 + Send + Sync, n: &mut i64) -> i64 {
                *n += f();
                let m = cx.peer.elicit::<Count>("n?").await.ok().flatten().map_or(0, |c| c.n);
                f() * 100 + *n + m
            }
            $(#[$mark])?
            async fn dynamic(cx: &Context, f: &(dyn Fn(i64) -> i64 + Send + Sync), n: &mut i64) -> Result<i64> {
                *n += f(1);
                *n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(f(2) * 100 + *n)
            }
            $(#[$mark])?
            async fn boxed(cx: &Context, f: Box<dyn Fn() -> i64 + Send + Sync>, n: i64) -> Result<i64> {
                let m = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok(f() * 100 + n + m)
            }
            $(#[$mark])?
            async fn given<F: Fn() -> i64 + Send + Sync>(cx: &Context, given: Given<'_, F>) -> Result<i64> {
                *given.n += 1;
                *given.n += cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                Ok((given.f)() * 100 + *given.n)
            }
            $(#[$mark])?
            pub async fn arguments(cx: Context, t: &Trace) -> Result<String> {
                let mut n = 5;
                let a = by(&cx, t, move || n * 2, &mut n).await?;
                let b = dynamic(&cx, &move |m| n * m, &mut n).await?;
                let c = given(&cx, Given { f: move || n * 3, n: &mut n }).await?;
                let d = boxed(&cx, Box::new(move || { let n = n + 1; n }), { n = 50; 3 }).await?;
                t.effect(n);
                let e = boxed(&cx, Box::new(move || format!("{n}").len() as i64), { n += 50; n }).await?;
                Ok(format!("{a} {b} {c} {d} {e} {n}"))
            }
            $(#[$mark])?
            pub async fn receivers(cx: Context, t: &Trace) -> Result<String> {
                let mut p = Point { x: 4, y: 2 };
                let a = p.grow(&cx, t, move || p.x * 2).await?;
                let mut total = 1;
                for k in 0..2 {
                    let Point { x, y } = p;
                    total += by(&cx, t, move || x * total + k, &mut p.y).await?;
                    total += by(&cx, t, move || total + y, &mut total.clone()).await?;
                    p.x += 1;
                }
                Ok(format!("{a} {p:?} {total}"))
            }
            #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)] struct Paid { x: i64 }
            fn bump(p: &mut Paid) -> i64 { p.x += 10; 3 }
            impl Paid { fn up(&mut self) -> i64 { self.x += 5; self.x }  fn len(&self) -> i64 { self.x }
             $(#[$mark])?
             async fn val(self, cx: &Context, m: i64) -> Result<String> { let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); Ok(format!("{self:?}{m}{a}")) }
             $(#[$mark])?
             async fn and(self, cx: &Context, m: &mut Paid) -> Result<String> { m.x += 1; let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); m.x += a; Ok(format!("{self:?}{m:?}{a}")) }
             $(#[$mark])?
             async fn go(&mut self, cx: &Context, m: i64) -> Result<String> { self.x += m; let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); self.x += a; Ok(format!("{self:?}{m}{a}")) }
            }
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)] struct Shop { n: String, p: Paid, q: Option<Paid> }
            impl Shop { $(#[$mark])?
             async fn own(self, cx: &Context, m: i64) -> Result<String> { let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); Ok(format!("{self:?}{m}{a}")) } }
            $(#[$mark])?
            pub async fn taken_by_value(cx: Context, t: &Trace) -> Result<String> {
                let mut p = Paid { x: 5 };
                let a = p.val(&cx, { p.x += 9; 4 }).await?;
                let b = p.val(&cx, bump(&mut p)).await?;
                let c = p.and(&cx, &mut p).await?;
                let d = p.go(&cx, p.len()).await?;
                let mut s = Shop { n: "a".into(), p, q: Some(p) };
                let e = s.p.val(&cx, { s.p = Paid { x: 100 }; 1 }).await?;
                let f = s.p.go(&cx, { s.q = None; 1 }).await?;
                let g = s.own(&cx, { s = Shop { n: "b".into(), p, q: None }; 3 }).await?;
                let mut arr = [p, p]; let mut i = 0;
                let h = arr[i].val(&cx, { i = 1; arr[0].x = 77; 2 }).await?;
                Ok(format!("{a} {b} {c} {d} {e} {f} {g} {h} {s:?} {p:?} {arr:?}"))
            }
            #[derive(Debug, Clone, Serialize, Deserialize)] struct Names(Vec<i64>);
            $(#[$mark])?
            async fn pick(cx: &Context, v: Vec<i64>, keep: impl Fn(&i64) -> bool + Send + Sync) -> Result<Vec<i64>> { let mut out = vec![]; for x in v { let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); if keep(&x) { out.push(x + a); } } Ok(out) }
            $(#[$mark])?
            async fn made(cx: &Context, make: impl FnOnce(i64) -> String + Send) -> Result<String> { let s = make(2); let a = cx.peer.elicit::<Count>("m?").await?.map_or(0, |c| c.n); Ok(format!("{s}{a}")) }
            $(#[$mark])?
            async fn ranged(cx: &Context, r: std::ops::RangeInclusive<i64>, s: &std::ops::Range<usize>) -> Result<i64> { let a = cx.peer.elicit::<Count>("r?").await?.map_or(0, |c| c.n); Ok(if r.contains(&a) { a } else { *r.end() } + s.end as i64) }
            $(#[$mark])?
            pub async fn moved_in(cx: Context, t: &Trace) -> Result<String> {
                let banned = vec![1, 4];
                let own = Names(vec![2]);
                let name = String::from("n");
                let k = 3i64;
                let a = pick(&cx, vec![1, 2, 3], move |x| !banned.contains(x) && own.0.len() < 5 && *x < k + 9).await?;
                let b = made(&cx, move |n| format!("{name}{n}{k}")).await?;
                let top = t.effect(5);
                let c = ranged(&cx, 1..=3, &(0..4)).await? + ranged(&cx, 0..=top, &(1..top as usize)).await? + ranged(&cx, t.effect(0)..=t.effect(1), &(1..2)).await?;
                let words = vec!["a".to_owned()];
                let d = pick(&cx, vec![7, 8], { let w = words.len() as i64; move |x| *x > w }).await?;
                Ok(format!("{a:?} {b} {c} {d:?} {words:?} {k}"))
            }
            struct Plain(i64);
            #[derive(Clone, Serialize, Deserialize)] struct Big { rows: Vec<i64> }
            $(#[$mark])?
            async fn many(cx: &Context, v: Vec<i64>, n: usize) -> Result<i64> { let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n); Ok(v.iter().sum::<i64>() + a + n as i64) }
            $(#[$mark])?
            async fn accepted(cx: &Context, f: impl Fn(i64) -> bool + Send + Sync) -> Result<bool> { let a = cx.peer.elicit::<Count>("b?").await?.map_or(0, |c| c.n); Ok(f(a)) }
            $(#[$mark])?
            pub async fn made_for_closures(cx: Context, t: &Trace) -> Result<String> {
                let p = Plain(3);
                let list = vec![1i64, 2, 3];
                let a = many(&cx, list.iter().map(move |x| x + p.0).collect(), list.iter().filter(|x| **x > 1).count()).await?;
                let big = Big { rows: vec![1, 2] };
                let b = accepted(&cx, { let rows: Vec<i64> = big.rows.clone(); let least = rows[0]; let least = least + 1; move |x| rows.contains(&x) && x >= least }).await?;
                let c = accepted(&cx, { let big = big; move |x| big.rows.len() as i64 > x }).await?;
                Ok(format!("{a} {b} {c}"))
            }
            $(#[$mark])?
            pub async fn together(cx: Context, t: &Trace) -> Result<String> {
                let (mut n, mut m) = (5, 6);
                let (a, b) = tokio::join!(counted(&cx, move || n * m, &mut n), async { 3 });
                let mut p = Point { x: n, y: m };
                let (c, d) = tokio::join!(p.shown(&cx, 1), p.shown(&cx, { p.x += 3; 2 }));
                let (e, f) = tokio::join!(counted(&cx, move || n, &mut m), async { n += 4; n });
                Ok(format!("{a} {b} {n} {m} {c} {d} {e} {f} {p:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    arguments,
    receivers,
    taken_by_value,
    moved_in,
    made_for_closures
);

/// Asks that wait together come in any order.
pub(super) fn joined() -> Vec<Case> {
    joined::all()
}

mod joined {
    use super::{Case, plain, saga};

    written_twice!(together);
}

//! Closures over variables that change, and that change them: what is lent to a closure is lent to it again.

use std::collections::{BTreeMap, HashMap};

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count, Text},
};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            fn apply(f: impl Fn(i64) -> i64, n: i64) -> i64 { f(n) }
            fn each(mut f: impl FnMut(i64)) { f(1); f(2); }
            $(#[$mark])?
            async fn h(cx: &Context, f: impl Fn(i64) -> i64 + Send + Sync) -> Result<i64> { let a = cx.peer.elicit::<Count>("h?").await?.map_or(0, |c| c.n); Ok(f(a)) }
            $(#[$mark])?
            pub async fn that_take_what_never_changes(cx: Context, t: &Trace) -> Result<String> {
                let names = vec!["a".to_string(), "alpha".to_string()];
                let (low, word) = (t.effect(2i64), String::from("x"));
                let known = move |name: &str| names.iter().any(|one| one == name);
                let clamp = move |n: i64| { let n = n.max(low); n * low };
                let shout = move |w: &str| format!("{word}{w}{low}");
                let a = cx.peer.elicit::<Text>("a?").await?.map_or_else(String::new, |c| c.text);
                let mut seen = i64::from(known(&a));
                for i in 0..2 {
                    let more = move |n: i64| n + i;
                    seen += clamp(cx.peer.elicit::<Count>(shout(&a)).await?.map_or(0, |c| c.n));
                    t.effect((known(&shout("")), more(seen)));
                }
                let low = low + 1;
                let count = move || low;
                let own: Box<dyn Fn() -> i64 + Send + 'static> = { let more = move || low + 1; Box::new(more) };
                t.effect(own());
                drop(own);
                let b = cx.peer.elicit::<Count>("b?").await?.map_or(0, |c| c.n);
                Ok(format!("{seen} {b} {} {}", shout("end"), count()))
            }
            $(#[$mark])?
            pub async fn of_what_has_changed(cx: Context, t: &Trace) -> Result<String> {
                let mut total = 0; for q in [1i64, 2, 3] { total += q; }
                let mut names = vec!["b".to_string(), "a".into()]; names.sort();
                let has = |n: &str| names.iter().any(|x| x == n);
                let pct = |n| n * 100 / total;
                let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n);
                let p = pct(a);
                t.effect(apply(&pct, 3));
                let b = cx.peer.elicit::<Text>("b?").await?.map_or_else(String::new, |c| c.text);
                t.effect(has(&b));
                let c = h(&cx, pct).await?;
                let d = h(&cx, |x| pct(x) + 1).await?;
                total += c; names.push("z".into());
                let mut list = vec![];
                for k in 0..2 {
                    let scaled = |n: i64| n * total + k;
                    let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                    let x = scaled(q);
                    let add = |x| list.push(x);
                    each(add);
                    list.push(x);
                    total += x;
                }
                Ok(format!("{p} {c} {d} {total} {names:?} {list:?}"))
            }
            $(#[$mark])?
            pub async fn given_away(cx: Context, t: &Trace) -> Result<String> {
                let mut list = vec![3i64];
                let mut n = 0;
                let add = |x| { list.push(x); list.len() };
                let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                let mut f = add;
                t.effect(f(q)); t.effect(f(2));
                let count = |x| n += x;
                let r = cx.peer.elicit::<Count>("d?").await?.map_or(0, |c| c.n);
                each(count);
                n += r;
                Ok(format!("{list:?} {n}"))
            }
            $(#[$mark])?
            pub async fn that_assign(cx: Context, t: &Trace) -> Result<String> {
                let mut total = 1i64; let mut s = String::new(); let mut seen: BTreeMap<String, i64> = BTreeMap::new();
                let mut add = |x| { total += x; total };
                let mut note = |w: &str| { *seen.entry(w.to_owned()).or_default() += 1; s.push_str(w); };
                t.effect(add(1));
                for k in 0..3 {
                    let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                    t.effect(add(q));
                    note(&format!("{k}"));
                    if q == 3 { break; }
                    note("again");
                }
                let f = add(0);
                let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                total += q;
                let mut add = |x: i64| { total -= x };
                add(2);
                let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                add(q);
                Ok(format!("{total} {s} {f} {seen:?}"))
            }
            $(#[$mark])?
            pub async fn that_collect(cx: Context, t: &Trace) -> Result<String> {
                let mut errors: Vec<String> = Vec::new();
                let mut state = (0i64, vec![1i64]);
                let mut check = |ok: bool, what: &str| -> bool { if !ok { errors.push(what.to_owned()); } ok };
                let a = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n);
                check(a > 1, "a");
                let b = cx.peer.elicit::<Count>("b?").await?.map_or(0, |c| c.n);
                if !check(b > 1, "b") { t.note("b bad"); }
                let mut bump = || { state.0 += 1; state.1.push(state.0); state.0 };
                let x = bump();
                let c = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                let y = bump() + bump();
                let counter = { let mut n = 0; move || { n += 1; n } };
                let z = { let mut c2 = counter; c2() + c2() };
                Ok(format!("{errors:?} {state:?} {x} {y} {c} {z}"))
            }
            #[derive(Debug, Clone, Default, Serialize, Deserialize)] struct Log { lines: Vec<String>, n: i64 }
            $(#[$mark])?
            async fn each_asking(cx: &Context, f: &mut (dyn FnMut(i64) -> i64 + Send)) -> Result<i64> { let a = f(1); let q = cx.peer.elicit::<Count>("h?").await?.map_or(0, |c| c.n); Ok(a + f(q)) }
            $(#[$mark])?
            async fn by(cx: &Context, f: impl Fn(i64) -> i64 + Send + Sync) -> Result<i64> { let a = f(1); let q = cx.peer.elicit::<Count>("h?").await?.map_or(0, |c| c.n); Ok(a + f(q)) }
            impl Log {
                $(#[$mark])?
            async fn fill(&mut self, cx: &Context, out: &mut Vec<i64>) -> Result<()> {
                    let mut say = |m: &str| self.lines.push(m.to_owned());
                    let mut put = |x| out.push(x);
                    say("one");
                    let q = cx.peer.elicit::<Count>("a?").await?.map_or(0, |c| c.n);
                    say(&format!("two {q}"));
                    put(q);
                    self.n += 1;
                    let q = cx.peer.elicit::<Count>("b?").await?.map_or(0, |c| c.n);
                    put(q + self.n);
                    Ok(())
                }
            }
            $(#[$mark])?
            pub async fn through_helpers(cx: Context, t: &Trace) -> Result<String> {
                let mut log = Log::default(); let mut out = vec![];
                log.fill(&cx, &mut out).await?;
                let mut total = 0i64;
                let mut f = |x| { total += x; t.effect(total); total };
                let a = each_asking(&cx, &mut f).await?;
                let mut g = |x| f(x) * 2;
                let q = cx.peer.elicit::<Count>("c?").await?.map_or(0, |c| c.n);
                let b = g(q);
                let base = log.n;
                let h = |x| x + base;
                let c = by(&cx, h).await?;
                let d = by(&cx, &h).await?;
                let mut fs: Vec<i64> = (0..3).map(|k| h(k)).collect();
                let mut keep = |x: &i64| { *x != q };
                let q2 = cx.peer.elicit::<Count>("d?").await?.map_or(0, |c| c.n);
                fs.retain(&mut keep); fs.retain(keep);
                Ok(format!("{log:?} {out:?} {a} {b} {c} {d} {fs:?} {q2} {total}"))
            }
            $(#[$mark])?
            pub async fn in_loops(cx: Context, t: &Trace) -> Result<String> {
                let mut k = 0u8;
                let mut next = || { k += 1; k };
                let mut ids = vec![];
                while ids.len() < 3 {
                    let ok = cx.peer.elicit::<Confirm>("ok?").await?.is_some_and(|c| c.ok);
                    if ok { ids.push(next()); continue; }
                    match next() { 5.. => break, n if n % 2 == 0 => ids.push(n), _ => {} }
                }
                let mut stats: HashMap<String, u32> = HashMap::new();
                let mut hit = |w: &str| -> u32 { let e = stats.entry(w.into()).or_insert(0); *e += 1; *e };
                let text = cx.peer.elicit::<Text>("t?").await?.map_or_else(String::new, |c| c.text);
                for w in text.split(' ') { t.effect(hit(w)); }
                let again = cx.peer.elicit::<Text>("t?").await?.map_or_else(String::new, |c| c.text);
                if again.is_empty() { hit("none"); } else { hit(&again); }
                let mut sorted: Vec<_> = stats.into_iter().collect(); sorted.sort();
                let mut buf = String::from("b");
                let finish = || { buf.push('!'); buf };
                let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let last = finish();
                let v = vec![1, 2, 3];
                let own = || v;
                let m = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let v2 = own();
                Ok(format!("{ids:?} {sorted:?} {n} {last} {m} {v2:?} {k}"))
            }
            struct Loud<'a>(&'a Trace, i64);
            impl Drop for Loud<'_> { fn drop(&mut self) { self.0.note(&format!("drop {}", self.1)); } }
            $(#[$mark])?
            pub async fn with_effects(cx: Context, t: &Trace) -> Result<String> {
                let mut n = 1i64;
                let mut x = 5i64;
                let mut f = |d: i64| { let _l = Loud(t, d); n += d; if n > 3 { return -1; } n };
                let a = f(1);
                let q = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let b = f(q);
                {
                    let x = &mut x;
                    let mut g = |d| { *x += d; *x };
                    let r = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    t.effect(g(r));
                }
                let n = 100;
                let q2 = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                let c = f(q2);
                Ok(format!("{a} {b} {c} {n} {x}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    of_what_has_changed,
    given_away,
    that_assign,
    that_collect,
    that_take_what_never_changes,
    through_helpers,
    in_loops,
    with_effects
);

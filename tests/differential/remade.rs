//! Closures, functions and literals that are made again in each block: their types are the same in all.

use rmcp::{RoleServer, service::RequestContext};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            pub async fn a_float(cx: Context, t: &Trace) -> Result<String> {
                let to_cents = |x| (x * 100.0) as i64;
                let a = to_cents(1.1f32);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{a} {}", to_cents(4.35)))
            }
            $(#[$mark])?
            pub async fn what_is_parsed(cx: Context, t: &Trace) -> Result<String> {
                let parse = |s: &str| s.parse().unwrap_or(0);
                let qty: u8 = parse("3");
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let more = parse("500");
                Ok(format!("{qty} {more}"))
            }
            $(#[$mark])?
            pub async fn a_size(cx: Context, t: &Trace) -> Result<String> {
                let same = |x| x; let a = same(1u8);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{a} {}", std::mem::size_of_val(&same(2))))
            }
            $(#[$mark])?
            pub async fn a_shift(cx: Context, t: &Trace) -> Result<String> {
                let max = |a, b| if a > b { a } else { b };
                let hi: u8 = max(3, 4);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{hi} {}", max(1, 2) << 7 << 1))
            }
            $(#[$mark])?
            pub async fn another_name(cx: Context, t: &Trace) -> Result<String> {
                let max = |a, b| if a > b { a } else { b };
                let g = max;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let hi: u8 = g(3, 4);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                Ok(format!("{hi} {}", g(1, 2) << 7 << 1))
            }
            $(#[$mark])?
            pub async fn literals_and_functions(cx: Context, t: &Trace) -> Result<String> {
                let list = &[200, 100];
                let first: u8 = list[0];
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let f = str::parse;
                let n: u8 = f("7").unwrap();
                let pair = &(1, [5]);
                let k: u8 = pair.0;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect(f("300").is_err());
                t.effect((pair.0 << 7 << 1) );
                Ok(format!("{n} {first} {}", list[1] << 1 << 1))
            }
            $(#[$mark])?
            pub async fn literals_in_loops(cx: Context, t: &Trace) -> Result<String> {
                let mut out = vec![];
                for x in &[200, 100] {
                    let y: u8 = *x;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    out.push(*x << 1);
                }
                for x in [200, 100].iter().rev() {
                    let y: u8 = *x;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    t.effect(*x << 1);
                }
                for x in [200, 100] {
                    let y: u8 = x;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    t.effect(x << 1);
                }
                for (i, x) in (1..).zip([200, 100]) {
                    let y: u8 = x;
                    let z: u8 = i;
                    t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                    t.effect((x << 1, i << 4 << 4));
                }
                Ok(format!("{out:?}"))
            }
            $(#[$mark])?
            pub async fn without_types(cx: Context, t: &Trace) -> Result<String> {
                let trim = |s: &str| s.trim().len();
                let first = |s: &'static str| s;
                let keep = |list: &mut Vec<_>, x| list.push(x);
                let empty = || Vec::new();
                let none = || None;
                let show = |x| format!("{x:?}");
                let p = |s: &str| s.parse().unwrap_or_default();
                let mut list = empty();
                keep(&mut list, 7u8);
                let a: u8 = p("1");
                let mut m: Option<u8> = none();
                t.effect(show(8u8));
                t.effect(trim(" a "));
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                m = none();
                t.effect(show(9));
                keep(&mut list, 8);
                let mut more = empty();
                more.push(1);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect(trim(&first(" ab ").to_owned()));
                t.effect(p("300"));
                more.push(2);
                Ok(format!("{list:?} {a} {m:?} {more:?}"))
            }
            $(#[$mark])?
            pub async fn with_lifetimes(cx: Context, t: &Trace) -> Result<String> {
                let names = vec!["a".to_owned(), "b".to_owned()];
                let longest = |a: &str, b: &str| a.len().max(b.len());
                let pick = |list: &[String], n: usize| list[n].clone();
                let find = |key: &str| names.iter().find(|n| n.as_str() == key);
                let takes_fn = |f: fn(i64) -> i64| f(2);
                let double = |n| n * 2;
                t.effect(find("a"));
                t.effect(takes_fn(double));
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                t.effect(longest("a", &names[1]));
                t.effect(pick(&names, 1));
                t.effect(takes_fn(double));
                let handle = std::thread::spawn(move || double(4));
                t.effect(handle.join().unwrap());
                Ok(format!("{:?}", find("b")))
            }
            $(#[$mark])?
            pub async fn what_they_give(cx: Context, t: &Trace) -> Result<String> {
                let fetch = |n| async move { t.fetch(n + 1).await };
                let parsed = |s: &'static str| Box::pin(async move { s.parse().unwrap_or(0) });
                let list = vec![1i64, 2, 3, 4];
                let evens = || list.iter().filter(|n| **n % 2 == 0).rev();
                let first = |o: Option<&str>| o.map(|s| s.parse().unwrap_or(0));
                let sum = |l: &[i64]| l.iter().map(|n| n * 2).sum::<i64>();
                let total = |l: &[i64]| l.iter().map(|n| *n as u8).sum();
                let a = fetch(3u8).await;
                let b: u8 = parsed("9").await;
                let c: Option<u8> = first(Some("7"));
                let d: u8 = total(&list);
                t.effect((evens().count(), sum(&list), d));
                t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n));
                t.effect(fetch(4).await);
                t.effect(parsed("400").await);
                t.effect(first(Some("300")));
                t.effect((evens().collect::<Vec<_>>(), sum(&list)));
                t.effect(total(&[100, 100]) << 1 << 1);
                Ok(format!("{a}{b}{c:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    a_float,
    what_is_parsed,
    a_size,
    a_shift,
    another_name,
    literals_and_functions,
    literals_in_loops,
    without_types,
    with_lifetimes,
    what_they_give
);

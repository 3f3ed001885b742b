//! Arguments that lend in a part of them, `&mut` parameters that are taken apart, and literals that are lent.

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

            #[derive(Debug, Clone, Default, PartialEq)]
            struct Req { n: i64, reason: Option<String> }
            #[derive(Debug, Clone, Default, PartialEq)]
            struct Opts<'a> { path: Option<&'a str>, name: &'a str, n: i64 }
            $(#[$mark])?
            async fn ask(cx: &Context, r: Req) -> Result<i64> { let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(n + 1) }
            $(#[$mark])?
            async fn w(cx: &Context, reason: Option<String>) -> Result<i64> { ask(cx, Req { n: 1, reason }).await }
            $(#[$mark])?
            async fn opt(cx: &Context, d: Option<&str>) -> Result<String> { let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(format!("{d:?}{n}")) }
            $(#[$mark])?
            async fn opts(cx: &Context, d: Opts<'_>) -> Result<String> { let k = d.name.len(); let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(format!("{k}{n}")) }
            $(#[$mark])?
            async fn pair(cx: &Context, d: (&str, i64)) -> Result<String> { let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(format!("{d:?}{n}")) }
            $(#[$mark])?
            async fn shown(cx: &Context, d: Option<&(dyn std::fmt::Debug + Sync)>) -> Result<String> { let s = format!("{d:?}"); let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(format!("{s}{n}")) }
            $(#[$mark])?
            async fn pick(cx: &Context, items: &[&str]) -> Result<String> { let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n); Ok(items[n.rem_euclid(2) as usize].to_owned()) }
            $(#[$mark])?
            pub async fn arguments(cx: Context, t: &Trace) -> Result<String> {
                let reason = Some("why".to_owned());
                let a = w(&cx, reason.clone()).await?;
                let b = ask(&cx, Req { n: t.effect(4), reason }).await?;
                let mut s = String::from("x"); s.push('y');
                let c = opt(&cx, Some(&s)).await?;
                let d = pair(&cx, (&s, 1)).await?;
                let e = opts(&cx, Opts { path: Some(&s), name: &s, n: a }).await?;
                let f = shown(&cx, Some(&s)).await?;
                s.push('z');
                let g = opt(&cx, Some(&s)).await?;
                Ok(format!("{a}{b}{c}{d}{e}{f}{g}{s}"))
            }
            #[derive(Serialize, Deserialize)]
            struct Cart { items: Vec<i64>, note: Option<String>, n: i64 }
            #[derive(Serialize, Deserialize)]
            enum Step { Count(i64), Named { name: String, n: i64 }, Done }
            $(#[$mark])?
            async fn num(cx: &Context) -> Result<i64> { Ok(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n)) }
            $(#[$mark])?
            async fn bump(cx: &Context, n: &mut Option<i64>) -> Result<()> { if let Some(n) = n { *n += num(cx).await?; *n += num(cx).await?; } Ok(()) }
            $(#[$mark])?
            async fn perhaps(cx: &Context, t: &Trace, counts: Option<&mut Vec<i64>>, sum: Option<&mut i64>) -> Result<i64> {
                if let Some(counts) = counts { counts.push(num(cx).await?); t.effect(&*counts); counts.push(2); }
                let Some(sum) = sum else { return num(cx).await };
                *sum += num(cx).await?;
                *sum += 1;
                Ok(*sum)
            }
            $(#[$mark])?
            async fn guarded(cx: &Context, counts: Option<&mut Vec<i64>>) -> Result<i64> {
                let n = num(cx).await?;
                match counts {
                    Some(all) if all.len() < 3 => { all.push(num(cx).await?); all.push(n); Ok(1) }
                    Some(all) => { all[0] = num(cx).await?; all[0] += n; Ok(2) }
                    None => num(cx).await,
                }
            }
            $(#[$mark])?
            pub async fn options(cx: Context, t: &Trace) -> Result<String> {
                let (mut counts, mut sum) = (vec![1], 3);
                let a = perhaps(&cx, t, Some(&mut counts), Some(&mut sum)).await?;
                let b = perhaps(&cx, t, Some(&mut counts), None).await?;
                let c = perhaps(&cx, t, None, Some(&mut sum)).await?;
                let d = (guarded(&cx, Some(&mut counts)).await?, guarded(&cx, None).await?);
                let mut outcome: std::result::Result<i64, String> = Ok(1);
                if let Ok(n) = outcome.as_mut() { *n += num(&cx).await?; *n += 1; }
                Ok(format!("{a} {b} {c} {d:?} {counts:?} {sum} {outcome:?}"))
            }
            $(#[$mark])?
            async fn advance(cx: &Context, step: &mut Step) -> Result<i64> {
                match step {
                    Step::Count(n) if *n > 100 => { *n -= num(cx).await?; }
                    Step::Count(n) => { *n += num(cx).await?; *n *= 2; }
                    Step::Named { name, n } => { name.push('!'); *n += num(cx).await?; name.push('?'); }
                    Step::Done => return num(cx).await,
                }
                let Step::Count(n) = step else { return Ok(-1) };
                *n += num(cx).await?;
                Ok(*n)
            }
            $(#[$mark])?
            async fn fill(cx: &Context, cart: &mut Cart, pair: &mut (i64, String), all: &mut Vec<i64>) -> Result<()> {
                let Cart { items, note, n } = cart;
                items.push(num(cx).await?);
                *note = Some(format!("{}", num(cx).await?));
                *n += items.len() as i64;
                let (a, b) = pair;
                *a += num(cx).await?;
                b.push('x');
                for x in all { *x += num(cx).await?; }
                if let [first, rest @ ..] = items.as_mut_slice() { *first += num(cx).await?; *n += rest.len() as i64; }
                Ok(())
            }
            $(#[$mark])?
            async fn unless(cx: &Context, left: &mut Option<i64>) -> Result<i64> {
                while let Some(n) = left { if *n < 2 { *left = None; } else { *n -= 1; *n += num(cx).await?.min(0); } }
                Ok(num(cx).await?)
            }
            $(#[$mark])?
            pub async fn parameters(cx: Context, t: &Trace) -> Result<String> {
                let mut n = Some(1); let mut none = None;
                bump(&cx, &mut n).await?; bump(&cx, &mut none).await?;
                let mut out = vec![];
                let mut named = Step::Named { name: "s".into(), n: 1 };
                for step in [&mut Step::Count(1), &mut Step::Count(200), &mut Step::Done] { out.push(match step { Step::Count(n) => *n, _ => 0 }); }
                let mut count = Step::Count(3);
                out.push(advance(&cx, &mut count).await?);
                out.push(advance(&cx, &mut named).await?);
                let mut cart = Cart { items: vec![1], note: None, n: 0 }; let mut pair = (1, "p".to_string()); let mut all = vec![1, 2];
                fill(&cx, &mut cart, &mut pair, &mut all).await?;
                let mut left = Some(4);
                out.push(unless(&cx, &mut left).await?);
                if let Step::Named { name, n } = &named { t.effect((name, n)); }
                Ok(format!("{n:?}{none:?}{out:?}{:?}{:?}{}{pair:?}{all:?}{left:?}", cart.items, cart.note, cart.n))
            }
            $(#[$mark])?
            pub async fn literals(cx: Context, t: &Trace) -> Result<String> {
                let labels = &["a", "b"];
                let pairs = &[("a", 1), ("b", 2)];
                let a = pick(&cx, labels).await?;
                let n = cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n);
                t.effect(labels[n.rem_euclid(2) as usize]);
                let chosen = &pairs[n.rem_euclid(2) as usize];
                t.effect(chosen.1);
                for (label, k) in pairs { t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n) + k); t.note(label); }
                {
                    let labels = &["c", "d"];
                    t.effect(cx.peer.elicit::<Count>("a").await?.map_or(0, |c| c.n));
                    t.effect(labels);
                }
                Ok(format!("{labels:?}{pairs:?}{a}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(arguments, options, parameters, literals);

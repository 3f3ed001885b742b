//! Arguments that lend in a part of them, and literals that are lent.

use rmcp::{RoleServer, service::RequestContext};
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

written_twice!(arguments, literals);

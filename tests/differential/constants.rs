//! Constants: each mention is a value of its own.

use std::sync::LazyLock;

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
            struct Counter { n: i64, list: Vec<i64> }
            #[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, PartialEq)]
            struct Small { n: i64 }
            const KC: Counter = Counter { n: 1, list: Vec::new() };
            const KS: Small = Small { n: 1 };
            const KARR: [i64; 3] = [1, 2, 3];
            const kl: i64 = 5;
            static ST: LazyLock<Counter> = LazyLock::new(|| Counter { n: 3, list: vec![1] });
            static PLAIN: Counter = Counter { n: 9, list: Vec::new() };

            impl Counter {
                $(#[$mark])?
                async fn add(&mut self, cx: &Context) -> Result<i64> {
                    self.n += 10;
                    self.list.push(1);
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    self.n += n;
                    Ok(self.n + self.list.len() as i64)
                }
                $(#[$mark])?
                async fn look(&self, cx: &Context) -> Result<i64> {
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    Ok(self.n + n)
                }
            }
            impl Small {
                $(#[$mark])?
                async fn take(mut self, cx: &Context) -> Result<i64> {
                    self.n += 10;
                    let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                    Ok(self.n + n)
                }
            }
            $(#[$mark])?
            async fn free(cx: &Context, c: &mut Counter) -> Result<i64> {
                c.n += 10;
                let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                c.n += n;
                Ok(c.n)
            }
            $(#[$mark])?
            async fn num(cx: &Context, c: &mut i64) -> Result<i64> {
                *c += 10;
                let n = cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n);
                *c += n;
                Ok(*c)
            }
            $(#[$mark])?
            pub async fn lent_whole(cx: Context, t: &Trace) -> Result<String> {
                Ok(format!("{}", free(&cx, &mut KC).await?))
            }
            $(#[$mark])?
            pub async fn lent_field(cx: Context, t: &Trace) -> Result<String> {
                Ok(format!("{}", num(&cx, &mut KC.n).await?))
            }
            $(#[$mark])?
            pub async fn in_a_variable(cx: Context, t: &Trace) -> Result<String> {
                let r = &mut KC;
                r.n += 5;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                r.n += 5;
                Ok(format!("{r:?}"))
            }
            $(#[$mark])?
            pub async fn field_in_a_variable(cx: Context, t: &Trace) -> Result<String> {
                let r = &mut KC.n;
                *r += 5;
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                *r += 5;
                Ok(format!("{r:?}"))
            }
            $(#[$mark])?
            pub async fn by_value_and_shared(cx: Context, t: &Trace) -> Result<String> {
                let n = KS.take(&cx).await?;
                let m = kl + n;
                Ok(format!("{n}{}{m}", ST.look(&cx).await?))
            }
            $(#[$mark])?
            pub async fn of_variants(cx: Context, t: &Trace) -> Result<String> {
                let m = &mut None::<i64>;
                *m = Some(4);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                let k = &mut Vec::<i64>::new();
                k.push(1);
                t.effect(cx.peer.elicit::<Count>("n?").await?.map(|c| c.n));
                k.push(m.unwrap_or(1));
                Ok(format!("{k:?} {m:?}"))
            }
            $(#[$mark])?
            pub async fn lent_item(cx: Context, t: &Trace) -> Result<String> {
                Ok(format!("{}", num(&cx, &mut KARR[1]).await?))
            }
            impl Counter { fn of(t: &Trace, n: i64) -> Self { t.effect(n); Counter { n, list: vec![n, n + 1] } } }
            $(#[$mark])?
            pub async fn parts_of_temporaries(cx: Context, t: &Trace) -> Result<String> {
                let a = num(&cx, &mut Counter::of(t, 4).n).await?;
                let b = num(&cx, &mut Counter::of(t, 5).list[t.effect(1usize)]).await?;
                Ok(format!("{a} {b}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    lent_whole,
    lent_field,
    lent_item,
    in_a_variable,
    field_in_a_variable,
    by_value_and_shared,
    of_variants,
    parts_of_temporaries
);

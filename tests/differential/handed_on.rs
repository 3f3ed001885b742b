//! Arguments by value whose types have neither serde nor `Clone`: what a call is given is given again when the call is made again.

use rmcp::{RoleServer, service::RequestContext};
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

            pub struct Order {
                name: String,
                count: i64,
            }

            pub enum Mode {
                Fast,
                Slow { by: i64, order: Order },
            }

            $(#[$mark])?
            async fn number(cx: &Context) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>("how many?").await?.map_or(0, |answer| answer.n))
            }

            $(#[$mark])?
            async fn sure(cx: &Context) -> Result<bool, Failure> {
                let answer = cx.peer.elicit::<Confirm>("sure?").await?;
                Ok(answer.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn inner(cx: &Context, order: Order, more: i64, text: Option<String>) -> Result<i64, Failure> {
                let first = number(cx).await?;
                let second = number(cx).await?;
                Ok(order.count + first + second + more + text.map_or(0, |text| text.len() as i64))
            }

            $(#[$mark])?
            async fn outer(cx: &Context, t: &Trace, order: Order, more: i64, text: Option<String>) -> Result<i64, Failure> {
                let before = number(cx).await?;
                t.effect(format!("{} {more} {text:?}", order.count));
                let result = inner(cx, order, more, text).await?;
                let behind = number(cx).await?;
                Ok(result + before + behind + more)
            }

            /// A parameter is handed on; a variable is, that has parts.
            $(#[$mark])?
            pub async fn orders(cx: Context, t: &Trace) -> Result<String, Failure> {
                let count = number(&cx).await?;
                let first = Order { name: "x".into(), count };
                let mut all = outer(&cx, t, first, 3, Some("abc".into())).await?;
                let mut second = Order { name: "x".into(), count };
                second.count += all;
                let text = (all > 3).then(|| "q".to_owned());
                all += outer(&cx, t, second, 3, text).await?;
                Ok(format!("{all}"))
            }

            $(#[$mark])?
            async fn work(cx: &Context, t: &Trace, mode: Mode) -> Result<i64, Failure> {
                let by = match &mode {
                    Mode::Fast => 1,
                    Mode::Slow { by, .. } => *by,
                };
                let first = number(cx).await?;
                t.effect(format!("{by} {first}"));
                let second = number(cx).await?;
                Ok(match mode {
                    Mode::Fast => by,
                    Mode::Slow { by, order } => by + order.count,
                } + first + second)
            }

            $(#[$mark])?
            async fn perhaps(cx: &Context, t: &Trace, mode: Mode) -> Result<i64, Failure> {
                if let Mode::Slow { by: 2, .. } = mode {
                    return Ok(5);
                }
                let before = number(cx).await?;
                work(cx, t, mode).await.map(|all| all + before)
            }

            /// In a loop, on some paths, and more than once.
            $(#[$mark])?
            pub async fn modes(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut all = 0;
                for by in 0..3 {
                    let mode = if by == 1 {
                        Mode::Fast
                    } else {
                        Mode::Slow { by, order: Order { name: "q".into(), count: by * 2 } }
                    };
                    all += if by == 0 { work(&cx, t, mode).await? } else { perhaps(&cx, t, mode).await? };
                    t.effect(all.to_string());
                }
                let last = loop {
                    let mode = Mode::Slow { by: all, order: Order { name: "q".into(), count: all } };
                    if sure(&cx).await? {
                        break work(&cx, t, mode).await?;
                    }
                    if sure(&cx).await? {
                        drop(mode);
                        break 3;
                    }
                };
                Ok(format!("{all} {last}"))
            }

            impl Order {
                $(#[$mark])?
                async fn run(self, cx: &Context) -> Result<i64, Failure> {
                    let first = number(cx).await?;
                    let second = number(cx).await?;
                    Ok(self.count + first + second)
                }
            }

            $(#[$mark])?
            async fn run_order(cx: &Context, order: Order) -> Result<i64, Failure> {
                Order::run(order, cx).await
            }

            /// `self` by value, and a closure.
            $(#[$mark])?
            pub async fn methods(cx: Context, t: &Trace) -> Result<String, Failure> {
                let count = number(&cx).await?;
                let first = Order { name: "x".into(), count };
                let mut all = Order::run(first, &cx).await?;
                let second = Order { name: "x".into(), count: all };
                all += run_order(&cx, second).await?;
                Ok(format!("{all}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);
written_twice!(orders, modes, methods);

//! Items in blocks: what their names mean, wherever they are put.

use rmcp::{RoleServer, service::RequestContext};
use tests::{
    Case, Failure, Trace,
    answers::{Confirm, Count},
};

type Context = RequestContext<RoleServer>;

const LIMIT: i64 = 9;

macro_rules! limits {
    () => {
        const HIGHEST: i64 = 2;
    };
}

const HIGHEST: i64 = 8;

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn number(cx: &Context) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>("how many?").await?.map_or(0, |answer| answer.n))
            }

            $(#[$mark])?
            async fn sure(cx: &Context) -> Result<bool, Failure> {
                let answer = cx.peer.elicit::<Confirm>("sure?").await?;
                Ok(answer.is_some_and(|answer| answer.ok))
            }

            /// An item means those of the blocks around it, which stay where they are.
            $(#[$mark])?
            pub async fn items_that_mean_others(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut out = vec![LIMIT, HIGHEST];
                {
                    const LIMIT: i64 = 1;
                    {
                        fn limit() -> i64 { LIMIT }
                        out.push(t.effect(limit()));
                    }
                }
                {
                    limits!();
                    fn highest() -> i64 { HIGHEST }
                    out.push(t.effect(highest()));
                    {
                        fn higher() -> i64 { HIGHEST + 1 }
                        out.push(t.effect(higher()));
                    }
                }
                out.push(number(&cx).await?);
                Ok(format!("{out:?}"))
            }

            $(#[$mark])?
            pub async fn items_of_a_block(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut all = Vec::new();
                loop {
                    #[derive(Debug)]
                    enum Choice {
                        Again(i64),
                        Done,
                    }
                    impl Choice {
                        fn of(n: i64) -> Self {
                            const MOST: i64 = 2;
                            if n > MOST { Self::Done } else { Self::Again(n) }
                        }
                    }
                    fn shown(choice: &Choice) -> String {
                        format!("{choice:?}")
                    }
                    let n = number(&cx).await?;
                    let choice = Choice::of(n);
                    all.push(t.effect(shown(&choice)));
                    if matches!(choice, Choice::Done) || all.len() > 3 {
                        break;
                    }
                    let last = if sure(&cx).await? { Choice::Again(n) } else { Choice::Done };
                    if sure(&cx).await? {
                        all.push(shown(&last));
                    }
                }
                Ok(format!("{all:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);
written_twice!(items_that_mean_others, items_of_a_block);

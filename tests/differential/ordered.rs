//! indexmap's collections.

use indexmap::{IndexMap, IndexSet};
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

            struct Prompt {
                question: String,
                n: i64,
            }

            struct Template {
                prompts: IndexMap<String, Prompt>,
                names: IndexSet<String>,
            }

            static TEMPLATE: std::sync::LazyLock<Template> = std::sync::LazyLock::new(|| Template {
                prompts: ["b", "a"].map(|key| (key.to_owned(), Prompt { question: format!("{key}?"), n: 2 })).into(),
                names: ["z", "y"].map(str::to_owned).into(),
            });

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn number(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(0, |answer| answer.n))
            }

            impl Template {
                $(#[$mark])?
                async fn ask(&self, cx: &Context, t: &Trace) -> Result<i64, Failure> {
                    let mut sum = 0;
                    for (name, prompt) in &self.prompts {
                        if sure(cx, &prompt.question).await? {
                            sum += prompt.n;
                            t.effect(name);
                        }
                    }
                    let first = &self.prompts["a"];
                    for name in self.names.iter().skip(1) {
                        sum += number(cx, name).await? + first.n;
                    }
                    let second = self.prompts.get("b");
                    sum += number(cx, "last").await?;
                    Ok(sum + second.map_or(0, |prompt| prompt.n))
                }
            }

            /// Of what a process has.
            $(#[$mark])?
            pub async fn lent(cx: Context, t: &Trace) -> Result<String, Failure> {
                let sum = TEMPLATE.ask(&cx, t).await?;
                Ok(format!("{sum}"))
            }

            /// Of a function's own, which it changes.
            $(#[$mark])?
            pub async fn own(cx: Context, t: &Trace) -> Result<String, Failure> {
                let mut map: IndexMap<String, i64> = IndexMap::new();
                for key in ["z", "a"] {
                    map.insert(key.to_owned(), number(&cx, key).await?);
                }
                let mut seen = IndexSet::new();
                for (key, value) in &map {
                    if sure(&cx, key).await? {
                        seen.insert((key.clone(), *value));
                    }
                }
                for value in map.values_mut() {
                    *value += number(&cx, "more").await?;
                }
                if let Some(value) = map.get_mut("a") {
                    *value += t.effect(1);
                    number(&cx, "a").await?;
                    *value += 1;
                }
                let mut all = Vec::new();
                for (key, value) in map {
                    all.push(format!("{key}{value}{}", sure(&cx, &key).await?));
                }
                Ok(format!("{seen:?} {all:?}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(lent, own);

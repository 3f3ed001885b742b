//! What functions of published crates do beside their questions.

use std::path::{Path, PathBuf};

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

            $(#[$mark])?
            async fn sure(cx: &Context, question: &str) -> Result<bool, Failure> {
                Ok(cx.peer.elicit::<Confirm>(question).await?.is_some_and(|answer| answer.ok))
            }

            $(#[$mark])?
            async fn number(cx: &Context, question: &str) -> Result<i64, Failure> {
                Ok(cx.peer.elicit::<Count>(question).await?.map_or(0, |answer| answer.n))
            }

            /// A macro in a guard, of a variable.
            $(#[$mark])?
            pub async fn macros_in_guards(cx: Context, t: &Trace) -> Result<String, Failure> {
                let (id, name) = (Some(3), String::from("a"));
                let sure = sure(&cx, "first?").await?;
                let n = match sure {
                    true => 1,
                    _ if matches!(id, Some(3)) && format!("{name}") == "a" => number(&cx, "guarded?").await?,
                    _ => t.effect(2),
                };
                Ok(format!("{n} {name} {id:?}"))
            }

            /// A parameter by whose name something found in it is known.
            $(#[$mark])?
            async fn shadowed(cx: &Context, list: &[PathBuf]) -> Result<usize, Failure> {
                let list = list.iter().filter(|path| path.is_absolute()).collect::<Vec<_>>();
                for path in &list {
                    sure(cx, &path.display().to_string()).await?;
                }
                Ok(list.len())
            }

            $(#[$mark])?
            pub async fn shadowed_parameters(cx: Context, t: &Trace) -> Result<String, Failure> {
                let paths = ["/a", "b", "/c"].map(PathBuf::from);
                let count = shadowed(&cx, &paths).await?;
                Ok(format!("{count} {}", sure(&cx, "last?").await?))
            }

            $(#[$mark])?
            async fn helped(cx: &Context, help: Option<&str>, at: Option<&Path>) -> Result<bool, Failure> {
                sure(cx, &format!("{help:?} {at:?}")).await
            }

            /// A temporary in an `Option`, which is made what is expected there.
            $(#[$mark])?
            pub async fn lent_in_options(cx: Context, t: &Trace) -> Result<String, Failure> {
                let dir = PathBuf::from("/d");
                let a = helped(&cx, Some(&format!("e.g. {}", t.effect(1))), Some(&dir.join("x"))).await?;
                let b = helped(&cx, None, Some(&dir)).await?;
                Ok(format!("{a} {b}"))
            }

            struct Cli {
                name: &'static str,
            }

            impl Cli {
                /// Of the name of the function that it calls.
                $(#[$mark])?
                async fn sure(&self, cx: &Context, question: &str) -> Result<bool, Failure> {
                    sure(cx, &format!("{question} {}", self.name)).await
                }
            }

            static CLI: Cli = Cli { name: "cli" };

            $(#[$mark])?
            pub async fn named_as_a_function(cx: Context, t: &Trace) -> Result<String, Failure> {
                let a = CLI.sure(&cx, "a?").await?;
                let b = sure(&cx, "b?").await?;
                Ok(format!("{a} {b}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    macros_in_guards,
    shadowed_parameters,
    lent_in_options,
    named_as_a_function
);

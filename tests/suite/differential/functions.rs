//! Tables of functions, and functions in structs: nothing but names, so that they are made again.

use rmcp::{RoleServer, service::RequestContext};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

mod ops {
    pub(super) fn inc(n: i64) -> i64 {
        n + 1
    }

    pub(super) fn dec(n: i64) -> i64 {
        n - 1
    }
}

fn twice(n: i64) -> i64 {
    n * 2
}

enum Kind {
    Up(fn(i64) -> i64),
    Down {
        by: fn(i64) -> i64,
        name: &'static str,
    },
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            $(#[$mark])?
            async fn num(cx: &Context, of: &str) -> Result<i64> { Ok(cx.peer.elicit::<Count>(of).await?.map_or(0, |c| c.n)) }
            $(#[$mark])?
            async fn each(cx: &Context, all: &[fn(i64) -> i64], k: i64) -> Result<i64> { let n = num(cx, "each").await?; Ok(all.iter().map(|f| f(k)).sum::<i64>() + n) }
            $(#[$mark])?
            pub async fn tables(cx: Context, t: &Trace) -> Result<String> {
                let mut sum = 0;
                let table: Vec<(&str, fn(i64) -> i64)> = vec![("inc", ops::inc), ("neg", |n| -n), ("twice", twice)];
                let kinds = [Kind::Up(ops::inc), Kind::Down { by: ops::dec, name: "d" }];
                {
                    use ops::*;
                    let local: [fn(i64) -> i64; 2] = [inc, dec];
                    sum += local.iter().map(|f| f(2)).sum::<i64>();
                }
                let twice = 5;
                for (name, f) in &table {
                    sum += f(num(&cx, name).await?) + twice;
                    t.effect(sum);
                }
                for kind in &kinds {
                    let k = num(&cx, "k").await?;
                    sum += match kind { Kind::Up(f) => f(k), Kind::Down { by, name } => { t.note(name); by(k) } };
                }
                sum += each(&cx, &[ops::inc, ops::dec], sum).await?;
                let (name, f) = table[1];
                Ok(format!("{sum} {name} {}", f(3)))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(tables);

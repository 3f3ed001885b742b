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

/// `Debug`, so that its function's address would show.
#[derive(Debug, Clone, Copy)]
struct Step {
    name: &'static str,
    run: fn(i64) -> i64,
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
            async fn of_a_list(cx: &Context, steps: &[Step]) -> Result<i64> {
                let mut sum = 0;
                if let Some(step) = steps.iter().find(|step| step.name == "b") { sum += (step.run)(num(cx, step.name).await?); sum += (step.run)(sum); }
                Ok(sum)
            }
            $(#[$mark])?
            pub async fn addresses(cx: Context, t: &Trace) -> Result<String> {
                let same = [|n: i64| n + 1, |n: i64| n * 10];
                let typed: [(&str, fn(i64) -> i64); 2] = [("a", |n| n + 2), ("b", twice)];
                let of_references: [fn(&i64) -> i64; 3] = [|n| *n, |n| n * 3, |n| match n.checked_sub(2) { Some(n) => n, None => return 7 }];
                let steps = [Step { name: "a", run: |n| n - 1 }, Step { name: "b", run: ops::inc }];
                let n = num(&cx, "n").await?;
                t.effect(same[n as usize % 2](n));
                for (name, f) in &typed { t.effect(f(num(&cx, name).await?)); }
                t.effect(of_references[n as usize % 3](&n));
                let sum = of_a_list(&cx, &steps).await?;
                Ok(format!("{sum}"))
            }
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

written_twice!(addresses, tables);

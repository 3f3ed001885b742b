//! What is lent by way of a reference, or looked at by a closure, while the reference gets another value.

use rmcp::{RoleServer, service::RequestContext};
use serde::{Deserialize, Serialize};
use tests::{Case, Failure, Trace, answers::Count};

type Result<T, E = Failure> = std::result::Result<T, E>;
type Context = RequestContext<RoleServer>;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Node {
    name: String,
    kids: Vec<String>,
}

fn nodes() -> Vec<Node> {
    let node = |name: &str| Node {
        name: name.to_owned(),
        kids: vec![name.to_uppercase(), "z".to_owned()],
    };
    vec![node("a"), node("b"), node("c")]
}

/// What a macro does to `name = value` nobody knows but the macro.
macro_rules! set {
    ($name:ident = $value:expr) => {
        $name = $value
    };
}

macro_rules! shown {
    ($name:ident = $value:expr) => {
        format!("{} {}", $name, $value)
    };
}

macro_rules! text {
    ($module:ident $(#[$mark:meta])?) => {
        #[allow(warnings, clippy::all)]
        mod $module {
            use super::*;

            struct Order<'a> { name: &'a str, more: Option<&'a String>, k: i64 }

            $(#[$mark])?
            async fn num(cx: &Context) -> Result<i64> { Ok(cx.peer.elicit::<Count>("n?").await?.map_or(0, |c| c.n)) }
            $(#[$mark])?
            async fn show(cx: &Context, v: &str, k: i64) -> Result<String> { let n = num(cx).await?; Ok(format!("{v} {}", n + k)) }
            $(#[$mark])?
            async fn plainly(cx: &Context, v: &str) -> String { match cx.peer.elicit::<Count>("n?").await { Ok(Some(c)) => format!("{v} {}", c.n), _ => v.to_owned() } }
            $(#[$mark])?
            async fn shown(cx: &Context, order: Order<'_>) -> Result<String> { let n = num(cx).await?; Ok(format!("{} {:?} {}", order.name, order.more, n + order.k)) }
            $(#[$mark])?
            async fn list(cx: &Context, of: &[String], k: i64) -> Result<String> { let n = num(cx).await?; Ok(format!("{of:?} {}", n + k)) }
            $(#[$mark])?
            async fn advance<'a>(cx: &Context, name: &str, rest: &mut &'a [Node]) -> Result<String> {
                *rest = &rest[1..];
                let n = num(cx).await?;
                *rest = &rest[1..];
                let m = num(cx).await?;
                Ok(format!("{name} {n} {m}"))
            }
            $(#[$mark])?
            async fn named(cx: &Context, k: i64, mut n: i64, name: String) -> Result<String> {
                let k = k + 1;
                set!(n = n * 2);
                let m = num(cx).await?;
                let (one, two) = (shown!(k = m), shown!(n = m));
                set!(n = n + m);
                let name = name.trim();
                let o = num(cx).await?;
                Ok(format!("{one} {two} {n} {}", shown!(name = o)))
            }
            trait Named { async fn named(&self, cx: &Context, k: i64) -> Result<String>; }
            impl Named for String {
                $(#[$mark])?
                async fn named(&self, cx: &Context, k: i64) -> Result<String> { let n = num(cx).await?; Ok(format!("{self} {}", n + k)) }
            }
            trait Go<'a> { fn first(&mut self, to: &'a Node); }
            impl<'a> Go<'a> for &'a Node { fn first(&mut self, to: &'a Node) { *self = to; } }
            $(#[$mark])?
            pub async fn receivers(cx: Context, t: &Trace) -> Result<String> {
                let all = nodes();
                let mut cur = &all[0];
                let a = (&cur.name).named(&cx, { cur = &all[1]; 1 }).await?;
                let b = (&cur.kids[0]).named(&cx, { cur = &all[2]; num(&cx).await? }).await?;
                let c = format!("{} {}", cur.name, { let ref mut to = cur; *to = &all[0]; num(&cx).await? });
                let d = format!("{} {}", cur.name, { match cur { ref mut to => *to = &all[1] } num(&cx).await? });
                let name = &cur.name;
                cur.first(&all[2]);
                let n = num(&cx).await?;
                t.effect((name, &cur.name));
                Ok(format!("{a} {b} {c} {d} {n}"))
            }
            $(#[$mark])?
            pub async fn by_name(cx: Context, t: &Trace) -> Result<String> { named(&cx, 1, 2, " x ".to_owned()).await }
            $(#[$mark])?
            pub async fn what_stays(cx: Context, t: &Trace) -> Result<String> {
                let mut all = nodes();
                let a = show(&cx, &all[0].name, all.len() as i64).await?;
                let name = || all[1].name.len();
                let k = all.iter().count();
                let n = num(&cx).await?;
                let length = name() + k;
                for node in all.clone().iter().filter(|node| node.name != all[2].name) { t.effect((num(&cx).await?, all.len(), &node.name)); }
                let mut deck = [1, 2, 3];
                let mut rows: &[i64] = &[7, 8];
                let card = deck[{ deck.reverse(); num(&cx).await?.rem_euclid(3) as usize }];
                let row = rows[{ rows = &[5, 6]; num(&cx).await?.rem_euclid(2) as usize }];
                all.clear();
                Ok(format!("{a} {n} {length} {card} {row}"))
            }
            $(#[$mark])?
            pub async fn arguments(cx: Context, t: &Trace) -> Result<String> {
                let all = nodes();
                let mut cur = &all[0];
                let a = show(&cx, &cur.name, { cur = &all[1]; 1 }).await?;
                let b = show(&cx, &cur.kids[0], { cur = &all[2]; num(&cx).await? }).await?;
                let c = list(&cx, &cur.kids[1..], { cur = &all[0]; 3 }).await?;
                let d = shown(&cx, Order { name: &cur.name, more: Some(&cur.kids[0]), k: { cur = &all[1]; 1 } }).await?;
                let e = show(&cx, { cur = &all[2]; &cur.name }, { cur = &all[0]; 2 }).await?;
                t.effect(&cur.name);
                Ok(format!("{a} {b} {c} {d} {e}"))
            }
            $(#[$mark])?
            pub async fn by_the_callee(cx: Context, _: &Trace) -> Result<String> {
                let all = nodes();
                let mut rest = &all[..];
                let a = advance(&cx, &rest[0].name, &mut rest).await?;
                Ok(format!("{a} {}", rest.len()))
            }
            // What a closure looks at has another value when nobody uses the closure any more, or where it is not made again.
            $(#[$mark])?
            pub async fn closures(cx: Context, t: &Trace) -> Result<String> {
                let all = nodes();
                let mut out = vec![];
                let mut at = 0;
                let mut node = &all[at];
                loop {
                    let label = |n: i64| format!("{}={n}", node.name);
                    let n = num(&cx).await?;
                    out.push(label(n));
                    at += 1;
                    match all.get(at) { Some(next) => node = next, None => break }
                    t.effect(&node.name);
                }
                let mut cur = &all[0];
                let name = || cur.name.clone();
                let m = num(&cx).await?;
                cur = &all[2];
                out.push(format!("{} {} {m}", name(), cur.name));
                let mut seed = 3i64;
                let mut next = || { seed = seed * 5 + 1; seed };
                out.push(next().to_string());
                let k = num(&cx).await?;
                out.push((next() + k).to_string());
                Ok(out.join(","))
            }
            $(#[$mark])?
            pub async fn together(cx: Context, _: &Trace) -> Result<String> {
                let all = nodes();
                let mut cur = &all[0];
                let (a, b) = tokio::join!(plainly(&cx, &cur.name), plainly(&cx, { cur = &all[1]; &cur.name }));
                Ok(format!("{a} {b}"))
            }
        }
    };
}

text!(plain);
text!(saga #[saga_runtime::saga]);

written_twice!(
    receivers,
    by_name,
    what_stays,
    arguments,
    by_the_callee,
    closures
);

/// Asks that wait together come in any order.
pub(super) fn joined() -> Vec<Case> {
    joined::all()
}

mod joined {
    use super::{Case, plain, saga};

    written_twice!(together);
}
